//! The check of the types that a marked error carries.

use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use super::rejection_type::HoldsRejection;
use super::status::{HttpStatus, IntegerStatus};
use crate::{MarkedPayload, NeverReachable, ProvesReachable};

/// The question what a field of type `F` shows. `N` is what the macro read: [`Unnamed`] or one of its siblings. The compiler
/// infers `P` and `Q`, the positions of a `NeverReachable` type and of a type with evidence. The questions below are tried
/// in this order, and the first one that applies decides.
#[derive(Debug)]
pub struct Carried<F: ?Sized, N, P, Q>(CarriesEvidence<F, N, Q>, PhantomData<fn(P)>);

/// The question whether `F` has evidence of its own, or carries a type that has.
#[derive(Debug)]
pub struct CarriesEvidence<F: ?Sized, N, Q>(ByName<F, N>, PhantomData<fn(Q)>);

/// The question whether `F` is a status, or the name of the field or of its type decides.
#[derive(Debug)]
pub struct ByName<F: ?Sized, N>(Declared<F, N>);

/// The question whether `F` is declared as a payload, so that its name means nothing.
#[derive(Debug)]
pub struct Declared<F: ?Sized, N>(NameOnly<F, N>);

/// The answer of the name.
#[derive(Debug)]
pub struct NameOnly<F: ?Sized, N>(PhantomData<N>, PhantomData<F>);

/// The question for a mark with a reason, which lifts everything but a `NeverReachable` type.
#[derive(Debug)]
pub struct CarriedWithReason<F: ?Sized, N, P>(ByName<F, N>, PhantomData<fn(P)>);

/// The question `I` where a rejection is allowed: under the mark of a whole enum it is not marked, and `unknown` is right
/// for it.
#[derive(Debug)]
pub struct OrRejection<F: ?Sized, I>(I, PhantomData<F>);

/// The answer `A` for the type `F`.
#[derive(Debug)]
pub struct CarryCheck<F: ?Sized, A>(PhantomData<A>, PhantomData<F>);

impl<F: ?Sized, N> ByName<F, N> {
    const fn ask() -> Self {
        Self(Declared(NameOnly(PhantomData, PhantomData)))
    }
}

impl<F: ?Sized, N, P, Q> Carried<F, N, P, Q> {
    #[must_use]
    pub const fn ask() -> Self {
        Self(CarriesEvidence(ByName::ask(), PhantomData), PhantomData)
    }
}

impl<F: ?Sized, N, P> CarriedWithReason<F, N, P> {
    #[must_use]
    pub const fn ask() -> Self {
        Self(ByName::ask(), PhantomData)
    }
}

impl<F: ?Sized, I> OrRejection<F, I> {
    #[must_use]
    pub const fn or(question: I) -> Self {
        Self(question, PhantomData)
    }
}

macro_rules! answers {
    ($([$($generics:tt)*] $question:ty => $answer:ty;)*) => {$(
        impl<$($generics)*> $question {
            #[must_use]
            pub const fn __breaker_verdict(&self) -> CarryCheck<F, $answer> {
                CarryCheck(PhantomData, PhantomData)
            }
        }
    )*};
}

answers! {
    [F: HoldsRejection + ?Sized, N] OrRejection<F, Carried<F, N, Itself, Itself>> => Allowed;
    [F: HoldsRejection + ?Sized, N] OrRejection<F, CarriedWithReason<F, N, Itself>> => Allowed;
    [F: Carries<Never, P> + ?Sized, N, P, Q] Carried<F, N, P, Q> => Forbidden;
    [F: Carries<Never, P> + ?Sized, N, P] CarriedWithReason<F, N, P> => Forbidden;
    [F: Carries<OwnEvidence, Q> + ?Sized, N, Q] CarriesEvidence<F, N, Q> => Decides;
    [F: HttpStatus + ?Sized] ByName<F, Unnamed> => IsStatus;
    [F: HttpStatus + ?Sized] ByName<F, CalledStatus> => IsStatus;
    [F: IntegerStatus + ?Sized] ByName<F, FieldCalledStatus> => IsStatus;
    [F: MarkedPayload + ?Sized, N] Declared<F, N> => Allowed;
    [F: ?Sized, N: Name] NameOnly<F, N> => N::Answer;
}

