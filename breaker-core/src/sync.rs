//! The atomics and locks of the circuit, so that a model checker can put its own in their place.

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

/// As std's, of which loom's does not know the `const` form.
#[cfg(loom)]
macro_rules! loom_thread_local {
    ($($(#[$attribute:meta])* static $name:ident: $type:ty = const { $init:expr };)+) => {
        $(loom::thread_local! { $(#[$attribute])* static $name: $type = $init; })+
    };
}
#[cfg(loom)]
pub(crate) use loom_thread_local as thread_local;

/// Locks, whatever happened: nothing that runs under our locks leaves a value half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
