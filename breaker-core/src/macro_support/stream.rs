//! Functions that return a stream, as kinds of guarded functions.

use std::pin::Pin;

use futures_core::Stream;

use super::Returned;
use super::kinds::{BoxReturned, FutureOrStream, GuardBody, JudgesAnything, ReturnsStream, boxed_kinds, by_type};
use crate::call::{Call, Continues};
use crate::circuit::CircuitAt;
use crate::integrations::stream::GuardedStream;
use crate::judge::{Judge, OnRejection};

#[diagnostic::do_not_recommend]
impl<S: Stream> FutureOrStream for S {
    type Item = S::Item;
    type Guarded<J, I> = GuardedStream<S, J, I>;

    fn guarded<J, I>(self, call: Call<CircuitAt>, judge: J, instead: I) -> Self::Guarded<J, I> {
        GuardedStream::new(call, judge, instead, self)
    }
}

boxed_kinds! {
    Stream<Item>, settles if JudgesAnything,
    |call, judge, instead, body| GuardedStream::new(call, judge, instead, body()),
    [] [+ Send] [+ Send + Sync]
}
