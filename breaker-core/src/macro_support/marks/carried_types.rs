//! May a marked error carry a type?

use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use super::rejection_type::HoldsRejection;
use crate::NeverReachable;

/// The question whether `F` carries a `NeverReachable` type, at the place `P` that the compiler is to find.
#[derive(Debug)]
pub struct Carried<F: ?Sized, P>(CarriesNothing<F>, PhantomData<fn(P)>);

#[derive(Debug)]
pub struct CarriesNothing<F: ?Sized>(PhantomData<F>);

/// As [`Carried`], under the mark of a whole enum: a rejection is no answer there, but no mistake either.
#[derive(Debug)]
pub struct CarriedInAll<F: ?Sized, P>(Carried<F, P>);

/// The answer `A` for the type `F`.
#[derive(Debug)]
pub struct Verdict<F: ?Sized, A>(PhantomData<F>, A);

/// It does.
#[derive(Debug)]
pub struct Lie;

/// It does not, as far as its type tells.
#[derive(Debug)]
pub struct Harmless;

impl<F: ?Sized, P> Carried<F, P> {
    #[must_use]
    pub const fn ask() -> Self {
        Self(CarriesNothing(PhantomData), PhantomData)
    }
}

impl<F: ?Sized, P> CarriedInAll<F, P> {
    #[must_use]
    pub const fn ask() -> Self {
        Self(Carried::ask())
    }
}

impl<F: HoldsRejection + ?Sized> CarriedInAll<F, Itself> {
    #[must_use]
    pub const fn __breaker_verdict(&self) -> Verdict<F, Harmless> {
        Verdict(PhantomData, Harmless)
    }
}

impl<F: Carries<P> + ?Sized, P> Carried<F, P> {
    #[must_use]
    pub const fn __breaker_verdict(&self) -> Verdict<F, Lie> {
        Verdict(PhantomData, Lie)
    }
}

impl<F: ?Sized> CarriesNothing<F> {
    #[must_use]
    pub const fn __breaker_verdict(&self) -> Verdict<F, Harmless> {
        Verdict(PhantomData, Harmless)
    }
}

/// Compiles only for a type that a marked error may carry.
pub fn carry<F: ?Sized, A: MayBeCarried<F>>(_: Verdict<F, A>) {}

#[diagnostic::on_unimplemented(
    message = "a marked error must not carry `{F}`, which can never prove that the remote system answered",
    label = "under a mark",
    note = "an error of this type says that nothing usable came back, or that no call was made (trait `NeverReachable`, or `#[reachable(never)]` on its type)",
    note = "remove the mark, so that the variant counts against the circuit; or move the answer into a variant of its own; \
            or, for an error that knows its status, as a `reqwest::Error` does, write `#[reachable(transparent)]`"
)]
pub trait MayBeCarried<F: ?Sized> {}

#[diagnostic::do_not_recommend]
impl<F: ?Sized> MayBeCarried<F> for Harmless {}

/// A type that carries a `NeverReachable` one at the place `P`. The place is there so that a tuple can be searched:
/// without it the implementations for its elements would overlap.
pub trait Carries<P> {}

/// A type whose author says `#[reachable(never)]` of it; the derive implements it.
pub trait ProvesNothing {}

#[derive(Debug)]
pub struct Itself;
/// By the word of its author.
#[derive(Debug)]
pub struct Admitted;
#[derive(Debug)]
pub struct Inside<P>(PhantomData<P>);
#[derive(Debug)]
pub struct Element<const N: usize, P>(PhantomData<P>);

impl<T: NeverReachable + ?Sized> Carries<Itself> for T {}
impl<T: ProvesNothing + ?Sized> Carries<Admitted> for T {}

macro_rules! inside {
    ($([$($generics:tt)*] $holder:ty;)*) => {$( impl<P, T: Carries<P> + $($generics)*> Carries<Inside<P>> for $holder {} )*};
}

