//! What the compiler says of each mistake in a mark, and what it lets pass.
//!
//! After a deliberate change: `TRYBUILD=overwrite cargo test --test ui_marks`, then read each changed file as its user.

#[test]
fn mistakes_in_marks_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/marks/fail_*.rs");
}

#[test]
fn near_misses_pass() {
    trybuild::TestCases::new().pass("tests/ui/marks/pass_*.rs");
}
