//! The `tower` service that the layer creates.

use std::fmt;
use std::future::{Pending, pending};
use std::marker::PhantomData;
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
    // First, because the next bound may determine the request.
    Request: RequestOf<Self>,
    S: Service<Request>,
{
    type Response = <Request as RequestOf<Self>>::Response;
    type Error = BoxError;
    type Future = <Request as RequestOf<Self>>::Future;

    /// Always ready, because the inner service is polled for each admitted request.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    #[inline]
    fn call(&mut self, request: Request) -> Self::Future {
        request.guarded_by(self)
    }
}

/// A request that a guarded service takes.
///
/// As a trait of the request it is not decided before the request is known. A bound that is decided sooner ends the search
/// for a method such as `oneshot`, and the compiler would report that method instead of the bound.
pub trait RequestOf<B> {
    /// The response of the service.
    type Response;
    /// The guarded call.
    type Future: Future<Output = Result<Self::Response, BoxError>>;

    /// Guards the call of the service.
    fn guarded_by(self, service: &mut B) -> Self::Future;
}

impl<Request, B: JudgedByOrErrorsOnly<Request>> RequestOf<B> for Request {
    type Response = B::Response;
    type Future = B::Future;

    #[inline]
    fn guarded_by(self, service: &mut B) -> B::Future {
        service.guard(self)
    }
}

/// A guarded service with a judge for its responses.
///
/// Where another layer is around the service, the compiler prints the name of this trait alone, so the name is what to
/// write.
#[diagnostic::on_unimplemented(
    message = "the layer judges responses by their HTTP status, but the responses of this service have none",
    label = "responses without an HTTP status",
    note = "use `.judged_by(|result| ..)` on the layer to judge results by a function, or `.errors_only()` to judge errors alone",
    note = "the service must also be `Clone`, with an error that is `Into<BoxError>`, and take the requests of the layer's closure"
)]
pub trait JudgedByOrErrorsOnly<Request> {
    /// The response of the service.
    type Response;
    /// The guarded call.
    type Future: Future<Output = Result<Self::Response, BoxError>>;

    /// Guards the call of the service.
    fn guard(&mut self, request: Request) -> Self::Future;
}

impl<S, Request, C, J> JudgedByOrErrorsOnly<Request> for Breaker<S, C, J>
where
    S: Service<Request> + Clone,
    S::Error: Into<BoxError>,
    C: ChooseCircuit<Request>,
    J: JudgeService<S::Response>,
{
    type Response = S::Response;
    type Future = ResponseFuture<S, Request, J>;

    #[inline]
    fn guard(&mut self, request: Request) -> Self::Future {
        let circuit = self.circuits.choose(&request);
        let call = Oneshot::new(self.inner.clone(), request);
        ResponseFuture { call: CallFuture::passing_on(circuit, call, self.judge.clone()) }
    }
}

/// An implementation that never applies. With a single one, the compiler would report what that one lacks, and not the
/// message of the trait.
impl<S, Request, C, J> JudgedByOrErrorsOnly<Request> for Breaker<S, C, J>
where
    Nothing<J>: NeverImplemented,
{
    type Response = Nothing<J>;
    type Future = Pending<Result<Nothing<J>, BoxError>>;

    fn guard(&mut self, _: Request) -> Self::Future {
        pending()
    }
}

/// A type that only an implementation that never applies mentions.
#[derive(Debug)]
pub struct Nothing<J>(PhantomData<J>);

/// A trait without implementations.
pub trait NeverImplemented {}

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
