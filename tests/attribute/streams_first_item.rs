//! `settles = first_item`: the verdict about a session is final at its first good item.

use std::pin::Pin;
use std::time::Duration;

use breaker_core::testing::ManualClock;
use breaker_core::{Circuit, Config, PartOfCall, State, breaker};
use futures::stream::{self, BoxStream, Stream, StreamExt as _};

use crate::common::{CallError, half_open, ready};

type Item = Result<u32, CallError>;
type Boxed = BoxStream<'static, Item>;

#[breaker(connection = *circuit, settles = first_item)]
fn opaque(circuit: &Circuit, body: Boxed) -> impl Stream<Item = Item> + Send + use<> {
    body
}

#[breaker(connection = *circuit, settles = first_item)]
fn boxed(circuit: &Circuit, body: Boxed) -> Boxed {
    body
}

#[breaker(connection = *circuit, settles = first_item)]
async fn in_result(circuit: &Circuit, body: Boxed) -> Result<impl Stream<Item = Item> + Send + use<>, CallError> {
    Ok(body)
}

#[breaker(connection = *circuit, settles = first_item, timeout = "5s", is_failure = |_| true, fallback = |_| Ok(stream::empty().boxed()))]
async fn boxed_in_result(circuit: &Circuit, body: Boxed) -> Result<Boxed, TimedError> {
    Ok(body)
}

#[derive(Debug, thiserror::Error)]
enum TimedError {
    #[error(transparent)]
    TimedOut(#[from] breaker_core::TimedOut),
}

#[breaker(connection = *circuit, settles = first_item)]
fn part_at_once(circuit: &Circuit, body: Boxed) -> Result<PartOfCall<Boxed>, CallError> {
    Ok(PartOfCall::new(body))
}

#[breaker(connection = *circuit, settles = first_item)]
fn in_a_boxed_future(circuit: &Circuit, body: Boxed) -> Pin<Box<dyn Future<Output = Result<Boxed, CallError>> + Send>> {
    Box::pin(async move { Ok(body) })
}

#[breaker(connection = *circuit, settles = first_item)]
fn in_a_future(
    circuit: &Circuit,
    body: Boxed,
) -> impl Future<Output = Result<impl Stream<Item = Item> + Send + use<>, CallError>> + use<> {
    async move { Ok(body) }
}

#[breaker(connection = *circuit, settles = end)]
fn until_the_end(circuit: &Circuit, body: Boxed) -> Boxed {
    body
}

const KINDS: [fn(&Circuit, Boxed) -> Boxed; 7] = [
    |circuit, body| opaque(circuit, body).boxed(),
    boxed,
    |circuit, body| ready(in_result(circuit, body)).unwrap().boxed(),
    |circuit, body| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(boxed_in_result(circuit, body)).unwrap()
    },
    |circuit, body| part_at_once(circuit, body).unwrap().boxed(),
    |circuit, body| ready(in_a_boxed_future(circuit, body)).unwrap(),
    |circuit, body| ready(in_a_future(circuit, body)).unwrap().boxed(),
];

/// Good items, and then the idle timeout of a proxy.
fn session(good: u32) -> Boxed {
    stream::iter((0..good).map(Ok).chain([Err(CallError::Failed)])).boxed()
}

fn read_to_end(session: Boxed) {
    drop(ready(session.collect::<Vec<_>>()));
}

#[test]
fn only_sessions_without_progress_count() {
    for start in KINDS {
        let circuit = Circuit::new("feed", Config::default());
        for _ in 0..20 {
            read_to_end(start(&circuit, session(10_000)));
        }
        assert_eq!((circuit.state(), circuit.snapshot().failed), (State::Closed, 0));
        for failed in 1..=5 {
            assert_eq!(circuit.state(), State::Closed);
            read_to_end(start(&circuit, session(0)));
            assert_eq!(circuit.snapshot().failed, failed);
        }
        assert_eq!(circuit.state(), State::Open);
    }
}

#[test]
fn the_first_good_item_is_the_answer() {
    for start in KINDS {
        let circuit = Circuit::new("feed", Config::default());
        read_to_end(start(&circuit, session(0)));
        let mut feed = start(&circuit, session(1));
        assert_eq!(circuit.snapshot().streak, 1);
        assert!(ready(feed.next()).is_some());
        assert_eq!(circuit.snapshot().streak, 0, "at the item, not at the end");
        read_to_end(start(&circuit, session(0)));
        drop(feed);
        assert_eq!(circuit.snapshot().streak, 1, "its drop clears nothing");

        let circuit = half_open();
        read_to_end(start(&circuit, session(1)));
        assert_eq!((circuit.state(), circuit.snapshot().failed), (State::Closed, 0));
    }
}

#[test]
fn before_the_first_good_item_nothing_is_different() {
    for start in KINDS {
        let clock = ManualClock::new();
        let config = Config::builder().dropped_after(Duration::from_secs(5)).build().unwrap();
        let circuit = Circuit::with_clock("feed", config, clock.clone());
        for failed in 1..=5 {
            let mut feed = start(&circuit, stream::pending().boxed());
            assert!(futures::FutureExt::now_or_never(feed.next()).is_none());
            clock.advance(Duration::from_secs(6));
            drop(feed);
            assert_eq!((circuit.snapshot().failed, circuit.snapshot().dropped), (failed, failed));
        }
        assert_eq!(circuit.state(), State::Open);
    }
}

#[breaker(connection = *circuit)]
fn page(circuit: &Circuit, item: Item) -> Item {
    item
}

#[test]
fn what_follows_is_not_nested_in_the_session() {
    for start in KINDS {
        let circuit = Circuit::new("feed", Config::builder().failure_threshold(9).build().unwrap());
        let inner = circuit.clone();
        let pages = stream::iter(0..3).map(
            move |number| {
                if number == 0 { Ok(0) } else { page(&inner, Err(CallError::Failed)) }
            },
        );
        let mut feed = start(&circuit, pages.boxed());
        for failed in [0, 1, 2] {
            assert!(ready(feed.next()).is_some());
            assert_eq!(
                (circuit.snapshot().failed, circuit.snapshot().streak),
                (failed, u32::try_from(failed).unwrap())
            );
        }
        drop(feed);
        assert_eq!(circuit.snapshot().streak, 2);
    }
}

#[test]
fn the_end_is_the_default() {
    let circuit = Circuit::new("feed", Config::default());
    for _ in 0..5 {
        read_to_end(until_the_end(&circuit, session(1)));
    }
    assert_eq!(circuit.state(), State::Open);
}
