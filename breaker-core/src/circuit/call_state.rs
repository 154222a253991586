//! How far a call has come.

use super::nesting::{Heard, Interlude};
use crate::clock::Time;

/// How far a call has come, and what is uncommon about it: all in one word, so that one comparison tells the common
/// call, which is zero. The lowest byte has the flags; above them is when the call began, where that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallState(u64);

impl CallState {
    /// Let in by a closed circuit, and has heard nothing of inner calls.
    pub(crate) const COMMON: Self = Self(0);
    const HEARD: u64 = Heard::EVERYTHING as u64;
    const OWN_PROBE: u64 = 1 << 3;
    const OUTER_PROBE: u64 = 1 << 4;
    /// The body is being dropped, on this thread's stack of running calls.
    const DROPPING: u64 = 1 << 5;
    /// Nothing was asked for yet, so there is nothing to give back.
    pub(crate) const UNADMITTED: Self = Self(1 << 6);
    pub(crate) const SETTLED: Self = Self(1 << 7);
    const NOT_UNDER_WAY: u64 = Self::UNADMITTED.0 | Self::SETTLED.0;
    /// It was not let in, and is over for that.
    pub(crate) const REJECTED: Self = Self(Self::NOT_UNDER_WAY);
    const FLAGS: u32 = 8;
    /// Eight nanoseconds to the unit make 18 years, and every microsecond a whole number of units.
    const UNIT: u64 = 8;

    pub(crate) fn admitted(by: AdmittedBy, started: Time) -> Self {
        let flags = match by {
            AdmittedBy::ClosedCircuit => Self::COMMON.0,
            AdmittedBy::OwnProbe => Self::OWN_PROBE,
            AdmittedBy::OuterProbe => Self::OUTER_PROBE,
        };
        Self(flags | ((started.as_nanos() / Self::UNIT) << Self::FLAGS))
    }

    /// The moment at which the call began, told from `now`: of a later clock than one of 18 years, the high bits are lost,
    /// and the latest moment with the same low bits is the one.
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
    pub(crate) fn is_under_way(self) -> bool {
        self.0 & Self::NOT_UNDER_WAY == 0
    }

    #[inline]
    pub(crate) fn heard(self) -> Heard {
        Heard::from_bits((self.0 & Self::HEARD).to_le_bytes()[0])
    }

    pub(crate) fn hears(&mut self, interlude: Interlude) {
        self.0 |= u64::from(interlude.heard().bits());
    }

    pub(crate) fn starts_dropping(&mut self) {
        self.0 |= Self::DROPPING;
    }

    pub(crate) fn is_dropping(self) -> bool {
        self.0 & Self::DROPPING != 0
    }

    /// Whether it was let in, now or long ago.
    #[cfg(feature = "stream")]
    pub(crate) fn was_admitted(self) -> bool {
        self.0 & Self::UNADMITTED.0 == 0
    }

    /// Whether nothing uncommon happened, the last interlude included.
    #[inline]
    pub(crate) fn is_common_after(self, last: Interlude) -> bool {
        last.is_uneventful() && self == Self::COMMON
    }
}

/// Why a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AdmittedBy {
    ClosedCircuit,
    /// It is a probe.
    OwnProbe,
    /// It runs inside a probe, and the permit is that one's.
    OuterProbe,
}
