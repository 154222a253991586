//! Functions that return a stream inside a `Result`: the stream is a part of the call.

use std::io;
use std::pin::Pin;

use breaker_core::{Circuit, CircuitOpen, Config, PartOfCall, ProvesReachable, State, TimedOut, breaker};
use futures::stream::{self, BoxStream, Iter, Stream, StreamExt};

use crate::common::ready;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ChatError {
    #[error("no such model")]
    #[reachable(status = 404)]
    NoSuchModel,
    #[error("the connection broke")]
    Broken,
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
    #[error(transparent)]
    TimedOut(#[from] TimedOut),
}

type Chunk = Result<u32, ChatError>;
type Chunks = Vec<Chunk>;

/// The body of most functions: an error of its own, or a stream of the chunks.
fn answer(chunks: Chunks) -> Result<Iter<std::vec::IntoIter<Chunk>>, ChatError> {
    if chunks.is_empty() { Err(ChatError::NoSuchModel) } else { Ok(stream::iter(chunks)) }
}

#[breaker(connection = *circuit)]
async fn opaque(circuit: &Circuit, chunks: Chunks) -> Result<impl Stream<Item = Chunk> + Send + use<>, ChatError> {
    std::future::ready(()).await;
    let answer = answer(chunks)?;
    Ok(answer)
}

#[breaker(connection = *circuit, timeout = "5s", fallback = |open| Err(open.into()))]
async fn opaque_or_else(
    circuit: &Circuit,
    chunks: Chunks,
) -> Result<impl Stream<Item = Chunk> + Send + use<>, ChatError> {
    answer(chunks)
}

#[breaker(connection = *circuit, is_failure = |error| matches!(error, ChatError::Broken))]
async fn opaque_by_function(
    circuit: &Circuit,
    chunks: Chunks,
) -> Result<impl Stream<Item = Chunk> + Send + use<>, ChatError> {
    answer(chunks)
}

#[breaker(connection = *circuit)]
fn opaque_at_once(circuit: &Circuit, chunks: Chunks) -> Result<impl Stream<Item = Chunk> + Send + use<>, ChatError> {
    answer(chunks)
}

#[breaker(connection = *circuit, fallback = |open| Err(open.into()))]
fn opaque_at_once_or_else(
    circuit: &Circuit,
    chunks: Chunks,
) -> Result<impl Stream<Item = Chunk> + Send + use<>, ChatError> {
    answer(chunks)
}

#[breaker(connection = *circuit)]
fn opaque_in_a_future(
    circuit: &Circuit,
    chunks: Chunks,
) -> impl Future<Output = Result<impl Stream<Item = Chunk> + Send + use<>, ChatError>> + Send + use<> {
    async move { answer(chunks) }
}

#[breaker(connection = *circuit, timeout = "5s")]
fn opaque_in_a_future_in_time(
    circuit: &Circuit,
    chunks: Chunks,
) -> impl Future<Output = Result<impl Stream<Item = Chunk> + Send + use<>, ChatError>> + Send + use<> {
    async move { answer(chunks) }
}

#[breaker(connection = *circuit)]
async fn boxed(circuit: &Circuit, chunks: Chunks) -> Result<BoxStream<'static, Chunk>, ChatError> {
    Ok(answer(chunks)?.boxed())
}

type BoxedChat = Result<Pin<Box<dyn Stream<Item = Chunk> + Send>>, ChatError>;

#[breaker(connection = *circuit, timeout = "5s")]
async fn boxed_by_alias(circuit: &Circuit, chunks: Chunks) -> BoxedChat {
    Ok(Box::pin(answer(chunks)?))
}

#[breaker(connection = *circuit, is_failure = |error| matches!(error, ChatError::Broken))]
fn boxed_at_once(circuit: &Circuit, chunks: Chunks) -> BoxedChat {
    Ok(Box::pin(answer(chunks)?))
}

#[breaker(connection = *circuit)]
fn boxed_in_a_future(circuit: &Circuit, chunks: Chunks) -> impl Future<Output = BoxedChat> + Send + use<> {
    async move { Ok(answer(chunks)?.boxed()) }
}

