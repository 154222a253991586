//! Calls that return a response with an HTTP status.

use super::CallFuture;
use crate::circuit::Circuit;
use crate::evidence::{CarriesStatus, ProvesReachable};
use crate::judge::{ByStatus, ByType};
use crate::rejection::CircuitOpen;

impl Circuit {
    /// Makes a call like [`call`](Self::call) that returns a response. The evidence of an `Ok` depends on its HTTP
    /// status: a 503 is Failed, for example.
    ///
    /// [`call`](Self::call) itself counts every `Ok` as a success, because it accepts values of any type.
    ///
    /// ```
    /// use breaker_core::{Circuit, CircuitOpen, Config};
    ///
    /// let circuit = Circuit::new("shop-7", Config::default());
    /// let response: Result<_, CircuitOpen> = circuit.call_response(|| {
    ///     let mut response = http::Response::new("busy");
    ///     *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
    ///     Ok(response)
    /// });
    /// assert_eq!(*response.unwrap().body(), "busy");
    /// assert_eq!(circuit.snapshot().failed, 1);
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`call`](Self::call). A response is returned unchanged, whatever its status is.
    #[inline]
    pub fn call_response<T, E>(&self, call: impl FnOnce() -> Result<T, E>) -> Result<T, E>
    where
        T: CarriesStatus,
        E: ProvesReachable + From<CircuitOpen>,
    {
        self.admit_and_run(call, &ByStatus(ByType))
    }

    /// Makes an asynchronous call like [`call_async`](Self::call_async) that returns a response. The evidence of an
    /// `Ok` depends on its HTTP status: see [`call_response`](Self::call_response).
    #[inline]
    pub fn call_async_response<T, E, F>(&self, future: F) -> CallFuture<&Circuit, F, ByStatus<ByType>>
    where
        F: Future<Output = Result<T, E>>,
        T: CarriesStatus,
        E: ProvesReachable + From<CircuitOpen>,
    {
        CallFuture::passing_on(self, future, ByStatus(ByType))
    }
}
