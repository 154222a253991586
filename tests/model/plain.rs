//! A plain sequential model of a circuit, written for readability: without eras, bits and locks.

use std::collections::HashSet;
use std::time::Duration;

use breaker_core::{Answers, Config, Evidence, Reason, RejectionReason, State};

/// What the model stores for a permit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token {
    /// Admitted by a closed circuit, after this number of changes of state.
    Closed { changes: u64 },
    /// Is a probe with this number, or runs inside it.
    Probe { number: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AdmittedBy {
    ClosedCircuit,
    OwnProbe,
    OuterProbe,
}

/// A running call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    /// A number that no other call has.
    id: u64,
    pub(crate) token: Token,
    by: AdmittedBy,
    reports: InnerReports,
    started: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
struct InnerReports {
    unknown: bool,
    answered: bool,
    failed: bool,
}

impl InnerReports {
    fn strongest(self) -> Option<Evidence> {
        if self.failed {
            Some(Evidence::Failed)
        } else if self.answered {
            Some(Evidence::Answered)
        } else {
            self.unknown.then_some(Evidence::Unknown)
        }
    }
}

/// The end of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) evidence: Evidence,
    pub(crate) is_error: bool,
    pub(crate) dropped: bool,
}

pub(crate) type Rejection = (RejectionReason, Option<Duration>);

/// A failure, or an answer that an outer call may still withdraw.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// `None` for an answer.
    failed_at: Option<Duration>,
    /// The innermost running call of which it is a part.
    owner: Option<u64>,
}

impl Entry {
    fn is_answer(&self) -> bool {
        self.failed_at.is_none()
    }
}

#[derive(Debug)]
enum Phase {
    /// The history since the last answer that no outer call can withdraw. The failures after its last answer count.
    Closed {
        history: Vec<Entry>,
        calls: Vec<(u128, bool)>,
    },
    Open {
        until: Duration,
    },
    Held,
    HalfOpen {
        probes: Vec<(u64, Duration)>,
        succeeded: u32,
        inconclusive: u32,
    },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) times_opened: u64,
    pub(crate) marked_answers: u64,
    pub(crate) failed: u64,
    pub(crate) unknown: u64,
    pub(crate) rejected: u64,
    pub(crate) dropped: u64,
    pub(crate) stale: u64,
    pub(crate) cleared: u64,
    pub(crate) last_failure: Option<Duration>,
    pub(crate) last_answer: Option<Duration>,
}

#[derive(Debug)]
pub(crate) struct Plain {
    config: Config,
    pub(crate) now: Duration,
    phase: Phase,
    changes: u64,
    probes_ever: u64,
    calls_ever: u64,
    /// The calls of which something was in the history.
    owners: HashSet<u64>,
    reopened: i32,
    /// The running calls, outermost first.
    pub(crate) frames: Vec<Running>,
    pub(crate) counts: Counts,
    pub(crate) events: Vec<(State, State, Reason)>,
    /// Set when the circuit opens: the shortest and the longest possible cooldown.
    pub(crate) just_opened: Option<(Duration, Duration)>,
}

impl Plain {
    pub(crate) fn new(config: Config) -> Self {
        Self {
            config,
            now: Duration::ZERO,
            phase: closed(),
            changes: 0,
            probes_ever: 0,
            calls_ever: 0,
            owners: HashSet::new(),
            reopened: 0,
            frames: Vec::new(),
            counts: Counts::default(),
            events: Vec::new(),
            just_opened: None,
        }
    }

    pub(crate) fn state(&self) -> State {
        match self.phase {
            Phase::Closed { .. } => State::Closed,
            Phase::Held => State::Open,
            Phase::Open { until } if self.now < until => State::Open,
            Phase::Open { .. } | Phase::HalfOpen { .. } => State::HalfOpen,
        }
    }

    pub(crate) fn is_held(&self) -> bool {
        matches!(self.phase, Phase::Held)
    }

    pub(crate) fn streak(&self) -> usize {
        match &self.phase {
            Phase::Closed { history, .. } => {
                history.iter().rev().map_while(|entry| entry.failed_at).filter(|moment| self.is_young(*moment)).count()
            }
            _ => 0,
        }
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self.phase {
            Phase::Open { until } if self.now < until => Some(until.checked_sub(self.now).unwrap()),
            _ => None,
        }
    }

    /// The cooldown that the random jitter produced.
    pub(crate) fn cooldown_is(&mut self, length: Duration) {
        let Phase::Open { until } = &mut self.phase else { panic!("it is not open") };
        *until = self.now + length;
    }

    fn is_young(&self, moment: Duration) -> bool {
        self.config.failure_window().is_none_or(|window| self.now.checked_sub(moment).unwrap() < window)
    }

