//! The attribute `#[breaker(...)]`: its arguments, the items that it accepts, and the laws in annotated functions.
// `non_ascii_idents` applies to whole crates only, so the module `lints` cannot forbid it.
#![forbid(non_ascii_idents)]

mod arguments;
mod blocks;
mod common;
mod dynamic;
mod law_03;
mod law_04;
mod law_05;
mod law_06;
mod lints;
mod lints_returns;
mod lints_still_apply;
mod moved_arguments;
mod other_macros;
mod stream_scripts;
mod streams;
mod streams_first_item;
mod streams_in_results;
mod timeout;