#[breaker(connection = *circuit)]
fn boxed_in_a_boxed_future(circuit: &Circuit, chunks: Chunks) -> Pin<Box<dyn Future<Output = BoxedChat> + Send>> {
    Box::pin(async move { Ok(answer(chunks)?.boxed()) })
}

#[async_trait::async_trait]
trait Provider {
    async fn chat(&self, chunks: Chunks) -> BoxedChat;
}

#[async_trait::async_trait]
impl Provider for Circuit {
    #[breaker(connection = *self)]
    async fn chat(&self, chunks: Chunks) -> BoxedChat {
        Ok(answer(chunks)?.boxed())
    }
}

struct Block(Circuit);

#[breaker(connection = self.0)]
#[async_trait::async_trait]
impl Provider for Block {
    async fn chat(&self, chunks: Chunks) -> BoxedChat {
        Ok(answer(chunks)?.boxed())
    }
}

#[breaker(connection = *circuit)]
async fn of_a_named_type(
    circuit: &Circuit,
    chunks: Chunks,
) -> Result<PartOfCall<Iter<std::vec::IntoIter<Chunk>>>, ChatError> {
    Ok(PartOfCall::new(answer(chunks)?))
}

#[breaker(connection = *circuit)]
fn of_a_named_type_at_once(
    circuit: &Circuit,
    chunks: Chunks,
) -> Result<PartOfCall<Iter<std::vec::IntoIter<Chunk>>>, ChatError> {
    Ok(PartOfCall::new(answer(chunks)?))
}

type Chat = fn(&Circuit, Chunks) -> BoxedChat;

/// Each kind of function that returns a stream in a `Result`.
fn kinds() -> Vec<(&'static str, Chat)> {
    macro_rules! kinds {
        ($($name:ident)*) => {
            vec![$((stringify!($name), |circuit, chunks| ready($name(circuit, chunks)).map(StreamExt::boxed))),*]
        };
    }
    macro_rules! kinds_at_once {
        ($($name:ident)*) => {
            vec![$((stringify!($name), |circuit, chunks| $name(circuit, chunks).map(StreamExt::boxed))),*]
        };
    }
    let mut all: Vec<(&'static str, Chat)> = kinds![
        opaque opaque_by_function opaque_in_a_future boxed boxed_in_a_future
        boxed_in_a_boxed_future of_a_named_type
    ];
    all.extend::<Vec<(_, Chat)>>(kinds_at_once![
        opaque_at_once opaque_at_once_or_else boxed_at_once of_a_named_type_at_once
    ]);
    all.push(("trait", |circuit, chunks| ready(circuit.chat(chunks))));
    all.push(("block", |circuit, chunks| ready(Block(circuit.clone()).chat(chunks))));
    all
}

/// Those with a `timeout`, which need a runtime.
fn kinds_in_time() -> Vec<(&'static str, Chat)> {
    macro_rules! kinds {
        ($($name:ident)*) => {
            vec![$((stringify!($name), |circuit, chunks| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
                runtime.block_on($name(circuit, chunks)).map(StreamExt::boxed)
            })),*]
        };
    }
    kinds![opaque_or_else boxed_by_alias opaque_in_a_future_in_time]
}

fn all_kinds() -> impl Iterator<Item = (&'static str, Chat)> {
    kinds().into_iter().chain(kinds_in_time())
}

fn half_open() -> Circuit {
    crate::common::half_open()
}

#[test]
fn a_stream_that_breaks_after_one_item_every_time_opens_the_circuit() {
    for (name, chat) in all_kinds() {
        let circuit = Circuit::new("model", Config::default());
        for failed in 1..=5 {
            let mut chunks = chat(&circuit, vec![Ok(1), Err(ChatError::Broken), Err(ChatError::Broken)]).unwrap();
            assert!(matches!(ready(chunks.next()), Some(Ok(1))), "{name}");
            assert_eq!((circuit.state(), circuit.snapshot().failed), (State::Closed, failed - 1), "{name}");
            assert!(matches!(ready(chunks.next()), Some(Err(ChatError::Broken))), "{name}");
            assert_eq!(circuit.snapshot().failed, failed, "{name}");
            assert!(ready(chunks.next()).is_some() && ready(chunks.next()).is_none());
        }
        assert_eq!(circuit.state(), State::Open, "{name}");
        assert!(matches!(chat(&circuit, vec![Ok(1)]), Err(ChatError::Rejected(_))), "{name}");
    }
}