macro_rules! markers {
    ($($(#[doc = $doc:literal])* $marker:ident;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug)]
        pub struct $marker;
    )*};
}

markers! {
    /// Neither the name of the field nor that of its type means anything.
    Unnamed;
    /// The path of the type is that of an error of another crate that can never be marked.
    CalledNever;
    /// The path of the type is that of an error of another crate whose values are answers or faults.
    CalledMixed;
    /// The type is called `StatusCode`.
    CalledStatus;
    /// The field is called `status`.
    FieldCalledStatus;
    /// The mark allows a status in the field.
    MayBeStatus;
}

/// What is left to the name of a field and of its type.
pub trait Name {
    type Answer;
}

macro_rules! names {
    ($($name:ident => $answer:ident;)*) => {$( impl Name for $name { type Answer = $answer; } )*};
}

names! {
    Unnamed => Allowed;
    CalledNever => ForbiddenByName;
    CalledMixed => Decides;
    CalledStatus => IsStatus;
    FieldCalledStatus => Allowed;
    MayBeStatus => Allowed;
}

markers! {
    /// The field carries a `NeverReachable` type.
    Forbidden;
    /// The type of the field has the name of such a type.
    ForbiddenByName;
    /// The field has evidence of its own, or the name of a type whose values are answers or faults.
    Decides;
    /// The field is an HTTP status.
    IsStatus;
    /// Nothing about the field contradicts a mark.
    Allowed;
}

/// Compiles only for a type that an error marked as an answer may carry without a reason.
pub fn carry<F: ?Sized, A: MayBeCarried<F> + MayHaveName<F> + LeavesDecision<F> + HoldsNoStatus<F>>(
    _: CarryCheck<F, A>,
) {
}

/// Compiles only for a type that an error marked as an answer may carry with a reason.
pub fn carry_with_reason<F: ?Sized, A: MayBeCarried<F> + MayHaveName<F>>(_: CarryCheck<F, A>) {}

/// Compiles only for a type that an error marked `unknown` may carry without a reason.
pub fn carry_unknown<F: ?Sized, A: MayBeUnknown<F> + HidesNoStatus<F>>(_: CarryCheck<F, A>) {}

/// Compiles only where one of the fields needs a reason: pairs of a field and the other ones, down to `()`.
pub fn needs_reason<V: NeedsReason>(_: V) {}

#[diagnostic::on_unimplemented(
    message = "a marked error must not carry `{F}`, which can never prove that the remote system answered",
    label = "under a mark",
    note = "an error of this type means that no usable answer came back, or that no call was made (trait `NeverReachable`, or `#[reachable(never)]` on its type)",
    note = "remove the mark, so that the variant counts against the circuit; or move the answer to a variant of its own; \
            or, for an error that contains its status, such as `reqwest::Error`, write `#[reachable(transparent)]` \
            (feature `reqwest` for 0.13, `reqwest-0-12` for 0.12)"
)]
pub trait MayBeCarried<F: ?Sized> {}

#[diagnostic::on_unimplemented(
    message = "a marked error must not carry `{F}`, which can never prove that the remote system answered",
    label = "under a mark",
    note = "by its path, this is an error of a crate whose errors mean that no usable answer came back",
    note = "remove the mark, so that the variant counts against the circuit; or move the answer to a variant of its own; \
            or, for an error that contains its status, such as `reqwest::Error`, write `#[reachable(transparent)]` \
            (feature `reqwest` for 0.13, `reqwest-0-12` for 0.12)",
    note = "if it is your own type in a module with the name of that crate, write `self::` before its path"
)]
pub trait MayHaveName<F: ?Sized> {}

#[diagnostic::on_unimplemented(
    message = "`{F}` may be an answer or a fault, so a mark on the error that carries it may be wrong",
    label = "its value decides",
    note = "write `#[reachable(transparent)]`, so that the evidence of this value decides (`tonic::Status` of 0.14 and `reqwest_middleware::Error` of 0.5 have evidence with the feature of that name)",
    note = "or, if the remote system did answer whatever this value is, state how that is known: `because = \"...\"` in the attribute"
)]
pub trait LeavesDecision<F: ?Sized> {}

#[diagnostic::on_unimplemented(
    message = "`{F}` is an HTTP status, which may be an answer or a fault",
    label = "its value decides",
    note = "write `#[reachable(status)]` on this field instead of the mark",
    note = "or, if the remote system did answer whatever this value is, state how that is known: `because = \"...\"` in the attribute"
)]
pub trait HoldsNoStatus<F: ?Sized> {}

#[diagnostic::on_unimplemented(
    message = "`unknown` on an error that carries `{F}` would hide a fault of the remote system",
    label = "may mean a fault",
    note = "remove the mark, so that the variant counts against the circuit; or write `#[reachable(transparent)]` if `{F}` has evidence of its own",
    note = "or, if this error proves nothing about the remote system, state how that is known: `because = \"...\"` in the attribute"
)]
pub trait MayBeUnknown<F: ?Sized> {}

