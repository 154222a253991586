//! What the compiler says of each mistake in a use of `#[breaker]`.
//!
//! After a deliberate change: `TRYBUILD=overwrite cargo test --test ui_attribute`, then read each changed file as its
//! user.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/attribute/fail_*.rs");
}