    fn is_live(&self, token: Token) -> bool {
        match (token, &self.phase) {
            (Token::Closed { changes }, Phase::Closed { .. }) => changes == self.changes,
            (Token::Probe { number }, Phase::HalfOpen { probes, .. }) => {
                probes.iter().any(|(holder, _)| *holder == number)
            }
            _ => false,
        }
    }

    /// A call asks for admission.
    pub(crate) fn admit(&mut self) -> Result<Running, Rejection> {
        let admitted = self.try_admit();
        self.counts.rejected += u64::from(admitted.is_err());
        let (token, by) = admitted?;
        self.calls_ever += 1;
        Ok(Running { id: self.calls_ever, token, by, reports: InnerReports::default(), started: self.now })
    }

    fn try_admit(&mut self) -> Result<(Token, AdmittedBy), Rejection> {
        let outer = self.frames.iter().rev().map(|frame| frame.token).find(|token| self.is_live(*token));
        let number = self.probes_ever + 1;
        let probe = Token::Probe { number };
        let lease = self.now + self.config.probe_lease();
        match &mut self.phase {
            Phase::Closed { .. } => return Ok((Token::Closed { changes: self.changes }, AdmittedBy::ClosedCircuit)),
            Phase::Held => return Err((RejectionReason::HeldOpen, None)),
            Phase::Open { until } if self.now < *until => {
                return Err((RejectionReason::InCooldown, Some(until.checked_sub(self.now).unwrap())));
            }
            Phase::Open { .. } => {
                let probes = vec![(number, lease)];
                self.turn(Phase::HalfOpen { probes, succeeded: 0, inconclusive: 0 }, Reason::CooldownOver);
            }
            Phase::HalfOpen { probes, succeeded, .. } => {
                if let Some(token) = outer {
                    return Ok((token, AdmittedBy::OuterProbe));
                }
                if probes.len() + (*succeeded as usize) < self.config.half_open_probes() as usize {
                    probes.push((number, lease));
                } else {
                    let oldest = probes.iter_mut().min_by_key(|(_, lease)| *lease).unwrap();
                    if self.now < oldest.1 {
                        return Err((RejectionReason::ProbeInFlight, None));
                    }
                    *oldest = (number, lease);
                    self.events.push((State::HalfOpen, State::HalfOpen, Reason::LeaseExpired));
                }
            }
        }
        self.probes_ever = number;
        Ok((probe, AdmittedBy::OwnProbe))
    }

    /// Settles a call. The caller has removed its frame.
    pub(crate) fn finish(&mut self, call: Running, end: End) {
        let reported = call.reports.strongest();
        let counted = reported == Some(Evidence::Failed);
        let own = end.evidence;
        let evidence = match (reported, own) {
            (_, Evidence::Failed) => Evidence::Failed,
            (Some(reported), _) => reported,
            (None, own) => own,
        };
        let end = {
            let own = evidence == end.evidence;
            End { evidence, is_error: own && end.is_error, dropped: own && end.dropped }
        };
        let is_recorded = match call.by {
            AdmittedBy::ClosedCircuit if self.is_live(call.token) => self.finish_closed(call, own, end),
            AdmittedBy::ClosedCircuit if reported.is_none() || (evidence == Evidence::Failed && !counted) => {
                self.settle(call.token, end)
            }
            AdmittedBy::OwnProbe if !counted => self.settle(call.token, end),
            AdmittedBy::OuterProbe if evidence == Evidence::Failed && !counted => self.settle(call.token, end),
            _ => true,
        };
        if let Phase::Closed { history, .. } = &self.phase {
            self.owners.extend(history.iter().filter_map(|entry| entry.owner));
        }
        if !is_recorded {
            return;
        }
        for frame in &mut self.frames {
            match evidence {
                Evidence::Answered => frame.reports.answered = true,
                Evidence::Failed => frame.reports.failed = true,
                Evidence::Unknown => frame.reports.unknown = true,
            }
        }
    }

