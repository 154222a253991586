//! Compiles and runs every snippet of the README and the guides.

#[doc = include_str!("../../README.md")]
struct Readme;

#[doc = include_str!("../../docs/marks.md")]
struct Marks;