#[diagnostic::on_unimplemented(
    message = "`unknown` on an error with an HTTP status would hide a 5xx",
    label = "its value decides",
    note = "write `#[reachable(status)]` on this field instead of the mark: then a 5xx counts against the circuit and a 401 or 429 counts as nothing",
    note = "or, if this error proves nothing about the remote system whatever the value is, state how that is known: `because = \"...\"` in the attribute"
)]
pub trait HidesNoStatus<F: ?Sized> {}

macro_rules! implement {
    ($($bound:ident for $($answer:ident)*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl<F: ?Sized> $bound<F> for $answer {}
    )*)*};
}

implement! {
    MayBeCarried for ForbiddenByName Decides IsStatus Allowed;
    MayHaveName for Forbidden Decides IsStatus Allowed;
    LeavesDecision for Forbidden ForbiddenByName IsStatus Allowed;
    HoldsNoStatus for Forbidden ForbiddenByName Decides Allowed;
    MayBeUnknown for IsStatus Allowed;
    HidesNoStatus for Forbidden ForbiddenByName Decides Allowed;
}

#[diagnostic::on_unimplemented(message = "this mark needs no reason: remove `because`", label = "not needed")]
pub trait NeedsReason {}

macro_rules! needs_reason {
    ($($answer:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<F: ?Sized, R> NeedsReason for (CarryCheck<F, $answer>, R) {}
    )*};
}

needs_reason! { Forbidden ForbiddenByName Decides IsStatus }

#[diagnostic::do_not_recommend]
impl<F: ?Sized, R: NeedsReason> NeedsReason for (CarryCheck<F, Allowed>, R) {}

/// A type that carries a type of the kind `W` at position `P`. Without the position, the implementations for the elements of
/// a tuple would overlap.
pub trait Carries<W, P> {}

markers! {
    /// The kind of `NeverReachable` types.
    Never;
    /// The kind of types with evidence of their own.
    OwnEvidence;
}

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

impl<T: NeverReachable + ?Sized> Carries<Never, Itself> for T {}
impl<T: ProvesNothing + ?Sized> Carries<Never, DeclaredNever> for T {}
impl<T: ProvesReachable + ?Sized> Carries<OwnEvidence, Itself> for T {}

// A pointer of these kinds has the evidence of its target, so only one position leads to that.
impl<P, T: Carries<Never, P> + ?Sized> Carries<Never, Inside<P>> for &T {}
impl<P, T: Carries<Never, P> + ?Sized> Carries<Never, Inside<P>> for Box<T> {}
impl<P, T: Carries<Never, P> + ?Sized> Carries<Never, Inside<P>> for Arc<T> {}

macro_rules! inside {
    ($([$($generics:tt)*] $holder:ty;)*) => {$( impl<W, P, T: Carries<W, P> + $($generics)*> Carries<W, Inside<P>> for $holder {} )*};
}

inside! {
    [?Sized] &mut T;
    [?Sized] Rc<T>;
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

impl<W, P, T: Carries<W, P>, const N: usize> Carries<W, Inside<P>> for [T; N] {}
impl<W, P, T: Carries<W, P>, S> Carries<W, Inside<P>> for std::collections::HashSet<T, S> {}
impl<W, P, T: Carries<W, P>, F> Carries<W, Inside<P>> for std::cell::LazyCell<T, F> {}
impl<W, P, T: Carries<W, P>, F> Carries<W, Inside<P>> for std::sync::LazyLock<T, F> {}

macro_rules! elements {
    ($($at:literal $element:ident of $holder:ty, [$($all:ident),+];)*) => {$(
        impl<W, P, $($all),+> Carries<W, Element<$at, P>> for $holder where $element: Carries<W, P> {}
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
        impl<W, P, $($all),+> Carries<W, Element<$at, P>> for ($($all,)+) where $element: Carries<W, P> {}
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

// The next question fixes the positions, which no further one infers.
otherwise! {
    [F: ?Sized, I] OrRejection<F, I> => I, 0;
    [F: ?Sized, N, Q] Carried<F, N, Itself, Q> => CarriesEvidence<F, N, Q>, 0;
    [F: ?Sized, N] CarriedWithReason<F, N, Itself> => ByName<F, N>, 0;
    [F: ?Sized, N] CarriesEvidence<F, N, Itself> => ByName<F, N>, 0;
    [F: ?Sized, N] ByName<F, N> => Declared<F, N>, 0;
    [F: ?Sized, N] Declared<F, N> => NameOnly<F, N>, 0;
}