    /// Finishes a call of the current era of a closed circuit.
    ///
    /// - An answer inside another call clears the streak. If that outer call fails by itself, the answer is withdrawn:
    ///   what it had cleared counts again, except for failures of the same outer call, which that call has handled.
    /// - An outer failure counts unless the failure of an inner call counts already.
    fn finish_closed(&mut self, call: Running, own: Evidence, end: End) -> bool {
        let outer = self.frames.iter().rev().find(|frame| frame.token == call.token).map(|frame| frame.id);
        if own == Evidence::Failed && call.reports.failed && !self.owners.contains(&call.id) {
            // The failure belongs to a call that was polled inside this one and is still running.
        } else if own == Evidence::Failed {
            self.expire();
            let Phase::Closed { history, .. } = &mut self.phase else { unreachable!("it is closed") };
            history.retain(|entry| !(entry.is_answer() && entry.owner == Some(call.id)));
            let mut counting = history.iter().rev().take_while(|entry| !entry.is_answer());
            if !counting.any(|entry| entry.owner == Some(call.id)) {
                history.retain(|entry| entry.owner != Some(call.id));
                self.pass_on(call.id, outer);
                return self.settle_within(call.token, end, outer);
            }
            self.pass_on(call.id, outer);
            self.open_at_the_threshold();
        } else if call.reports.strongest().is_none() {
            return self.settle_within(call.token, end, outer);
        } else {
            let Phase::Closed { history, .. } = &mut self.phase else { unreachable!("it is closed") };
            let is_own_answer = |entry: &Entry| entry.is_answer() && entry.owner == Some(call.id);
            if let Some(answer) = history.iter().rposition(is_own_answer) {
                let before = history.drain(..=answer).collect::<Vec<_>>();
                if let Some(outer) = outer {
                    let others = before.into_iter().filter(|entry| entry.owner != Some(outer));
                    history.splice(..0, others);
                }
            }
            self.pass_on(call.id, outer);
            self.forget_leading_answers();
        }
        true
    }

    /// Makes what belonged to an ended call a part of the call around it.
    fn pass_on(&mut self, ended: u64, outer: Option<u64>) {
        let Phase::Closed { history, .. } = &mut self.phase else { unreachable!("it is closed") };
        for entry in history.iter_mut().filter(|entry| entry.owner == Some(ended)) {
            entry.owner = outer;
        }
    }

    /// An answer that cleared nothing need not be remembered.
    fn forget_leading_answers(&mut self) {
        let Phase::Closed { history, .. } = &mut self.phase else { unreachable!("it is closed") };
        let answers = history.iter().take_while(|entry| entry.is_answer()).count();
        history.drain(..answers);
    }

    fn expire(&mut self) {
        let (now, window) = (self.now, self.config.failure_window());
        let Phase::Closed { history, .. } = &mut self.phase else { unreachable!("it is closed") };
        let is_young = |moment| window.is_none_or(|window| now.checked_sub(moment).unwrap() < window);
        history.retain(|entry| entry.failed_at.is_none_or(is_young));
    }

    fn open_at_the_threshold(&mut self) {
        if self.streak() >= self.config.failure_threshold() as usize {
            self.open(Reason::Threshold);
            self.counts.times_opened += 1;
        }
    }

    /// A call is dropped before it has ended.
    pub(crate) fn abandon(&mut self, call: Running) {
        let age = self.now.checked_sub(call.started).unwrap();
        let late = self.config.dropped_after().is_some_and(|limit| age > limit);
        let evidence = if late { Evidence::Failed } else { Evidence::Unknown };
        self.finish(call, End { evidence, is_error: false, dropped: true });
    }

    fn settle(&mut self, token: Token, end: End) -> bool {
        self.settle_within(token, end, None)
    }

    /// Settles a call that is a part of `outer`.
    fn settle_within(&mut self, token: Token, end: End, outer: Option<u64>) -> bool {
        if !self.is_live(token) {
            self.counts.stale += 1;
            return false;
        }
        let marked = end.is_error && end.evidence == Evidence::Answered;
        if end.evidence == Evidence::Answered && !end.is_error && self.ignores_success() {
            return true;
        }
        match end.evidence {
            Evidence::Answered => {
                self.counts.marked_answers += u64::from(marked);
                self.counts.last_answer = Some(self.now);
            }
            Evidence::Failed => {
                self.counts.failed += 1;
                self.counts.last_failure = Some(self.now);
            }
            Evidence::Unknown => self.counts.unknown += u64::from(!end.dropped),
        }
        self.counts.dropped += u64::from(end.dropped);
        match token {
            Token::Closed { .. } => self.settle_closed(end.evidence, marked, outer),
            Token::Probe { number } => self.settle_probe(number, end.evidence),
        }
        true
    }

    /// Whether the circuit ignores a plain success.
    fn ignores_success(&self) -> bool {
        let Phase::Closed { history, .. } = &self.phase else { return false };
        history.is_empty() && self.config.failure_rate().is_none()
    }

