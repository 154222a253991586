//! The macros as plain functions, for the fuzzer: a proc-macro crate cannot be called as a library, so its sources are
//! compiled here once more.
//!
//! `cargo +nightly fuzz run derive` and `cargo +nightly fuzz run attribute`, with cargo-fuzz installed. What it finds goes
//! into `corpus/`, which `cargo test -p breaker-macros` replays.

#[path = "../../breaker-macros/src"]
mod macros {
    pub(crate) mod breaker;
    pub(crate) mod diagnostics;
    #[path = "fuzz_corpus/entry.rs"]
    pub(crate) mod entry;
    pub(crate) mod reachable;
    pub(crate) mod syntax;
}

// The sources name these by their paths in their own crate.
use macros::{breaker, diagnostics, entry, reachable, syntax};

/// Expands `#[breaker(..)]`.
pub fn attribute(text: &str) {
    let _ = entry::attribute(text);
}

/// Expands `#[derive(ProvesReachable)]`.
pub fn derive(text: &str) {
    let _ = entry::derive(text);
}
