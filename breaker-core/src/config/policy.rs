//! Judgement of statuses and errors by the settings of a circuit.

use super::{Config, FailureRule};
use crate::evidence::{Evidence, Fault, status};

impl Config {
    /// Returns the evidence of a response with this HTTP status under these settings, for a classifier of your own.
    ///
    /// ```
    /// use breaker_core::{Config, Evidence};
    ///
    /// let config = Config::builder().count_http_500(true).build()?;
    /// assert_eq!(config.evidence_of_status(404), Evidence::Answered);
    /// assert_eq!(config.evidence_of_status(500), Evidence::Failed);
    /// assert_eq!(config.evidence_of_status(429), Evidence::Unknown);
    /// # Ok::<(), breaker_core::ConfigError>(())
    /// ```
    #[must_use]
    pub fn evidence_of_status(&self, status: u16) -> Evidence {
        if self.counts(status) {
            Evidence::Failed
        } else if status::is_answer(status) {
            Evidence::Answered
        } else {
            Evidence::Unknown
        }
    }

    /// Returns the evidence of an error under these settings. `evidence` and `reported` come from the type of the
    /// error. `otherwise` finds the fault by the sources and the words of the error, and is called only where it
    /// matters: where the type reports at most a name.
    #[inline]
    pub(crate) fn evidence_of_error(
        &self,
        evidence: Evidence,
        reported: Option<Fault>,
        otherwise: impl FnOnce() -> Fault,
    ) -> Evidence {
        if reported.is_none() && self.failure_rule() == FailureRule::AnyError {
            // Most errors, under the default rule.
            return evidence;
        }
        self.evidence_of_fault(evidence, reported, otherwise)
    }

    fn evidence_of_fault(
        &self,
        evidence: Evidence,
        reported: Option<Fault>,
        otherwise: impl FnOnce() -> Fault,
    ) -> Evidence {
        match (evidence, self.failure_rule(), reported) {
            // A status that counts in a response counts in an error too.
            (_, _, Some(Fault::Status(status))) if self.counts(status) => Evidence::Failed,
            (Evidence::Failed, FailureRule::Transport { timeouts, connection_errors }, reported) => {
                let fault = match reported {
                    None | Some(Fault::Named(_)) => otherwise(),
                    Some(fault) => fault,
                };
                let counts = match fault {
                    Fault::Timeout => timeouts,
                    Fault::Connection => connection_errors,
                    Fault::ConnectTimeout => timeouts || connection_errors,
                    Fault::Status(status) => self.counts(status),
                    Fault::Other | Fault::Named(_) => false,
                };
                if counts { Evidence::Failed } else { Evidence::Unknown }
            }
            (evidence, _, _) => evidence,
        }
    }

    /// Whether a status counts as a failure, whatever its own meaning.
    fn counts(&self, status: u16) -> bool {
        self.settings().counted_statuses.contain(status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAULTS: [Fault; 6] = [
        Fault::Timeout,
        Fault::ConnectTimeout,
        Fault::Connection,
        Fault::Status(503),
        Fault::Status(429),
        Fault::Other,
    ];

    fn counted(rule: FailureRule) -> Vec<Fault> {
        let config = Config::builder().failure_rule(rule).build().unwrap();
        let counts = |fault: &Fault| config.evidence_of_error(Evidence::Failed, None, || *fault) == Evidence::Failed;
        FAULTS.into_iter().filter(counts).collect()
    }

    #[test]
    fn each_kind_of_fault_can_be_switched_off() {
        use Fault::{ConnectTimeout, Connection, Status, Timeout};
        let transport = |timeouts, connection_errors| counted(FailureRule::Transport { timeouts, connection_errors });
        assert_eq!(transport(true, true), [Timeout, ConnectTimeout, Connection, Status(503)]);
        assert_eq!(transport(true, false), [Timeout, ConnectTimeout, Status(503)]);
        assert_eq!(transport(false, true), [ConnectTimeout, Connection, Status(503)]);
        assert_eq!(transport(false, false), [Status(503)]);
        assert_eq!(counted(FailureRule::AnyError), FAULTS);
    }

    #[test]
    fn the_rule_changes_failures_only() {
        let rule = FailureRule::Transport { timeouts: true, connection_errors: true };
        let config = Config::builder().failure_rule(rule).build().unwrap();
        for evidence in [Evidence::Answered, Evidence::Unknown] {
            assert_eq!(config.evidence_of_error(evidence, None, || unreachable!("not asked")), evidence);
        }
    }

    #[test]
    fn a_counted_status_counts_whatever_its_class() {
        let config = Config::builder().counted_statuses([404]).build().unwrap();
        let judged = |status| config.evidence_of_status(status);
        assert_eq!(judged(404), Evidence::Failed);
        assert_eq!(judged(410), Evidence::Answered);
        assert_eq!(judged(503), Evidence::Unknown);
    }

    #[test]
    fn a_counted_status_counts_in_an_error_too() {
        let config = Config::builder().counted_statuses([429]).build().unwrap();
        let judged = |status| {
            let reported = Some(Fault::Status(status));
            config.evidence_of_error(Evidence::Unknown, reported, || unreachable!("the type has reported it"))
        };
        assert_eq!(judged(429), Evidence::Failed);
        assert_eq!(judged(401), Evidence::Unknown);
    }
}
