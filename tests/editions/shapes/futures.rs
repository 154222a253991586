//! Functions that return a future or a stream.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use breaker_core::{breaker, Circuit, CircuitOpen, State};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::Stream;

use crate::{fragile, held_open, is_send, ready, CallError};

type Answer = Result<u32, CallError>;
type MyFuture<'a> = Pin<Box<dyn Future<Output = Answer> + 'a>>;

struct Api {
    circuit: Circuit,
}

impl Api {
    #[breaker(connection = self.circuit)]
    fn opaque(&self, answer: Answer) -> impl Future<Output = Answer> + Send {
        async move { answer }
    }

    #[breaker(connection = self.circuit)]
    fn boxed(&self, answer: Answer) -> Pin<Box<dyn Future<Output = Answer> + Send + '_>> {
        Box::pin(async move {
            let _ = self;
            answer
        })
    }

    #[breaker(connection = self.circuit)]
    fn aliased(&self, answer: Answer) -> BoxFuture<'_, Answer> {
        Box::pin(async move { answer })
    }

    #[breaker(connection = self.circuit)]
    fn local_alias(&self, answer: Answer) -> MyFuture<'_> {
        Box::pin(async move { answer })
    }

    #[breaker(connection = self.circuit)]
    fn for_ever(&self, answer: Answer) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        Box::pin(async move { answer })
    }

    #[breaker(connection = self.circuit, fallback = |open| fallback(self, &open).await)]
    fn opaque_with_fallback<'a>(&'a self, answer: Answer) -> impl Future<Output = Answer> + 'a {
        async move { answer }
    }

    #[breaker(connection = self.circuit, fallback = |open| fallback(self, &open).await)]
    fn boxed_with_fallback(&self, answer: Answer) -> Pin<Box<dyn Future<Output = Answer> + Send + '_>> {
        Box::pin(async move { answer })
    }

    #[breaker(connection = self.circuit)]
    fn pages(&self, answers: Vec<Answer>) -> impl Stream<Item = Answer> + Send {
        stream::iter(answers)
    }

    #[breaker(connection = self.circuit)]
    fn boxed_pages(&self, answers: Vec<Answer>) -> BoxStream<'static, Answer> {
        Box::pin(stream::iter(answers))
    }

    #[breaker(connection = self.circuit, fallback = |_| Ok(9))]
    fn pages_with_fallback(&self, answers: Vec<Answer>) -> impl Stream<Item = Answer> {
        stream::iter(answers)
    }

    #[breaker(connection = self.circuit, fallback = |_| Ok(9))]
    fn boxed_pages_with_fallback(
        &self,
        answers: Vec<Answer>,
    ) -> Pin<Box<dyn Stream<Item = Answer> + Send + Sync + '_>> {
        Box::pin(stream::iter(answers))
    }
}

async fn fallback(api: &Api, open: &CircuitOpen) -> Answer {
    assert_eq!(open.connection(), api.circuit.connection());
    Ok(9)
}

fn all<S: Stream>(stream: S) -> Vec<S::Item> {
    let mut stream = Box::pin(stream);
    let mut items = Vec::new();
    while let Poll::Ready(Some(item)) = stream.as_mut().poll_next(&mut Context::from_waker(Waker::noop())) {
        items.push(item);
    }
    items
}

#[test]
fn futures_are_admitted_at_their_first_poll() {
    let api = Api { circuit: fragile() };
    let futures: [fn(&Api, Answer) -> BoxFuture<'_, Answer>; 4] = [
        |api, answer| Box::pin(api.opaque(answer)),
        |api, answer| api.boxed(answer),
        |api, answer| api.aliased(answer),
        |api, answer| api.for_ever(answer),
    ];
    for make in futures {
        api.circuit.reset();
        let (early, late) = (make(&api, Ok(1)), make(&api, Err(CallError::Failed)));
        assert_eq!(ready(early).unwrap(), 1);
        let rejected = make(&api, Ok(1));
        assert!(matches!(ready(late), Err(CallError::Failed)));
        assert_eq!(api.circuit.state(), State::Open);
        assert!(matches!(ready(rejected), Err(CallError::Rejected(_))));
    }
    api.circuit.reset();
    assert!(ready(api.local_alias(Err(CallError::Failed))).is_err());
    assert!(matches!(ready(api.local_alias(Ok(1))), Err(CallError::Rejected(_))));
}

