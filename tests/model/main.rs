//! Random streams of steps, compared with a plain sequential model after each step.
//!
//! `MODEL_STEPS=500000 cargo test --test model` makes half a million steps. The default is smaller.

#[path = "../common/mod.rs"]
mod common;
mod plain;
mod streams;

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::mem;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use breaker_core::testing::{EventLog, ManualClock};
use breaker_core::{Circuit, CircuitOpen, Config, Evidence, Permit, Registry};
use proptest::test_runner::{Config as Proptest, FileFailurePersistence, TestRunner};

use common::{CallError, Outcome, catch, changes, poll_once};
use plain::{End, Plain, Rejection, Running};
use streams::{Ending, Step};

/// The circuit and the model, to which the same steps are applied.
struct CircuitAndModel {
    circuit: Circuit,
    clock: ManualClock,
    events: EventLog,
    plain: RefCell<Plain>,
    permits: RefCell<Vec<(Permit, Running)>>,
    futures: RefCell<Vec<Created>>,
    steps: Cell<usize>,
}

/// A created future, with the call of the model that belongs to it.
struct Created {
    future: Pin<Box<dyn Future<Output = Outcome>>>,
    ending: Ending,
    call: Rc<Cell<Option<Running>>>,
}

/// The payload of a panic that belongs to the stream.
struct ExpectedPanic;

impl CircuitAndModel {
    fn new(config: &Config) -> Rc<Self> {
        // Not a `TestBed`, because it leaks its registry and there are many random streams.
        let (clock, events) = (ManualClock::new(), EventLog::new());
        let registry = Registry::builder().config(config.clone()).clock(clock.clone()).on_event(events.hook());
        let registry = registry.build().unwrap();
        Rc::new(Self {
            circuit: registry.circuit("shop-7"),
            clock,
            events,
            plain: RefCell::new(Plain::new(config.clone())),
            permits: RefCell::default(),
            futures: RefCell::default(),
            steps: Cell::new(0),
        })
    }

    fn run(self: &Rc<Self>, steps: &[Step]) {
        for step in steps {
            self.make(step);
            self.steps.set(self.steps.get() + 1);
            self.compare();
        }
    }

    fn make(self: &Rc<Self>, step: &Step) {
        match step {
            Step::Acquire => match self.circuit.try_acquire() {
                Ok(permit) => {
                    let running = self.is_admitted();
                    self.permits.borrow_mut().push((permit, running));
                }
                Err(open) => self.is_rejected(&open),
            },
            Step::Settle(which, evidence) => {
                if let Some((permit, running)) = take(&self.permits, *which) {
                    permit.settle(*evidence);
                    let end = End { evidence: *evidence, is_error: false, dropped: false };
                    self.plain.borrow_mut().finish(running, end);
                }
            }
            Step::DropPermit(which) => {
                if let Some((permit, running)) = take(&self.permits, *which) {
                    drop(permit);
                    self.plain.borrow_mut().abandon(running);
                }
            }
            Step::LeakPermit(which) => {
                if let Some((permit, _)) = take(&self.permits, *which) {
                    mem::forget(permit);
                }
            }
            Step::Call(during, ending) => self.call(during, *ending),
            Step::Create(polls, ending) => self.create(polls.clone(), *ending),
            Step::Poll(which) => {
                if let Some(created) = take(&self.futures, *which) {
                    self.poll(created);
                }
            }
            Step::DropFuture(which) => {
                if let Some(created) = take(&self.futures, *which) {
                    drop(created.future);
                    if let Some(running) = created.call.get() {
                        self.plain.borrow_mut().abandon(running);
                    }
                }
            }
            Step::Wait(duration) => {
                self.clock.advance(*duration);
                self.plain.borrow_mut().now += *duration;
            }
            Step::Reset => {
                self.circuit.reset();
                self.plain.borrow_mut().reset();
            }
            Step::Trip => {
                self.circuit.trip();
                self.plain.borrow_mut().trip();
            }
            Step::HoldOpen => {
                self.circuit.hold_open();
                self.plain.borrow_mut().hold_open();
            }
        }
    }

    fn is_admitted(&self) -> Running {
        self.plain.borrow_mut().admit().expect("the circuit admitted the call")
    }

    fn is_rejected(&self, open: &CircuitOpen) {
        let rejection: Rejection = self.plain.borrow_mut().admit().expect_err("the circuit rejected the call");
        assert_eq!((open.reason(), open.retry_after()), rejection);
    }

    fn call(self: &Rc<Self>, during: &[Step], ending: Ending) {
        let admitted = Cell::new(false);
        let result = wanted(|| {
            self.circuit.call(|| {
                let running = self.is_admitted();
                admitted.set(true);
                self.plain.borrow_mut().frames.push(running);
                self.compare();
                self.run(during);
                end(ending)
            })
        });
        if !admitted.get() {
            let Some(Err(CallError::Rejected(open))) = result else { panic!("neither admitted nor rejected") };
            return self.is_rejected(&open);
        }
        let running = self.plain.borrow_mut().frames.pop().unwrap();
        self.plain.borrow_mut().finish(running, ending.into());
    }

