//! The phases of a circuit, each with its data.

use super::Published;
use super::probes::Probes;
use super::streak::Windows;
use crate::clock::Time;
use crate::config::Settings;
use crate::state::State;

/// The phase of a circuit. Kept small, because every circuit has one.
#[derive(Debug)]
pub(super) enum Phase {
    Closed {
        /// The failures since the last answer: see `streak.rs`.
        streak: u32,
        windows: Option<Box<Windows>>,
        /// The number of eras of the half-open phase whose probes closed the circuit, at most 65,535; otherwise 0.
        probe_eras: u16,
    },
    Open {
        until: Time,
        reopened: Reopened,
        /// Whether an event has led to half-open already. An update of the fleet causes such an event without a probe.
        is_over_announced: bool,
    },
    /// Held open until a reset, however much time passes.
    Held { reopened: Reopened },
    HalfOpen {
        /// Boxed, because this phase is the largest and the rarest.
        probes: Box<Probes>,
        reopened: Reopened,
    },
}

/// How often in a row a half-open circuit opened again, which lets the cooldown grow.
pub(super) type Reopened = u32;

impl Phase {
    pub(super) fn closed(settings: &Settings) -> Self {
        Self::Closed { streak: 0, windows: Windows::of(settings), probe_eras: 0 }
    }

    pub(super) fn open(until: Time, reopened: Reopened) -> Self {
        Self::Open { until, reopened, is_over_announced: false }
    }

    /// The state to which the last event led. An open circuit whose cooldown is over is half-open for a reader, but the
    /// event follows with the next probe or command.
    pub(super) fn announced(&self) -> State {
        match self {
            Self::Closed { .. } => State::Closed,
            Self::Open { is_over_announced: false, .. } | Self::Held { .. } => State::Open,
            Self::Open { is_over_announced: true, .. } | Self::HalfOpen { .. } => State::HalfOpen,
        }
    }

    pub(super) fn published(&self, settings: &Settings) -> Published {
        match self {
            Self::Closed { streak: 0, windows, .. }
                if !windows.as_ref().is_some_and(|windows| windows.needs_answers()) =>
            {
                Published::Idle
            }
            Self::Closed { .. } => Published::Counting,
            Self::Open { until, .. } => Published::Open { until: *until, held: false },
            Self::Held { .. } => Published::Open { until: Time::NEVER, held: true },
            Self::HalfOpen { probes, .. } => Published::HalfOpen { full_until: probes.full_until(settings) },
        }
    }

    pub(super) fn reopened(&self) -> Reopened {
        match *self {
            Self::Closed { .. } => 0,
            Self::Open { reopened, .. } | Self::Held { reopened } | Self::HalfOpen { reopened, .. } => reopened,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_small() {
        // Fails when a field of a phase no longer fits beside the tag. Every circuit has one.
        assert_eq!(size_of::<Phase>(), 16);
        assert_eq!(size_of::<super::super::Machine>(), 24);
    }
}
