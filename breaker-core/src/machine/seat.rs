//! Where a machine keeps its phase: alone, or beside its part in a fleet.

use super::Phase;
use super::sharing::Sharing;

/// Boxed where the circuit is shared, so that one which is not pays nothing for it.
#[derive(Debug)]
pub(super) enum Seat {
    Alone(Phase),
    Shared(Box<Together>),
}

#[derive(Debug)]
pub(super) struct Together {
    phase: Phase,
    sharing: Sharing,
}

impl Seat {
    pub(super) fn new(phase: Phase, is_shared: bool) -> Self {
        if is_shared {
            Self::Shared(Box::new(Together { phase, sharing: Sharing::default() }))
        } else {
            Self::Alone(phase)
        }
    }

    pub(super) fn phase(&self) -> &Phase {
        match self {
            Self::Alone(phase) => phase,
            Self::Shared(together) => &together.phase,
        }
    }

    pub(super) fn phase_mut(&mut self) -> &mut Phase {
        match self {
            Self::Alone(phase) => phase,
            Self::Shared(together) => &mut together.phase,
        }
    }

    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Self::Shared(_))
    }

    pub(super) fn sharing(&self) -> Option<&Sharing> {
        match self {
            Self::Alone(_) => None,
            Self::Shared(together) => Some(&together.sharing),
        }
    }

    pub(super) fn sharing_mut(&mut self) -> Option<&mut Sharing> {
        match self {
            Self::Alone(_) => None,
            Self::Shared(together) => Some(&mut together.sharing),
        }
    }

    pub(super) fn both_mut(&mut self) -> Option<(&mut Phase, &mut Sharing)> {
        match self {
            Self::Alone(_) => None,
            Self::Shared(together) => Some((&mut together.phase, &mut together.sharing)),
        }
    }
}