#[test]
fn a_stream_that_ends_or_is_left_after_a_good_item_is_an_answer() {
    for (name, chat) in all_kinds() {
        for is_read_to_end in [true, false] {
            let circuit = Circuit::new("model", Config::default());
            for _ in 0..4 {
                drop(ready(chat(&circuit, vec![Err(ChatError::Broken)]).unwrap().next()));
            }
            let mut chunks = chat(&circuit, vec![Ok(1)]).unwrap();
            assert_eq!(circuit.snapshot().streak, 4, "{name}: the call is not over");
            assert!(ready(chunks.next()).is_some());
            if is_read_to_end {
                assert!(ready(chunks.next()).is_none());
            }
            drop(chunks);
            assert_eq!(circuit.snapshot().streak, 0, "{name}");
        }
    }
}

#[test]
fn a_stream_that_is_dropped_unread_proves_nothing() {
    for (name, chat) in all_kinds() {
        let circuit = half_open();
        drop(chat(&circuit, vec![Ok(1)]).unwrap());
        assert_eq!((circuit.state(), circuit.snapshot().dropped), (State::HalfOpen, 1), "{name}");
        let mut chunks = chat(&circuit, vec![Ok(1), Ok(2)]).unwrap();
        assert!(matches!(chat(&circuit, vec![Ok(1)]), Err(ChatError::Rejected(_))), "{name}: the slot is taken");
        assert!(ready(chunks.next()).is_some());
        assert_eq!(circuit.state(), State::Closed, "{name}: the first item is the success of the probe");
    }
}

#[test]
fn an_error_of_the_function_is_judged_as_ever() {
    for (name, chat) in all_kinds() {
        let circuit = half_open();
        assert!(matches!(chat(&circuit, vec![]), Err(ChatError::NoSuchModel)), "{name}");
        let is_judged_by_function = name == "opaque_by_function" || name == "boxed_at_once";
        let expected = if is_judged_by_function { State::HalfOpen } else { State::Closed };
        assert_eq!(circuit.state(), expected, "{name}");
    }
}

/// An error without evidence.
#[derive(Debug, thiserror::Error)]
#[error("foreign")]
struct Foreign;

#[breaker(connection = *circuit)]
async fn of_another_error<E: std::error::Error + Send + 'static>(
    circuit: &Circuit,
    items: Vec<Result<u32, E>>,
) -> Result<impl Stream<Item = Result<u32, E>> + Send + use<E>, ChatError> {
    Ok(stream::iter(items))
}

#[breaker(connection = *circuit)]
async fn of_foreign_items(
    circuit: &Circuit,
    items: Vec<Result<u32, Foreign>>,
) -> Result<impl Stream<Item = Result<u32, Foreign>> + use<>, ChatError> {
    Ok(stream::iter(items))
}

#[breaker(connection = *circuit)]
async fn of_boxed_foreign_items(
    circuit: &Circuit,
    items: Vec<Result<u32, Foreign>>,
) -> Result<BoxStream<'static, Result<u32, Foreign>>, ChatError> {
    Ok(stream::iter(items).boxed())
}

#[breaker(connection = *circuit, is_failure = |_| false)]
async fn of_boxed_io_items(
    circuit: &Circuit,
    items: Vec<io::Result<u32>>,
) -> Result<BoxStream<'static, io::Result<u32>>, ChatError> {
    Ok(stream::iter(items).boxed())
}

#[breaker(connection = *circuit)]
async fn of_anyhow_items(
    circuit: &Circuit,
    items: Vec<anyhow::Result<u32>>,
) -> anyhow::Result<impl Stream<Item = anyhow::Result<u32>> + use<>> {
    Ok(stream::iter(items))
}

