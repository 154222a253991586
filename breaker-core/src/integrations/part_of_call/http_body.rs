//! Bodies of HTTP responses (feature `http-body`).

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};

use super::PartOfCall;
use super::judges::GoesOn;
use crate::call::StreamCall;
use crate::circuit::CircuitAt;
use crate::evidence::Judgement;
use crate::judge::Judge;

impl<B: Body, J: Judge<Result<Frame<B::Data>, B::Error>>> Body for PartOfCall<B, J> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        self.poll_part(|body| body.poll_frame(cx))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The head of a response is the first good item, so a reader that does not need the body may drop it.
impl<B: Body, I> GoesOn for http::Response<PartOfCall<B, I>> {
    type Items = I;

    fn attach(self, mut rest: StreamCall<CircuitAt>, items: I, answer: Judgement) -> Self {
        rest.good_item(answer);
        if self.body().body.is_end_stream() {
            rest.end();
        }
        self.map(|body| body.attached(rest, items))
    }
}
