//! What the compiler says of each mistake in a use of `#[breaker]`.
//!
//! Two errors that begin alike are one here: `cargo check` tells whether a mistake is said twice.
//!
//! After a deliberate change: `TRYBUILD=overwrite cargo test --test ui_attribute`, then read each changed file as its
//! user.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/attribute/fail_*.rs");
}
