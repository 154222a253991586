//! Tests of the compiler errors where a feature is missing: one error for each use, with the name of the feature.

#[test]
fn a_missing_feature_is_reported_once_and_by_name() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail_*.rs");
}
