//! Sources that two crates contain, because neither can import from the other.

use crate::read;

/// The table in the file says what is accepted and how the rest is refused, so it holds for settings and for the attribute.
#[test]
fn settings_and_the_attribute_have_one_grammar_of_durations() {
    assert_eq!(
        read("breaker-core/src/integrations/serde/duration_grammar.rs"),
        read("breaker-macros/src/breaker/parse/duration_grammar.rs")
    );
}
