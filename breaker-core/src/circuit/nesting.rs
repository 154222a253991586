//! The stack of guarded calls that run on this thread.
//!
//! A call is on the stack while its body runs; an asynchronous call is on it during each poll. So an inner call finds
//! the outer one, while sibling futures of one `join!` and spawned tasks do not find each other.
//!
//! The innermost frame is stored apart from the others because most calls are not nested. `INNERMOST` is a thread local
//! of plain cells without a destructor: an access checks nothing and cannot fail. `OUTER` has a destructor, so an
//! access checks whether it still exists, and a borrow checks the `RefCell`. [`push`] and [`pop`] of a call that is not
//! nested access only `INNERMOST`.

use std::cell::{Cell, RefCell};

use super::Ticket;
use crate::evidence::Evidence;
use crate::machine::{CallNumber, Era};
use crate::sync::thread_local;

thread_local! {
    static INNERMOST: Innermost = const { Innermost::none() };
    /// The calls around the innermost one, outermost first.
    static OUTER: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// The innermost frame. Its fields are separate cells, so that [`push`] and [`pop`] of a call that is not nested
/// and receives no report write only the first two and read only the first and the last.
struct Innermost {
    circuit: Cell<usize>,
    ticket: Cell<Ticket>,
    notes: Cell<FrameNotes>,
}

/// One running call.
#[derive(Clone, Copy)]
struct Frame {
    /// The identity of the circuit, or zero if no call is running.
    circuit: usize,
    ticket: Ticket,
    notes: FrameNotes,
}

/// Notes about a running call, in one byte. The byte is zero for a call that is not nested and has received no report,
/// so [`pop`] recognises such a call by one comparison. With any note, the ticket is marked, so that [`pop_if`] recognises
/// such a call by the comparison that shows whether its success has an effect.
///
/// | bit | meaning | set by | cleared by |
/// |---|---|---|---|
/// | 0 | an inner call reported Unknown | [`report`] of the inner call | [`pop_with_notes`] of this call |
/// | 1 | an inner call reported Answered | [`report`] of the inner call | [`pop_with_notes`] of this call |
/// | 2 | an inner call reported Failed | [`report`] of the inner call | [`pop_with_notes`] of this call |
/// | 3 | the outer call is in `OUTER` | [`push`] of this call | [`pop_with_notes`] of this call, which restores the outer call |
///
/// [`pop_with_notes`] returns the reports, and the call keeps them in its `CallState`. They must not stay here,
/// because the next poll may run on another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FrameNotes(u8);

/// The set of evidence that inner calls on the same circuit have reported.
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
        InnerReports(self.0 & InnerReports::ALL)
    }

    fn is_nested(self) -> bool {
        self.0 & Self::NESTED.0 != 0
    }
}

