//! The phase of a machine, alone or together with its participation in a fleet.

use super::participation::Participation;
use crate::machine::Phase;

/// The phase of a circuit. A member of a fleet is boxed, so that a standalone circuit needs no memory for it.
#[derive(Debug)]
pub(in crate::machine) enum Membership {
    Standalone(Phase),
    Member(Box<MemberParts>),
}

/// Whether the registry of a circuit has a fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HasFleet {
    No,
    Yes,
}

#[derive(Debug)]
pub(in crate::machine) struct MemberParts {
    phase: Phase,
    participation: Participation,
}

impl Membership {
    pub(in crate::machine) fn new(phase: Phase, fleet: HasFleet) -> Self {
        if fleet == HasFleet::Yes {
            Self::Member(Box::new(MemberParts { phase, participation: Participation::default() }))
        } else {
            Self::Standalone(phase)
        }
    }

    pub(in crate::machine) fn phase(&self) -> &Phase {
        match self {
            Self::Standalone(phase) => phase,
            Self::Member(member) => &member.phase,
        }
    }

    pub(in crate::machine) fn phase_mut(&mut self) -> &mut Phase {
        match self {
            Self::Standalone(phase) => phase,
            Self::Member(member) => &mut member.phase,
        }
    }

    /// The streak of a closed circuit outside a fleet, if no window and no history belongs to it.
    #[inline]
    pub(in crate::machine) fn streak_alone(&mut self) -> Option<&mut u32> {
        match self {
            Self::Standalone(Phase::Closed { streak, windows: None, .. }) => Some(streak),
            Self::Standalone(_) | Self::Member(_) => None,
        }
    }

    pub(in crate::machine) fn is_member(&self) -> bool {
        matches!(self, Self::Member(_))
    }

    pub(in crate::machine) fn participation(&self) -> Option<&Participation> {
        match self {
            Self::Standalone(_) => None,
            Self::Member(member) => Some(&member.participation),
        }
    }

    pub(in crate::machine) fn participation_mut(&mut self) -> Option<&mut Participation> {
        match self {
            Self::Standalone(_) => None,
            Self::Member(member) => Some(&mut member.participation),
        }
    }

    pub(in crate::machine) fn both_mut(&mut self) -> Option<(&mut Phase, &mut Participation)> {
        match self {
            Self::Standalone(_) => None,
            Self::Member(member) => Some((&mut member.phase, &mut member.participation)),
        }
    }
}
