//! One guarded call: the calling methods of [`Circuit`], and what settles a call exactly once.

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
    /// Asks for the right to make one call, which the caller settles by hand.
    ///
    /// A permit does not know which calls run inside it, so nested calls on the same circuit are taken for calls of
    /// their own; [`call`](Self::call) and the annotation know.
    ///
    /// # Errors
    ///
    /// [`CircuitOpen`] where the circuit rejects the call.
    pub fn try_acquire(&self) -> Result<Permit, CircuitOpen> {
        Permit::acquire(self)
    }

    /// Makes a call: its error says by its type whether it proves reachability.
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
    /// The call's own error unchanged, or a [`CircuitOpen`] turned into `E` where the call was not made.
    #[inline]
    pub fn call<T, E>(&self, call: impl FnOnce() -> Result<T, E>) -> Result<T, E>
    where
        E: ProvesReachable + From<CircuitOpen>,
    {
        self.admit_and_run(call, &ByType)
    }

    /// As [`call`](Self::call), with a classifier in place of the type's word.
    ///
    /// The classifier has the last word, for the error may be of any type, and nothing else looks into it: where the error
    /// may pass on a rejection of another circuit, the classifier says [`Evidence::Unknown`] for that. A rejection of this
    /// circuit it never sees.
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
    /// As [`call`](Self::call).
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

    /// Makes an asynchronous call: admitted at the first poll, and a cancellation if it is dropped before it finished.
    #[inline]
    pub fn call_async<T, E, F>(&self, future: F) -> CallFuture<&Self, F, ByType>
    where
        F: Future<Output = Result<T, E>>,
        E: ProvesReachable + From<CircuitOpen>,
    {
        CallFuture::passing_on(self, future, ByType)
    }

    /// As [`call_async`](Self::call_async), with a classifier in place of the type's word. As for
    /// [`call_with`](Self::call_with), the classifier has the last word.
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
