//! The published state of a circuit in one word, which is all that a healthy call reads.

use crate::machine::{Era, Published};

/// The era, shifted, and in the low four bits the published state and whether calls are timed. `Idle` is all zero bits,
/// so that one comparison recognises an idle circuit of a given era.
///
/// # The publish protocol
///
/// Writers hold the lock of the circuit and store the word with `Release` after every change of the machine. Readers
/// load it with `Acquire` and without the lock: admission, plain successes, `state()` and eviction.
///
/// A word may be stale as soon as it was read. Each reader copes with that:
///
/// - Admission in the closed state takes its ticket from the word. If the circuit opens meanwhile, the ticket has the
///   older era, so the result is stale and is ignored under the lock (law 1).
/// - Admission in any other state decides again under the lock. Only a rejection is decided from the word alone: the
///   circuit was open or held at the moment of the read, which is as good an answer as one a moment later.
/// - A plain success is dropped without the lock only if the word equals the ticket: the same era, and a success has no
///   effect there. If a failure is being recorded at the same moment, the success counts as the earlier of the two.
///
/// `open_until` is stored before the word that says open, both with `Release`. So a reader that sees the open word also
/// sees its end of the cooldown, or a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StateWord(pub(super) u64);

/// The era in which a call was admitted, encoded as the word of an idle circuit in this era. So one comparison with the
/// current word shows that a success has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

const IDLE: u64 = 0;
const COUNTING: u64 = 1;
const OPEN: u64 = 2;
const HELD: u64 = 3;
const HALF_OPEN: u64 = 4;
const PUBLISHED: u64 = 7;
/// Whether the start of a call matters. It is published with the state, so that calls that need no start time do not
/// read the settings.
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

    /// The ticket of a call that this word admits.
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
