//! Types that may fill a generic field of a marked error.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant, SystemTime};

/// A type that may fill a generic field of an error that is marked as an answer.
///
/// The derive cannot see which types will replace a type parameter, and a [`NeverReachable`](crate::NeverReachable) type may be among them. So
/// it requires this bound for each marked field whose type mentions a parameter. It is implemented for plain data and for
/// collections and pointers of it, but not for errors that derive [`ProvesReachable`](crate::ProvesReachable), because
/// their own evidence would be lost under the mark. Implement it for your own types as you need it:
///
/// ```
/// use breaker_core::{MarkedPayload, ProvesReachable};
///
/// #[derive(Debug)]
/// struct ContactId(u64);
///
/// impl MarkedPayload for ContactId {}
///
/// #[derive(Debug, ProvesReachable)]
/// enum LookupError<Id> {
///     #[reachable]
///     NotFound(Id),
/// }
/// # impl<Id> std::fmt::Display for LookupError<Id> {
/// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("") }
/// # }
/// # impl<Id: std::fmt::Debug> std::error::Error for LookupError<Id> {}
///
/// let error = LookupError::NotFound(ContactId(7));
/// assert_eq!(error.evidence(), breaker_core::Evidence::Answered);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not declared as safe in a generic field of a marked error",
    label = "not `MarkedPayload`",
    note = "a transport error in a marked error would hide an outage, so a generic field must be `MarkedPayload`",
    note = "if `{Self}` is not a transport error, write `impl breaker_core::MarkedPayload for {Self} {{}}`"
)]
pub trait MarkedPayload {}

macro_rules! payload {
    ($($plain:ty,)*) => {$( impl MarkedPayload for $plain {} )*};
}

payload! {
    (), bool, char, str, String, u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64,
    OsStr, OsString, Path, PathBuf, IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, Duration, Instant, SystemTime,
    std::num::NonZeroU8, std::num::NonZeroU16, std::num::NonZeroU32, std::num::NonZeroU64, std::num::NonZeroU128,
    std::num::NonZeroUsize, std::num::NonZeroI8, std::num::NonZeroI16, std::num::NonZeroI32, std::num::NonZeroI64,
    std::num::NonZeroI128, std::num::NonZeroIsize, std::convert::Infallible,
    dyn Error, dyn Error + Send, dyn Error + Send + Sync,
}

macro_rules! payload_of {
    ($([$($generics:tt)*] $holder:ty;)*) => {$( impl<$($generics)*> MarkedPayload for $holder {} )*};
}

payload_of! {
    [T: MarkedPayload + ?Sized] &T;
    [T: MarkedPayload + ?Sized] Box<T>;
    [T: MarkedPayload + ?Sized] Rc<T>;
    [T: MarkedPayload + ?Sized] Arc<T>;
    [T: MarkedPayload + ?Sized] Mutex<T>;
    [T: MarkedPayload + ?Sized] RwLock<T>;
    [T: MarkedPayload + ?Sized] Cell<T>;
    [T: MarkedPayload + ?Sized] RefCell<T>;
    [T: MarkedPayload + ToOwned + ?Sized] Cow<'_, T>;
    [T: MarkedPayload] Option<T>;
    [T: MarkedPayload] [T];
    [T: MarkedPayload, const N: usize] [T; N];
    [T: MarkedPayload] Vec<T>;
    [T: MarkedPayload] VecDeque<T>;
    [T: MarkedPayload] LinkedList<T>;
    [T: MarkedPayload] BinaryHeap<T>;
    [T: MarkedPayload] BTreeSet<T>;
    [T: MarkedPayload, S] HashSet<T, S>;
    [K: MarkedPayload, V: MarkedPayload] BTreeMap<K, V>;
    [K: MarkedPayload, V: MarkedPayload, S] HashMap<K, V, S>;
    [T: MarkedPayload, E: MarkedPayload] Result<T, E>;
    [T: MarkedPayload] Range<T>;
    [T: MarkedPayload] RangeInclusive<T>;
    [T: ?Sized] PhantomData<T>;
}

macro_rules! payload_tuples {
    ($(($($element:ident),+);)*) => {$( impl<$($element: MarkedPayload),+> MarkedPayload for ($($element,)+) {} )*};
}

payload_tuples! {
    (A);
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
    (A, B, C, D, E, F);
    (A, B, C, D, E, F, G);
    (A, B, C, D, E, F, G, H);
    (A, B, C, D, E, F, G, H, I);
    (A, B, C, D, E, F, G, H, I, J);
    (A, B, C, D, E, F, G, H, I, J, K);
    (A, B, C, D, E, F, G, H, I, J, K, L);
}
