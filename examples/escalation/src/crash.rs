//! Crash points for the tests.

/// Ends the program like a power failure, if the environment names this point.
pub fn point(name: &str) {
    if std::env::var("ESCALATION_CRASH_AT").is_ok_and(|wanted| wanted == name) {
        std::process::abort();
    }
}
