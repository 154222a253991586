//! What a circuit publishes of its state, in one word: all that a healthy call ever reads.

use crate::machine::{Era, Published};

/// The era, shifted, and below it what lock-free readers need to know. `Quiet` is all zero bits, so that a quiet circuit
/// of an era is told by one comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StateWord(pub(super) u64);

/// The era that a call was let in in, as the word that the circuit shows for as long as it is in this era and a success
/// would change nothing: so one comparison tells such a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

const IDLE: u64 = 0;
const COUNTING: u64 = 1;
const OPEN: u64 = 2;
const HELD: u64 = 3;
const HALF_OPEN: u64 = 4;
const PUBLISHED: u64 = 7;
/// It matters when a call began: it is told together with the state, so that calls which need no clock need not look.
const TIMED: u64 = 8;
const ERA_SHIFT: u32 = 4;

impl StateWord {
    pub(super) fn new(era: Era, published: Published, timed: bool) -> Self {
        let published = match published {
            Published::Idle => IDLE,
            Published::Counting => COUNTING,
            Published::Open { held: false, .. } => OPEN,
            Published::Open { held: true, .. } => HELD,
            Published::HalfOpen => HALF_OPEN,
        };
        Self(era.0 << ERA_SHIFT | if timed { TIMED } else { 0 } | published)
    }

    /// The ticket of a call that is let in by this word.
    #[inline]
    pub(super) fn ticket(self) -> Ticket {
        Ticket(self.0 & !PUBLISHED)
    }

    pub(super) fn is_timed(self) -> bool {
        self.0 & TIMED != 0
    }

    pub(super) fn is_closed(self) -> bool {
        self.0 & PUBLISHED <= COUNTING
    }

    #[inline]
    pub(super) fn is_closed_and_untimed(self) -> bool {
        self.0 & (PUBLISHED | TIMED) <= COUNTING
    }

    pub(super) fn is_idle(self) -> bool {
        self.0 & PUBLISHED == IDLE
    }

    #[inline]
    pub(super) fn is_idle_for(self, ticket: Ticket) -> bool {
        self.0 == ticket.0
    }

    pub(super) fn is_open(self) -> bool {
        self.0 & PUBLISHED == OPEN
    }

    pub(super) fn is_held(self) -> bool {
        self.0 & PUBLISHED == HELD
    }
}

impl Ticket {
    pub(crate) const NONE: Self = Self(0);

    pub(super) fn new(era: Era, timed: bool) -> Self {
        Self(StateWord::new(era, Published::Idle, timed).0)
    }

    pub(crate) fn era(self) -> Era {
        Era(self.0 >> ERA_SHIFT)
    }
}
