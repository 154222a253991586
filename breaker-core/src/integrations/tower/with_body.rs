//! The layer that makes the body of a response a part of its call (feature `http-body`).

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;

use super::super::part_of_call::{ByTheirType, InParts, PartOfCall};
use super::BoxError;
use super::judge::ByChain;
use super::service::Breaker;
use crate::judge::ByStatus;

/// A [`BreakerLayer`](super::BreakerLayer) whose calls end with the body of the response, from
/// [`with_body`](super::BreakerLayer::with_body).
#[derive(Debug)]
pub struct BodyLayer<C, J = ByStatus<ByChain>> {
    circuits: Arc<C>,
    judge: Arc<InParts<Arc<J>, ByTheirType>>,
}

impl<C, J> BodyLayer<C, J> {
    pub(super) fn new(circuits: Arc<C>, judge: Arc<J>) -> Self {
        Self { circuits, judge: Arc::new(InParts::new(judge)) }
    }
}

impl<C, J> Clone for BodyLayer<C, J> {
    fn clone(&self) -> Self {
        Self { circuits: self.circuits.clone(), judge: self.judge.clone() }
    }
}

impl<S, C, J> Layer<S> for BodyLayer<C, J> {
    type Service = Breaker<DetachBody<S>, C, InParts<Arc<J>, ByTheirType>>;

    fn layer(&self, inner: S) -> Self::Service {
        Breaker::new(DetachBody(inner), self.circuits.clone(), self.judge.clone())
    }
}

/// The body of a response under a [`BodyLayer`].
pub type ResponseBody<B> = PartOfCall<BoxedErrors<B>>;

/// The inner service, whose bodies can be a part of a call.
#[derive(Clone, Debug)]
pub struct DetachBody<S>(S);

impl<S, Request, B> Service<Request> for DetachBody<S>
where
    S: Service<Request, Response = http::Response<B>>,
    S::Error: Into<BoxError>,
{
    type Response = http::Response<ResponseBody<B>>;
    type Error = BoxError;
    type Future = DetachBodyFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        DetachBodyFuture { response: self.0.call(request) }
    }
}

pin_project! {
    /// The future of [`DetachBody`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct DetachBodyFuture<F> {
        #[pin]
        response: F,
    }
}

impl<F, B, E> Future for DetachBodyFuture<F>
where
    F: Future<Output = Result<http::Response<B>, E>>,
    E: Into<BoxError>,
{
    type Output = Result<http::Response<ResponseBody<B>>, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = self.project().response.poll(cx);
        polled.map(|result| match result {
            Ok(response) => Ok(response.map(|body| PartOfCall::new(BoxedErrors { body }))),
            Err(error) => Err(error.into()),
        })
    }
}

pin_project! {
    /// A body whose errors are boxed, so that each of them can be judged.
    #[derive(Debug)]
    pub struct BoxedErrors<B> {
        #[pin]
        body: B,
    }
}

impl<B: Body> Body for BoxedErrors<B>
where
    B::Error: Into<BoxError>,
{
    type Data = B::Data;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, BoxError>>> {
        self.project().body.poll_frame(cx).map(|frame| frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
