//! Random scripts of streams, compared with a plain sequential model after each step.

use std::time::Duration;

use breaker_core::testing::ManualClock;
use breaker_core::{Answers, Circuit, Config, State, breaker};
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::stream::{BoxStream, StreamExt as _};
use futures::{FutureExt as _, Stream};
use proptest::prelude::*;

use crate::common::CallError;

type Item = Result<u32, CallError>;

#[breaker(connection = *circuit)]
fn guarded(circuit: &Circuit, body: UnboundedReceiver<Item>) -> impl Stream<Item = Item> + Send + use<> {
    body
}

#[breaker(connection = *circuit, settles = first_item)]
fn session(circuit: &Circuit, body: UnboundedReceiver<Item>) -> BoxStream<'static, Item> {
    body.boxed()
}

#[derive(Clone, Copy, Debug)]
enum Sent {
    Good,
    Marked,
    Failed,
    Unknown,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Creates a stream; with `true` one that settles at its first item.
    Create(bool),
    /// Polls a stream without a new item.
    Poll(usize),
    Send(usize, Sent),
    End(usize),
    Drop(usize),
    Wait(u64),
    Reset,
    Trip,
}

const COOLDOWN: u64 = 90;
const LEASE: u64 = 30;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let sent = prop_oneof![
        4 => Just(Sent::Good),
        3 => Just(Sent::Marked),
        2 => Just(Sent::Failed),
        1 => Just(Sent::Unknown),
    ];
    let step = prop_oneof![
        6 => any::<bool>().prop_map(Step::Create),
        2 => any::<usize>().prop_map(Step::Poll),
        10 => (any::<usize>(), sent).prop_map(|(stream, sent)| Step::Send(stream, sent)),
        3 => any::<usize>().prop_map(Step::End),
        4 => any::<usize>().prop_map(Step::Drop),
        3 => prop_oneof![Just(1), Just(10), Just(LEASE), Just(COOLDOWN)].prop_map(Step::Wait),
        2 => Just(Step::Reset),
        1 => Just(Step::Trip),
    ];
    prop::collection::vec(step, 1..120)
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    threshold: u32,
    probes: usize,
    keeps_streak: bool,
    dropped_after: Option<u64>,
}

fn settings() -> impl Strategy<Value = Settings> {
    (1..6_u32, 1..4_usize, any::<bool>(), prop::option::of(Just(5))).prop_map(
        |(threshold, probes, keeps_streak, dropped_after)| Settings { threshold, probes, keeps_streak, dropped_after },
    )
}

