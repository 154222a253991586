//! Verdicts of guarded streams: their first good item, their end, their failures, and readers that leave.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use breaker_core::testing::ManualClock;
use breaker_core::{Answers, Circuit, Config, ConfigBuilder, State, breaker};
use futures::stream::{self, FusedStream, Stream, StreamExt as _};

use crate::common::{CallError, ready};

type Item = Result<u32, CallError>;
type Boxed = Pin<Box<dyn Stream<Item = Item> + Send>>;

const COOLDOWN: Duration = Duration::from_secs(90);
const LEASE: Duration = Duration::from_secs(30);

#[breaker(connection = *circuit)]
fn opaque(circuit: &Circuit, body: Boxed) -> impl Stream<Item = Item> + Send + use<> {
    body
}

#[breaker(connection = *circuit)]
fn boxed(circuit: &Circuit, body: Boxed) -> Boxed {
    body
}

/// Each kind of function that returns a stream.
const KINDS: [fn(&Circuit, Boxed) -> Boxed; 2] = [|circuit, body| Box::pin(opaque(circuit, body)), boxed];

fn items(items: impl IntoIterator<Item = Item, IntoIter: Send + 'static>) -> Boxed {
    Box::pin(stream::iter(items))
}

/// A stream of good items that never ends.
fn endless() -> Boxed {
    items((0..).map(Ok))
}

/// A stream that never yields an item.
fn silent() -> Boxed {
    Box::pin(stream::pending())
}

/// Good items and a failure.
fn breaks_after(good: u32) -> Boxed {
    items((0..good).map(Ok).chain([Err(CallError::Failed)]))
}

fn poll(stream: &mut Boxed) -> Poll<Option<Item>> {
    stream.poll_next_unpin(&mut Context::from_waker(Waker::noop()))
}

#[track_caller]
fn next(stream: &mut Boxed) -> Option<Item> {
    match poll(stream) {
        Poll::Ready(item) => item,
        Poll::Pending => panic!("the stream is pending"),
    }
}

#[track_caller]
fn next_is_good(stream: &mut Boxed) {
    assert!(matches!(next(stream), Some(Ok(_))));
}

fn read_to_end(stream: Boxed) {
    drop(ready(stream.collect::<Vec<_>>()));
}

fn circuit(settings: impl FnOnce(ConfigBuilder) -> ConfigBuilder) -> (Circuit, ManualClock) {
    let clock = ManualClock::new();
    let config = settings(Config::builder().cooldown(COOLDOWN).probe_lease(LEASE)).build().unwrap();
    (Circuit::with_clock("feed", config, clock.clone()), clock)
}

fn half_open(settings: impl FnOnce(ConfigBuilder) -> ConfigBuilder) -> (Circuit, ManualClock) {
    let (circuit, clock) = circuit(settings);
    circuit.trip();
    clock.advance(COOLDOWN);
    assert_eq!(circuit.state(), State::HalfOpen);
    (circuit, clock)
}

#[test]
fn the_first_good_item_of_a_probe_closes_the_circuit() {
    for stream in KINDS {
        for last in [|| Ok(1), || Err(CallError::Answered)] {
            let (circuit, _) = half_open(|config| config.inconclusive_probes(3));
            for _ in 0..100 {
                let mut rows = stream(&circuit, items([last(), Ok(2)]));
                assert!(next(&mut rows).is_some());
                assert_eq!(circuit.state(), State::Closed, "at the first good item, before the end");
            }
        }
    }
}

#[test]
fn endless_probes_do_not_hold_their_slot() {
    for stream in KINDS {
        for probes in [1, 2, 10] {
            let (circuit, clock) = half_open(|config| config.half_open_probes(probes));
            let mut subscriptions: Vec<_> = (0..10).map(|_| stream(&circuit, endless())).collect();
            for (position, subscription) in (1..).zip(&mut subscriptions) {
                next_is_good(subscription);
                let expected = if position < probes { State::HalfOpen } else { State::Closed };
                assert_eq!(circuit.state(), expected, "{probes} probes, subscription {position}");
            }
            clock.advance(LEASE * 100);
            assert_eq!((circuit.state(), circuit.snapshot().rejected), (State::Closed, 0));
        }
    }
}

