//! The `tower` service that the layer creates.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tower_service::Service;

use super::super::choose_circuit::ChooseCircuit;
use super::BoxError;
use super::judge::{ByChain, JudgeService};
use super::oneshot::Oneshot;
use crate::call::CallFuture;
use crate::circuit::Circuit;
use crate::judge::ByStatus;

/// A service that guards each request with a circuit. See the [module](super).
#[derive(Debug)]
pub struct Breaker<S, C, J = ByStatus<ByChain>> {
    inner: S,
    circuits: Arc<C>,
    judge: Arc<J>,
}

impl<S, C, J> Breaker<S, C, J> {
    pub(super) fn new(inner: S, circuits: Arc<C>, judge: Arc<J>) -> Self {
        Self { inner, circuits, judge }
    }
}

impl<S: Clone, C, J> Clone for Breaker<S, C, J> {
    fn clone(&self) -> Self {
        Self::new(self.inner.clone(), self.circuits.clone(), self.judge.clone())
    }
}

impl<S, Request, C, J> Service<Request> for Breaker<S, C, J>
where
    S: Service<Request> + Clone,
    S::Error: Into<BoxError>,
    C: ChooseCircuit<Request>,
    J: JudgeService<S::Response>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = ResponseFuture<S, Request, J>;

    /// Always ready, because the inner service is polled for each admitted request.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let circuit = self.circuits.choose(&request);
        let call = Oneshot::new(self.inner.clone(), request);
        ResponseFuture { call: CallFuture::passing_on(circuit, call, self.judge.clone()) }
    }
}

pin_project! {
    /// The future of [`Breaker`]. The request is admitted at the first poll; dropping the future before it finished is a
    /// cancellation.
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<S: Service<Request>, Request, J = ByStatus<ByChain>> {
        #[pin]
        call: CallFuture<Circuit, Oneshot<S, Request>, Arc<J>>,
    }
}

impl<S, Request, J> Future for ResponseFuture<S, Request, J>
where
    S: Service<Request>,
    S::Error: Into<BoxError>,
    J: JudgeService<S::Response>,
{
    type Output = Result<S::Response, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().call.poll(cx)
    }
}

impl<S: Service<Request>, Request, J> fmt::Debug for ResponseFuture<S, Request, J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
