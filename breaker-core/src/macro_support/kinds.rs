//! Kinds of guarded functions: those that return a result immediately, and those that return a future or a stream.
//!
//! An expansion imports the traits of [`by_type`] or [`by_value`] and calls `(&returned).__breaker_kind()`. Method resolution
//! takes the first receiver type that fits: `Returned<Pin<Box<..>>>` before `&Returned<_>`. So the type system decides how a
//! function is guarded, whatever alias its return type is written with.

use std::marker::PhantomData;
use std::pin::Pin;

use super::Returned;
use crate::call::{self, Call, CallFuture, Continues};
use crate::circuit::{At, CallSite, Circuit, CircuitAt, HeldCircuit, Stored};
use crate::judge::{CarriesRejection, Judge, OnRejection, Outcome};
use crate::rejection::CircuitOpen;

/// A kind of function.
pub trait Kind {
    /// The return type of the function.
    type Returned;
    /// The type that is judged.
    type Result;
    /// A call on a circuit that is held for `'c`.
    type Call<'c>;

    /// Admits the call, unless that is left to the first poll.
    ///
    /// # Errors
    ///
    /// [`CircuitOpen`] where the circuit rejects the call.
    fn admit<'c>(held: &'c HeldCircuit<'_>, call_site: &'static CallSite) -> Result<Self::Call<'c>, CircuitOpen>;
}

/// A kind of function that can be rejected before its body runs.
pub trait RejectEarly: Kind {
    /// Returns the value for a rejected call.
    fn reject(open: CircuitOpen) -> Self::Returned;
}

/// The same for an error that is a type parameter of the function. The compiler suggests the bound of its implementation.
pub trait RejectParameterEarly: Kind {
    /// Returns the value for a rejected call.
    fn reject_parameter(open: CircuitOpen) -> Self::Returned;
}

/// A kind of function that is guarded with judge `J` and with `I` for rejections.
pub trait GuardBody<J, I>: Kind {
    /// Runs the body, or wraps the future or stream that it returns.
    fn guard(call: Self::Call<'_>, judge: J, instead: I, body: impl FnOnce() -> Self::Returned) -> Self::Returned;
}

/// The function returns its result immediately.
#[derive(Debug)]
pub struct Immediate<R>(PhantomData<fn() -> R>);

impl<R> Kind for Immediate<R> {
    type Returned = R;
    type Result = R;
    type Call<'c> = Call<At<'c, Stored>>;

    #[inline]
    fn admit<'c>(held: &'c HeldCircuit<'_>, call_site: &'static CallSite) -> Result<Call<At<'c, Stored>>, CircuitOpen> {
        Call::admitted(At::new(held.circuit(), Stored(call_site)))
    }
}

impl<R> RejectEarly for Immediate<R>
where
    R: Outcome,
    R::Error: CarriesRejection,
{
    #[cold]
    fn reject(open: CircuitOpen) -> R {
        R::from_error(R::Error::carry(open))
    }
}

impl<R> RejectParameterEarly for Immediate<R>
where
    R: Outcome,
    R::Error: From<CircuitOpen>,
{
    #[cold]
    fn reject_parameter(open: CircuitOpen) -> R {
        R::from_error(open.into())
    }
}

impl<R, J: Judge<R> + Continues<R>, I> GuardBody<J, I> for Immediate<R> {
    #[inline]
    fn guard(call: Call<At<'_, Stored>>, judge: J, _: I, body: impl FnOnce() -> R) -> R {
        call::run(call, body, &judge)
    }
}

/// A kind of function that returns its result immediately.
#[diagnostic::on_unimplemented(
    message = "`fallback` does not see the type that this function returns",
    label = "a future or stream behind an alias",
    note = "write the return type in full, for example `Pin<Box<dyn Future<Output = Result<T, E>> + Send + '_>>`"
)]
pub trait ReturnsImmediately: Kind {}

impl<R> ReturnsImmediately for Immediate<R> {}

/// The function returns a boxed future or stream: `P` is the pinned box, `R` its output or item.
#[derive(Debug)]
pub struct BoxReturned<P, R>(PhantomData<fn() -> (P, R)>);

