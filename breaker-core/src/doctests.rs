//! Compiles and runs every snippet of the README and the guides.

#[doc = include_str!("../../README.md")]
struct Readme;

#[doc = include_str!("../../docs/marks.md")]
struct Marks;

#[doc = include_str!("../../docs/operating.md")]
struct Operating;

#[doc = include_str!("../../docs/escalation.md")]
struct Escalation;

#[doc = include_str!("../../docs/teams.md")]
struct Teams;

#[cfg(feature = "testing")]
#[doc = include_str!("../../docs/testing.md")]
struct Testing;
