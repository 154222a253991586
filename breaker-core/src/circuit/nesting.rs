//! Which guarded calls are running on this thread right now, one inside the other.
//!
//! A call is on this stack while its body runs: for an async one, during each poll. So an inner call finds the outer
//! one, while sibling futures of one `join!` and spawned tasks do not find each other.

use std::cell::{Cell, RefCell};

use super::Ticket;
use crate::evidence::Evidence;
use crate::machine::Era;
use crate::sync::thread_local;

thread_local! {
    /// The innermost call. Apart from the others, so that a call which is not nested touches nothing else.
    static INNERMOST: Innermost = const { Innermost::none() };
    static OUTER: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// The top of the stack, in cells of their own: a call that is not nested and hears nothing writes the first two alone.
struct Innermost {
    circuit: Cell<usize>,
    ticket: Cell<Ticket>,
    /// Zero where there is no call.
    notes: Cell<Notes>,
}

/// One running call.
#[derive(Clone, Copy)]
struct Frame {
    /// The identity of the circuit; zero where there is no call.
    circuit: usize,
    ticket: Ticket,
    notes: Notes,
}

/// What is uncommon about a running call: what it heard since it began to run or went on, and whether there is a call
/// around it, kept in `OUTER`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Notes(u8);

/// What inner calls on the same circuit reported so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heard(u8);

impl Innermost {
    const fn none() -> Self {
        Self { circuit: Cell::new(0), ticket: Cell::new(Ticket::NONE), notes: Cell::new(Notes::NONE) }
    }

    fn get(&self) -> Frame {
        Frame { circuit: self.circuit.get(), ticket: self.ticket.get(), notes: self.notes.get() }
    }

    fn set(&self, frame: Frame) {
        self.circuit.set(frame.circuit);
        self.ticket.set(frame.ticket);
        self.notes.set(frame.notes);
    }
}

impl Frame {
    const NONE: Self = Self { circuit: 0, ticket: Ticket::NONE, notes: Notes::NONE };
}

impl Notes {
    const NONE: Self = Self(0);
    const NESTED: Self = Self(8);

    fn heard(self) -> Heard {
        Heard(self.0 & Heard::EVERYTHING)
    }

    fn is_nested(self) -> bool {
        self.0 & Self::NESTED.0 != 0
    }
}

impl Heard {
    const UNKNOWN: u8 = 1;
    const ANSWERED: u8 = 2;
    const FAILED: u8 = 4;
    /// The bits that are in use.
    pub(crate) const EVERYTHING: u8 = Self::UNKNOWN | Self::ANSWERED | Self::FAILED;

    #[inline]
    pub(crate) fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    #[inline]
    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    /// The strongest evidence among the reports.
    pub(crate) fn strongest(self) -> Option<Evidence> {
        match self.0 {
            0 => None,
            bits if bits & Self::FAILED != 0 => Some(Evidence::Failed),
            bits if bits & Self::ANSWERED != 0 => Some(Evidence::Answered),
            _ => Some(Evidence::Unknown),
        }
    }

    fn of(evidence: Evidence) -> Self {
        Self(match evidence {
            Evidence::Unknown => Self::UNKNOWN,
            Evidence::Answered => Self::ANSWERED,
            Evidence::Failed => Self::FAILED,
        })
    }
}

/// What is uncommon about a stretch of a call, when it stops running, at least for now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interlude(Notes);

impl Interlude {
    #[inline]
    pub(crate) fn is_uneventful(self) -> bool {
        self.0 == Notes::NONE
    }

    pub(crate) fn heard(self) -> Heard {
        self.0.heard()
    }
}

/// A call begins to run on this thread, or goes on.
#[inline]
pub(crate) fn push(circuit: usize, ticket: Ticket) {
    if INNERMOST.with(|innermost| innermost.circuit.get() != 0) {
        push_outer();
    }
    INNERMOST.with(|innermost| {
        innermost.circuit.set(circuit);
        innermost.ticket.set(ticket);
    });
}

/// The innermost call stops running.
#[inline]
pub(crate) fn pop() -> Interlude {
    if INNERMOST.with(|innermost| innermost.notes.get() != Notes::NONE) {
        return pop_outer();
    }
    INNERMOST.with(|innermost| innermost.circuit.set(0));
    Interlude(Notes::NONE)
}

#[cold]
fn push_outer() {
    let outer = INNERMOST.with(Innermost::get);
    // False where the thread is being torn down and has lost its stack: a call made by a destructor runs unnested then.
    let nested = OUTER.try_with(|stack| stack.borrow_mut().push(outer)).is_ok();
    INNERMOST.with(|innermost| innermost.notes.set(if nested { Notes::NESTED } else { Notes::NONE }));
}

#[cold]
fn pop_outer() -> Interlude {
    let notes = INNERMOST.with(|innermost| innermost.notes.get());
    let outer = if notes.is_nested() { OUTER.try_with(|stack| stack.borrow_mut().pop()).ok().flatten() } else { None };
    INNERMOST.with(|innermost| innermost.set(outer.unwrap_or(Frame::NONE)));
    Interlude(notes)
}

/// The era of the innermost running call on this circuit whose era is wanted.
pub(crate) fn outer_era(circuit: usize, is_wanted: impl Fn(Era) -> bool) -> Option<Era> {
    let era = |frame: &Frame| Some(frame.ticket.era()).filter(|era| frame.circuit == circuit && is_wanted(*era));
    let innermost = INNERMOST.with(Innermost::get);
    era(&innermost).or_else(|| OUTER.try_with(|outer| outer.borrow().iter().rev().find_map(era)).ok()?)
}

/// A call on this circuit reports to all calls around it.
pub(crate) fn report(circuit: usize, evidence: Evidence) {
    let heard = Heard::of(evidence);
    let add = |frame: &mut Frame| {
        if frame.circuit == circuit {
            frame.notes.0 |= heard.0;
        }
    };
    INNERMOST.with(|innermost| {
        let mut frame = innermost.get();
        // Where there is no call, nothing is heard either.
        if frame.circuit != 0 {
            add(&mut frame);
            innermost.set(frame);
        }
    });
    let _ = OUTER.try_with(|outer| outer.borrow_mut().iter_mut().for_each(add));
}