#[derive(Clone, Debug)]
enum Phase {
    /// `after` is the number of the half-open phase whose probes closed the circuit.
    Closed {
        number: u64,
        streak: u32,
        after: Option<u64>,
    },
    Open {
        until: u64,
    },
    /// The slots have the number of their stream, and the end of their lease.
    HalfOpen {
        number: u64,
        succeeded: usize,
        slots: Vec<(u64, u64)>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Permit {
    Closed(u64),
    Probe(u64),
    /// The rest of a probe of this half-open phase.
    After(u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Best {
    Nothing,
    Unknown,
    Marked,
    Good,
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Unpolled,
    Running { permit: Permit, best: Best, started: u64 },
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Answered { marked: bool },
    Failed,
    Unknown,
}

#[derive(Debug)]
struct Model {
    settings: Settings,
    phase: Phase,
    /// The last number that a phase or a probe has.
    last: u64,
    now: u64,
    failed: u64,
    stale: u64,
    rejected: u64,
}

impl Model {
    fn new(settings: Settings) -> Self {
        let phase = Phase::Closed { number: 0, streak: 0, after: None };
        Self { settings, phase, last: 0, now: 0, failed: 0, stale: 0, rejected: 0 }
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn close(&mut self, after: Option<u64>) {
        self.phase = Phase::Closed { number: self.next(), streak: 0, after };
    }

    fn open(&mut self) {
        self.phase = Phase::Open { until: self.now + COOLDOWN };
    }

    /// Admits a stream at its first poll.
    fn admit(&mut self) -> Call {
        let probe = self.next();
        let slot = (probe, self.now + LEASE);
        let permit = match &mut self.phase {
            Phase::Closed { number, .. } => Some(Permit::Closed(*number)),
            Phase::Open { until } if self.now < *until => None,
            Phase::Open { .. } => {
                self.phase = Phase::HalfOpen { number: probe, succeeded: 0, slots: vec![slot] };
                Some(Permit::Probe(probe))
            }
            Phase::HalfOpen { succeeded, slots, .. } => {
                let expired = slots.iter().position(|(_, lease)| *lease <= self.now);
                if slots.len() + *succeeded < self.settings.probes {
                    slots.push(slot);
                    Some(Permit::Probe(probe))
                } else if expired.is_some() {
                    let oldest = slots.iter_mut().min_by_key(|(_, lease)| *lease).expect("one has expired");
                    *oldest = slot;
                    Some(Permit::Probe(probe))
                } else {
                    None
                }
            }
        };
        match permit {
            Some(permit) => Call::Running { permit, best: Best::Nothing, started: self.now },
            None => {
                self.rejected += 1;
                Call::Over
            }
        }
    }

    /// Records a verdict. Returns whether it was not stale.
    fn record(&mut self, permit: Permit, verdict: Verdict) -> bool {
        self.failed += u64::from(verdict == Verdict::Failed);
        match (&mut self.phase, permit) {
            (Phase::Closed { number, streak, .. }, Permit::Closed(own)) if *number == own => {
                let streak = closed(streak, verdict, self.settings);
                if streak >= self.settings.threshold {
                    self.open();
                }
            }
            (Phase::Closed { streak, after, .. }, Permit::After(own)) if *after == Some(own) => {
                let streak = closed(streak, verdict, self.settings);
                if streak >= self.settings.threshold {
                    self.open();
                }
            }
            (Phase::HalfOpen { number, succeeded, slots }, Permit::Probe(own))
                if slots.iter().any(|(holder, _)| *holder == own) =>
            {
                let number = *number;
                slots.retain(|(holder, _)| *holder != own);
                match verdict {
                    Verdict::Answered { .. } => {
                        *succeeded += 1;
                        if *succeeded >= self.settings.probes {
                            self.close(Some(number));
                        }
                    }
                    Verdict::Failed => self.open(),
                    Verdict::Unknown => {}
                }
            }
            _ => {
                self.failed -= u64::from(verdict == Verdict::Failed);
                self.stale += 1;
                return false;
            }
        }
        true
    }

    fn item(&mut self, call: Call, sent: Sent, at_first_item: bool) -> Call {
        let Call::Running { permit, best, started } = call else { return call };
        let (verdict, found) = match sent {
            Sent::Failed => {
                self.record(permit, Verdict::Failed);
                return Call::Over;
            }
            Sent::Unknown => {
                let best = if best == Best::Nothing { Best::Unknown } else { best };
                return Call::Running { permit, best, started };
            }
            Sent::Good => (Verdict::Answered { marked: false }, Best::Good),
            Sent::Marked => (Verdict::Answered { marked: true }, Best::Marked),
        };
        let best = if best == Best::Good { best } else { found };
        if at_first_item {
            self.record(permit, verdict);
            return Call::Over;
        }
        if let Permit::Probe(_) = permit {
            let Phase::HalfOpen { number, .. } = self.phase else {
                self.record(permit, verdict);
                return Call::Over;
            };
            if !self.record(permit, verdict) {
                return Call::Over;
            }
            return Call::Running { permit: Permit::After(number), best, started };
        }
        Call::Running { permit, best, started }
    }

    fn end(&mut self, call: Call) {
        let Call::Running { permit, best, .. } = call else { return };
        let verdict = match best {
            Best::Nothing | Best::Good => Verdict::Answered { marked: false },
            Best::Marked => Verdict::Answered { marked: true },
            Best::Unknown => Verdict::Unknown,
        };
        self.record(permit, verdict);
    }

    fn dropped(&mut self, call: Call) {
        let Call::Running { permit, best, started } = call else { return };
        let ran_too_long = self.settings.dropped_after.is_some_and(|limit| self.now - started > limit);
        let verdict = match best {
            Best::Good => Verdict::Answered { marked: false },
            Best::Marked => Verdict::Answered { marked: true },
            _ if ran_too_long => Verdict::Failed,
            _ => Verdict::Unknown,
        };
        self.record(permit, verdict);
    }

    fn state(&self) -> State {
        match self.phase {
            Phase::Closed { .. } => State::Closed,
            Phase::Open { until } if self.now < until => State::Open,
            Phase::Open { .. } | Phase::HalfOpen { .. } => State::HalfOpen,
        }
    }

    fn streak(&self) -> u32 {
        match self.phase {
            Phase::Closed { streak, .. } => streak,
            _ => 0,
        }
    }
}

/// Applies a verdict to the streak of a closed circuit, and returns the streak.
fn closed(streak: &mut u32, verdict: Verdict, settings: Settings) -> u32 {
    match verdict {
        Verdict::Answered { marked: true } if settings.keeps_streak => {}
        Verdict::Answered { .. } => *streak = 0,
        Verdict::Failed => *streak += 1,
        Verdict::Unknown => {}
    }
    // Only a failure opens the circuit.
    if verdict == Verdict::Failed { *streak } else { 0 }
}

struct Reader {
    stream: BoxStream<'static, Item>,
    sender: UnboundedSender<Item>,
    at_first_item: bool,
    call: Call,
    is_rejected: bool,
}

fn run(settings: Settings, steps: &[Step]) {
    let clock = ManualClock::new();
    let answers = if settings.keeps_streak { Answers::KeepStreak } else { Answers::ClearStreak };
    let mut config = Config::builder()
        .failure_threshold(settings.threshold)
        .half_open_probes(u32::try_from(settings.probes).unwrap())
        .answers(answers)
        .cooldown(Duration::from_secs(COOLDOWN))
        .probe_lease(Duration::from_secs(LEASE));
    if let Some(limit) = settings.dropped_after {
        config = config.dropped_after(Duration::from_secs(limit));
    }
    let circuit = Circuit::with_clock("feed", config.build().unwrap(), clock.clone());
    let mut model = Model::new(settings);
    let mut readers: Vec<Reader> = Vec::new();
    for (position, step) in steps.iter().enumerate() {
        let chosen = |number: usize, readers: &Vec<Reader>| (!readers.is_empty()).then(|| number % readers.len());
        match *step {
            // With few streams, a script has several items of each.
            Step::Create(_) if readers.len() == 3 => {}
            Step::Create(at_first_item) => {
                let (sender, body) = unbounded();
                let stream = if at_first_item { session(&circuit, body) } else { guarded(&circuit, body).boxed() };
                readers.push(Reader { stream, sender, at_first_item, call: Call::Unpolled, is_rejected: false });
            }
            Step::Poll(number) => {
                let Some(chosen) = chosen(number, &readers) else { continue };
                poll(&mut model, &mut readers[chosen], None);
            }
            Step::Send(number, sent) => {
                let Some(chosen) = chosen(number, &readers) else { continue };
                let reader = &mut readers[chosen];
                let item = match sent {
                    Sent::Good => Ok(1),
                    Sent::Marked => Err(CallError::Answered),
                    Sent::Failed => Err(CallError::Failed),
                    Sent::Unknown => Err(CallError::Rejected(rejection())),
                };
                if !reader.is_rejected {
                    reader.sender.unbounded_send(item).unwrap();
                }
                poll(&mut model, reader, Some(sent));
            }
            Step::End(number) => {
                let Some(chosen) = chosen(number, &readers) else { continue };
                let mut reader = readers.swap_remove(chosen);
                reader.sender.close_channel();
                if matches!(reader.call, Call::Unpolled) {
                    reader.call = model.admit();
                }
                let is_rejected = matches!(reader.call, Call::Over);
                drop(reader.stream.next().now_or_never());
                if !is_rejected {
                    model.end(reader.call);
                }
            }
            Step::Drop(number) => {
                let Some(chosen) = chosen(number, &readers) else { continue };
                model.dropped(readers.swap_remove(chosen).call);
            }
            Step::Wait(seconds) => {
                clock.advance(Duration::from_secs(seconds));
                model.now += seconds;
            }
            Step::Reset => {
                circuit.reset();
                model.close(None);
            }
            Step::Trip => {
                circuit.trip();
                model.open();
            }
        }
        let seen = circuit.snapshot();
        let actual = (seen.state, seen.streak, seen.failed, seen.stale, seen.rejected);
        let expected = (model.state(), model.streak(), model.failed, model.stale, model.rejected);
        assert_eq!(actual, expected, "after step {position}: {step:?} of {steps:?} with {settings:?}, {model:?}");
    }
}

/// Polls once, with the item that is ready, if there is one.
fn poll(model: &mut Model, reader: &mut Reader, sent: Option<Sent>) {
    if reader.is_rejected {
        return;
    }
    if matches!(reader.call, Call::Unpolled) {
        reader.call = model.admit();
        reader.is_rejected = matches!(reader.call, Call::Over);
    }
    let item = reader.stream.next().now_or_never();
    if reader.is_rejected {
        assert!(matches!(item, Some(Some(Err(CallError::Rejected(_))))), "a rejection is one item");
        return;
    }
    assert_eq!(item.is_some(), sent.is_some());
    if let Some(sent) = sent {
        reader.call = model.item(reader.call, sent, reader.at_first_item);
    }
}

fn rejection() -> breaker_core::CircuitOpen {
    let other = Circuit::new("other", Config::default());
    other.hold_open();
    other.try_acquire().unwrap_err()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_scripts_agree_with_a_plain_model(settings in settings(), steps in steps()) {
        run(settings, &steps);
    }
}
