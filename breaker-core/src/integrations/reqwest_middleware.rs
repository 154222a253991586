//! A middleware for [`reqwest_middleware`](https://docs.rs/reqwest-middleware) clients (feature `reqwest-middleware`).
//!
//! ```
//! use breaker_core::reqwest_middleware::BreakerMiddleware;
//! use reqwest_middleware::ClientBuilder;
//!
//! let client = ClientBuilder::new(reqwest::Client::new())
//!     .with(BreakerMiddleware::per_host())
//!     .build();
//! # let _ = client;
//! ```
//!
//! A response is judged by its HTTP status and returned unchanged. A rejection is an [`Error::Middleware`] whose source is
//! the [`CircuitOpen`](crate::CircuitOpen); [`rejection`] finds it through other middlewares too. Add this middleware *after*
//! a middleware that retries, so that each attempt is a call of its own.

use async_trait::async_trait;
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result};

pub use super::choose_circuit::{ByKey, ChooseCircuit};
pub use crate::evidence::rejection;

#[cfg(feature = "http-body")]
use super::part_of_call::WithBody;
use crate::call::{Call, GuardedFuture};
use crate::circuit::Circuit;
use crate::evidence::error_chain::{Root, rejection_in};
use crate::evidence::{Evidence, Fault, NeverReachable, ProvesReachable};
use crate::judge::dynamic::unknown_type;
use crate::judge::{ByStatus, ByType};
use crate::key::Key;
use crate::registry::Registry;
use crate::rejection::CircuitOpen;

/// Guards each request of a client with the circuit of its connection. See the [module](self).
#[derive(Clone, Debug)]
pub struct BreakerMiddleware<C> {
    circuits: C,
    #[cfg(feature = "http-body")]
    with_body: bool,
}

impl<C> BreakerMiddleware<C> {
    fn with(circuits: C) -> Self {
        Self {
            circuits,
            #[cfg(feature = "http-body")]
            with_body: false,
        }
    }

    /// Makes the body of a response a part of its call (feature `http-body`), so that a body that breaks off is a failure.
    ///
    /// Without it, a call ends with the head of the response. With it, the head of a probe's response still closes the
    /// circuit, and a caller that drops the body unread was answered. An error while the body is read is a
    /// `reqwest::Error` whose source is the one without this option.
    ///
    /// ```
    /// use breaker_core::reqwest_middleware::BreakerMiddleware;
    ///
    /// let middleware = BreakerMiddleware::per_host().with_body();
    /// # let _ = middleware;
    /// ```
    #[cfg(feature = "http-body")]
    #[must_use]
    pub fn with_body(self) -> Self {
        Self { with_body: true, ..self }
    }
}

impl BreakerMiddleware<ByKey<fn(&Request) -> Key<'_>>> {
    /// Uses one circuit for each host and port, in the global registry unless [`registry`](Self::registry) names another.
    #[must_use]
    pub fn per_host() -> Self {
        Self::new(|request| {
            let url = request.url();
            Key::from((url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default()))
        })
    }
}

impl<F: Fn(&Request) -> Key<'_>> BreakerMiddleware<ByKey<F>> {
    /// Chooses the circuit by the key that `key` returns for the request, in the global registry unless
    /// [`registry`](Self::registry) names another.
    ///
    /// `key` may use any part of the request, for example a header:
    ///
    /// ```
    /// use breaker_core::reqwest_middleware::BreakerMiddleware;
    /// use breaker_core::Key;
    ///
    /// let middleware = BreakerMiddleware::new(|request| match request.headers().get("x-tenant") {
    ///     Some(tenant) => Key::from(String::from_utf8_lossy(tenant.as_bytes())),
    ///     None => Key::from("no-tenant"),
    /// });
    /// # let _ = middleware;
    /// ```
    #[must_use]
    pub fn new(key: F) -> Self {
        Self::with(ByKey::new(key))
    }

    /// Takes the circuits from this registry instead of the global one.
    #[must_use]
    pub fn registry(self, registry: Registry) -> Self {
        Self {
            circuits: self.circuits.within(registry),
            #[cfg(feature = "http-body")]
            with_body: self.with_body,
        }
    }
}

impl BreakerMiddleware<Circuit> {
    /// Uses one circuit for all requests, for a client of a single remote system.
    #[must_use]
    pub fn of(circuit: Circuit) -> Self {
        Self::with(circuit)
    }
}

#[async_trait]
impl<C: ChooseCircuit<Request> + Send + Sync + 'static> Middleware for BreakerMiddleware<C> {
    async fn handle(&self, request: Request, extensions: &mut Extensions, next: Next<'_>) -> Result<Response> {
        let circuit = self.circuits.choose(&request);
        let call = Call::admitted(&circuit)?;
        // A middleware is called inside the guarded future, because it may panic before it returns its own.
        let body = async move { next.run(request, extensions).await };
        #[cfg(feature = "http-body")]
        if self.with_body {
            return GuardedFuture::new(call, body, WithBody::new(ByType)).await;
        }
        GuardedFuture::new(call, body, ByStatus(ByType)).await
    }
}

impl NeverReachable for Error {}

/// A rejection becomes an error of a middleware, with the rejection as its source.
///
/// Wrappers such as `reqwest_retry::RetryError` pass the source of an error on, and not the error itself.
impl From<CircuitOpen> for Error {
    fn from(open: CircuitOpen) -> Self {
        let text = open.to_string();
        Self::Middleware(::anyhow::Error::new(open).context(text))
    }
}

/// By the wrapped error: one of `reqwest` or one of a middleware.
impl ProvesReachable for Error {
    fn evidence(&self) -> Evidence {
        match self {
            Self::Reqwest(error) => error.evidence(),
            Self::Middleware(error) => unknown_type::evidence(Root::Anyhow(error)),
        }
    }

    fn rejection(&self) -> Option<&CircuitOpen> {
        match self {
            Self::Reqwest(error) => error.rejection(),
            Self::Middleware(error) => rejection_in(Root::Anyhow(error)),
        }
    }

    fn transport_fault(&self) -> Option<Fault> {
        match self {
            Self::Reqwest(error) => error.transport_fault(),
            Self::Middleware(error) => unknown_type::transport_fault(Root::Anyhow(error)),
        }
    }
}
