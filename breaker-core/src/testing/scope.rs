//! Scopes in which a test registry replaces the global one.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::registry::{Registry, replace_global};

/// Guard of [`TestBed::enter`](super::TestBed::enter): restores the global registry of this thread when it is dropped.
#[derive(Debug)]
#[must_use = "the global registry is restored when this guard is dropped"]
pub struct Entered {
    before: Option<&'static Registry>,
    /// Makes the guard `!Send`, because it belongs to its thread.
    not_send: PhantomData<*const ()>,
}

impl Entered {
    pub(super) fn new(registry: &'static Registry) -> Self {
        Self { before: replace_global(Some(registry)), not_send: PhantomData }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        replace_global(self.before);
    }
}

pin_project! {
    /// Future of [`TestBed::scope`](super::TestBed::scope): replaces the global registry while it is polled.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Scoped<F> {
        registry: &'static Registry,
        #[pin]
        future: F,
    }
}

impl<F> Scoped<F> {
    pub(super) fn new(registry: &'static Registry, future: F) -> Self {
        Self { registry, future }
    }
}

impl<F: Future> Future for Scoped<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _entered = Entered::new(this.registry);
        this.future.poll(cx)
    }
}
