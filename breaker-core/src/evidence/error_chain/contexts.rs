//! Contexts of `anyhow` and `eyre`: values that only the report itself can find, by their types.
//!
//! A chain shows a context as an error of a private type. A context that is found by its type lies inside this error, so
//! its address determines its place in the chain.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::iter;
use std::ptr;
use std::sync::Arc;

use super::known_types::for_known_types;
use super::{Dyn, MAX_VISITED, Root, registered};

/// The contexts of one report whose types are known or registered, each with its address.
#[derive(Default)]
pub(crate) struct Contexts<'e>(Vec<(usize, Root<'e>)>);

/// A report that contains values which are not sources.
pub(crate) trait Report {
    fn outermost(&self) -> &Dyn;
    fn find<C: Display + Debug + Send + Sync + 'static>(&self) -> Option<&C>;
}

macro_rules! reports {
    ($(#[cfg($feature:meta)] $report:ty;)*) => {$(
        #[cfg($feature)]
        impl Report for $report {
            fn outermost(&self) -> &Dyn {
                self.as_ref()
            }

            fn find<C: Display + Debug + Send + Sync + 'static>(&self) -> Option<&C> {
                self.downcast_ref()
            }
        }
    )*};
}

reports! {
    #[cfg(feature = "anyhow")] ::anyhow::Error;
    #[cfg(feature = "eyre")] ::eyre::Report;
}

impl<'e> Contexts<'e> {
    pub(super) fn of(root: Root<'e>) -> Self {
        let mut contexts = Self::default();
        match root {
            Root::Error(_) => (),
            #[cfg(feature = "anyhow")]
            Root::Anyhow(report) => {
                registered::add_contexts_of_anyhow(report, &mut contexts);
                contexts.add_known(report);
            }
            #[cfg(feature = "eyre")]
            Root::Eyre(report) => {
                registered::add_contexts_of_eyre(report, &mut contexts);
                contexts.add_known(report);
            }
        }
        contexts
    }

    /// Removes and returns a context inside this error of the chain.
    pub(super) fn take_at(&mut self, error: &Dyn) -> Option<Root<'e>> {
        let start = ptr::from_ref(error).addr();
        // An empty type may lie at the very end.
        let place = start..=start + size_of_val(error);
        let at = self.0.iter().position(|(address, _)| place.contains(address))?;
        Some(self.0.swap_remove(at).1)
    }

    fn add_known<R: Report>(&mut self, report: &'e R) {
        macro_rules! add_all {
            ($($(#[$cfg:meta])* $known:ty;)*) => {$( $(#[$cfg])* self.add::<R, $known>(report); )*};
        }
        for_known_types!(add_all);
        self.add_value::<R, Box<dyn Error + Send + Sync>>(report, |boxed| Root::Error(&**boxed));
        self.add_value::<R, Arc<dyn Error + Send + Sync>>(report, |shared| Root::Error(&**shared));
        #[cfg(feature = "anyhow")]
        self.add_value::<R, ::anyhow::Error>(report, Root::Anyhow);
        #[cfg(feature = "anyhow")]
        self.add_value::<R, Arc<::anyhow::Error>>(report, |shared| Root::Anyhow(shared));
        #[cfg(feature = "eyre")]
        self.add_value::<R, ::eyre::Report>(report, Root::Eyre);
        #[cfg(feature = "eyre")]
        self.add_value::<R, Arc<::eyre::Report>>(report, |shared| Root::Eyre(shared));
    }

    /// Adds the context of type `E`, and those that are pointers to one or to a pointer to one.
    pub(super) fn add<R: Report, E: Error + Send + Sync + 'static>(&mut self, report: &'e R) {
        self.add_error::<R, E>(report);
        self.add_error::<R, Box<E>>(report);
        self.add_error::<R, Arc<E>>(report);
        self.add_error::<R, Box<Box<E>>>(report);
        self.add_error::<R, Box<Arc<E>>>(report);
        self.add_error::<R, Arc<Box<E>>>(report);
        self.add_error::<R, Arc<Arc<E>>>(report);
    }

    /// Adds an error, unless the chain contains the error itself, which the walk visits anyway.
    fn add_error<R: Report, E: Error + Send + Sync + 'static>(&mut self, report: &'e R) {
        let Some(found) = report.find::<E>() else {
            return;
        };
        let chain = iter::successors(Some(report.outermost()), |error| (*error).source()).take(MAX_VISITED);
        if !chain.filter_map(|error| error.downcast_ref::<E>()).any(|error| ptr::eq(error, found)) {
            self.0.push((ptr::from_ref(found).addr(), Root::Error(found)));
        }
    }

    fn add_value<R: Report, C>(&mut self, report: &'e R, root: impl FnOnce(&'e C) -> Root<'e>)
    where
        C: Display + Debug + Send + Sync + 'static,
    {
        if let Some(context) = report.find::<C>() {
            self.0.push((ptr::from_ref(context).addr(), root(context)));
        }
    }
}