#[test]
fn readers_that_leave_after_a_good_item_were_answered() {
    for stream in KINDS {
        let (circuit, clock) = circuit(|config| config.dropped_after(Duration::from_secs(5)));
        for call in 0..5_000 {
            let mut pages = stream(&circuit, if call % 1_000 == 0 { breaks_after(9) } else { endless() });
            for _ in 0..9 {
                next_is_good(&mut pages);
            }
            if call % 1_000 == 0 {
                assert!(matches!(next(&mut pages), Some(Err(_))));
                assert_eq!(circuit.snapshot().streak, 1, "the answers before cleared the streak");
            }
            clock.advance(Duration::from_secs(601));
        }
        let seen = circuit.snapshot();
        assert_eq!((circuit.state(), seen.failed, seen.streak, seen.dropped), (State::Closed, 5, 0, 0));
    }
}

#[test]
fn a_stream_that_breaks_midway_every_time_opens_the_circuit() {
    for stream in KINDS {
        let (circuit, _) = circuit(|config| config);
        for failed in 1..=5 {
            assert_eq!(circuit.state(), State::Closed, "before stream {failed}");
            read_to_end(stream(&circuit, breaks_after(100)));
            assert_eq!(circuit.snapshot().failed, failed);
        }
        assert_eq!(circuit.state(), State::Open);
    }
}

#[test]
fn the_first_failed_item_settles() {
    for stream in KINDS {
        let (circuit, _) = circuit(|config| config);
        let mut rows =
            stream(&circuit, items([Err(CallError::Failed), Ok(1), Err(CallError::Failed), Err(CallError::Failed)]));
        while next(&mut rows).is_some() {}
        drop(rows);
        assert_eq!((circuit.snapshot().failed, circuit.snapshot().streak), (1, 1), "the rest is not evidence");
    }
}

#[test]
fn marked_items_are_good_and_the_setting_exempts_them() {
    let marked = || [Err(CallError::Answered), Err(CallError::Answered)];
    for stream in KINDS {
        for (answers, streak) in [(Answers::ClearStreak, 0), (Answers::KeepStreak, 1)] {
            for is_read_to_end in [true, false] {
                let (circuit, _) = circuit(|config| config.answers(answers).dropped_after(Duration::from_secs(1)));
                read_to_end(stream(&circuit, breaks_after(0)));
                let mut rows = stream(&circuit, items(marked()));
                assert!(matches!(next(&mut rows), Some(Err(CallError::Answered))));
                if is_read_to_end {
                    while next(&mut rows).is_some() {}
                }
                drop(rows);
                let seen = circuit.snapshot();
                assert_eq!((seen.streak, seen.marked_answers), (streak, 1), "{answers:?}, {is_read_to_end}");

                // A plain item among them is an answer with either setting.
                drop(ready(stream(&circuit, items(marked().into_iter().chain([Ok(1)]))).take(3).collect::<Vec<_>>()));
                assert_eq!(circuit.snapshot().streak, 0, "{answers:?}");
            }
        }
        let (circuit, _) = circuit(|config| config);
        read_to_end(stream(&circuit, items([Err(CallError::Answered), Err(CallError::Failed)])));
        assert_eq!(circuit.snapshot().failed, 1, "a marked item does not settle");
    }
}

