//! Compiles the snippets of the guide.

#[doc = include_str!("../../docs/fleet.md")]
struct Guide;
