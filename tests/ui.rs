//! Diagnostics of the macros: the compiler's output for each mistake in `tests/ui`.
//!
//! trybuild merges two errors with equal text, so `cargo check` shows whether one mistake is reported twice.
//!
//! After a deliberate change, run `TRYBUILD=overwrite cargo test --test ui` and read each changed file as its user.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/attribute/fail_*.rs");
}

#[test]
fn mistakes_in_marks_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/marks/fail_*.rs");
}
