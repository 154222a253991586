//! What kind of function is guarded: one that answers at once, or one that hands out a future or a stream.
//!
//! An expansion brings the traits of [`by_type`] or [`by_value`] into scope and calls `(&returned).__breaker_kind()`: the first
//! receiver that fits decides. So the type says what is guarded how, whatever its alias.

use std::marker::PhantomData;
use std::pin::Pin;

use super::Returned;
use crate::call::{self, Call, CallFuture};
use crate::circuit::{CallSite, Circuit, HeldCircuit};
use crate::judge::{CarriesRejection, Judge, OnRejection, Outcome};
use crate::rejection::CircuitOpen;

/// A kind of function.
pub trait Kind {
    /// What the function returns.
    type Returned;
    /// What is judged of it.
    type Result;
    /// A call on a circuit that is held for `'c`.
    type Call<'c>;

    /// Asks for admission, where that is not left to the first poll.
    ///
    /// # Errors
    ///
    /// [`CircuitOpen`] where the circuit rejects the call.
    fn admit<'c>(held: &'c HeldCircuit<'_>, site: &'static CallSite) -> Result<Self::Call<'c>, CircuitOpen>;
}

/// What a kind of function does with a rejection.
pub trait Rejects: Kind {
    /// Takes the place of a call that was rejected before its body ran.
    fn reject(open: CircuitOpen) -> Self::Returned;
}

/// How a kind of function is guarded, with this judge and this stand-in for a rejection.
pub trait Guards<J, I>: Kind {
    /// Runs the body, or lets it be run.
    fn guard(call: Self::Call<'_>, judge: J, instead: I, body: impl FnOnce() -> Self::Returned) -> Self::Returned;
}

/// The function answers when it returns.
#[derive(Debug)]
pub struct AtOnce<R>(PhantomData<fn() -> R>);

impl<R> Kind for AtOnce<R> {
    type Returned = R;
    type Result = R;
    type Call<'c> = Call<&'c Circuit>;

    #[inline]
    fn admit<'c>(held: &'c HeldCircuit<'_>, site: &'static CallSite) -> Result<Call<&'c Circuit>, CircuitOpen> {
        Call::admitted(held.circuit(), site)
    }
}

impl<R> Rejects for AtOnce<R>
where
    R: Outcome,
    R::Error: CarriesRejection,
{
    #[cold]
    fn reject(open: CircuitOpen) -> R {
        R::from_error(R::Error::carry(open))
    }
}

impl<R, J: Judge<R>, I> Guards<J, I> for AtOnce<R> {
    #[inline]
    fn guard(call: Call<&Circuit>, judge: J, _: I, body: impl FnOnce() -> R) -> R {
        call::run(call, body, &judge)
    }
}

/// A kind of function that has answered when it returns.
#[diagnostic::on_unimplemented(
    message = "`fallback` cannot tell what this function hands out",
    label = "a future or stream behind an alias",
    note = "write the return type out, as in `Pin<Box<dyn Future<Output = Result<T, E>> + Send + '_>>`"
)]
pub trait AnswersAtOnce: Kind {}

impl<R> AnswersAtOnce for AtOnce<R> {}

/// The function hands out a boxed future or stream: `P` is the pinned box, `R` what it comes to.
#[derive(Debug)]
pub struct Boxed<P, R>(PhantomData<fn() -> (P, R)>);

impl<P, R> Boxed<P, R> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<P, R> Kind for Boxed<P, R> {
    type Returned = P;
    type Result = R;
    type Call<'c> = Call<Circuit>;

    fn admit(held: &HeldCircuit<'_>, site: &'static CallSite) -> Result<Call<Circuit>, CircuitOpen> {
        Ok(Call::unadmitted(held.circuit().clone(), site))
    }
}

impl<P, R> Rejects for Boxed<P, R> {
    fn reject(_: CircuitOpen) -> P {
        unreachable!("it is admitted at its first poll")
    }
}

/// The function hands out a future of its own type.
#[derive(Debug)]
pub struct Later<F>(PhantomData<fn() -> F>);

/// What a function hands out by a type of its own.
pub trait HandsOut {
    /// The body.
    type Body;
    /// What is judged of it.
    type Result;
    /// The body with its guard.
    type Guarded<J, I>;