#[test]
fn a_stream_dropped_before_a_good_item_is_as_a_dropped_future() {
    let open = Circuit::new("other", Config::default());
    open.hold_open();
    let unknown = || items([Err(CallError::Rejected(open.try_acquire().unwrap_err()))]);
    for stream in KINDS {
        for body in [silent as fn() -> Boxed, || items([])] {
            let (circuit, clock) = circuit(|config| config.dropped_after(Duration::from_secs(5)));
            for (seconds, failed) in [(1, 0), (6, 1)] {
                let mut dropped = stream(&circuit, body().chain(silent()).boxed());
                assert!(poll(&mut dropped).is_pending());
                clock.advance(Duration::from_secs(seconds));
                drop(dropped);
                assert_eq!(circuit.snapshot().failed, failed);
            }
            assert_eq!(circuit.snapshot().dropped, 2);
        }
        let (circuit, _) = half_open(|config| config);
        let mut dropped = stream(&circuit, unknown());
        assert!(next(&mut dropped).is_some());
        drop(dropped);
        read_to_end(stream(&circuit, unknown()));
        assert_eq!(
            (circuit.state(), circuit.snapshot().rejected),
            (State::HalfOpen, 0),
            "its end proves nothing either"
        );
        read_to_end(stream(&circuit, items([])));
        assert_eq!(circuit.state(), State::Closed, "an empty stream is an answer");
    }
}

#[test]
fn what_follows_the_first_item_of_a_probe_counts_in_the_new_era() {
    for stream in KINDS {
        for probes in [1, 3] {
            let (circuit, _) = half_open(|config| config.half_open_probes(probes).failure_threshold(9));
            let mut streams: Vec<_> = (0..probes).map(|_| stream(&circuit, breaks_after(2))).collect();
            for stream in &mut streams {
                next_is_good(stream);
            }
            assert_eq!(circuit.state(), State::Closed);
            for stream in &mut streams {
                next_is_good(stream);
                assert!(matches!(next(stream), Some(Err(CallError::Failed))));
            }
            let seen = circuit.snapshot();
            assert_eq!((seen.streak, seen.failed, seen.stale), (probes, probes.into(), 0), "{probes} probes");
            let mut reader = stream(&circuit, endless());
            next_is_good(&mut reader);
            drop(reader);
            assert_eq!(circuit.snapshot().streak, 0);
        }
    }
}

#[test]
fn the_rest_of_a_probe_is_stale_after_another_change_of_state() {
    let changes: [fn(&Circuit, &ManualClock); 4] = [
        |circuit, _| circuit.reset(),
        |circuit, _| circuit.trip(),
        |circuit, _| circuit.hold_open(),
        |circuit, clock| {
            circuit.trip();
            clock.advance(COOLDOWN);
            read_to_end(boxed(circuit, items([])));
            read_to_end(boxed(circuit, items([])));
        },
    ];
    for stream in KINDS {
        for (position, change) in changes.into_iter().enumerate() {
            // With two probes, the change comes while the circuit is half-open.
            for probes in [1, 2] {
                let (circuit, clock) = half_open(|config| config.half_open_probes(probes).failure_threshold(9));
                let mut before = stream(&circuit, breaks_after(1));
                next_is_good(&mut before);
                change(&circuit, &clock);
                let (state, snapshot) = (circuit.state(), circuit.snapshot());
                assert!(matches!(next(&mut before), Some(Err(CallError::Failed))));
                drop(before);
                let seen = circuit.snapshot();
                assert_eq!(
                    (circuit.state(), seen.streak, seen.failed),
                    (state, 0, snapshot.failed),
                    "change {position}"
                );
                assert_eq!(seen.stale, snapshot.stale + 1, "change {position}, {probes} probes");
            }
        }
    }
}

#[test]
fn an_era_change_in_the_middle_of_a_stream_makes_it_stale() {
    for stream in KINDS {
        let (circuit, _) = circuit(|config| config);
        for body in [breaks_after(1), items([Ok(1)]), endless()] {
            read_to_end(stream(&circuit, breaks_after(0)));
            let mut before = stream(&circuit, body);
            next_is_good(&mut before);
            circuit.reset();
            read_to_end(stream(&circuit, breaks_after(0)));
            let _ = next(&mut before);
            drop(before);
            assert_eq!(circuit.snapshot().streak, 1, "neither more failures nor fewer");
            circuit.reset();
        }
    }
}

