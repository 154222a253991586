//! May a marked error carry a type?

use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use crate::NeverReachable;

/// The question whether `F` carries a `NeverReachable` type, at the place `P` that the compiler is to find.
#[derive(Debug)]
pub struct Carried<F: ?Sized, P>(CarriesNothing<F>, PhantomData<fn(P)>);

#[derive(Debug)]
pub struct CarriesNothing<F: ?Sized>(PhantomData<F>);

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
    note = "an error of this type says that nothing usable came back, or that no call was made (trait `NeverReachable`)",
    note = "remove the mark, so that the variant counts against the circuit; or move the answer into a variant of its own"
)]
pub trait MayBeCarried<F: ?Sized> {}

#[diagnostic::do_not_recommend]
impl<F: ?Sized> MayBeCarried<F> for Harmless {}

/// A type that carries a `NeverReachable` one at the place `P`. The place is there so that a tuple can be searched:
/// without it the implementations for its elements would overlap.
pub trait Carries<P> {}

#[derive(Debug)]
pub struct Itself;
#[derive(Debug)]
pub struct Inside<P>(PhantomData<P>);
#[derive(Debug)]
pub struct Element<const N: usize, P>(PhantomData<P>);

impl<T: NeverReachable + ?Sized> Carries<Itself> for T {}

macro_rules! inside {
    ($([$($generics:tt)*] $holder:ty;)*) => {$( impl<P, T: Carries<P> + $($generics)*> Carries<Inside<P>> for $holder {} )*};
}

inside! {
    [?Sized] &T;
    [?Sized] &mut T;
    [?Sized] Box<T>;
    [?Sized] Rc<T>;
    [?Sized] Arc<T>;
    [?Sized] std::sync::Mutex<T>;
    [?Sized] std::sync::RwLock<T>;
    [?Sized] std::cell::RefCell<T>;
    [?Sized] std::cell::Cell<T>;
    [Sized] std::pin::Pin<T>;
    [Sized] std::sync::OnceLock<T>;
    [Sized] Option<T>;
    [Sized] Vec<T>;
    [Sized] std::collections::VecDeque<T>;
    [Sized] [T];
}

impl<P, T: Carries<P>, const N: usize> Carries<Inside<P>> for [T; N] {}
impl<P, T: Carries<P>, E> Carries<Element<0, P>> for Result<T, E> {}
impl<P, T, E: Carries<P>> Carries<Element<1, P>> for Result<T, E> {}
impl<P, K, V: Carries<P>> Carries<Inside<P>> for std::collections::BTreeMap<K, V> {}
impl<P, K, V: Carries<P>, S> Carries<Inside<P>> for std::collections::HashMap<K, V, S> {}

macro_rules! elements {
    ($($at:literal $element:ident of ($($all:ident),+);)*) => {$(
        impl<P, $($all),+> Carries<Element<$at, P>> for ($($all,)+) where $element: Carries<P> {}
    )*};
}

elements! {
    0 A of (A);
    0 A of (A, B); 1 B of (A, B);
    0 A of (A, B, C); 1 B of (A, B, C); 2 C of (A, B, C);
    0 A of (A, B, C, D); 1 B of (A, B, C, D); 2 C of (A, B, C, D); 3 D of (A, B, C, D);
    0 A of (A, B, C, D, E); 1 B of (A, B, C, D, E); 2 C of (A, B, C, D, E); 3 D of (A, B, C, D, E);
    4 E of (A, B, C, D, E);
    0 A of (A, B, C, D, E, F); 1 B of (A, B, C, D, E, F); 2 C of (A, B, C, D, E, F); 3 D of (A, B, C, D, E, F);
    4 E of (A, B, C, D, E, F); 5 F of (A, B, C, D, E, F);
}

otherwise! {
    [F: ?Sized] Carried<F, Itself> => CarriesNothing<F>, 0;
}
