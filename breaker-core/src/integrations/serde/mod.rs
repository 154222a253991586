//! Settings from TOML, JSON, YAML and other formats of `serde`.

mod config;
mod duration;
mod duration_grammar;
mod entries;
mod registry;
mod rule;