#[breaker(connection = *circuit)]
async fn of_eyre_items(
    circuit: &Circuit,
    items: Vec<eyre::Result<u32>>,
) -> eyre::Result<Pin<Box<dyn Stream<Item = eyre::Result<u32>> + Send + Sync>>> {
    Ok(Box::pin(stream::iter(items)))
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

#[breaker(connection = *circuit)]
fn of_boxed_errors(
    circuit: &Circuit,
    items: Vec<Result<u32, BoxError>>,
) -> Result<impl Stream<Item = Result<u32, BoxError>> + use<>, BoxError> {
    Ok(stream::iter(items))
}

#[breaker(connection = *circuit)]
async fn of_values(circuit: &Circuit) -> Result<impl Stream<Item = u32> + use<>, ChatError> {
    Ok(stream::iter([1]))
}

#[breaker(connection = *circuit)]
async fn of_no_stream(circuit: &Circuit) -> Result<impl Iterator<Item = Chunk> + use<>, ChatError> {
    Ok([Err(ChatError::Broken)].into_iter())
}

#[test]
fn items_with_another_error_are_judged_by_its_type() {
    fn failures<T>(stream: impl FnOnce(&Circuit) -> T) -> u64
    where
        T: Stream,
    {
        let circuit = Circuit::new("model", Config::default());
        let items = stream(&circuit);
        drop(ready(items.collect::<Vec<_>>()));
        circuit.snapshot().failed
    }
    let reset = || io::Error::from(io::ErrorKind::ConnectionReset);
    let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
    assert_eq!(failures(|circuit| ready(of_another_error(circuit, vec![Ok(1), Err(reset())])).unwrap()), 1);
    assert_eq!(failures(|circuit| ready(of_foreign_items(circuit, vec![Ok(1), Err(Foreign)])).unwrap()), 1);
    assert_eq!(failures(|circuit| ready(of_boxed_foreign_items(circuit, vec![Ok(1), Err(Foreign)])).unwrap()), 1);
    assert_eq!(failures(|circuit| ready(of_boxed_io_items(circuit, vec![Ok(1), Err(reset())])).unwrap()), 1);
    assert_eq!(failures(|circuit| ready(of_boxed_io_items(circuit, vec![Ok(1), Err(denied())])).unwrap()), 0);
    assert_eq!(failures(|circuit| ready(of_anyhow_items(circuit, vec![Ok(1), Err(Foreign.into())])).unwrap()), 1);
    let marked = || ChatError::NoSuchModel;
    assert_eq!(failures(|circuit| ready(of_anyhow_items(circuit, vec![Ok(1), Err(marked().into())])).unwrap()), 0);
    assert_eq!(failures(|circuit| ready(of_eyre_items(circuit, vec![Ok(1), Err(Foreign.into())])).unwrap()), 1);
    assert_eq!(failures(|circuit| of_boxed_errors(circuit, vec![Ok(1), Err(Foreign.into())]).unwrap()), 1);
    assert_eq!(failures(|circuit| ready(of_values(circuit)).unwrap()), 0);
}

#[test]
fn other_hidden_values_are_returned_as_they_are() {
    let circuit = half_open();
    assert_eq!(ready(of_no_stream(&circuit)).unwrap().count(), 1);
    assert_eq!(circuit.state(), State::Closed, "the call ends with the value");
}

#[breaker(connection = *circuit, fallback = |_| Ok(stream::iter(vec![Err(ChatError::Broken), Ok(7)]).boxed()))]
async fn or_a_boxed_stream(circuit: &Circuit, chunks: Chunks) -> BoxedChat {
    Ok(answer(chunks)?.boxed())
}

#[breaker(connection = *circuit, fallback = |_| {
    std::future::ready(()).await;
    Ok(stream::iter(vec![Err(ChatError::Broken), Ok(7)]))
})]
async fn or_an_opaque_stream(
    circuit: &Circuit,
    chunks: Chunks,
) -> Result<impl Stream<Item = Chunk> + Send + use<>, ChatError> {
    answer(chunks)
}