inside! {
    [?Sized] &T;
    [?Sized] &mut T;
    [?Sized] Box<T>;
    [?Sized] Rc<T>;
    [?Sized] Arc<T>;
    [?Sized] std::rc::Weak<T>;
    [?Sized] std::sync::Weak<T>;
    [?Sized] std::sync::Mutex<T>;
    [?Sized] std::sync::RwLock<T>;
    [?Sized] std::cell::RefCell<T>;
    [?Sized] std::cell::Cell<T>;
    [?Sized] std::mem::ManuallyDrop<T>;
    [ToOwned + ?Sized] std::borrow::Cow<'_, T>;
    [Sized] std::pin::Pin<T>;
    [Sized] std::cell::OnceCell<T>;
    [Sized] std::sync::OnceLock<T>;
    [Sized] std::task::Poll<T>;
    [Sized] std::cmp::Reverse<T>;
    [Sized] std::ops::Range<T>;
    [Sized] std::ops::RangeInclusive<T>;
    [Sized] Option<T>;
    [Sized] Vec<T>;
    [Sized] std::collections::VecDeque<T>;
    [Sized] std::collections::LinkedList<T>;
    [Sized] std::collections::BinaryHeap<T>;
    [Sized] std::collections::BTreeSet<T>;
    [Sized] [T];
}

impl<P, T: Carries<P>, const N: usize> Carries<Inside<P>> for [T; N] {}
impl<P, T: Carries<P>, S> Carries<Inside<P>> for std::collections::HashSet<T, S> {}
impl<P, T: Carries<P>, F> Carries<Inside<P>> for std::cell::LazyCell<T, F> {}
impl<P, T: Carries<P>, F> Carries<Inside<P>> for std::sync::LazyLock<T, F> {}

macro_rules! elements {
    ($($at:literal $element:ident of $holder:ty, [$($all:ident),+];)*) => {$(
        impl<P, $($all),+> Carries<Element<$at, P>> for $holder where $element: Carries<P> {}
    )*};
}

elements! {
    0 A of Result<A, B>, [A, B]; 1 B of Result<A, B>, [A, B];
    0 A of std::ops::ControlFlow<A, B>, [A, B]; 1 B of std::ops::ControlFlow<A, B>, [A, B];
    0 A of std::collections::BTreeMap<A, B>, [A, B]; 1 B of std::collections::BTreeMap<A, B>, [A, B];
    0 A of std::collections::HashMap<A, B, S>, [A, B, S]; 1 B of std::collections::HashMap<A, B, S>, [A, B, S];
}

/// The tuples, with each of their elements as the one.
macro_rules! tuples {
    ($([$($at:literal $element:ident)+] of $all:tt;)*) => {$( $( tuples!(@ $at $element of $all); )+ )*};
    (@ $at:literal $element:ident of ($($all:ident),+)) => {
        impl<P, $($all),+> Carries<Element<$at, P>> for ($($all,)+) where $element: Carries<P> {}
    };
}

tuples! {
    [0 A] of (A);
    [0 A 1 B] of (A, B);
    [0 A 1 B 2 C] of (A, B, C);
    [0 A 1 B 2 C 3 D] of (A, B, C, D);
    [0 A 1 B 2 C 3 D 4 E] of (A, B, C, D, E);
    [0 A 1 B 2 C 3 D 4 E 5 F] of (A, B, C, D, E, F);
    [0 A 1 B 2 C 3 D 4 E 5 F 6 G] of (A, B, C, D, E, F, G);
    [0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H] of (A, B, C, D, E, F, G, H);
    [0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H 8 I] of (A, B, C, D, E, F, G, H, I);
    [0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H 8 I 9 J] of (A, B, C, D, E, F, G, H, I, J);
    [0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H 8 I 9 J 10 K] of (A, B, C, D, E, F, G, H, I, J, K);
    [0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H 8 I 9 J 10 K 11 L] of (A, B, C, D, E, F, G, H, I, J, K, L);
}

otherwise! {
    [F: ?Sized, P] CarriedInAll<F, P> => Carried<F, P>, 0;
    [F: ?Sized] Carried<F, Itself> => CarriesNothing<F>, 0;
}
