//! The registry that annotated functions ask when they are given no other.

#[cfg(feature = "testing")]
use std::cell::Cell;
use std::sync::OnceLock;

use super::Registry;
use crate::config::Config;

static GLOBAL: OnceLock<Registry> = OnceLock::new();

#[cfg(feature = "testing")]
thread_local! {
    /// The registry that replaces the global one on this thread, for a test.
    static REPLACEMENT: Cell<Option<&'static Registry>> = const { Cell::new(None) };
}

#[cfg(feature = "testing")]
fn replacement() -> Option<&'static Registry> {
    // The variable may be gone while a thread ends. The global registry is used then.
    REPLACEMENT.try_with(Cell::get).ok().flatten()
}

/// Replaces the global registry on this thread, or restores it with `None`. Returns the previous replacement.
#[cfg(feature = "testing")]
pub(crate) fn replace_global(registry: Option<&'static Registry>) -> Option<&'static Registry> {
    REPLACEMENT.replace(registry)
}

/// There is a global registry already: it was set before, or somebody has used the default one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the global registry is set already, or its default is in use: set it once, at the start of the program")]
#[non_exhaustive]
pub struct GlobalAlreadySet;

impl Registry {
    /// The global registry. Without [`set_global`](Self::set_global) it has the defaults.
    #[must_use]
    #[inline]
    pub fn global() -> &'static Self {
        #[cfg(feature = "testing")]
        if let Some(registry) = replacement() {
            return registry;
        }
        GLOBAL.get_or_init(|| Self::new(Config::default()))
    }

    /// Makes this the global registry: once, at the start of the program, before the first guarded call.
    ///
    /// # Errors
    ///
    /// [`GlobalAlreadySet`] if there is one already; that one stays.
    pub fn set_global(registry: Self) -> Result<(), GlobalAlreadySet> {
        GLOBAL.set(registry).map_err(|_| GlobalAlreadySet)
    }
}
