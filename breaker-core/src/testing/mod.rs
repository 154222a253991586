//! What tests of an integration need.

mod clock;

pub use clock::ManualClock;
