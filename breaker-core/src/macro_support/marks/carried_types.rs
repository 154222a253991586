//! The check of the types that a marked error carries.

use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use super::rejection_type::HoldsRejection;
use crate::NeverReachable;

/// The question whether `F` carries a `NeverReachable` type. The compiler infers the position `P` of that type.
#[derive(Debug)]
pub struct Carried<F: ?Sized, P>(OtherwiseAllowed<F>, PhantomData<fn(P)>);

/// The answer for a type that carries none.
#[derive(Debug)]
pub struct OtherwiseAllowed<F: ?Sized>(PhantomData<F>);

/// The same question under the mark of a whole enum, where a variant with a rejection is allowed: it is not marked.
#[derive(Debug)]
pub struct CarriedInAll<F: ?Sized, P>(Carried<F, P>);

/// The answer `A` for the type `F`.
#[derive(Debug)]
pub struct CarryCheck<F: ?Sized, A>(PhantomData<F>, A);

/// `F` carries a `NeverReachable` type.
#[derive(Debug)]
pub struct Forbidden;

/// The type of `F` shows no `NeverReachable` type.
#[derive(Debug)]
pub struct Allowed;

impl<F: ?Sized, P> Carried<F, P> {
    #[must_use]
    pub const fn ask() -> Self {
        Self(OtherwiseAllowed(PhantomData), PhantomData)
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
    pub const fn __breaker_verdict(&self) -> CarryCheck<F, Allowed> {
        CarryCheck(PhantomData, Allowed)
    }
}

impl<F: Carries<P> + ?Sized, P> Carried<F, P> {
    #[must_use]
    pub const fn __breaker_verdict(&self) -> CarryCheck<F, Forbidden> {
        CarryCheck(PhantomData, Forbidden)
    }
}

impl<F: ?Sized> OtherwiseAllowed<F> {
    #[must_use]
    pub const fn __breaker_verdict(&self) -> CarryCheck<F, Allowed> {
        CarryCheck(PhantomData, Allowed)
    }
}

/// Compiles only for a type that a marked error may carry.
pub fn carry<F: ?Sized, A: MayBeCarried<F>>(_: CarryCheck<F, A>) {}

#[diagnostic::on_unimplemented(
    message = "a marked error must not carry `{F}`, which can never prove that the remote system answered",
    label = "under a mark",
    note = "an error of this type means that no usable answer came back, or that no call was made (trait `NeverReachable`, or `#[reachable(never)]` on its type)",
    note = "remove the mark, so that the variant counts against the circuit; or move the answer to a variant of its own; \
            or, for an error that contains its status, such as `reqwest::Error`, write `#[reachable(transparent)]`"
)]
pub trait MayBeCarried<F: ?Sized> {}

#[diagnostic::do_not_recommend]
impl<F: ?Sized> MayBeCarried<F> for Allowed {}

/// A type that carries a `NeverReachable` type at position `P`. Without the position, the implementations for the elements of
/// a tuple would overlap.
pub trait Carries<P> {}

/// A type with `#[reachable(never)]`. The derive implements this trait.
pub trait ProvesNothing {}

/// The position of the type itself.
#[derive(Debug)]
pub struct Itself;
/// The position of a type that has `#[reachable(never)]`.
#[derive(Debug)]
pub struct DeclaredNever;
/// A position inside a pointer, cell or collection.
#[derive(Debug)]
pub struct Inside<P>(PhantomData<P>);
/// A position inside the element `N` of a tuple, or of a type with several parameters.
#[derive(Debug)]
pub struct Element<const N: usize, P>(PhantomData<P>);

impl<T: NeverReachable + ?Sized> Carries<Itself> for T {}
impl<T: ProvesNothing + ?Sized> Carries<DeclaredNever> for T {}

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

/// Implements [`Carries`] for tuples, once for each element.
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
    [F: ?Sized] Carried<F, Itself> => OtherwiseAllowed<F>, 0;
}
