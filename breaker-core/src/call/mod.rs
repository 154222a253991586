//! Guarded calls: the calling methods of [`Circuit`], their futures, and the guard that settles each call exactly once.

mod future;
mod guard;
mod permit;
#[cfg(feature = "http")]
mod response;

pub use future::CallFuture;
pub(crate) use future::GuardedFuture;
pub(crate) use future::run;
pub use guard::Call;
pub(crate) use guard::Guard;
pub use permit::Permit;

use crate::circuit::{Circuit, UNNAMED};
use crate::evidence::{Evidence, ProvesReachable};
use crate::judge::{ByClassifier, ByType, Judge};
use crate::rejection::CircuitOpen;

impl Circuit {
    /// Asks for the permission to make one call, which the caller settles explicitly.
    ///
    /// Nested calls on the same circuit count as calls of their own, because a permit does not know which calls run
    /// inside it. [`call`](Self::call) and the annotation recognise nested calls.
    ///
    /// # Errors
    ///
    /// [`CircuitOpen`] if the circuit rejects the call.
    pub fn try_acquire(&self) -> Result<Permit, CircuitOpen> {
        Permit::acquire(self)
    }

    /// Makes a call. The type of its error defines the evidence.
    ///
    /// ```
    /// use breaker_core::{Circuit, CircuitOpen, Config, ProvesReachable};
    ///
    /// #[derive(Debug, thiserror::Error, ProvesReachable)]
    /// enum StockError {
    ///     #[error("no such article")]
    ///     #[reachable(status = 404)]
    ///     NoSuchArticle,
    ///     #[error(transparent)]
    ///     Rejected(#[from] CircuitOpen),
    /// }
    ///
    /// let circuit = Circuit::new("shop-7", Config::default());
    /// let stock: Result<u32, StockError> = circuit.call(|| Ok(3));
    /// assert_eq!(stock.unwrap(), 3);
    /// ```
    ///
    /// # Errors
    ///
    /// The error of the call, unchanged, or a [`CircuitOpen`] converted to `E` if the call was rejected.
    #[inline]
    pub fn call<T, E>(&self, call: impl FnOnce() -> Result<T, E>) -> Result<T, E>
    where
        E: ProvesReachable + From<CircuitOpen>,
    {
        self.admit_and_run(call, &ByType)
    }

    /// Makes a call like [`call`](Self::call), with a classifier instead of the evidence of the error's type.
    ///
    /// The classifier alone decides, because the error may be of any type. Where the error may contain a rejection of
    /// another circuit, return [`Evidence::Unknown`] for it. The classifier is not called for a rejection of this
    /// circuit.
    ///
    /// ```
    /// use breaker_core::{Circuit, CircuitOpen, Config, Evidence};
    ///
    /// let (shop, crm) = (Circuit::new("shop", Config::default()), Circuit::new("crm", Config::default()));
    /// crm.hold_open();
    /// let result: Result<(), CircuitOpen> = shop.call_with(
    ///     || crm.try_acquire().map(drop),
    ///     |result| if result.is_ok() { Evidence::Answered } else { Evidence::Unknown },
    /// );
    /// assert!(result.is_err());
    /// assert_eq!(shop.snapshot().failed, 0);
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`call`](Self::call).
    #[inline]
    pub fn call_with<T, E>(
        &self,
        call: impl FnOnce() -> Result<T, E>,
        classify: impl Fn(&Result<T, E>) -> Evidence,
    ) -> Result<T, E>
    where
        E: From<CircuitOpen>,
    {
        self.admit_and_run(call, &ByClassifier(classify))
    }

    #[inline]
    pub(crate) fn admit_and_run<T, E: From<CircuitOpen>>(
        &self,
        body: impl FnOnce() -> Result<T, E>,
        judge: &impl Judge<Result<T, E>>,
    ) -> Result<T, E> {
        run(Call::admitted(self, &UNNAMED)?, body, judge)
    }

    /// Makes an asynchronous call. It is admitted at the first poll; dropping the future before it finished is a
    /// cancellation.
    #[inline]
    pub fn call_async<T, E, F>(&self, future: F) -> CallFuture<&Self, F, ByType>
    where
        F: Future<Output = Result<T, E>>,
        E: ProvesReachable + From<CircuitOpen>,
    {
        CallFuture::passing_on(self, future, ByType)
    }

    /// Makes an asynchronous call like [`call_async`](Self::call_async), with a classifier that alone decides: see
    /// [`call_with`](Self::call_with).
    #[inline]
    pub fn call_async_with<T, E, F, C>(&self, future: F, classify: C) -> CallFuture<&Self, F, ByClassifier<C>>
    where
        F: Future<Output = Result<T, E>>,
        E: From<CircuitOpen>,
        C: Fn(&Result<T, E>) -> Evidence,
    {
        CallFuture::passing_on(self, future, ByClassifier(classify))
    }
}