impl<P, R> BoxReturned<P, R> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<P, R> Kind for BoxReturned<P, R> {
    type Returned = P;
    type Result = R;
    type Call<'c> = Call<CircuitAt>;

    fn admit(held: &HeldCircuit<'_>, call_site: &'static CallSite) -> Result<Call<CircuitAt>, CircuitOpen> {
        Ok(Call::unadmitted(CircuitAt { circuit: held.circuit().clone(), call_site }))
    }
}

impl<P, R> RejectEarly for BoxReturned<P, R> {
    fn reject(_: CircuitOpen) -> P {
        unreachable!("the call is admitted at the first poll")
    }
}

impl<P, R> RejectParameterEarly for BoxReturned<P, R> {
    fn reject_parameter(_: CircuitOpen) -> P {
        unreachable!("the call is admitted at the first poll")
    }
}

/// The function returns a future of a type of its own.
#[derive(Debug)]
pub struct FutureReturned<F>(PhantomData<fn() -> F>);

/// A future or stream of a type of its own that a function returns.
pub trait ReturnsDeferred {
    /// The future or stream.
    type Body;
    /// The type that is judged.
    type Result;
    /// The guarded future or stream.
    type Guarded<J, I>;

    /// Guards the future or stream.
    fn wrap<J, I>(
        circuit: Circuit,
        call_site: &'static CallSite,
        judge: J,
        instead: I,
        body: Self::Body,
    ) -> Self::Guarded<J, I>;
}

impl<F: Future> ReturnsDeferred for FutureReturned<F> {
    type Body = F;
    type Result = F::Output;
    type Guarded<J, I> = CallFuture<CircuitAt, F, J, I>;

    #[inline]
    fn wrap<J, I>(
        circuit: Circuit,
        call_site: &'static CallSite,
        judge: J,
        instead: I,
        body: F,
    ) -> Self::Guarded<J, I> {
        CallFuture::of(Call::unadmitted(CircuitAt { circuit, call_site }), body, judge, instead)
    }
}

/// The function returns a stream of a type of its own.
#[derive(Debug)]
pub struct StreamReturned<S>(PhantomData<fn() -> S>);

/// A stream that a function may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a future nor a stream, so it cannot be guarded",
    label = "neither a future nor a stream",
    note = "to guard a stream, turn on the feature `stream` of `breaker-core`",
    note = "to leave a method out of an annotated `impl` block, write `#[breaker(skip)]` on it"
)]
pub trait FutureOrStream {
    /// The item of the stream.
    type Item;
    /// The guarded stream.
    type Guarded<J, I>;

    /// Guards the stream.
    fn guarded<J, I>(self, call: Call<CircuitAt>, judge: J, instead: I) -> Self::Guarded<J, I>;
}

impl<S: FutureOrStream> ReturnsDeferred for StreamReturned<S> {
    type Body = S;
    type Result = S::Item;
    type Guarded<J, I> = S::Guarded<J, I>;

    fn wrap<J, I>(
        circuit: Circuit,
        call_site: &'static CallSite,
        judge: J,
        instead: I,
        body: S,
    ) -> Self::Guarded<J, I> {
        body.guarded(Call::unadmitted(CircuitAt { circuit, call_site }), judge, instead)
    }
}

/// A kind of function that returns a stream, or a `Result` with one. `J` judges its results.
pub trait ReturnsStream<J> {}

impl<R, J: JudgesStream> ReturnsStream<J> for Immediate<R> {}

impl<F, J: JudgesStream> ReturnsStream<J> for FutureReturned<F> {}

/// A type that is no stream is reported by the bound [`FutureOrStream`].
impl<S, J> ReturnsStream<J> for StreamReturned<S> {}

