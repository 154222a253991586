//! The rule that selects which errors count against a circuit.

/// Which errors without a mark count against the circuit.
///
/// ```
/// use breaker_core::{Config, FailureRule};
///
/// // Only transport faults open this circuit; "card declined" never does, marked or not.
/// let rule = FailureRule::Transport { timeouts: true, connection_errors: true };
/// let config = Config::builder().failure_rule(rule).build()?;
/// assert_eq!(config.failure_rule(), rule);
/// # Ok::<(), breaker_core::ConfigError>(())
/// ```
///
/// The rule applies to errors alone. It does not change the evidence of a mark, of `is_failure` and `is_success`, of a
/// panic, or of a call that was dropped too late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureRule {
    /// Every error without a mark counts.
    #[default]
    AnyError,
    /// Only a timeout, a connection fault or a counted status counts. Every other error is
    /// [`Unknown`](crate::Evidence::Unknown): it leaves the streak unchanged and releases the slot of a probe.
    ///
    /// Types decide first, along the `source()` chain: [`std::io::Error`] by its kind, and the errors of `reqwest`,
    /// `hyper`, `tokio` and `tonic` with the features of these names. Then whole words decide, in the name of the
    /// error's type and in the messages of the chain, regardless of case: `timeout`, `timed out`, `connection refused`,
    /// `could not resolve host`, `failed to connect`, `network is unreachable`, `ssl`, `tls` and a few more.
    Transport {
        /// Whether timeouts count. A connect timeout counts if either kind does.
        timeouts: bool,
        /// Whether connection faults count: refused, reset, closed too early, name not resolved, TLS.
        connection_errors: bool,
    },
}