#[test]
fn a_silent_probe_loses_its_slot_with_the_lease_alone() {
    for stream in KINDS {
        let (circuit, clock) = half_open(|config| config);
        let mut late = stream(&circuit, Box::pin(stream::iter([None, Some(Ok(1))]).filter_map(std::future::ready)));
        let mut never = stream(&circuit, silent());
        assert!(poll(&mut never).is_pending());
        assert!(matches!(next(&mut late), Some(Err(CallError::Rejected(_)))), "the slot is taken");
        clock.advance(LEASE);
        let mut other = stream(&circuit, silent().boxed());
        assert!(poll(&mut other).is_pending(), "the lease is over");
        drop(never);
        let mut third = stream(&circuit, endless());
        assert!(matches!(next(&mut third), Some(Err(CallError::Rejected(_)))), "the slot is the other one's");
    }
}

#[test]
fn a_probe_that_was_overtaken_closes_nothing() {
    for stream in KINDS {
        let (circuit, clock) = half_open(|config| config);
        let (sender, receiver) = futures::channel::mpsc::unbounded::<Item>();
        let mut late = stream(&circuit, Box::pin(receiver));
        assert!(poll(&mut late).is_pending());
        clock.advance(LEASE);
        let mut overtakes = stream(&circuit, silent());
        assert!(poll(&mut overtakes).is_pending());
        for item in [Ok(1), Err(CallError::Failed)] {
            sender.unbounded_send(item).unwrap();
            assert!(next(&mut late).is_some());
            assert_eq!((circuit.state(), circuit.snapshot().stale), (State::HalfOpen, 1), "stale, and once");
        }
    }
}

#[test]
fn a_stream_polled_after_its_end_is_not_counted_again() {
    for stream in KINDS {
        let (circuit, _) = circuit(|config| config.failure_threshold(2));
        let mut turn = 0;
        let mut restarts = stream(
            &circuit,
            Box::pin(stream::poll_fn(move |_| {
                turn += 1;
                Poll::Ready(if turn == 1 { None } else { Some(Err(CallError::Failed)) })
            })),
        );
        assert!(next(&mut restarts).is_none());
        for _ in 0..9 {
            assert!(next(&mut restarts).is_some());
        }
        assert_eq!((circuit.state(), circuit.snapshot().failed), (State::Closed, 0));
        circuit.hold_open();
        let mut rejected = stream(&circuit, endless());
        assert!(matches!(next(&mut rejected), Some(Err(CallError::Rejected(_)))));
        assert!(next(&mut rejected).is_none() && next(&mut rejected).is_none());
    }
}

#[test]
fn a_panic_of_a_poll_is_a_failure() {
    for stream in KINDS {
        let panics = || items((0..).map(|item| if item == 1 { panic!("a bug") } else { Ok(item) }));
        let panicking = |circuit: &Circuit| {
            let mut stream = stream(circuit, panics());
            next_is_good(&mut stream);
            assert!(catch_unwind(AssertUnwindSafe(|| next(&mut stream))).is_err());
        };
        let (circuit, _) = circuit(|config| config.failure_threshold(3));
        for failed in 1..=3 {
            panicking(&circuit);
            assert_eq!(circuit.snapshot().failed, failed);
        }
        assert_eq!(circuit.state(), State::Open);
        let (circuit, _) = half_open(|config| config.failure_threshold(9));
        panicking(&circuit);
        assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, 1), "its first item was good");
    }
}

#[test]
fn a_stream_may_move_across_threads() {
    for stream in KINDS {
        let (circuit, _) = half_open(|config| config);
        let mut moving = stream(&circuit, breaks_after(3));
        for _ in 0..3 {
            moving = std::thread::spawn(move || {
                next_is_good(&mut moving);
                moving
            })
            .join()
            .unwrap();
        }
        std::thread::spawn(move || read_to_end(moving)).join().unwrap();
        assert_eq!((circuit.state(), circuit.snapshot().streak), (State::Closed, 1));
    }
}

#[breaker(connection = *circuit)]
fn page(circuit: &Circuit, item: Item) -> Item {
    item
}

#[breaker(connection = *circuit)]
fn pages(circuit: &Circuit, fail_at: u32) -> impl Stream<Item = Item> + Send + use<> {
    let circuit = circuit.clone();
    stream::iter(0..)
        .map(move |number| page(&circuit, if number == fail_at { Err(CallError::Failed) } else { Ok(number) }))
}

