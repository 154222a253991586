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
//! A call site that settles at the first item ends the call with its first good item, as Answered.
//!
//! What follows the first good item of a probe counts in the closed phase that the probe led to.

use std::task::{Poll, ready};

use super::Guard;
use crate::circuit::{AdmittedBy, Hold};
use crate::evidence::{Evidence, Judgement};
use crate::judge::Judge;
use crate::rejection::CircuitOpen;

/// Settles the call of a stream.
#[derive(Debug)]
pub struct StreamCall<H: Hold> {
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

    /// Runs one poll of the stream as a part of the call, unless the call is settled.
    pub(crate) fn poll_item<R>(
        &mut self,
        judge: &impl Judge<R>,
        poll: impl FnOnce() -> Poll<Option<R>>,
    ) -> Poll<Option<R>> {
        if self.guard.is_over() {
            return poll();
        }
        let polled = self.guard.call().within(poll);
        let item = ready!(polled);
        match &item {
            None => self.end(),
            Some(item) => self.item(judge, item),
        }
        Poll::Ready(item)
    }

    /// Takes an item into account.
    fn item<R>(&mut self, judge: &impl Judge<R>, item: &R) {
        let judgement = if self.guard.is_plain_success(judge, item) {
            Judgement::ANSWERED
        } else {
            self.guard.judge_part(judge, item)
        };
        match judgement.evidence() {
            // Later items are not a part of the call.
            Evidence::Failed => self.guard.finish_with(judgement),
            Evidence::Unknown => {
                self.best.get_or_insert(judgement);
            }
            Evidence::Answered => self.good_item(judgement),
        }
    }

    /// Takes an answer into account.
    pub(crate) fn good_item(&mut self, judgement: Judgement) {
        // A plain success is stronger than a marked error, because a setting can exempt marked errors.
        if self.best.is_none_or(|best| !best.is_plain_success()) {
            self.best = Some(judgement);
        }
        // Inner calls that proved nothing mean that the item may be a fallback (law 5).
        if self.guard.may_be_fallback() {
            return;
        }
        if self.guard.call().call_site().settles_at_first_item {
            self.guard.finish_with(judgement);
        } else if self.guard.admitted_by() == AdmittedBy::OwnProbe {
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
        if let Some(judgement) = self.best.filter(|best| best.evidence() == Evidence::Answered) {
            self.guard.finish_dropped(judgement);
        }
    }
}
