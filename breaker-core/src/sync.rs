//! Atomics and locks of the circuit, replaced by those of the model checker under `cfg(loom)`, and values of which each
//! thread writes its own.

use std::cell::Cell;
use std::sync::atomic::AtomicUsize;
use std::sync::{PoisonError, TryLockError};

#[cfg(loom)]
pub(crate) use loom::sync::{
    Arc, Mutex, MutexGuard,
    atomic::{AtomicU64, Ordering, fence},
};
#[cfg(not(loom))]
pub(crate) use std::{
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering, fence},
    },
    thread_local,
};

/// The `thread_local!` of loom does not support the `const` form.
#[cfg(loom)]
macro_rules! loom_thread_local {
    ($($(#[$attribute:meta])* static $name:ident: $type:ty = const { $init:expr };)+) => {
        $(loom::thread_local! { $(#[$attribute])* static $name: $type = $init; })+
    };
}
#[cfg(loom)]
pub(crate) use loom_thread_local as thread_local;

/// Locks a mutex even if it is poisoned. Code that runs under these locks never leaves a value half changed.
#[inline]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a mutex unless another thread has locked it.
#[inline]
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Enough for the threads of most programs to rarely share one.
const STRIPES: usize = 16;

/// Equal values, of which each is used by few threads. Threads that write one value in turn pass it from cache to cache of the
/// processor, so that several threads may write it less often than one.
#[derive(Debug, Default)]
pub(crate) struct Striped<T>([Stripe<T>; STRIPES]);

/// Aligned, so that no two stripes are in one line, or in two adjacent lines, of a processor's cache.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Stripe<T>(T);

impl<T> Striped<T> {
    /// The value that this thread uses.
    #[inline]
    pub(crate) fn of_this_thread(&self) -> &T {
        // Neither is one of the model checker, because they decide only about speed.
        std::thread_local! {
            /// Zero before the first use, so that an access needs no check whether it exists.
            static NUMBER: Cell<usize> = const { Cell::new(0) };
        }

        #[cold]
        fn next_number() -> usize {
            static LATEST: AtomicUsize = AtomicUsize::new(0);
            let number = LATEST.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            NUMBER.set(number);
            number
        }

        let number = match NUMBER.get() {
            0 => next_number(),
            number => number,
        };
        &self.0[number % STRIPES].0
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|stripe| &stripe.0)
    }
}
