//! Where a machine keeps its phase: alone, or beside its part in a fleet.

use super::probe_grant::Sharing;
use crate::machine::Phase;

/// Boxed where the circuit is shared, so that one which is not pays nothing for it.
#[derive(Debug)]
pub(in crate::machine) enum Seat {
    Alone(Phase),
    Shared(Box<Together>),
}

#[derive(Debug)]
pub(in crate::machine) struct Together {
    phase: Phase,
    sharing: Sharing,
}

impl Seat {
    pub(in crate::machine) fn new(phase: Phase, is_shared: bool) -> Self {
        if is_shared {
            Self::Shared(Box::new(Together { phase, sharing: Sharing::default() }))
        } else {
            Self::Alone(phase)
        }
    }

    pub(in crate::machine) fn phase(&self) -> &Phase {
        match self {
            Self::Alone(phase) => phase,
            Self::Shared(together) => &together.phase,
        }
    }

    pub(in crate::machine) fn phase_mut(&mut self) -> &mut Phase {
        match self {
            Self::Alone(phase) => phase,
            Self::Shared(together) => &mut together.phase,
        }
    }

    pub(in crate::machine) fn is_shared(&self) -> bool {
        matches!(self, Self::Shared(_))
    }

    pub(in crate::machine) fn sharing(&self) -> Option<&Sharing> {
        match self {
            Self::Alone(_) => None,
            Self::Shared(together) => Some(&together.sharing),
        }
    }

    pub(in crate::machine) fn sharing_mut(&mut self) -> Option<&mut Sharing> {
        match self {
            Self::Alone(_) => None,
            Self::Shared(together) => Some(&mut together.sharing),
        }
    }

    pub(in crate::machine) fn both_mut(&mut self) -> Option<(&mut Phase, &mut Sharing)> {
        match self {
            Self::Alone(_) => None,
            Self::Shared(together) => Some((&mut together.phase, &mut together.sharing)),
        }
    }
}
