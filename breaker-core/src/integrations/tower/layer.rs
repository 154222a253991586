//! The `tower` layer and its settings.

use std::sync::Arc;

use tower_layer::Layer;

use super::super::choose_circuit::ByKey;
use super::BoxError;
use super::judge::{ByChain, ByFunction};
use super::service::Breaker;
#[cfg(feature = "http-body")]
use super::with_body::BodyLayer;
use crate::circuit::Circuit;
use crate::evidence::Evidence;
use crate::judge::ByStatus;
use crate::key::Key;
use crate::registry::Registry;

/// Guards each request of a service with the circuit of its connection. See the [module](super).
#[derive(Debug)]
pub struct BreakerLayer<C, J = ByStatus<ByChain>> {
    circuits: Arc<C>,
    judge: Arc<J>,
}

impl<F> BreakerLayer<ByKey<F>> {
    /// Chooses the circuit by the key that `key` returns for the request, in the global registry unless
    /// [`registry`](Self::registry) names another.
    #[must_use]
    pub fn new<Request>(key: F) -> Self
    where
        F: Fn(&Request) -> Key<'_>,
    {
        Self { circuits: Arc::new(ByKey::new(key)), judge: Arc::new(ByStatus(ByChain)) }
    }
}

impl BreakerLayer<Circuit> {
    /// Uses one circuit for all requests, for a service of a single remote system.
    #[must_use]
    pub fn of(circuit: Circuit) -> Self {
        Self { circuits: Arc::new(circuit), judge: Arc::new(ByStatus(ByChain)) }
    }
}

impl<F, J> BreakerLayer<ByKey<F>, J> {
    /// Takes the circuits from this registry instead of the global one.
    #[must_use]
    pub fn registry(self, registry: Registry) -> Self {
        Self { circuits: Arc::new(self.circuits.within(registry)), judge: self.judge }
    }
}

impl<C, J> BreakerLayer<C, J> {
    /// Makes the body of a response a part of its call (feature `http-body`), so that a body that breaks off is a failure.
    ///
    /// Without it, a call ends with the head of the response. With it, the head of a probe's response still closes the
    /// circuit, and a caller that drops the body unread was answered. The body of the response becomes a
    /// [`ResponseBody`](super::ResponseBody), whose errors are [boxed](BoxError).
    ///
    /// ```
    /// use breaker_core::tower::BreakerLayer;
    /// use breaker_core::{Circuit, Config};
    ///
    /// let layer = BreakerLayer::of(Circuit::new("shop-7", Config::default())).with_body();
    /// # let _ = layer;
    /// ```
    #[cfg(feature = "http-body")]
    #[must_use]
    pub fn with_body(self) -> BodyLayer<C, J> {
        BodyLayer::new(self.circuits, self.judge)
    }

    /// Judges errors alone, and counts every response as a success, for a service without HTTP statuses.
    #[must_use]
    pub fn errors_only(self) -> BreakerLayer<C, ByChain> {
        BreakerLayer { circuits: self.circuits, judge: Arc::new(ByChain) }
    }

    /// Judges each result by this function alone, except for rejections, which are never evidence.
    ///
    /// ```
    /// use breaker_core::tower::{BoxError, BreakerLayer};
    /// use breaker_core::{Evidence, Key};
    ///
    /// let layer = BreakerLayer::new(|query: &String| Key::from(query))
    ///     .judged_by(|result: Result<&Vec<u8>, &BoxError>| match result {
    ///         Ok(rows) if rows.is_empty() => Evidence::Unknown,
    ///         Ok(_) => Evidence::Answered,
    ///         Err(_) => Evidence::Failed,
    ///     });
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn judged_by<Response, F>(self, judge: F) -> BreakerLayer<C, ByFunction<F>>
    where
        F: Fn(Result<&Response, &BoxError>) -> Evidence,
    {
        BreakerLayer { circuits: self.circuits, judge: Arc::new(ByFunction(judge)) }
    }
}

impl<C, J> Clone for BreakerLayer<C, J> {
    fn clone(&self) -> Self {
        Self { circuits: self.circuits.clone(), judge: self.judge.clone() }
    }
}

impl<S, C, J> Layer<S> for BreakerLayer<C, J> {
    type Service = Breaker<S, C, J>;

    fn layer(&self, inner: S) -> Self::Service {
        Breaker::new(inner, self.circuits.clone(), self.judge.clone())
    }
}
