//! Tests that each use of a missing feature is one error, which names the feature.

#[test]
fn a_missing_feature_is_named_once() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail_*.rs");
}
