//! What a guarded function returns and its caller reads later, as a part of the call.

#[cfg(feature = "http-body")]
mod http_body;
mod judges;
#[cfg(all(feature = "http-body", feature = "reqwest"))]
mod reqwest;

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_core::stream::FusedStream;
use pin_project_lite::pin_project;

pub(crate) use judges::{ByTheirType, ChooseItemJudge, EachErrorFails, InParts, LikeResults};
#[cfg(all(feature = "http-body", feature = "reqwest"))]
pub(crate) use reqwest::WithBody;

use crate::call::StreamCall;
use crate::circuit::CircuitAt;
use crate::judge::{ByType, Judge};

pin_project! {
    /// A stream, or a body of an HTTP response, that belongs to the guarded call that returns it (feature `stream`).
    ///
    /// A function that returns `Result<impl Stream, E>`, or a boxed stream in a `Result`, does not need it: the stream
    /// is a part of its call anyway. Use it where the return type hides the stream from the attribute, because it is a
    /// type with a name, such as an event source:
    ///
    /// ```
    /// # #[cfg(feature = "macros")] {
    /// use breaker_core::{CircuitOpen, PartOfCall, ProvesReachable, breaker};
    /// # use std::pin::Pin;
    /// # use std::task::{Context, Poll};
    ///
    /// /// The events of a server, by some client.
    /// pub struct EventSource(Vec<Result<String, FeedError>>);
    /// # impl futures::Stream for EventSource {
    /// #     type Item = Result<String, FeedError>;
    /// #     fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
    /// #         Poll::Ready(self.0.pop())
    /// #     }
    /// # }
    ///
    /// #[derive(Debug, thiserror::Error, ProvesReachable)]
    /// #[reachable(never)]
    /// pub enum FeedError {
    ///     #[error("the connection broke")]
    ///     Broken,
    ///     #[error(transparent)]
    ///     Rejected(#[from] CircuitOpen),
    /// }
    ///
    /// #[breaker(connection = "feed")]
    /// pub async fn events() -> Result<PartOfCall<EventSource>, FeedError> {
    ///     Ok(PartOfCall::new(EventSource(vec![Err(FeedError::Broken)])))
    /// }
    /// # }
    /// ```
    ///
    /// With the feature `http-body`, a function may return the body of a response as well, as
    /// `http::Response<PartOfCall<B>>`. The head of the response is judged by its status, and is the first good item.
    ///
    /// The call then ends with its first failed item, its end, or its drop, as the guide to
    /// [streams](crate::guide::streams) describes. Outside a guarded function, `PartOfCall` only passes the items
    /// through.
    ///
    /// `J` judges the items: by default by the type of their error.
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct PartOfCall<S, J = ByType> {
        // Declared first so that it is dropped first: the destructor of the stream is a part of the call.
        #[pin]
        body: S,
        rest: Option<Box<Rest<J>>>,
    }

    impl<S, J> PinnedDrop for PartOfCall<S, J> {
        fn drop(this: Pin<&mut Self>) {
            if let Some(rest) = this.project().rest {
                rest.call.before_drop();
            }
        }
    }
}

/// The rest of a call, with the judge of its items. It is boxed, so that a stream grows by one pointer.
#[derive(Debug)]
struct Rest<J> {
    call: StreamCall<CircuitAt>,
    items: J,
}

impl<S> PartOfCall<S> {
    /// Makes a stream or a body a part of the call that returns it.
    pub fn new(body: S) -> Self {
        Self::detached(body)
    }
}

impl<S, J> PartOfCall<S, J> {
    /// Creates one that is not a part of any call yet.
    pub(crate) fn detached(body: S) -> Self {
        Self { body, rest: None }
    }

    /// Lets the call end with this stream.
    pub(crate) fn attached(mut self, call: StreamCall<CircuitAt>, items: J) -> Self {
        self.rest = Some(Box::new(Rest { call, items }));
        self
    }
}

impl<S, J> PartOfCall<S, J> {
    /// Runs one poll as a part of the call, if there is one.
    fn poll_part<R>(self: Pin<&mut Self>, poll: impl FnOnce(Pin<&mut S>) -> Poll<Option<R>>) -> Poll<Option<R>>
    where
        J: Judge<R>,
    {
        let this = self.project();
        match this.rest {
            Some(rest) => rest.call.poll_item(&rest.items, || poll(this.body)),
            None => poll(this.body),
        }
    }
}

impl<S: Stream, J: Judge<S::Item>> Stream for PartOfCall<S, J> {
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        self.poll_part(|stream| stream.poll_next(cx))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.body.size_hint()
    }
}

impl<S: FusedStream, J: Judge<S::Item>> FusedStream for PartOfCall<S, J> {
    fn is_terminated(&self) -> bool {
        self.body.is_terminated()
    }
}
