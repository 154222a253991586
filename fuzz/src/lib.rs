//! The macros as plain functions, for the fuzzer: a proc-macro crate cannot be called as a library, so its sources are
//! compiled here once more.
//!
//! `cargo +nightly fuzz run derive` and `cargo +nightly fuzz run attribute`, with cargo-fuzz installed. What it finds goes
//! into `corpus/`, which `cargo test -p breaker-macros` replays.

#[path = "../../breaker-macros/src/bare.rs"]
mod bare;
#[path = "../../breaker-macros/src/breaker/mod.rs"]
mod breaker;
#[path = "../../breaker-macros/src/diagnostics.rs"]
mod diagnostics;
#[path = "../../breaker-macros/src/corpus/entry.rs"]
mod entry;
#[path = "../../breaker-macros/src/reachable/mod.rs"]
mod reachable;
#[path = "../../breaker-macros/src/suggest.rs"]
mod suggest;

/// Expands `#[breaker(..)]`.
pub fn attribute(text: &str) {
    let _ = entry::attribute(text);
}

/// Expands `#[derive(ProvesReachable)]`.
pub fn derive(text: &str) {
    let _ = entry::derive(text);
}
