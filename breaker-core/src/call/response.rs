//! Calls through a circuit that return a response.

use super::CallFuture;
use crate::circuit::Circuit;
use crate::evidence::{CarriesStatus, ProvesReachable};
use crate::judge::{ByStatus, ByType};
use crate::rejection::CircuitOpen;

impl Circuit {
    /// As [`call`](Self::call), for a call that returns a response: with `Ok` it is judged by its HTTP status.
    ///
    /// [`call`](Self::call) itself takes every `Ok` for a success, for it is made for every type.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call). A response is returned unchanged, whatever its status.
    #[inline]
    pub fn call_response<T, E>(&self, call: impl FnOnce() -> Result<T, E>) -> Result<T, E>
    where
        T: CarriesStatus,
        E: ProvesReachable + From<CircuitOpen>,
    {
        self.admit_and_run(call, &ByStatus(ByType))
    }

    /// As [`call_async`](Self::call_async), for a call that returns a response: with `Ok` it is judged by its HTTP
    /// status.
    ///
    /// [`call_async`](Self::call_async) itself takes every `Ok` for a success, for it is made for every type.
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