    fn create(self: &Rc<Self>, polls: Vec<Vec<Step>>, ending: Ending) {
        let (both, call) = (self.clone(), Rc::new(Cell::new(None::<Running>)));
        let mut polls = polls.into_iter();
        let body = {
            let call = call.clone();
            poll_fn(move |_| {
                let running = call.get().unwrap_or_else(|| both.is_admitted());
                call.set(Some(running));
                both.plain.borrow_mut().frames.push(running);
                let next = polls.next();
                both.run(next.as_deref().unwrap_or_default());
                call.set(both.plain.borrow_mut().frames.pop());
                if next.is_some() { Poll::Pending } else { Poll::Ready(end(ending)) }
            })
        };
        let circuit = self.circuit.clone();
        let future = Box::pin(async move { circuit.call_async(body).await });
        self.futures.borrow_mut().push(Created { future, ending, call });
    }

    fn poll(&self, mut created: Created) {
        match wanted(|| poll_once(created.future.as_mut())) {
            Some(Poll::Pending) => self.futures.borrow_mut().push(created),
            Some(Poll::Ready(Err(CallError::Rejected(open)))) => self.is_rejected(&open),
            Some(Poll::Ready(_)) | None => {
                let running = created.call.get().expect("it was admitted");
                self.plain.borrow_mut().finish(running, created.ending.into());
            }
        }
    }

    /// Compares the circuit with the model.
    fn compare(&self) {
        let seen = self.circuit.snapshot();
        let mut plain = self.plain.borrow_mut();
        if let (Some((shortest, longest)), Some(length)) = (plain.just_opened.take(), seen.retry_after) {
            let rounding = Duration::from_micros(1);
            assert!(shortest <= length + rounding && length <= longest + rounding, "a cooldown of {length:?}");
            plain.cooldown_is(length);
        }
        assert_eq!((seen.state, seen.held, seen.retry_after), (plain.state(), plain.is_held(), plain.retry_after()));
        assert_eq!(self.circuit.state(), seen.state);
        assert_eq!(seen.streak as usize, plain.streak());
        let counts = plain::Counts {
            times_opened: seen.times_opened,
            marked_answers: seen.marked_answers,
            failed: seen.failed,
            unknown: seen.unknown,
            rejected: seen.rejected,
            dropped: seen.dropped,
            stale: seen.stale,
            cleared: seen.failures_cleared_by_answers,
            last_failure: seen.last_failure.map(|last| plain.now.checked_sub(last.age).unwrap()),
            last_answer: seen.last_answer.map(|last| plain.now.checked_sub(last.age).unwrap()),
        };
        assert_eq!(counts, plain.counts);
        let new = changes(&self.events);
        assert_eq!(new, mem::take(&mut plain.events));
        self.events.clear();
    }
}

impl From<Ending> for End {
    fn from(ending: Ending) -> Self {
        let (evidence, is_error) = match ending {
            Ending::Value => (Evidence::Answered, false),
            Ending::Marked => (Evidence::Answered, true),
            Ending::Failed | Ending::Panic => (Evidence::Failed, true),
            Ending::Unknown => (Evidence::Unknown, true),
        };
        Self { evidence, is_error, dropped: false }
    }
}

fn end(ending: Ending) -> Outcome {
    match ending {
        Ending::Value => Ok(()),
        Ending::Marked => Err(CallError::NotFound),
        Ending::Failed => Err(CallError::Down),
        Ending::Unknown => Err(CallError::Busy),
        Ending::Panic => resume_unwind(Box::new(ExpectedPanic)),
    }
}

/// `None` for a panic that belongs to the stream. Every other panic is a failed assertion and is resumed.
fn wanted<T>(body: impl FnOnce() -> T) -> Option<T> {
    match catch(body) {
        Ok(result) => Some(result),
        Err(payload) if payload.is::<ExpectedPanic>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

fn take<T>(all: &RefCell<Vec<T>>, which: usize) -> Option<T> {
    let mut all = all.borrow_mut();
    if all.is_empty() {
        return None;
    }
    let which = which % all.len();
    Some(all.remove(which))
}

fn agree(config: &Config, steps: &[Step]) -> usize {
    let both = CircuitAndModel::new(config);
    both.run(steps);
    // The futures hold the circuit and the model.
    let left = mem::take(&mut *both.futures.borrow_mut());
    drop(left);
    both.steps.get()
}

#[test]
fn random_streams() {
    let wanted: usize = std::env::var("MODEL_STEPS").map_or(30_000, |steps| steps.parse().unwrap());
    let made = Cell::new(0);
    while made.get() < wanted {
        let mut runner = TestRunner::new(Proptest {
            cases: 100,
            failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
            max_shrink_iters: 100_000,
            ..Proptest::default()
        });
        let outcome = runner.run(&(streams::config(), streams::stream()), |(config, steps)| {
            made.set(made.get() + agree(&config, &steps));
            Ok(())
        });
        if let Err(failure) = outcome {
            panic!("{failure}");
        }
    }
    println!("{} steps", made.get());
}