#[test]
fn a_fallback_may_await() {
    let api = Api { circuit: held_open() };
    assert_eq!(ready(api.opaque_with_fallback(Ok(1))).unwrap(), 9);
    assert_eq!(ready(is_send(api.boxed_with_fallback(Ok(1)))).unwrap(), 9);
    api.circuit.reset();
    assert_eq!(ready(api.opaque_with_fallback(Ok(1))).unwrap(), 1);
    assert!(matches!(ready(api.boxed_with_fallback(Err(CallError::Failed))), Err(CallError::Failed)));
}

#[test]
fn the_first_failed_item_of_a_stream_decides() {
    let api = Api { circuit: fragile() };
    assert_eq!(all(is_send(api.pages(vec![Ok(1), Ok(2)]))).len(), 2);
    assert_eq!(all(api.pages(vec![Err(CallError::Answered), Ok(1)])).len(), 2);
    assert_eq!(api.circuit.state(), State::Closed, "a marked error is an answer");
    let waiting = api.boxed_pages(vec![Ok(1), Ok(2)]);
    assert_eq!(all(api.boxed_pages(vec![Ok(1), Err(CallError::Failed), Ok(2)])).len(), 3);
    assert_eq!(api.circuit.state(), State::Open);
    let items = all(waiting);
    assert!(matches!(items[..], [Err(CallError::Rejected(_))]), "one rejection, and then the end");
    assert!(matches!(all(api.pages_with_fallback(vec![]))[..], [Ok(9)]));
    assert!(matches!(all(api.boxed_pages_with_fallback(vec![]))[..], [Ok(9)]));
}

#[test]
fn a_stream_that_is_dropped_early_is_no_failure() {
    let api = Api { circuit: fragile() };
    let mut pages = Box::pin(api.pages(vec![Ok(1), Err(CallError::Failed)]));
    assert!(pages.as_mut().poll_next(&mut Context::from_waker(Waker::noop())).is_ready());
    drop(pages);
    let seen = api.circuit.snapshot();
    assert_eq!((seen.dropped, seen.failed), (0, 0), "the first item was good");
}

mod left_open {
    //! The body leaves the type of the error open, and only the return type names it. Fails if the body alone selects
    //! the judge.

    use super::*;

    /// Without marks.
    #[derive(Debug)]
    struct Unmarked(u32);

    impl From<CircuitOpen> for Unmarked {
        fn from(_: CircuitOpen) -> Self {
            Self(0)
        }
    }

    impl Unmarked {
        fn is_failure(&self) -> bool {
            self.0 > 0
        }
    }

    #[breaker(connection = *circuit, is_failure = |error| error.is_failure())]
    fn opaque(circuit: &Circuit) -> impl Future<Output = Result<u32, Unmarked>> + Send + 'static {
        let _ = circuit;
        async { Err(Unmarked(1)) }
    }

    #[breaker(connection = *circuit, is_success = |values| values.is_empty(), fallback = |_| Ok(Vec::new()))]
    fn with_fallback(circuit: &Circuit) -> impl Future<Output = Result<Vec<u32>, CallError>> + Send + 'static {
        let _ = circuit;
        async { Ok(std::iter::once(1).collect()) }
    }

    #[breaker(connection = *circuit, is_success = |values| values.is_empty())]
    fn stream(circuit: &Circuit) -> impl Stream<Item = Result<Vec<u32>, CallError>> + 'static {
        let _ = circuit;
        stream::iter(vec![Ok(std::iter::once(1).collect())])
    }

    #[test]
    fn the_return_type_selects_the_judge() {
        let circuit = fragile();
        assert!(ready(opaque(&circuit)).is_err());
        assert!(crate::is_open(&circuit));
        assert!(ready(opaque(&circuit)).is_err_and(|error| error.0 == 0), "rejected");
        assert_eq!(ready(with_fallback(&circuit)).unwrap(), Vec::<u32>::new());
        circuit.reset();
        assert_eq!(ready(with_fallback(&circuit)).unwrap(), [1]);
        assert!(crate::is_open(&circuit));
        circuit.reset();
        assert_eq!(ready(futures::StreamExt::next(&mut Box::pin(stream(&circuit)))).unwrap().unwrap(), [1]);
        assert!(crate::is_open(&circuit));
    }
}
