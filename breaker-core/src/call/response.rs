//! Calls that return a response with an HTTP status.

use super::CallFuture;
use crate::circuit::Circuit;
use crate::evidence::{CarriesStatus, ProvesReachable};
use crate::judge::{ByStatus, ByType};
use crate::rejection::CircuitOpen;

impl Circuit {
    /// Makes a call like [`call`](Self::call) that returns a response. An `Ok` is judged by its HTTP status.
    ///
    /// [`call`](Self::call) itself counts every `Ok` as a success, because it accepts values of any type.
    ///
    /// # Errors
    ///
    /// The same as for [`call`](Self::call). A response is returned unchanged, whatever its status.
    #[inline]
    pub fn call_response<T, E>(&self, call: impl FnOnce() -> Result<T, E>) -> Result<T, E>
    where
        T: CarriesStatus,
        E: ProvesReachable + From<CircuitOpen>,
    {
        self.admit_and_run(call, &ByStatus(ByType))
    }

    /// Makes an asynchronous call like [`call_async`](Self::call_async) that returns a response. An `Ok` is judged by
    /// its HTTP status.
    ///
    /// [`call_async`](Self::call_async) itself counts every `Ok` as a success, because it accepts values of any type.
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
