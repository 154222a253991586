//! What the expansion of `#[derive(ProvesReachable)]` leans on: questions about the type of a field, put to the type
//! system, so that aliases and re-exports are seen through.
//!
//! Each question is a method call, and method resolution is what answers it: it takes the first inherent method whose
//! bounds hold, and what a type dereferences to comes after the type. That works for concrete types and for generic ones
//! alike, as far as their bounds tell, and needs no trait in scope.

use std::error::Error;
use std::marker::PhantomData;
use std::num::NonZeroU16;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use crate::status::{Class, NO_STATUS, class, doubt_because, evidence_of, never_because};
use crate::{CircuitOpen, Evidence, NeverReachable, ProvesReachable, rejection};

pub use crate::marks::{Mark, Marked};
pub use crate::never::MarkedPayload;

// ---- Does a value pass on a rejection? ----

/// Whether a value passes on a rejection, as its type says.
pub fn passes_on<E: ProvesReachable + ?Sized>(error: &E) -> bool {
    error.passes_on_rejection()
}

/// Whether a rejection is among the sources of an error.
pub fn source_passes_on<E: ProvesReachable + ?Sized>(error: &E) -> bool {
    rejection::in_chain(error.source())
}

/// A field whose type mentions no parameter: asks by its type, then by the chain of the error that it is, then of the
/// error that it holds.
#[derive(Debug)]
pub struct Field<'a, F: ?Sized>(ErrorField<'a, F>);

/// A field whose type mentions a lifetime or a type parameter. It may not be `'static`, which the chain of an error has
/// to be, so it is asked by its type alone.
#[derive(Debug)]
pub struct OpenField<'a, F: ?Sized>(&'a F, Plain);

impl<'a, F: ?Sized> Field<'a, F> {
    #[must_use]
    pub const fn ask(field: &'a F) -> Self {
        Self(ErrorField(SharedHolder(Holder(field, Plain))))
    }
}

impl<'a, F: ?Sized> OpenField<'a, F> {
    #[must_use]
    pub const fn ask(field: &'a F) -> Self {
        Self(field, Plain)
    }
}

/// Perhaps it is an error.
#[derive(Debug)]
pub struct ErrorField<'a, F: ?Sized>(SharedHolder<'a, F>);

/// Perhaps it holds an error that may cross threads, as `anyhow::Error` and `Box<dyn Error + Send + Sync>` do.
#[derive(Debug)]
pub struct SharedHolder<'a, F: ?Sized>(Holder<'a, F>);

/// Perhaps it holds an error, as `Box<dyn Error>` does.
#[derive(Debug)]
pub struct Holder<'a, F: ?Sized>(&'a F, Plain);

/// It is no error.
#[derive(Debug)]
pub struct Plain;

impl<F: PassesOn + ?Sized> Field<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        self.0.0.0.0.passes_on()
    }
}

impl<F: PassesOn + ?Sized> OpenField<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        self.0.passes_on()
    }
}

impl<F: Error + 'static> ErrorField<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        rejection::in_chain(Some(self.0.0.0))
    }
}

impl<F: AsRef<dyn Error + Send + Sync + 'static> + ?Sized> SharedHolder<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        rejection::in_chain(Some(self.0.0.as_ref()))
    }
}

impl<F: AsRef<dyn Error + 'static> + ?Sized> Holder<'_, F> {
    #[must_use]
    pub fn __breaker_passes_on(&self) -> bool {
        rejection::in_chain(Some(self.0.as_ref()))
    }
}

impl Plain {
    #[must_use]
    pub const fn __breaker_passes_on(&self) -> bool {
        false
    }
}

macro_rules! otherwise {
    ($([$($generics:tt)*] $question:ty => $next:ty, $at:tt;)*) => {$(
        impl<$($generics)*> Deref for $question {
            type Target = $next;

            fn deref(&self) -> &$next {
                &self.$at
            }
        }
    )*};
}

