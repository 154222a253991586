//! Calls whose answer arrives in parts: the items of a stream.
//!
//! | what the stream does | closed circuit | the call is a probe |
//! |---|---|---|
//! | yields its first good item | nothing is recorded yet | the probe succeeds and its slot is released; the call goes on |
//! | yields an item that is Failed, or panics | Failed | Failed |
//! | ends | Answered; Unknown if all its items were Unknown | the same |
//! | is dropped after a good item | Answered | Answered |
//! | is dropped before one | as a future | as a future |
//!
//! What follows the first good item of a probe counts in the closed phase that the probe led to.

use super::Guard;
use crate::circuit::{AdmittedBy, Hold};
use crate::evidence::{Evidence, Judgement};
use crate::judge::Judge;
use crate::rejection::CircuitOpen;

/// Settles the call of a stream.
#[derive(Debug)]
pub(crate) struct StreamCall<H: Hold> {
    guard: Guard<H>,
    /// The strongest judgement of an item so far.
    best: Option<Judgement>,
}

impl<H: Hold> StreamCall<H> {
    pub(crate) fn new(guard: Guard<H>) -> Self {
        Self { guard, best: None }
    }

    /// Asks for admission at the first poll, and does nothing at later ones.
    pub(crate) fn admit_once(&mut self) -> Result<(), CircuitOpen> {
        self.guard.admit_once()
    }

    /// Whether the call was admitted, even if it is settled by now.
    pub(crate) fn was_admitted(&self) -> bool {
        self.guard.was_admitted()
    }

    /// Whether the call is settled, so that the rest of the stream is not a part of it.
    pub(crate) fn is_over(&self) -> bool {
        self.guard.is_over()
    }

    /// Runs one poll of the stream as a part of the call.
    pub(crate) fn within<R>(&mut self, poll: impl FnOnce() -> R) -> R {
        self.guard.call().within(poll).0
    }

    /// Takes an item into account.
    pub(crate) fn item<R>(&mut self, judge: &impl Judge<R>, item: &R) {
        let judgement = if self.guard.is_plain_success(judge, item) {
            Judgement::ANSWERED
        } else {
            self.guard.judge_part(judge, item)
        };
        match judgement.evidence {
            Evidence::Failed => self.guard.finish_with(judgement),
            Evidence::Unknown => {
                self.best.get_or_insert(judgement);
            }
            Evidence::Answered => self.good_item(judgement),
        }
    }

    fn good_item(&mut self, judgement: Judgement) {
        // A plain success is stronger than a marked error, because a setting can exempt marked errors.
        if self.best.is_none_or(|best| !best.is_plain_success()) {
            self.best = Some(judgement);
        }
        if self.guard.admitted_by() == AdmittedBy::OwnProbe {
            self.guard.conclude_probe(judgement);
        }
    }

    /// Settles the call at the end of the stream.
    pub(crate) fn end(&mut self) {
        self.guard.finish_with(self.best.unwrap_or(Judgement::ANSWERED));
    }

    /// Must be called before an unfinished stream is dropped: see [`Guard::before_drop`].
    pub(crate) fn before_drop(&mut self) {
        self.guard.before_drop();
    }
}

/// A reader that leaves after a good item has its answer. Otherwise the guard records a cancellation.
impl<H: Hold> Drop for StreamCall<H> {
    fn drop(&mut self) {
        if let Some(judgement) = self.best.filter(|best| best.evidence == Evidence::Answered) {
            self.guard.finish_dropped(judgement);
        }
    }
}
