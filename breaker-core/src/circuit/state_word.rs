//! The published state of a circuit in one word, which is all that a healthy call reads.

use crate::machine::{CallNumber, Era, Published};

/// The published state of a circuit:
///
/// | bits | meaning |
/// |---|---|
/// | 0 to 2 | idle (0), counting (1), open (2), held open (3), half-open (4), half-open and full (5), or changing (6): see below and [`Published`] |
/// | 3 | calls record their start, because `dropped_after` is set |
/// | 4 to 47 | the era |
/// | 48 to 63 | zero; in a ticket, the [`CallNumber`] of the call |
///
/// Idle is zero, so that one comparison recognises an idle circuit of a given era.
///
/// # The publish protocol
///
/// A thread writes the word only while it holds the lock of the circuit. `Inner::publish` stores it with `Release`
/// after every change that the word shows. Readers load it with `Acquire` and without the lock, so a word may be out of
/// date as soon as it has been read. Every reader returns a correct result with a stale word:
///
/// - A closed word **admits a call**, and the call's ticket has the era of that word. If the circuit has opened since,
///   the era is over, so the result of the call is recognised as stale under the lock and ignored (law 1).
/// - A word **rejects a call** without the lock if it is held open, open with a cooldown that is not over, or full with a
///   first lease that is not over. If the operation must not be a probe, so does an open word whose cooldown is over and
///   every half-open word. The result is the same as if the call had arrived just before the circuit changed: a slot that was
///   released since, or a circuit that closed, admits the next call. A call that runs inside another call on the
///   circuit is an exception with the half-open words, because it may have to use the permit of a probe.
/// - With any other word, the machine decides about the call under the lock. It finds the current state there.
/// - A **plain success** skips the lock only if the word equals its ticket: the era has not changed, and a success has
///   no effect in it. A failure that another thread records at the same moment counts as the later of the two.
/// - **`Circuit::state`** returns `Closed` for a closed word and takes the lock otherwise.
/// - **Eviction** reads the word after `Circuit::is_sole_handle` returned true. No other thread can change the circuit
///   then, and the fence in that method makes the newest word visible. The metrics read the same rank of circuits in
///   use, where a stale one is harmless.
///
/// The end of the cooldown, or of the first lease, does not fit in the word and has an atomic of its own, `rejects_until`.
/// A reader must not combine the end of one of them with a word of the other, because it would name the wrong reason or
/// the wrong time. A writer that changes `rejects_until` therefore stores a word that is changing, then the end, then the new
/// word. A reader loads the word, the end and the word again:
///
/// - An end that is newer than the first word synchronizes with the reader, who then loads a word that is changing or a later
///   one. It differs from the first, because each opening and each taken slot has an era of its own. There are two exceptions, in
///   which either end fits: a full word returns with a later end if one of several probes has succeeded, because the slot of a
///   success stays taken; and in a fleet the end of an open word may become later within its era.
/// - An end that is older than the first word is not possible, because that word was stored after its end.
///
/// If the two words differ, the machine decides under the lock. A circuit that is held open has no end and stores none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StateWord(pub(super) u64);

/// The era in which a call was admitted, encoded like the word that an idle circuit publishes in that era. If the
/// current word equals the ticket, a success of the call has no effect.
///
/// A call gets a number when one of its inner calls has had an effect on the streak. Its ticket then equals no word, because
/// the end of the call has an effect, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Ticket(u64);

const IDLE: u64 = 0;
const COUNTING: u64 = 1;
const OPEN: u64 = 2;
const HELD: u64 = 3;
const HALF_OPEN: u64 = 4;
const FULL: u64 = 5;
const CHANGING: u64 = 6;
const PUBLISHED: u64 = 7;
/// Calls record their start. The bit is a part of the word so that admission does not read the settings.
const TIMED: u64 = 8;
const ERA_SHIFT: u32 = 4;
const NUMBER_SHIFT: u32 = ERA_SHIFT + Era::BITS;

impl StateWord {
    pub(super) fn new(era: Era, published: Published, timed: bool) -> Self {
        let published = match published {
            Published::Idle => IDLE,
            Published::Counting => COUNTING,
            Published::Open { held: false, .. } => OPEN,
            Published::Open { held: true, .. } => HELD,
            Published::HalfOpen { full_until: None } => HALF_OPEN,
            Published::HalfOpen { full_until: Some(_) } => FULL,
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
    pub(super) fn as_ticket(self) -> Ticket {
        Ticket(self.0)
    }

    pub(super) fn is_open(self) -> bool {
        self.0 & PUBLISHED == OPEN
    }

    pub(super) fn is_held(self) -> bool {
        self.0 & PUBLISHED == HELD
    }

    pub(super) fn is_half_open(self) -> bool {
        matches!(self.0 & PUBLISHED, HALF_OPEN | FULL)
    }

    /// Whether the circuit is half-open and all its slots are taken.
    pub(super) fn is_full(self) -> bool {
        self.0 & PUBLISHED == FULL
    }

    /// The word that comes before this one while `rejects_until` changes.
    pub(super) fn changing(self) -> Self {
        Self(self.0 & !PUBLISHED | CHANGING)
    }
}

impl Ticket {
    /// No call.
    pub(crate) const NONE: Self = Self(0);
    /// The call has not been admitted. No circuit reaches this era.
    pub(crate) const UNADMITTED: Self = Self(u64::MAX - 1);
    /// The call is settled, or was rejected.
    pub(crate) const SETTLED: Self = Self(u64::MAX);

    /// This ticket, for a call whose state is not plain. It equals no word, because no word has all of these bits.
    pub(crate) const fn marked(self) -> Self {
        Self(self.0 | PUBLISHED)
    }

    /// This ticket without the mark.
    pub(crate) const fn unmarked(self) -> Self {
        Self(self.0 & !PUBLISHED)
    }

    pub(super) fn new(era: Era, timed: bool) -> Self {
        Self(StateWord::new(era, Published::Idle, timed).0)
    }

    pub(crate) fn era(self) -> Era {
        Era((self.0 & !(u64::MAX << NUMBER_SHIFT)) >> ERA_SHIFT)
    }

    /// The word of a circuit that counts failures, in the era of this ticket.
    #[inline]
    pub(super) fn counting(self) -> StateWord {
        StateWord(self.0 | COUNTING)
    }

    #[inline]
    pub(crate) fn has_number(self) -> bool {
        self.number() != CallNumber::NONE
    }

    #[inline]
    pub(super) fn number(self) -> CallNumber {
        CallNumber((self.0 >> NUMBER_SHIFT).to_le_bytes().first_chunk().map_or(0, |low| u16::from_le_bytes(*low)))
    }

    pub(super) fn set_number(&mut self, number: CallNumber) {
        self.0 = self.0 & !(u64::MAX << NUMBER_SHIFT) | u64::from(number.0) << NUMBER_SHIFT;
    }
}