otherwise! {
    ['a, F: ?Sized] Field<'a, F> => ErrorField<'a, F>, 0;
    ['a, F: ?Sized] ErrorField<'a, F> => SharedHolder<'a, F>, 0;
    ['a, F: ?Sized] SharedHolder<'a, F> => Holder<'a, F>, 0;
    ['a, F: ?Sized] Holder<'a, F> => Plain, 1;
    ['a, F: ?Sized] OpenField<'a, F> => Plain, 1;
    [F: ?Sized] Rejection<F> => NoRejection, 0;
    [F: ?Sized] Carried<F, Itself> => CarriesNothing<F>, 0;
}

/// A value that knows whether it passes on a rejection, in what `std` wraps it in. Pointers that are errors themselves
/// are `ProvesReachable`.
pub trait PassesOn {
    fn passes_on(&self) -> bool;
}

impl<E: ProvesReachable + ?Sized> PassesOn for E {
    fn passes_on(&self) -> bool {
        self.passes_on_rejection()
    }
}

impl<T: PassesOn> PassesOn for Option<T> {
    fn passes_on(&self) -> bool {
        self.as_ref().is_some_and(T::passes_on)
    }
}

impl<T: PassesOn + ?Sized> PassesOn for Rc<T> {
    fn passes_on(&self) -> bool {
        (**self).passes_on()
    }
}

impl<T: PassesOn> PassesOn for Vec<T> {
    fn passes_on(&self) -> bool {
        self.iter().any(T::passes_on)
    }
}

// ---- Is a type a rejection? ----

#[derive(Debug)]
pub struct Rejection<F: ?Sized>(NoRejection, PhantomData<F>);

#[derive(Debug)]
pub struct NoRejection;

impl<F: ?Sized> Rejection<F> {
    #[must_use]
    pub const fn ask() -> Self {
        Self(NoRejection, PhantomData)
    }
}

impl<F: HoldsRejection + ?Sized> Rejection<F> {
    #[must_use]
    pub const fn __breaker_held(&self) -> bool {
        true
    }
}

impl NoRejection {
    #[must_use]
    pub const fn __breaker_held(&self) -> bool {
        false
    }
}

pub trait HoldsRejection {}

impl HoldsRejection for CircuitOpen {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for &T {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for Box<T> {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for Rc<T> {}
impl<T: HoldsRejection + ?Sized> HoldsRejection for Arc<T> {}
impl<T: HoldsRejection> HoldsRejection for Option<T> {}

// ---- May a marked error carry a type? ----

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

// ---- What does a status prove? ----

/// What the status in a `#[reachable(status)]` field proves.
pub fn by_status<S: RunTimeStatus + ?Sized>(status: &S) -> Evidence {
    evidence_of(status.code())
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an HTTP status",
    label = "marked `#[reachable(status)]`",
    note = "such a field is a `u16`, a `NonZero<u16>`, an `http::StatusCode` (feature `http` of `breaker-core`), or an `Option` of one"
)]
pub trait RunTimeStatus {
    fn code(&self) -> Option<u16>;
}

impl RunTimeStatus for u16 {
    fn code(&self) -> Option<u16> {
        Some(*self)
    }
}

impl RunTimeStatus for NonZeroU16 {
    fn code(&self) -> Option<u16> {
        Some(self.get())
    }
}

impl<S: RunTimeStatus> RunTimeStatus for Option<S> {
    fn code(&self) -> Option<u16> {
        self.as_ref().and_then(S::code)
    }
}

impl<S: RunTimeStatus + ?Sized> RunTimeStatus for &S {
    fn code(&self) -> Option<u16> {
        (**self).code()
    }
}

/// A constant that is given as a status. Its method says what it must be, for the compiler repeats the name of a method
/// that it does not find.
#[derive(Clone, Copy, Debug)]
pub struct StatusGivenAs<S>(pub S);

impl StatusGivenAs<u16> {
    #[must_use]
    pub const fn must_be_u16_or_http_status_code(self) -> u16 {
        self.0
    }
}

/// What is known about the reason when the compiler gets to see the status.
#[derive(Clone, Copy, Debug)]
pub enum Reason {
    /// There is none.
    Missing,
    /// There is one, and something else than the status needs it.
    Needed,
    /// There is one, and the status alone has to need it.
    ForStatus,
}

/// A constant status; stops the build where it may not carry the mark.
#[must_use]
pub const fn checked(status: u16, reason: Reason) -> u16 {
    match (class(status), reason) {
        (None, _) => panic!("{}", NO_STATUS),
        (Some(Class::Never), _) => panic!("{}", never_because(status)),
        (Some(Class::OnlyWithReason), Reason::Missing) => panic!("{}", doubt_because(status)),
        (Some(Class::Freely), Reason::ForStatus) => {
            panic!("this status may be marked without a reason: remove `because`")
        }
        (Some(_), _) => status,
    }
}

// ---- The table ----

/// The rows of a table of marks.
pub type Rows = Vec<Mark>;

/// Name, evidence, statuses, and the reason, which is empty where there is none.
pub type Row = (&'static str, Option<Evidence>, &'static [u16], &'static str);

pub const ANSWERED: Option<Evidence> = Some(Evidence::Answered);
pub const FAILED: Option<Evidence> = Some(Evidence::Failed);
pub const UNKNOWN: Option<Evidence> = Some(Evidence::Unknown);
pub const BY_VALUE: Option<Evidence> = None;

/// An unmarked variant is a failure, unless it passes on a rejection.
#[must_use]
pub const fn failed(is_rejection: bool) -> Option<Evidence> {
    if is_rejection { UNKNOWN } else { FAILED }
}

#[must_use]
pub fn rows<const N: usize>(rows: [Row; N]) -> Rows {
    rows.iter()
        .map(|&(name, evidence, status, reason)| Mark {
            name,
            evidence,
            status,
            reason: (!reason.is_empty()).then_some(reason),
        })
        .collect()
}
