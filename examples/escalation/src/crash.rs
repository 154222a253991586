//! Crash points for the tests.

/// Aborts the program, as a power failure would, if `ESCALATION_CRASH_AT` names this point.
pub fn point(name: &str) {
    if std::env::var("ESCALATION_CRASH_AT").is_ok_and(|wanted| wanted == name) {
        std::process::abort();
    }
}
