//! Which errors count against a circuit.

/// Which of the errors that prove nothing count against the circuit.
///
/// ```
/// use breaker_core::{Config, FailureRule};
///
/// // Only an outage opens this circuit; "card declined" never does, whether anybody marked it or not.
/// let rule = FailureRule::Transport { timeouts: true, connection_errors: true };
/// let config = Config::builder().failure_rule(rule).build()?;
/// assert_eq!(config.failure_rule(), rule);
/// # Ok::<(), breaker_core::ConfigError>(())
/// ```
///
/// The rule judges errors alone. A mark, the `is_failure` or `is_success` of a call, a panic and a call that was dropped
/// too late keep their own word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FailureRule {
    /// Every error that is not marked counts.
    #[default]
    AnyError,
    /// Only an error that tells of a timeout, of a broken connection or of a counted status counts. Every other one is
    /// [`Unknown`](crate::Evidence::Unknown): it leaves the streak as it was, and releases the slot of a probe.
    ///
    /// Types decide first, along the `source()` chain: [`std::io::Error`] by its kind, and with the features `reqwest`,
    /// `hyper`, `tokio` and `tonic` the errors of those crates. Then whole words decide, of the error's type name and of
    /// the messages along the chain, upper or lower case: `timeout`, `timed out`, `connection refused`,
    /// `could not resolve host`, `failed to connect`, `network is unreachable`, `ssl`, `tls` and a few more.
    Transport {
        /// Whether timeouts count. A connect timeout counts where either kind does.
        timeouts: bool,
        /// Whether connection errors count: refused, reset, closed too early, name not resolved, TLS.
        connection_errors: bool,
    },
}
