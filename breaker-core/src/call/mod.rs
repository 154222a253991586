//! Guarded calls: the calling methods of [`Circuit`], their futures, and the guard that settles each call exactly once.

mod continues;
mod future;
mod guard;
mod permit;
#[cfg(feature = "http")]
mod response;
#[cfg(feature = "stream")]
mod stream_call;
mod unnested;

pub(crate) use continues::Continues;
pub use future::CallFuture;
pub(crate) use future::GuardedFuture;
pub(crate) use future::run;
pub use guard::Call;
pub(crate) use guard::Guard;
pub use permit::Permit;
#[cfg(feature = "stream")]
pub(crate) use stream_call::StreamCall;
pub use unnested::{Unnested, unnested, unnested_async};

use crate::circuit::Circuit;
use crate::evidence::{Evidence, ProvesReachable};
use crate::judge::{ByClassifier, ByType, Judge};
use crate::rejection::CircuitOpen;

impl Circuit {
    /// Asks for the permission to make one call. The caller makes the call and settles the permit with its evidence.
    ///
    /// Use it where a call is not one function or future, for example a request whose answer arrives as a message.
    /// Otherwise prefer [`call`](Self::call) or the annotation, because they also recognise nested calls: calls inside
    /// a permit count as calls of their own, so one remote failure can count twice.
    ///
    /// ```
    /// use breaker_core::{Circuit, CircuitOpen, Config, Evidence};
    ///
    /// let circuit = Circuit::new("shop-7", Config::default());
    /// let permit = circuit.try_acquire()?;
    /// // .. send the request, and wait for the message with its answer ..
    /// permit.settle(Evidence::Answered);
    /// # Ok::<(), CircuitOpen>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CircuitOpen`] if the circuit rejects the call. The call must not be made then.
    pub fn try_acquire(&self) -> Result<Permit, CircuitOpen> {
        Permit::acquire(self)
    }

    /// Makes a call, unless the circuit rejects it. `Ok` is Answered; the evidence of an error is defined by its type,
    /// with [`ProvesReachable`].
    ///
    /// Calls on the same circuit inside `call` are recognised as nested. They report for themselves, and one remote
    /// failure counts once.
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
    ///
    /// # Panics
    ///
    /// If the call panics, which counts as Failed.
    #[inline]
    pub fn call<T, E>(&self, call: impl FnOnce() -> Result<T, E>) -> Result<T, E>
    where
        E: ProvesReachable + From<CircuitOpen>,
    {
        self.admit_and_run(call, &ByType)
    }

    /// Makes a call like [`call`](Self::call), whose evidence is what `classify` returns for its result.
    ///
    /// The error may be of any type, so nothing but the classifier inspects it. If the error may contain a rejection of
    /// another circuit, return [`Evidence::Unknown`] for that. The classifier is not called for a rejection of this
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
    ///
    /// # Panics
    ///
    /// If the call or the classifier panics. Both count as Failed.
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
        judge: &(impl Judge<Result<T, E>> + Continues<Result<T, E>>),
    ) -> Result<T, E> {
        run(Call::admitted(self)?, body, judge)
    }

    /// Makes an asynchronous call like [`call`](Self::call).
    ///
    /// The call is admitted at the first poll. Dropping the returned [`CallFuture`] before it has finished is a
    /// cancellation, and a call that is never polled has no effect.
    ///
    /// ```
    /// use breaker_core::{Circuit, CircuitOpen, Config};
    ///
    /// # #[tokio::main]
    /// # async fn main() {
    /// let circuit = Circuit::new("shop-7", Config::default());
    /// let stock: Result<u32, CircuitOpen> = circuit.call_async(async { Ok(3) }).await;
    /// assert_eq!(stock.unwrap(), 3);
    ///
    /// circuit.hold_open();
    /// let stock: Result<u32, CircuitOpen> = circuit.call_async(async { unreachable!("not called") }).await;
    /// assert_eq!(stock.unwrap_err().connection(), "shop-7");
    /// # }
    /// ```
    #[inline]
    pub fn call_async<T, E, F>(&self, future: F) -> CallFuture<&Self, F, ByType>
    where
        F: Future<Output = Result<T, E>>,
        E: ProvesReachable + From<CircuitOpen>,
    {
        CallFuture::passing_on(self, future, ByType)
    }

    /// Makes an asynchronous call like [`call_async`](Self::call_async), whose evidence is what `classify` returns for
    /// its result: see [`call_with`](Self::call_with).
    ///
    /// ```
    /// use std::io;
    /// use breaker_core::{Circuit, CircuitOpen, Config, Evidence};
    ///
    /// fn classify<T>(result: &Result<T, io::Error>) -> Evidence {
    ///     match result {
    ///         Err(error) if error.kind() != io::ErrorKind::NotFound => Evidence::Failed,
    ///         _ => Evidence::Answered,
    ///     }
    /// }
    ///
    /// # #[tokio::main]
    /// # async fn main() {
    /// # async fn load() -> io::Result<String> { Err(io::ErrorKind::NotFound.into()) }
    /// let circuit = Circuit::new("storage", Config::default());
    /// let loaded = circuit.call_async_with(load(), classify).await;
    /// assert!(loaded.is_err());
    /// assert_eq!(circuit.snapshot().failed, 0);
    /// # }
    /// ```
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
