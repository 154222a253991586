//! The progress of one call, packed in a word.

use super::nesting::{InnerReports, PollOutcome};
use crate::clock::Time;

/// The progress of one call and everything uncommon about it, in one word. A plain call is zero, so one comparison
/// recognises it.
///
/// The layout, from the lowest bit: bits 0 to 2 are the [`InnerReports`], bit 3 marks a probe, bit 4 a call inside a
/// probe, bit 5 a body that is being dropped, bit 6 a call that has not been admitted, bit 7 a settled call; bits 6 and
/// 7 together mark a rejected call. From bit 8 on follows the start of the call in units of 8 ns, where the circuit is
/// timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallState(u64);

impl CallState {
    /// Admitted by a closed circuit, without reports of inner calls.
    pub(crate) const PLAIN: Self = Self(0);
    const HEARD: u64 = InnerReports::EVERYTHING as u64;
    const OWN_PROBE: u64 = 1 << 3;
    const OUTER_PROBE: u64 = 1 << 4;
    /// The body is being dropped, and the call is on this thread's stack of running calls.
    const DROPPING: u64 = 1 << 5;
    /// Not admitted yet, so there is nothing to settle.
    pub(crate) const UNADMITTED: Self = Self(1 << 6);
    pub(crate) const SETTLED: Self = Self(1 << 7);
    const OVER_OR_UNADMITTED: u64 = Self::UNADMITTED.0 | Self::SETTLED.0;
    /// Rejected, which settles the call.
    pub(crate) const REJECTED: Self = Self(Self::OVER_OR_UNADMITTED);
    const FLAGS: u32 = 8;
    /// With units of 8 ns the start covers 18 years, and every microsecond is a whole number of units.
    const UNIT: u64 = 8;

    pub(crate) fn admitted(by: AdmittedBy, started: Time) -> Self {
        let flags = match by {
            AdmittedBy::ClosedCircuit => Self::PLAIN.0,
            AdmittedBy::OwnProbe => Self::OWN_PROBE,
            AdmittedBy::OuterProbe => Self::OUTER_PROBE,
        };
        Self(flags | ((started.as_nanos() / Self::UNIT) << Self::FLAGS))
    }

    /// Computes when the call began from the current time. On a clock beyond 18 years the high bits are lost, and the
    /// latest time with the same low bits is returned.
    pub(crate) fn started(self, now: Time) -> Time {
        let low_bits = (self.0 >> Self::FLAGS) * Self::UNIT;
        let age = now.as_nanos().wrapping_sub(low_bits) % ((u64::MAX >> Self::FLAGS) + 1).saturating_mul(Self::UNIT);
        Time::from_nanos(now.as_nanos() - age)
    }

    pub(crate) fn admitted_by(self) -> AdmittedBy {
        if self.0 & Self::OWN_PROBE != 0 {
            AdmittedBy::OwnProbe
        } else if self.0 & Self::OUTER_PROBE != 0 {
            AdmittedBy::OuterProbe
        } else {
            AdmittedBy::ClosedCircuit
        }
    }

    #[inline]
    pub(crate) fn is_unsettled(self) -> bool {
        self.0 & Self::OVER_OR_UNADMITTED == 0
    }

    #[inline]
    pub(crate) fn inner_reports(self) -> InnerReports {
        InnerReports::from_bits((self.0 & Self::HEARD).to_le_bytes()[0])
    }

    pub(crate) fn absorb(&mut self, outcome: PollOutcome) {
        self.0 |= u64::from(outcome.inner_reports().bits());
    }

    pub(crate) fn start_dropping(&mut self) {
        self.0 |= Self::DROPPING;
    }

    pub(crate) fn is_dropping(self) -> bool {
        self.0 & Self::DROPPING != 0
    }

    /// Whether the call was ever admitted.
    #[cfg(feature = "stream")]
    pub(crate) fn was_admitted(self) -> bool {
        self.0 & Self::UNADMITTED.0 == 0
    }

    /// Whether nothing uncommon happened, including the last poll.
    #[inline]
    pub(crate) fn is_plain_after(self, last: PollOutcome) -> bool {
        last.is_plain() && self == Self::PLAIN
    }
}

/// The reason for which a call was admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AdmittedBy {
    ClosedCircuit,
    /// The call is a probe.
    OwnProbe,
    /// The call runs inside a probe and uses its permit.
    OuterProbe,
}