impl InnerReports {
    const UNKNOWN: u8 = 1;
    const ANSWERED: u8 = 2;
    const FAILED: u8 = 4;
    /// The mask of all bits.
    pub(crate) const ALL: u8 = Self::UNKNOWN | Self::ANSWERED | Self::FAILED;

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

/// Makes a call the innermost one, when its body or a poll starts on this thread.
#[inline]
pub(crate) fn push(circuit: usize, ticket: Ticket) {
    if is_within_call() {
        push_nested(circuit, ticket);
    } else {
        INNERMOST.with(|innermost| {
            innermost.circuit.set(circuit);
            innermost.ticket.set(ticket);
        });
    }
}

/// Removes the innermost call, when its body or a poll ends, unless there are notes about it. Returns whether it did.
#[inline]
pub(crate) fn pop() -> bool {
    INNERMOST.with(|innermost| {
        let is_plain = innermost.notes.get() == FrameNotes::NONE;
        if is_plain {
            innermost.circuit.set(0);
        }
        is_plain
    })
}

/// Removes the innermost call if its ticket is this one, which means that there are no notes about it.
#[inline]
pub(crate) fn pop_if(ticket: Ticket) -> bool {
    INNERMOST.with(|innermost| {
        let is_plain = innermost.ticket.get() == ticket;
        if is_plain {
            innermost.circuit.set(0);
        }
        is_plain
    })
}

/// Removes the innermost call and returns the reports of its inner calls, and its ticket, which may have got a number.
#[cold]
pub(crate) fn pop_with_notes() -> (InnerReports, Ticket) {
    let Frame { ticket, notes, .. } = INNERMOST.with(Innermost::get);
    let outer = if notes.is_nested() { OUTER.try_with(|stack| stack.borrow_mut().pop()).ok().flatten() } else { None };
    INNERMOST.with(|innermost| innermost.set(outer.unwrap_or(Frame::NONE)));
    (notes.inner_reports(), ticket)
}

/// By its ABI, it does not unwind, so that the function of a call needs no code for that.
#[cold]
extern "C" fn push_nested(circuit: usize, ticket: Ticket) {
    let outer = INNERMOST.with(Innermost::get);
    // `OUTER` no longer exists if a destructor of another thread local makes this call. The call then runs as one that
    // is not nested.
    let nested = OUTER.try_with(|stack| stack.borrow_mut().push(outer)).is_ok();
    INNERMOST.with(|innermost| {
        innermost.set(if nested {
            Frame { circuit, ticket: ticket.marked(), notes: FrameNotes::NESTED }
        } else {
            Frame { circuit, ticket, notes: FrameNotes::NONE }
        });
    });
}

/// Hides the running calls of this thread until it is dropped, so that no call finds an outer one.
pub(crate) struct HiddenCalls {
    innermost: Frame,
    outer: Vec<Frame>,
}

impl HiddenCalls {
    pub(crate) fn hide() -> Self {
        let innermost = INNERMOST.with(Innermost::get);
        if innermost.circuit == 0 {
            return Self { innermost: Frame::NONE, outer: Vec::new() };
        }
        INNERMOST.with(|visible| visible.set(Frame::NONE));
        Self { innermost, outer: OUTER.try_with(RefCell::take).unwrap_or_default() }
    }
}

impl Drop for HiddenCalls {
    fn drop(&mut self) {
        INNERMOST.with(|visible| visible.set(self.innermost));
        let _ = OUTER.try_with(|outer| outer.replace(std::mem::take(&mut self.outer)));
    }
}

/// Whether a call on this circuit is running.
#[inline]
pub(super) fn is_inside(circuit: usize) -> bool {
    INNERMOST.with(|innermost| innermost.circuit.get() != 0) && outer_era(circuit, |_| true).is_some()
}

/// Returns the era of the innermost running call on this circuit whose era satisfies the predicate.
pub(crate) fn outer_era(circuit: usize, matches: impl Fn(Era) -> bool) -> Option<Era> {
    let era = |frame: &Frame| Some(frame.ticket.era()).filter(|era| frame.circuit == circuit && matches(*era));
    let innermost = INNERMOST.with(Innermost::get);
    era(&innermost).or_else(|| OUTER.try_with(|outer| outer.borrow().iter().rev().find_map(era)).ok()?)
}

/// Whether a guarded call runs on this thread.
#[inline]
pub(crate) fn is_within_call() -> bool {
    INNERMOST.with(|innermost| innermost.circuit.get() != 0)
}

/// Returns the ticket of the innermost running call on this circuit that was admitted in this era.
#[inline]
pub(super) fn outer_ticket(circuit: usize, era: Era) -> Option<Ticket> {
    if !is_within_call() {
        return None;
    }
    with_outer(circuit, era, |ticket| *ticket)
}

/// Gives the call of which [`outer_ticket`] returned the ticket a number.
pub(super) fn set_outer_number(circuit: usize, era: Era, number: CallNumber) {
    with_outer(circuit, era, |ticket| ticket.set_number(number));
}

#[cold]
fn with_outer<T>(circuit: usize, era: Era, mut run: impl FnMut(&mut Ticket) -> T) -> Option<T> {
    let mut run_in =
        |frame: &mut Frame| (frame.circuit == circuit && frame.ticket.era() == era).then(|| run(&mut frame.ticket));
    let mut innermost = INNERMOST.with(Innermost::get);
    if let Some(result) = run_in(&mut innermost) {
        INNERMOST.with(|frame| frame.set(innermost));
        return Some(result);
    }
    OUTER.try_with(|outer| outer.borrow_mut().iter_mut().rev().find_map(run_in)).ok()?
}

/// Reports the evidence of a finished call to all calls around it on the same circuit. The finished call itself is not
/// on the stack any more.
pub(crate) fn report(circuit: usize, evidence: Evidence) {
    let reported = InnerReports::of(evidence);
    let add = |frame: &mut Frame| {
        if frame.circuit == circuit {
            frame.notes.0 |= reported.0;
            frame.ticket = frame.ticket.marked();
        }
    };
    INNERMOST.with(|innermost| {
        let mut frame = innermost.get();
        // Without a running call the notes must stay zero.
        if frame.circuit != 0 {
            add(&mut frame);
            innermost.set(frame);
        }
    });
    let _ = OUTER.try_with(|outer| outer.borrow_mut().iter_mut().for_each(add));
}
