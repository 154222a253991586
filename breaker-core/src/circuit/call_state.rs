//! The progress of one call, packed in a word.

use super::nesting::InnerReports;
use crate::clock::Time;

/// The progress of one call and everything uncommon about it, in one word:
///
/// | bits | meaning | set |
/// |---|---|---|
/// | 0 to 2 | the [`InnerReports`] | after each poll in which an inner call reported |
/// | 3 | the call is a probe | at admission |
/// | 4 | the call runs inside a probe and uses its permit | at admission |
/// | 3 and 4 | the call was a probe that has succeeded, and goes on | at the first good item of a stream |
/// | 5 | the unfinished body is being dropped | by the guard, before the drop |
/// | 6 | the call has not been admitted | at creation, until admission |
/// | 7 | the call is settled | at its end |
/// | 6 and 7 | the call was rejected | at admission |
/// | 8 to 63 | the start of the call, in units of 8 ns | at admission, if `dropped_after` is set |
///
/// It is zero for a plain call until its end, so one comparison recognises a call that needs no attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallState(u64);

impl CallState {
    /// Admitted by a closed circuit, without reports of inner calls.
    pub(crate) const PLAIN: Self = Self(0);
    const INNER_REPORTS: u64 = InnerReports::ALL as u64;
    const OWN_PROBE: u64 = 1 << 3;
    const OUTER_PROBE: u64 = 1 << 4;
    const ENDED_PROBE: u64 = Self::OWN_PROBE | Self::OUTER_PROBE;
    /// The call was a probe and goes on after its success, without a slot.
    #[cfg(feature = "stream")]
    pub(crate) const AFTER_PROBE: Self = Self(Self::ENDED_PROBE);
    /// While the body is dropped, the call is on this thread's stack of running calls.
    const DROPPING: u64 = 1 << 5;
    /// Nothing has been taken yet, so there is nothing to settle.
    pub(crate) const UNADMITTED: Self = Self(1 << 6);
    pub(crate) const SETTLED: Self = Self(1 << 7);
    const NOT_IN_PROGRESS: u64 = Self::UNADMITTED.0 | Self::SETTLED.0;
    /// Nothing was taken, so there is nothing to settle.
    pub(crate) const REJECTED: Self = Self(Self::NOT_IN_PROGRESS);
    const START_SHIFT: u32 = 8;
    /// The nanoseconds of one unit. 56 bits of it cover 18 years, and every microsecond is a whole number of units.
    const UNIT: u64 = 8;
    /// The stored start repeats after this many nanoseconds.
    const PERIOD: u64 = ((u64::MAX >> Self::START_SHIFT) + 1) * Self::UNIT;

    pub(crate) fn admitted(by: AdmittedBy, started: Time) -> Self {
        let flags = match by {
            AdmittedBy::EndedProbe => Self::ENDED_PROBE,
            AdmittedBy::ClosedCircuit => Self::PLAIN.0,
            AdmittedBy::OwnProbe => Self::OWN_PROBE,
            AdmittedBy::OuterProbe => Self::OUTER_PROBE,
        };
        Self(flags | ((started.as_nanos() / Self::UNIT) << Self::START_SHIFT))
    }

    /// Returns when the call began, given the current time.
    ///
    /// Only the low bits of the start are stored, so this is the time nearest to `now` with the same low bits. It is exact
    /// for every call that has run for less than 9 years. It is later than `now` if the system's clock went back.
    pub(crate) fn started(self, now: Time) -> Time {
        let low_bits = (self.0 >> Self::START_SHIFT) * Self::UNIT;
        let age = now.as_nanos().wrapping_sub(low_bits) % Self::PERIOD;
        Time::from_nanos(if age < Self::PERIOD / 2 {
            now.as_nanos().saturating_sub(age)
        } else {
            now.as_nanos().saturating_add(Self::PERIOD - age)
        })
    }

    pub(crate) fn admitted_by(self) -> AdmittedBy {
        match self.0 & Self::ENDED_PROBE {
            0 => AdmittedBy::ClosedCircuit,
            Self::OWN_PROBE => AdmittedBy::OwnProbe,
            Self::OUTER_PROBE => AdmittedBy::OuterProbe,
            _ => AdmittedBy::EndedProbe,
        }
    }

    /// Whether the call was admitted and is not settled yet.
    #[inline]
    pub(crate) fn is_in_progress(self) -> bool {
        self.0 & Self::NOT_IN_PROGRESS == 0
    }

    #[inline]
    pub(crate) fn inner_reports(self) -> InnerReports {
        InnerReports::from_bits((self.0 & Self::INNER_REPORTS).to_le_bytes()[0])
    }

    /// Adds what inner calls reported during a poll.
    pub(super) fn absorb(&mut self, reports: InnerReports) {
        self.0 |= u64::from(reports.bits());
    }

    pub(crate) fn start_dropping(&mut self) {
        self.0 |= Self::DROPPING;
    }

    pub(crate) fn is_dropping(self) -> bool {
        self.0 & Self::DROPPING != 0
    }

    /// Whether the call was admitted, even if it is settled by now.
    #[cfg(feature = "stream")]
    pub(crate) fn was_admitted(self) -> bool {
        self.0 & Self::UNADMITTED.0 == 0
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
    /// The call was a probe. It has succeeded as such, released its slot and goes on.
    EndedProbe,
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR: u64 = 31_557_600_000_000_000;

    fn age(start: u64, now: u64) -> u64 {
        let now = Time::from_nanos(now);
        let state = CallState::admitted(AdmittedBy::ClosedCircuit, Time::from_nanos(start));
        now.nanos_since(state.started(now))
    }

    // Fails if the start is computed with a subtraction that does not saturate, or if a small step back looks like an age
    // of 18 years.
    #[test]
    fn a_call_that_ends_before_it_started_has_no_age() {
        for start in [0, 8, 1_000_000, YEAR, 18 * YEAR, 19 * YEAR, 580 * YEAR, u64::MAX - 1] {
            for back in [0, 1, 7, 8, 9, 2_000_000, 60_000_000_000, YEAR] {
                // The start is stored in units of 8 ns.
                assert!(age(start, start.saturating_sub(back)) < 8, "started at {start}, {back} back");
            }
        }
    }

    #[test]
    fn an_age_is_exact_up_to_nine_years() {
        for start in [0, 8, 1_000_000, YEAR, 18 * YEAR, 19 * YEAR, 570 * YEAR] {
            for ran in [0, 1, 8, 5_000_000_000, YEAR, 9 * YEAR] {
                assert!((ran..ran + 8).contains(&age(start, start + ran)), "started at {start}, {ran} later");
            }
        }
    }
}
