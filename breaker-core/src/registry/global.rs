//! The global registry.

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
    // The thread local may be destroyed already while a thread ends. The global registry is used then.
    REPLACEMENT.try_with(Cell::get).ok().flatten()
}

/// Replaces the global registry on this thread, or restores it with `None`. Returns the previous replacement.
#[cfg(feature = "testing")]
pub(crate) fn replace_global(registry: Option<&'static Registry>) -> Option<&'static Registry> {
    REPLACEMENT.replace(registry)
}

/// The error of [`Registry::set_global`]: the global registry was set before, or its default is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the global registry is set already, or its default is in use: set it once, at the start of the program")]
#[non_exhaustive]
pub struct GlobalAlreadySet;

impl Registry {
    /// The global registry, which annotated functions use unless they name another one.
    ///
    /// If [`set_global`](Self::set_global) was not called before, the first call creates a registry with the default
    /// settings.
    #[must_use]
    #[inline]
    pub fn global() -> &'static Self {
        #[cfg(feature = "testing")]
        if let Some(registry) = replacement() {
            return registry;
        }
        GLOBAL.get_or_init(|| Self::new(Config::default()))
    }

    /// Sets the global registry. Call it once at the start of the program, before the first guarded call.
    ///
    /// ```
    /// use breaker_core::{Config, Registry};
    ///
    /// let config = Config::builder().failure_threshold(3).build()?;
    /// Registry::set_global(Registry::new(config))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`GlobalAlreadySet`] if it was called before, or if a call of [`global`](Self::global) or of an annotated
    /// function has created the default registry. The global registry is then unchanged.
    pub fn set_global(registry: Self) -> Result<(), GlobalAlreadySet> {
        GLOBAL.set(registry).map_err(|_| GlobalAlreadySet)
    }
}