#[test]
fn guarded_calls_inside_a_stream_are_nested() {
    let (circuit, _) = half_open(|config| config.failure_threshold(9));
    let mut first: Boxed = Box::pin(pages(&circuit, 2));
    next_is_good(&mut first);
    assert_eq!((circuit.state(), circuit.snapshot().rejected), (State::Closed, 0), "the page uses the probe's permit");
    next_is_good(&mut first);
    assert!(matches!(next(&mut first), Some(Err(CallError::Failed))));
    assert_eq!((circuit.snapshot().failed, circuit.snapshot().streak), (1, 1), "the page and the stream count once");
    let mut reader: Boxed = Box::pin(pages(&circuit, 2));
    next_is_good(&mut reader);
    drop(reader);
    assert_eq!(circuit.snapshot().streak, 0);

    // The pages before the failed one are answers of a call that fails.
    let (circuit, _) = self::circuit(|config| config);
    for failed in 1..=5 {
        assert_eq!(circuit.state(), State::Closed, "before stream {failed}");
        let mut broken: Boxed = Box::pin(pages(&circuit, 2));
        while matches!(next(&mut broken), Some(Ok(_))) {}
        let streak = if failed < 5 { failed } else { 0 };
        assert_eq!((circuit.snapshot().failed, circuit.snapshot().streak), (failed.into(), streak));
    }
    assert_eq!(circuit.state(), State::Open);

    let (circuit, _) = half_open(|config| config);
    read_to_end(Box::pin(pages(&circuit, 0).take(1)));
    assert_eq!((circuit.state(), circuit.snapshot().failed), (State::Open, 1), "the page decides, and counts once");
}

#[breaker(connection = *circuit)]
fn fused(circuit: &Circuit, length: u32) -> impl FusedStream<Item = Item> + Unpin + use<> {
    stream::iter((0..length).map(Ok)).fuse()
}

#[test]
fn a_fused_stream_stays_one_and_the_size_hint_is_that_of_the_body() {
    let (circuit, _) = half_open(|config| config);
    let mut all = fused(&circuit, 2);
    assert_eq!((all.is_terminated(), all.size_hint()), (false, (0, None)), "it may be rejected");
    assert!(matches!(ready(all.next()), Some(Ok(0))));
    assert_eq!(all.size_hint(), (1, Some(1)));
    assert!(ready(all.next()).is_some() && !all.is_terminated());
    assert!(ready(all.next()).is_none() && all.is_terminated());
    circuit.hold_open();
    let mut rejected = fused(&circuit, 2);
    assert!(ready(rejected.next()).is_some() && rejected.is_terminated());
    assert!(ready(rejected.next()).is_none());
}

/// A stream under a trait of another name, whose first associated type is not its item.
trait Feed: Stream<Item = Item> {
    type Page;
}

impl<S: Stream<Item = Item>> Feed for S {
    type Page = u8;
}

#[breaker(connection = *circuit)]
fn under_another_trait(circuit: &Circuit, body: Boxed) -> impl Feed<Page = u8> + Send + use<> {
    body
}

/// A future under a trait of another name.
trait Reply: Future<Output = Item> {
    type Page;
}

impl<F: Future<Output = Item>> Reply for F {
    type Page = u8;
}

#[breaker(connection = *circuit)]
fn reply_under_another_trait(circuit: &Circuit) -> impl Reply<Page = u8> + use<> {
    async { Err(CallError::Failed) }
}

// Fails if the first associated type of a trait is taken for the result.
#[test]
fn a_trait_that_extends_stream_or_future_may_have_other_types() {
    let circuit = Circuit::new("feed", Config::default());
    let mut stream = Box::pin(under_another_trait(&circuit, items([Ok(1), Err(CallError::Failed)])));
    assert!(ready(stream.next()).unwrap().is_ok());
    assert!(ready(stream.next()).unwrap().is_err());
    assert!(ready(reply_under_another_trait(&circuit)).is_err());
    assert_eq!(circuit.snapshot().failed, 2);
}
