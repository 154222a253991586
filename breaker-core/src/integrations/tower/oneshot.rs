//! One request to a service: waits for readiness, then calls the service.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;
use tower_service::Service;

use super::BoxError;

pin_project! {
    #[project = OneshotProjection]
    pub(super) enum Oneshot<S: Service<Request>, Request> {
        Waiting { service: S, request: Option<Request> },
        Called { #[pin] response: S::Future },
    }
}

impl<S: Service<Request>, Request> Oneshot<S, Request> {
    pub(super) fn new(service: S, request: Request) -> Self {
        Self::Waiting { service, request: Some(request) }
    }
}

impl<S, Request> Future for Oneshot<S, Request>
where
    S: Service<Request>,
    S::Error: Into<BoxError>,
{
    type Output = Result<S::Response, BoxError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            let response = match self.as_mut().project() {
                OneshotProjection::Called { response } => return response.poll(cx).map_err(Into::into),
                OneshotProjection::Waiting { service, request } => {
                    ready!(service.poll_ready(cx)).map_err(Into::into)?;
                    let request = request.take().expect("the request is taken once, because the variant changes then");
                    service.call(request)
                }
            };
            self.set(Self::Called { response });
        }
    }
}
