//! The stack of guarded calls that run on this thread.
//!
//! A call is on the stack while its body runs; an asynchronous call is on it during each poll. So an inner call finds
//! the outer one, while sibling futures of one `join!` and spawned tasks do not find each other.

use std::cell::{Cell, RefCell};

use super::Ticket;
use crate::evidence::Evidence;
use crate::machine::Era;
use crate::sync::thread_local;

thread_local! {
    /// The innermost call. It is stored apart from the others, so that a call that is not nested touches nothing else.
    static INNERMOST: Innermost = const { Innermost::none() };
    static OUTER: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// The top of the stack, in separate cells: a call that is not nested and receives no reports writes only the first
/// two.
struct Innermost {
    circuit: Cell<usize>,
    ticket: Cell<Ticket>,
    /// Zero where no call is running.
    notes: Cell<FrameNotes>,
}

/// One running call.
#[derive(Clone, Copy)]
struct Frame {
    /// The identity of its circuit; zero where no call is running.
    circuit: usize,
    ticket: Ticket,
    notes: FrameNotes,
}

/// The notes of a running call, in one byte that is zero for a call that is not nested and received no report:
///
/// | bit | meaning | set by | cleared by |
/// |---|---|---|---|
/// | 0 | an inner call reported Unknown | [`report`] | [`pop`], which returns it to the call |
/// | 1 | an inner call reported Answered | [`report`] | [`pop`] |
/// | 2 | an inner call reported Failed | [`report`] | [`pop`] |
/// | 3 | an outer call is stored in `OUTER` | [`push`] | [`pop`], which restores the outer call |
///
/// The call keeps the reports in its `CallState` between two polls, because the next poll may run on another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FrameNotes(u8);

/// The reports of inner calls on the same circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InnerReports(u8);

impl Innermost {
    const fn none() -> Self {
        Self { circuit: Cell::new(0), ticket: Cell::new(Ticket::NONE), notes: Cell::new(FrameNotes::NONE) }
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
    const NONE: Self = Self { circuit: 0, ticket: Ticket::NONE, notes: FrameNotes::NONE };
}

impl FrameNotes {
    const NONE: Self = Self(0);
    const NESTED: Self = Self(8);

    fn inner_reports(self) -> InnerReports {
        InnerReports(self.0 & InnerReports::EVERYTHING)
    }

    fn is_nested(self) -> bool {
        self.0 & Self::NESTED.0 != 0
    }
}

impl InnerReports {
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

/// The notes of one poll, or of the whole body of a plain function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PollOutcome(FrameNotes);

impl PollOutcome {
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        self.0 == FrameNotes::NONE
    }

    pub(crate) fn inner_reports(self) -> InnerReports {
        self.0.inner_reports()
    }
}

/// Starts or continues a call on this thread.
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

/// Ends or suspends the innermost call.
#[inline]
pub(crate) fn pop() -> PollOutcome {
    if INNERMOST.with(|innermost| innermost.notes.get() != FrameNotes::NONE) {
        return pop_outer();
    }
    INNERMOST.with(|innermost| innermost.circuit.set(0));
    PollOutcome(FrameNotes::NONE)
}

#[cold]
fn push_outer() {
    let outer = INNERMOST.with(Innermost::get);
    // False while the thread is torn down and has lost its stack. A call made by a destructor then runs without
    // nesting.
    let nested = OUTER.try_with(|stack| stack.borrow_mut().push(outer)).is_ok();
    INNERMOST.with(|innermost| innermost.notes.set(if nested { FrameNotes::NESTED } else { FrameNotes::NONE }));
}

#[cold]
fn pop_outer() -> PollOutcome {
    let notes = INNERMOST.with(|innermost| innermost.notes.get());
    let outer = if notes.is_nested() { OUTER.try_with(|stack| stack.borrow_mut().pop()).ok().flatten() } else { None };
    INNERMOST.with(|innermost| innermost.set(outer.unwrap_or(Frame::NONE)));
    PollOutcome(notes)
}

/// Returns the era of the innermost running call on this circuit whose era satisfies the predicate.
pub(crate) fn outer_era(circuit: usize, is_wanted: impl Fn(Era) -> bool) -> Option<Era> {
    let era = |frame: &Frame| Some(frame.ticket.era()).filter(|era| frame.circuit == circuit && is_wanted(*era));
    let innermost = INNERMOST.with(Innermost::get);
    era(&innermost).or_else(|| OUTER.try_with(|outer| outer.borrow().iter().rev().find_map(era)).ok()?)
}

/// Reports the evidence of a call to all calls around it on the same circuit.
pub(crate) fn report(circuit: usize, evidence: Evidence) {
    let heard = InnerReports::of(evidence);
    let add = |frame: &mut Frame| {
        if frame.circuit == circuit {
            frame.notes.0 |= heard.0;
        }
    };
    INNERMOST.with(|innermost| {
        let mut frame = innermost.get();
        // Where no call is running, there is nothing to report to.
        if frame.circuit != 0 {
            add(&mut frame);
            innermost.set(frame);
        }
    });
    let _ = OUTER.try_with(|outer| outer.borrow_mut().iter_mut().for_each(add));
}
