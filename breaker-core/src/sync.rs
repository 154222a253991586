//! Atomics and locks of the circuit, replaced by those of the model checker under `cfg(loom)`.

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
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
