//! The failures of a closed circuit and the answers that may still be withdrawn, in order.
//!
//! An answer inside an outer call clears the streak at once. If the outer call then fails by itself, its inner answers
//! are withdrawn, and the failures before them count again. So the failures before such an answer are remembered until the
//! outermost call has ended. An answer outside every other call is final and empties the history.

use super::CallNumber;

/// Runs of failures and answers, oldest first. Empty unless a call inside another one has failed, or has cleared failures.
#[derive(Debug, Default)]
pub(super) struct History(Vec<Entry>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    /// The innermost running call of which this is a part, or `NONE`.
    owner: CallNumber,
    /// The number of failures in a row, or zero for an answer.
    failures: u32,
}

/// The indices of removed failures, counted from the oldest failure of the history.
pub(super) type Removed = Vec<std::ops::Range<usize>>;

/// Calls that overlap for long could add entries without end. The oldest entries are dropped: they have been cleared
/// by every answer since.
const MOST_ENTRIES: usize = 64;

impl History {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0 = Vec::new();
    }

    /// Whether it contains a part of this call.
    pub(super) fn contains(&self, call: CallNumber) -> bool {
        self.0.iter().any(|entry| entry.owner == call)
    }

    /// Begins with the failures of a streak, of which only the number was stored so far.
    pub(super) fn begin(&mut self, streak: u32) {
        if self.is_empty() && streak > 0 {
            self.0.push(Entry { owner: CallNumber::NONE, failures: streak });
        }
    }

    /// The failures after the last answer.
    pub(super) fn streak(&self) -> u32 {
        self.since_the_last_answer().fold(0, |sum, entry| sum.saturating_add(entry.failures))
    }

    /// Whether a failure of this call counts.
    pub(super) fn counts_failure_of(&self, call: CallNumber) -> bool {
        self.since_the_last_answer().any(|entry| entry.owner == call)
    }

    fn since_the_last_answer(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter().rev().take_while(|entry| !entry.is_answer())
    }

    pub(super) fn push_failure(&mut self, owner: CallNumber) {
        match self.0.last_mut() {
            Some(last) if last.owner == owner && !last.is_answer() => last.failures = last.failures.saturating_add(1),
            _ => self.0.push(Entry { owner, failures: 1 }),
        }
    }

    /// Adds an answer of this call. It replaces the answers that the call has had already.
    pub(super) fn push_answer(&mut self, owner: CallNumber) {
        self.withdraw_answers(owner);
        self.0.push(Entry { owner, failures: 0 });
    }

    /// Removes the answers of this call, so that the failures before them count again.
    pub(super) fn withdraw_answers(&mut self, owner: CallNumber) {
        self.0.retain(|entry| !(entry.is_answer() && entry.owner == owner));
    }

    /// The position after the last answer of this call.
    pub(super) fn after_answer_of(&self, call: CallNumber) -> Option<usize> {
        self.0.iter().rposition(|entry| entry.is_answer() && entry.owner == call).map(|answer| answer + 1)
    }

    /// The position after the last entry.
    pub(super) fn end(&self) -> usize {
        self.0.len()
    }

    /// Removes the entries before `end` that belong to `owner`, or all of them.
    pub(super) fn remove_before(&mut self, end: usize, owner: Option<CallNumber>) -> Removed {
        let (mut removed, mut failures, mut position) = (Removed::new(), 0, 0);
        self.0.retain(|entry| {
            let run = failures..failures + entry.len();
            let is_removed = position < end && owner.is_none_or(|owner| entry.owner == owner);
            (failures, position) = (run.end, position + 1);
            if is_removed {
                removed.push(run);
            }
            !is_removed
        });
        removed
    }

    /// Removes this many of the oldest failures, because they have left the failure window.
    pub(super) fn expire(&mut self, mut count: usize) {
        for entry in &mut self.0 {
            let expired = count.min(entry.len());
            count -= expired;
            if expired > 0 && expired == entry.len() {
                entry.owner = CallNumber::REMOVED;
            }
            entry.failures -= u32::try_from(expired).unwrap_or(u32::MAX);
        }
        self.0.retain(|entry| entry.owner != CallNumber::REMOVED);
    }

    /// Makes what belonged to an ended call a part of the call around it.
    pub(super) fn pass_on(&mut self, ended: CallNumber, outer: CallNumber) {
        if ended != CallNumber::NONE {
            for entry in self.0.iter_mut().filter(|entry| entry.owner == ended) {
                entry.owner = outer;
            }
        }
    }

    /// Forgets what has no effect any more: answers before which there is nothing, and the whole history where it is
    /// one streak that belongs to no running call.
    pub(super) fn tidy(&mut self) -> Removed {
        let surplus = self.0.len().saturating_sub(MOST_ENTRIES);
        let removed = self.remove_before(surplus, None);
        let answers = self.0.iter().take_while(|entry| entry.is_answer()).count();
        self.0.drain(..answers);
        self.0.dedup_by(|later, earlier| {
            let is_one_run = later.owner == earlier.owner && !later.is_answer() && !earlier.is_answer();
            if is_one_run {
                earlier.failures = earlier.failures.saturating_add(later.failures);
            }
            is_one_run
        });
        if matches!(*self.0, [Entry { owner: CallNumber::NONE, .. }]) {
            self.0.clear();
        }
        removed
    }
}

impl Entry {
    fn is_answer(self) -> bool {
        self.failures == 0
    }

    fn len(self) -> usize {
        usize::try_from(self.failures).unwrap_or(usize::MAX)
    }
}
