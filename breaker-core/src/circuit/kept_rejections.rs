//! The rejections that each thread keeps and reuses.
//!
//! In a storm of rejections, an allocation for each of them and the shared reference count of the connection's text would
//! cost more than everything else. A thread therefore keeps its latest rejections, whose reference counts few other threads
//! write.
//!
//! A kept rejection is reused only for an equal one. Nothing identifies the circuit: the rejection owns the text of the
//! connection, so no other text has the same address, and two circuits that share the text, the operation, the reason, the
//! end of the cooldown and the clock reject with equal data.

use std::array;
use std::cell::RefCell;
use std::sync::Arc;

use super::CallSite;
use crate::clock::{ClockNumber, Reading, Time};
use crate::rejection::{CircuitOpen, Rejection, RejectionReason};
use crate::sync::thread_local;

/// The number of rejections that a thread keeps, in 1.3 KiB that it allocates at its first rejection.
const ENTRIES: usize = 32;

thread_local! {
    static TABLE: RefCell<Option<Box<Table>>> = const { RefCell::new(None) };
}

type Table = [Option<KeptRejection>; ENTRIES];

struct KeptRejection {
    open: CircuitOpen,
    call_site: &'static CallSite,
    end: Option<End>,
}

/// The end of the time in which a circuit rejects every call: of its cooldown, or of the first lease of its probes.
#[derive(Clone, Copy)]
struct End {
    time: Time,
    /// The same as a reading of the clock, which is compared without a conversion of the current one.
    reading: Reading,
}

/// The data by which a rejection is found or made.
#[derive(Clone, Copy)]
pub(super) struct RejectionKey<'c> {
    pub(super) connection: &'c Arc<str>,
    pub(super) call_site: &'static CallSite,
    pub(super) reason: RejectionReason,
    pub(super) clock: ClockNumber,
}

impl RejectionKey<'_> {
    #[inline]
    fn index(&self) -> usize {
        /// The golden ratio, which spreads addresses over the high bits.
        const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
        let address = self.connection.as_ptr().addr() ^ std::ptr::from_ref(self.call_site).addr();
        ((address as u64).wrapping_mul(FACTOR) >> 59) as usize % ENTRIES
    }

    fn make(&self, until: Option<Time>, rejected_at: Time) -> CircuitOpen {
        let until = until.filter(|_| self.reason == RejectionReason::InCooldown);
        CircuitOpen::new(Rejection {
            connection: self.connection.clone(),
            operation: self.call_site.operation,
            reason: self.reason,
            until,
            rejected_at,
            clock: self.clock,
        })
    }
}

impl KeptRejection {
    #[inline]
    fn matches(&self, key: &RejectionKey<'_>, until: Option<Time>) -> bool {
        let Rejection { connection, reason, clock, .. } = self.open.data();
        Arc::ptr_eq(connection, key.connection)
            && std::ptr::eq(self.call_site, key.call_site)
            && *reason == key.reason
            && *clock == key.clock
            && self.end.map(|end| end.time) == until
    }

    /// Stores the time of the rejection, which matters once the clock no longer exists. Returns `false` if a caller holds
    /// the rejection, whose data must not change.
    fn rejected_at(&mut self, now: Reading) -> bool {
        let Reading::Custom(now) = now else { return true };
        if self.open.data().rejected_at != now {
            let Some(rejection) = self.open.data_mut() else { return false };
            rejection.rejected_at = now;
        }
        true
    }
}

/// Returns a rejection for a reason that has no end.
pub(super) fn reject(key: RejectionKey<'_>) -> CircuitOpen {
    let kept = with_entry(key, |kept| kept.matches(&key, None).then(|| kept.open.clone()));
    kept.unwrap_or_else(|| {
        let open = key.make(None, Time::ORIGIN);
        keep(key, &open, None);
        open
    })
}

/// Returns the kept rejection with this end, provided that the end is not over.
#[inline]
pub(super) fn find_until(key: RejectionKey<'_>, until: Time, now: Reading) -> Option<CircuitOpen> {
    with_entry(key, move |kept| {
        if !kept.matches(&key, Some(until)) {
            return None;
        }
        let is_over = !now.is_before(kept.end?.reading);
        (!is_over && kept.rejected_at(now)).then(|| kept.open.clone())
    })
}

/// Returns a rejection with this end, provided that the end is not over.
pub(super) fn reject_until(key: RejectionKey<'_>, until: Time, now: Reading) -> Option<CircuitOpen> {
    if let Some(open) = find_until(key, until, now) {
        return Some(open);
    }
    let rejected_at = now.time();
    if until <= rejected_at {
        return None;
    }
    let open = key.make(Some(until), rejected_at);
    keep(key, &open, Some(End { time: until, reading: now.after(until.since(rejected_at)) }));
    Some(open)
}

fn keep(key: RejectionKey<'_>, open: &CircuitOpen, end: Option<End>) {
    let kept = KeptRejection { open: open.clone(), call_site: key.call_site, end };
    let _ = TABLE.try_with(|table| {
        let mut table = table.try_borrow_mut().ok()?;
        let table = table.get_or_insert_with(|| Box::new(array::from_fn(|_| None)));
        *table.get_mut(key.index())? = Some(kept);
        Some(())
    });
}

/// Runs a function on the rejection that is kept in the place of a key. `None` if there is none: the thread has rejected
/// nothing yet, or it runs the destructors of its thread locals.
#[inline]
fn with_entry<T>(key: RejectionKey<'_>, run: impl FnOnce(&mut KeptRejection) -> Option<T>) -> Option<T> {
    let find = move |table: &RefCell<Option<Box<Table>>>| {
        let mut table = table.try_borrow_mut().ok()?;
        run(table.as_mut()?.get_mut(key.index())?.as_mut()?)
    };
    TABLE.try_with(find).ok()?
}