    fn settle_closed(&mut self, evidence: Evidence, marked: bool, outer: Option<u64>) {
        let (now, streak) = (self.now, self.streak());
        let mut opens = None;
        match evidence {
            Evidence::Unknown => return,
            Evidence::Answered if marked && self.config.answers() == Answers::KeepStreak => {}
            Evidence::Answered => {
                self.counts.cleared += streak as u64;
                let Phase::Closed { history, .. } = &mut self.phase else { unreachable!("it is closed") };
                if outer.is_none() {
                    history.clear();
                } else {
                    history.retain(|entry| entry.owner != outer);
                    history.push(Entry { failed_at: None, owner: outer });
                    self.forget_leading_answers();
                }
            }
            Evidence::Failed => {
                self.expire();
                let Phase::Closed { history, .. } = &mut self.phase else { unreachable!("it is closed") };
                history.push(Entry { failed_at: Some(now), owner: outer });
                if self.streak() >= self.config.failure_threshold() as usize {
                    opens = Some(Reason::Threshold);
                }
            }
        }
        let Phase::Closed { calls, .. } = &mut self.phase else { unreachable!("it is closed") };
        if let Some((ratio, minimum, window)) = self.config.failure_rate() {
            let bucket = now.as_nanos() / (window.as_nanos() / 16);
            calls.push((bucket, evidence == Evidence::Failed));
            calls.retain(|(then, _)| bucket - then < 16);
            let failed = calls.iter().filter(|(_, failed)| *failed).count();
            let enough = calls.len() >= minimum as usize;
            #[expect(clippy::cast_precision_loss, reason = "a few calls")]
            let too_many = failed as f64 >= ratio * calls.len() as f64;
            if evidence == Evidence::Failed && enough && too_many {
                opens = opens.or(Some(Reason::Rate));
            }
        }
        if let Some(reason) = opens {
            self.open(reason);
            self.counts.times_opened += 1;
        }
    }

    fn settle_probe(&mut self, number: u64, evidence: Evidence) {
        let Phase::HalfOpen { probes, succeeded, inconclusive } = &mut self.phase else { unreachable!("half-open") };
        probes.retain(|(holder, _)| *holder != number);
        let reopens = match evidence {
            Evidence::Answered => {
                *inconclusive = 0;
                *succeeded += 1;
                if *succeeded == self.config.half_open_probes() {
                    self.close(Reason::ProbeSucceeded);
                }
                return;
            }
            Evidence::Failed => Some(Reason::ProbeFailed),
            Evidence::Unknown => {
                *inconclusive += 1;
                (Some(*inconclusive) == self.config.inconclusive_probes()).then_some(Reason::Inconclusive)
            }
        };
        if let Some(reason) = reopens {
            self.reopened += 1;
            self.open(reason);
            self.counts.times_opened += 1;
        }
    }

    pub(crate) fn trip(&mut self) {
        if !self.is_held() {
            self.reopened = 0;
            self.force(|plain| plain.open(Reason::Tripped));
        }
    }

    pub(crate) fn hold_open(&mut self) {
        self.force(|plain| plain.turn(Phase::Held, Reason::Held));
    }

    pub(crate) fn reset(&mut self) {
        self.force(|plain| plain.close(Reason::Reset));
    }

    /// A command begins at the state that a reader saw. It causes an event if it changes that state or opens the circuit
    /// again. If a reader saw half-open before any call probed, the event of the end of the cooldown comes first.
    fn force(&mut self, change: impl FnOnce(&mut Self)) {
        let from = self.state();
        if from == State::HalfOpen && matches!(self.phase, Phase::Open { .. }) {
            self.events.push((State::Open, State::HalfOpen, Reason::CooldownOver));
        }
        change(self);
        let (_, to, reason) = self.events.pop().unwrap();
        if from != to || to == State::Open {
            self.events.push((from, to, reason));
            self.counts.times_opened += u64::from(from != State::Open && to == State::Open);
        }
    }

    fn open(&mut self, reason: Reason) {
        let mut shortest = self.config.cooldown();
        if let Some((factor, max)) = self.config.cooldown_growth() {
            shortest = shortest.mul_f64(factor.powi(self.reopened)).min(max);
        }
        let longest = shortest.mul_f64(1.0 + self.config.cooldown_jitter());
        self.just_opened = Some((shortest, longest));
        self.turn(Phase::Open { until: self.now + shortest }, reason);
    }

    fn close(&mut self, reason: Reason) {
        self.reopened = 0;
        self.turn(closed(), reason);
    }

    fn turn(&mut self, phase: Phase, reason: Reason) {
        let name = |phase: &Phase| match phase {
            Phase::Closed { .. } => State::Closed,
            Phase::Open { .. } | Phase::Held => State::Open,
            Phase::HalfOpen { .. } => State::HalfOpen,
        };
        let from = name(&self.phase);
        self.changes += 1;
        self.phase = phase;
        self.events.push((from, name(&self.phase), reason));
    }
}

fn closed() -> Phase {
    Phase::Closed { history: Vec::new(), calls: Vec::new() }
}
