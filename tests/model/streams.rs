//! Random streams of steps for a circuit.

use std::time::Duration;

use breaker_core::{Answers, Config, Evidence};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// One step. Its numbers select one of the existing permits or futures.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Acquire,
    Settle(usize, Evidence),
    DropPermit(usize),
    LeakPermit(usize),
    /// A plain call: the steps during its body, and its end.
    Call(Vec<Step>, Ending),
    /// Creates a future without polling it: the steps during each of its polls, and its end.
    Create(Vec<Vec<Step>>, Ending),
    Poll(usize),
    DropFuture(usize),
    Wait(Duration),
    Reset,
    Trip,
    HoldOpen,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    Value,
    Marked,
    Failed,
    Unknown,
    Panic,
}

const SECOND: Duration = Duration::from_secs(1);

pub(crate) fn config() -> impl Strategy<Value = Config> {
    let closed = (
        1..4_u32,
        option::of(Just(10 * SECOND)),
        option::of((prop_oneof![Just(0.25), Just(0.5), Just(1.0)], 1..6_u32)),
        prop_oneof![Just(Answers::ClearStreak), Just(Answers::KeepStreak)],
        option::of(Just(5 * SECOND)),
    );
    let open = (
        option::of(prop_oneof![Just(1.5), Just(2.0)]),
        prop_oneof![Just(0.0), Just(0.3)],
        1..4_u32,
        option::of(1..4_u32),
    );
    (closed, open).prop_map(|((threshold, window, rate, answers, dropped), (growth, jitter, probes, inconclusive))| {
        let mut builder = Config::builder()
            .failure_threshold(threshold)
            .answers(answers)
            .cooldown(60 * SECOND)
            .cooldown_jitter(jitter)
            .half_open_probes(probes)
            .probe_lease(30 * SECOND);
        if let Some(window) = window {
            builder = builder.failure_window(window);
        }
        if let Some((ratio, minimum)) = rate {
            builder = builder.failure_rate(ratio, minimum, 16 * SECOND);
        }
        if let Some(factor) = growth {
            builder = builder.cooldown_growth(factor, 200 * SECOND);
        }
        if let Some(probes) = inconclusive {
            builder = builder.inconclusive_probes(probes);
        }
        if let Some(age) = dropped {
            builder = builder.dropped_after(age);
        }
        builder.build().unwrap()
    })
}

pub(crate) fn stream() -> impl Strategy<Value = Vec<Step>> {
    vec(step(), 1..120)
}

fn step() -> impl Strategy<Value = Step> {
    leaf().prop_recursive(3, 12, 4, |inner| {
        let steps = vec(inner, 0..4);
        prop_oneof![
            3 => (steps.clone(), ending()).prop_map(|(steps, ending)| Step::Call(steps, ending)),
            1 => (vec(steps, 1..4), ending()).prop_map(|(polls, ending)| Step::Create(polls, ending)),
        ]
    })
}

fn leaf() -> impl Strategy<Value = Step> {
    let evidence = || prop_oneof![Just(Evidence::Answered), Just(Evidence::Failed), Just(Evidence::Unknown)];
    prop_oneof![
        6 => Just(Step::Acquire),
        6 => (any::<usize>(), evidence()).prop_map(|(which, evidence)| Step::Settle(which, evidence)),
        2 => any::<usize>().prop_map(Step::DropPermit),
        1 => any::<usize>().prop_map(Step::LeakPermit),
        8 => ending().prop_map(|ending| Step::Call(Vec::new(), ending)),
        3 => ending().prop_map(|ending| Step::Create(vec![Vec::new(); 2], ending)),
        8 => any::<usize>().prop_map(Step::Poll),
        2 => any::<usize>().prop_map(Step::DropFuture),
        8 => wait().prop_map(Step::Wait),
        1 => Just(Step::Reset),
        1 => Just(Step::Trip),
        1 => Just(Step::HoldOpen),
    ]
}

fn ending() -> impl Strategy<Value = Ending> {
    prop_oneof![
        4 => Just(Ending::Value),
        1 => Just(Ending::Marked),
        4 => Just(Ending::Failed),
        2 => Just(Ending::Unknown),
        1 => Just(Ending::Panic),
    ]
}

/// Times at which something ends, one tick before and after them, and any time between.
fn wait() -> impl Strategy<Value = Duration> {
    // The start of a call is stored with a precision of eight nanoseconds.
    let tick = Duration::from_nanos(8);
    prop_oneof![
        1 => Just(tick),
        3 => prop_oneof![Just(5), Just(10), Just(16), Just(30), Just(60), Just(120)].prop_map(Duration::from_secs),
        1 => prop_oneof![Just(10), Just(30), Just(60)]
            .prop_map(move |seconds| Duration::from_secs(seconds).checked_sub(tick).unwrap()),
        2 => (0..100_000_u64).prop_map(Duration::from_millis),
    ]
}