/// A judge of results with a stream.
#[cfg_attr(
    not(feature = "stream"),
    diagnostic::on_unimplemented(note = "to guard a stream, turn on the feature `stream` of `breaker-core`")
)]
#[cfg_attr(
    not(all(feature = "http-body", feature = "reqwest")),
    diagnostic::on_unimplemented(
        note = "for the body of a `reqwest::Response`, write `settles = end` and turn on the features `http-body` and \
                `reqwest` of `breaker-core`"
    )
)]
#[diagnostic::on_unimplemented(
    message = "`settles` is for a function that returns a stream, or a `Result` with a stream",
    label = "the function does not return a stream",
    note = "remove `settles`: the verdict about this call is its result",
    note = "if the stream is in a type of your own, return a `PartOfCall` of it"
)]
pub trait JudgesStream {}

/// Any judge.
pub trait JudgesAnything {}

impl<J> JudgesAnything for J {}

/// Kinds that are chosen by the written return type.
pub mod by_type {
    use super::{Immediate, Returned};

    /// Functions that return a boxed future or stream.
    pub trait KindOfBox {
        /// The kind of the function.
        type Kind;

        /// Returns the kind.
        fn __breaker_kind(&self) -> Self::Kind;
    }

    /// All other functions.
    pub trait KindOfRest {
        /// The kind of the function.
        type Kind;

        /// Returns the kind.
        fn __breaker_kind(&self) -> Self::Kind;
    }

    impl<R> KindOfRest for &Returned<R> {
        type Kind = Immediate<R>;

        #[inline]
        fn __breaker_kind(&self) -> Immediate<R> {
            Immediate(super::PhantomData)
        }
    }
}

/// Implements the kind of functions that return a boxed future or a boxed stream, for each list of auto traits.
macro_rules! boxed_kinds {
    (
        $object:ident<$item:ident>, settles if $judges:ident,
        |$call:ident, $judge:ident, $instead:ident, $body:ident| $guarded:expr,
        $([$($bound:tt)*])*
    ) => {$(
        impl<'a, R> by_type::KindOfBox for Returned<Pin<Box<dyn $object<$item = R> + 'a $($bound)*>>> {
            type Kind = BoxReturned<Pin<Box<dyn $object<$item = R> + 'a $($bound)*>>, R>;

            fn __breaker_kind(&self) -> Self::Kind {
                BoxReturned::new()
            }
        }

        impl<'a, R, J: $judges> ReturnsStream<J>
            for BoxReturned<Pin<Box<dyn $object<$item = R> + 'a $($bound)*>>, R> {}

        impl<'a, R, J, I> GuardBody<J, I> for BoxReturned<Pin<Box<dyn $object<$item = R> + 'a $($bound)*>>, R>
        where
            R: 'a,
            J: Judge<R> + Continues<R> + 'a $($bound)*,
            I: OnRejection<R> + 'a $($bound)*,
        {
            fn guard(
                $call: Call<CircuitAt>,
                $judge: J,
                $instead: I,
                $body: impl FnOnce() -> Self::Returned,
            ) -> Self::Returned {
                Box::pin($guarded)
            }
        }
    )*};
}

#[cfg(feature = "stream")]
pub(super) use boxed_kinds;

boxed_kinds! {
    Future<Output>, settles if JudgesStream,
    |call, judge, instead, body| CallFuture::of(call, body(), judge, instead),
    [] [+ Send] [+ Send + Sync]
}

/// Kinds that are chosen by the returned value, because `impl Trait` hides the type.
pub mod by_value {
    use super::{FutureReturned, PhantomData, Returned, StreamReturned};

    /// Futures.
    pub trait KindOfFuture<F> {
        /// Returns the kind.
        fn __breaker_kind(&self) -> FutureReturned<F>;
    }

    impl<F: Future> KindOfFuture<F> for Returned<F> {
        fn __breaker_kind(&self) -> FutureReturned<F> {
            FutureReturned(PhantomData)
        }
    }

    /// Streams, and types that cannot be guarded. The latter are reported later, by the bound [`FutureOrStream`](super::FutureOrStream).
    pub trait KindOfRest<S> {
        /// Returns the kind.
        fn __breaker_kind(&self) -> StreamReturned<S>;
    }

    impl<S> KindOfRest<S> for &Returned<S> {
        fn __breaker_kind(&self) -> StreamReturned<S> {
            StreamReturned(PhantomData)
        }
    }
}