    /// Guards the body.
    fn wrap<J, I>(
        circuit: Circuit,
        site: &'static CallSite,
        judge: J,
        instead: I,
        body: Self::Body,
    ) -> Self::Guarded<J, I>;
}

impl<F: Future> HandsOut for Later<F> {
    type Body = F;
    type Result = F::Output;
    type Guarded<J, I> = CallFuture<Circuit, F, J, I>;

    #[inline]
    fn wrap<J, I>(circuit: Circuit, site: &'static CallSite, judge: J, instead: I, body: F) -> Self::Guarded<J, I> {
        CallFuture::of(Call::unadmitted(circuit, site), body, judge, instead)
    }
}

/// The function hands out a stream of its own type.
#[derive(Debug)]
pub struct Flow<S>(PhantomData<fn() -> S>);

/// What a function may hand out, beside a future.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a future nor a stream, so there is nothing to guard",
    label = "neither a future nor a stream",
    note = "streams are guarded with the feature `stream` of `breaker-core`",
    note = "a method of an annotated `impl` block that makes no call is left out by `#[breaker(skip)]`"
)]
pub trait FutureOrStream {
    /// What comes out of it.
    type Item;
    /// The stream with its guard.
    type Guarded<J, I>;

    /// Guards it.
    fn guarded<J, I>(self, call: Call<Circuit>, judge: J, instead: I) -> Self::Guarded<J, I>;
}

impl<S: FutureOrStream> HandsOut for Flow<S> {
    type Body = S;
    type Result = S::Item;
    type Guarded<J, I> = S::Guarded<J, I>;

    fn wrap<J, I>(circuit: Circuit, site: &'static CallSite, judge: J, instead: I, body: S) -> Self::Guarded<J, I> {
        body.guarded(Call::unadmitted(circuit, site), judge, instead)
    }
}

/// The kinds that the return type tells.
pub mod by_type {
    use super::{AtOnce, Returned};

    /// Functions that return a box with a future or a stream.
    pub trait KindOfBox {
        /// The kind.
        type Kind;

        /// The kind.
        fn __breaker_kind(&self) -> Self::Kind;
    }

    /// All other functions.
    pub trait KindOfRest {
        /// The kind.
        type Kind;

        /// The kind.
        fn __breaker_kind(&self) -> Self::Kind;
    }

    impl<R> KindOfRest for &Returned<R> {
        type Kind = AtOnce<R>;

        #[inline]
        fn __breaker_kind(&self) -> AtOnce<R> {
            AtOnce(super::PhantomData)
        }
    }
}

macro_rules! boxed_futures {
    ($([$($bound:tt)*])*) => {$(
        impl<'a, R> by_type::KindOfBox for Returned<Pin<Box<dyn Future<Output = R> + 'a $($bound)*>>> {
            type Kind = Boxed<Pin<Box<dyn Future<Output = R> + 'a $($bound)*>>, R>;

            fn __breaker_kind(&self) -> Self::Kind {
                Boxed::new()
            }
        }

        impl<'a, R, J, I> Guards<J, I> for Boxed<Pin<Box<dyn Future<Output = R> + 'a $($bound)*>>, R>
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
                Box::pin(CallFuture::of(call, body(), judge, instead))
            }
        }
    )*};
}

boxed_futures! { [] [+ Send] [+ Send + Sync] }

/// The kinds that an `impl Trait` hides, told by the value.
pub mod by_value {
    use super::{Flow, Later, PhantomData, Returned};

    /// Futures.
    pub trait KindOfFuture<F> {
        /// The kind.
        fn __breaker_kind(&self) -> Later<F>;
    }

    impl<F: Future> KindOfFuture<F> for Returned<F> {
        fn __breaker_kind(&self) -> Later<F> {
            Later(PhantomData)
        }
    }

    /// Streams, and what cannot be guarded: that is reported later, in words.
    pub trait KindOfRest<S> {
        /// The kind.
        fn __breaker_kind(&self) -> Flow<S>;
    }

    impl<S> KindOfRest<S> for &Returned<S> {
        fn __breaker_kind(&self) -> Flow<S> {
            Flow(PhantomData)
        }
    }
}
