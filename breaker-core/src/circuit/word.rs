//! What a circuit publishes of its state, in one word: all that a healthy call ever reads.

use crate::machine::{Era, Face};

/// The era, shifted, and below it what lock-free readers need to know. `Quiet` is all zero bits, so that a quiet circuit
/// of an era is told by one comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word(pub(super) u64);

const QUIET: u64 = 0;
const COUNTING: u64 = 1;
const OPEN: u64 = 2;
const HELD: u64 = 3;
const HALF_OPEN: u64 = 4;
const FACE_BITS: u32 = 3;
const FACE: u64 = (1 << FACE_BITS) - 1;

impl Word {
    pub(super) fn new(era: Era, face: Face) -> Self {
        let face = match face {
            Face::Quiet => QUIET,
            Face::Counting => COUNTING,
            Face::Open { held: false, .. } => OPEN,
            Face::Open { held: true, .. } => HELD,
            Face::HalfOpen => HALF_OPEN,
        };
        Self(era.0 << FACE_BITS | face)
    }

    pub(super) fn quiet(era: Era) -> Self {
        Self::new(era, Face::Quiet)
    }

    pub(super) fn era(self) -> Era {
        Era(self.0 >> FACE_BITS)
    }

    pub(super) fn is_closed(self) -> bool {
        self.0 & FACE <= COUNTING
    }

    pub(super) fn is_quiet(self) -> bool {
        self.0 & FACE == QUIET
    }

    pub(super) fn is_open(self) -> bool {
        self.0 & FACE == OPEN
    }

    pub(super) fn is_held(self) -> bool {
        self.0 & FACE == HELD
    }
}
