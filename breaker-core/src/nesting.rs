//! Which guarded calls are running on this thread right now, one inside the other.
//!
//! A call is on this stack while its body runs: for an async one, during each poll. So an inner call finds the outer
//! one, while sibling futures of one `join!` and spawned tasks do not find each other.

use std::cell::{Cell, RefCell};

use crate::evidence::Evidence;
use crate::machine::Era;
use crate::sync::thread_local;

thread_local! {
    /// The innermost call. Apart from the others, so that a call which is not nested touches nothing else.
    static INNERMOST: Cell<Frame> = const { Cell::new(Frame::NONE) };
    static OUTER: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// One running call.
#[derive(Clone, Copy)]
struct Frame {
    /// The identity of the circuit; zero where there is no call.
    circuit: usize,
    era: Era,
    heard: Heard,
    /// Whether there is a call around it, kept in `OUTER`.
    nested: bool,
}

impl Frame {
    const NONE: Self = Self { circuit: 0, era: Era(0), heard: Heard::NOTHING, nested: false };

    fn is_none(self) -> bool {
        self.circuit == 0
    }
}

/// What inner calls on the same circuit reported so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heard(u8);

impl Heard {
    pub(crate) const NOTHING: Self = Self(0);
    const UNKNOWN: u8 = 1;
    const ANSWERED: u8 = 2;
    const FAILED: u8 = 4;

    #[inline]
    pub(crate) fn is_nothing(self) -> bool {
        self == Self::NOTHING
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

    fn add(&mut self, evidence: Evidence) {
        self.0 |= match evidence {
            Evidence::Unknown => Self::UNKNOWN,
            Evidence::Answered => Self::ANSWERED,
            Evidence::Failed => Self::FAILED,
        };
    }
}

// The model checker's thread locals know `with` alone.
#[inline]
fn innermost() -> Frame {
    INNERMOST.with(Cell::get)
}

#[inline]
fn set_innermost(frame: Frame) {
    INNERMOST.with(|innermost| innermost.set(frame));
}

/// A call begins to run on this thread, or goes on.
#[inline]
pub(crate) fn push(circuit: usize, era: Era, heard: Heard) {
    let outer = innermost();
    let nested = !outer.is_none() && push_outer(outer);
    set_innermost(Frame { circuit, era, heard, nested });
}

/// The innermost call stops running, at least for now. Says what it heard.
#[inline]
pub(crate) fn pop() -> Heard {
    let innermost = innermost();
    set_innermost(if innermost.nested { pop_outer() } else { Frame::NONE });
    innermost.heard
}

/// False where the thread is being torn down and has lost its stack: a call made by a destructor runs unnested then.
#[cold]
fn push_outer(frame: Frame) -> bool {
    OUTER.try_with(|outer| outer.borrow_mut().push(frame)).is_ok()
}

#[cold]
fn pop_outer() -> Frame {
    OUTER.try_with(|outer| outer.borrow_mut().pop()).ok().flatten().unwrap_or(Frame::NONE)
}

/// The era of the innermost running call on this circuit.
pub(crate) fn outer_era(circuit: usize) -> Option<Era> {
    let innermost = innermost();
    if innermost.circuit == circuit {
        return Some(innermost.era);
    }
    OUTER
        .try_with(|outer| outer.borrow().iter().rev().find(|frame| frame.circuit == circuit).map(|frame| frame.era))
        .ok()?
}

/// A call on this circuit reports to all calls around it.
#[inline]
pub(crate) fn report(circuit: usize, evidence: Evidence) {
    if !innermost().is_none() {
        report_outward(circuit, evidence);
    }
}

#[cold]
fn report_outward(circuit: usize, evidence: Evidence) {
    let add = |frame: &mut Frame| {
        if frame.circuit == circuit {
            frame.heard.add(evidence);
        }
    };
    let mut innermost = innermost();
    add(&mut innermost);
    set_innermost(innermost);
    let _ = OUTER.try_with(|outer| outer.borrow_mut().iter_mut().for_each(add));
}
