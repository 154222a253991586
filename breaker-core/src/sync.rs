//! Atomics and locks of the circuit, replaced by those of the model checker under `cfg(loom)`.

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