// Fails if the stream of a fallback is judged, which no call made.
#[test]
fn the_stream_of_a_fallback_is_no_evidence() {
    let circuit = half_open();
    let held = circuit.try_acquire().unwrap();
    let streams = [
        ready(or_a_boxed_stream(&circuit, vec![])).unwrap(),
        ready(or_an_opaque_stream(&circuit, vec![])).unwrap().boxed(),
    ];
    for stream in streams {
        assert_eq!(ready(stream.collect::<Vec<_>>()).len(), 2);
        assert_eq!((circuit.state(), circuit.snapshot().failed), (State::HalfOpen, 0));
    }
    drop(held);
}

trait Model {
    fn circuit(&self) -> &Circuit;

    #[breaker(connection = *self.circuit())]
    async fn tokens<'a>(&'a self, words: &'a [u32]) -> Result<impl Stream<Item = Chunk> + 'a, ChatError> {
        std::future::ready(()).await;
        Ok(stream::iter(words).map(|word| if *word == 0 { Err(ChatError::Broken) } else { Ok(*word) }))
    }

    /// A guarded function around another one.
    #[breaker(connection = *self.circuit())]
    async fn doubled<'a>(&'a self, words: &'a [u32]) -> Result<impl Stream<Item = Chunk> + 'a, ChatError> {
        Ok(self.tokens(words).await?.map(|token| Ok(token? * 2)))
    }
}

impl Model for Circuit {
    fn circuit(&self) -> &Circuit {
        self
    }
}

#[test]
fn nested_functions_count_one_failure_once() {
    let circuit = Circuit::new("model", Config::default());
    for failed in 1..=5 {
        assert_eq!(circuit.state(), State::Closed);
        let stream = ready(circuit.doubled(&[1, 0])).unwrap();
        assert_eq!(ready(stream.collect::<Vec<_>>()).len(), 2);
        assert_eq!(circuit.snapshot().failed, failed);
    }
    assert_eq!(circuit.state(), State::Open);

    let circuit = half_open();
    let mut stream = Box::pin(ready(circuit.doubled(&[1, 2])).unwrap());
    assert_eq!((circuit.state(), circuit.snapshot().rejected), (State::HalfOpen, 0));
    assert!(matches!(ready(stream.next()), Some(Ok(2))));
    assert_eq!(circuit.state(), State::Closed);
}

#[breaker(connection = *circuit)]
async fn in_a_pair(circuit: &Circuit) -> Result<(u32, impl Stream<Item = Chunk> + use<>), ChatError> {
    Ok((1, stream::iter([Err(ChatError::Broken)])))
}

#[test]
fn a_stream_that_the_type_hides_is_not_a_part_of_the_call() {
    let circuit = half_open();
    let (_, stream) = ready(in_a_pair(&circuit)).unwrap();
    assert_eq!(circuit.state(), State::Closed);
    assert_eq!(ready(stream.count()), 1);
    assert_eq!(circuit.snapshot().failed, 0);
}

#[test]
fn an_unattached_part_only_passes_the_stream_through() {
    let part = PartOfCall::new(stream::iter([Ok(1), Err(ChatError::Broken)]));
    assert_eq!(part.size_hint(), (2, Some(2)));
    assert_eq!(ready(part.collect::<Vec<_>>()).len(), 2);
}

/// A boxed stream of a type that cannot be named. The attribute cannot replace it, so it is a value.
#[breaker(connection = *circuit)]
async fn in_a_box_of_unknown_type(circuit: &Circuit) -> Result<Pin<Box<impl Stream<Item = Chunk> + use<>>>, ChatError> {
    Ok(Box::pin(stream::iter([Ok(1), Err(ChatError::Broken)])))
}

#[test]
fn an_unnamed_stream_in_a_box_is_a_value() {
    let circuit = Circuit::new("chat", Config::default());
    assert_eq!(ready(ready(in_a_box_of_unknown_type(&circuit)).unwrap().count()), 2);
    assert_eq!(circuit.snapshot().failed, 0);
}
