//! Functions that return a stream, as kinds of guarded functions.

use std::pin::Pin;

use futures_core::Stream;

use super::Returned;
use super::kinds::{BoxReturned, FutureOrStream, GuardBody, by_type};
use crate::call::Call;
use crate::circuit::Circuit;
use crate::integrations::stream::GuardedStream;
use crate::judge::{Judge, OnRejection};

#[diagnostic::do_not_recommend]
impl<S: Stream> FutureOrStream for S {
    type Item = S::Item;
    type Guarded<J, I> = GuardedStream<S, J, I>;

    fn guarded<J, I>(self, call: Call<Circuit>, judge: J, instead: I) -> Self::Guarded<J, I> {
        GuardedStream::new(call, judge, instead, self)
    }
}

macro_rules! boxed_streams {
    ($([$($bound:tt)*])*) => {$(
        impl<'a, R> by_type::KindOfBox for Returned<Pin<Box<dyn Stream<Item = R> + 'a $($bound)*>>> {
            type Kind = BoxReturned<Pin<Box<dyn Stream<Item = R> + 'a $($bound)*>>, R>;

            fn __breaker_kind(&self) -> Self::Kind {
                BoxReturned::new()
            }
        }

        impl<'a, R, J, I> GuardBody<J, I> for BoxReturned<Pin<Box<dyn Stream<Item = R> + 'a $($bound)*>>, R>
        where
            R: 'a,
            J: Judge<R> + 'a $($bound)*,
            I: OnRejection<R> + 'a $($bound)*,
        {
            fn guard(
                call: Call<Circuit>,
                judge: J,
                instead: I,
                body: impl FnOnce() -> Self::Returned,
            ) -> Self::Returned {
                Box::pin(GuardedStream::new(call, judge, instead, body()))
            }
        }
    )*};
}

boxed_streams! { [] [+ Send] [+ Send + Sync] }
