//! The macros of [`breaker-core`](https://docs.rs/breaker-core): use them through that crate.
