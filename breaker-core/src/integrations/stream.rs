//! Guarded streams: a stream is one call, from its first poll to its first failed item, its end, or its drop.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_core::stream::FusedStream;
use pin_project_lite::pin_project;

use crate::call::{Call, Guard, StreamCall};
use crate::circuit::CircuitAt;
use crate::judge::{Judge, OnRejection};

pin_project! {
    /// A stream that asks for admission at its first poll. Items after the end of its call are passed through without a guard.
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct GuardedStream<S, J, I> {
        // Declared first so that it is dropped first: the destructor of the stream is a part of the call.
        #[pin]
        body: S,
        call: StreamCall<CircuitAt>,
        judge: J,
        instead: I,
        rejected: bool,
    }

    impl<S, J, I> PinnedDrop for GuardedStream<S, J, I> {
        fn drop(this: Pin<&mut Self>) {
            this.project().call.before_drop();
        }
    }
}

impl<S, J, I> GuardedStream<S, J, I> {
    pub(crate) fn new(call: Call<CircuitAt>, judge: J, instead: I, body: S) -> Self {
        Self { body, call: StreamCall::new(Guard::new(call)), judge, instead, rejected: false }
    }
}

impl<S: Stream, J: Judge<S::Item>, I: OnRejection<S::Item>> Stream for GuardedStream<S, J, I> {
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let this = self.project();
        if *this.rejected {
            return Poll::Ready(None);
        }
        if let Err(open) = this.call.admit_once() {
            *this.rejected = true;
            return Poll::Ready(Some(this.instead.of_a_call(open)));
        }
        this.call.poll_item(this.judge, || this.body.poll_next(cx))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // A rejection is one item, whatever the size hint of the stream.
        if self.call.was_admitted() { self.body.size_hint() } else { (0, None) }
    }
}

impl<S: FusedStream, J: Judge<S::Item>, I: OnRejection<S::Item>> FusedStream for GuardedStream<S, J, I> {
    fn is_terminated(&self) -> bool {
        self.rejected || self.body.is_terminated()
    }
}
