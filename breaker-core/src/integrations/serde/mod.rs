//! Settings from TOML, JSON, YAML and whatever else `serde` reads.

mod config;
mod duration;
mod entries;
mod registry;
mod rule;
