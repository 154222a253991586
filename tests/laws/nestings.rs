//! Errors inside errors: random nestings of wrappers agree with a plain model. The outermost error that has evidence
//! decides, and a rejection anywhere inside is never evidence.

use std::error::Error;
use std::io;
use std::sync::Arc;

use breaker_core::{Circuit, CircuitOpen, Config, Evidence, ProvesReachable, breaker, rejection};

use crate::common::chance::Chance;

type Boxed = Box<dyn Error + Send + Sync>;

#[derive(Debug, Clone, thiserror::Error, ProvesReachable)]
enum Leaf {
    #[error("no such contact")]
    #[reachable]
    NotFound,
    #[error("the answer never came")]
    Lost,
    #[error("later")]
    #[reachable(unknown)]
    Later,
}

/// Hides the rejection from `source()`, and answers for it by its type.
#[derive(Debug, Clone, thiserror::Error, ProvesReachable)]
#[reachable(never)]
#[error(transparent)]
struct HiddenRejection(CircuitOpen);

/// Has no evidence.
#[derive(Debug, Clone, thiserror::Error)]
#[error("a plain error")]
struct PlainLeaf;

#[derive(Debug, thiserror::Error)]
#[error("while syncing")]
struct Plain(#[source] Boxed);

#[derive(Debug, thiserror::Error)]
#[error("while syncing")]
struct PlainAroundAnyhow(#[source] anyhow::Error);

/// Hides the error that it wraps, unless it is a rejection: its source is the source of that.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Transparent(Boxed);

/// Has evidence of its own.
#[derive(Debug, thiserror::Error, ProvesReachable)]
enum Marked {
    #[error("declined")]
    #[reachable]
    Declined(#[source] Boxed),
    #[error("broken")]
    Broken(#[source] Boxed),
    #[error("unclear")]
    #[reachable(unknown)]
    Unclear(#[source] Boxed),
    #[error(transparent)]
    Transparent(Boxed),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("declined")]
#[reachable]
struct MarkedAroundAnyhow(#[source] anyhow::Error);

#[breaker(connection = *circuit)]
fn boxed(circuit: &Circuit, error: Boxed) -> Result<(), Boxed> {
    Err(error)
}

#[breaker(connection = *circuit)]
fn with_anyhow(circuit: &Circuit, error: anyhow::Error) -> anyhow::Result<()> {
    Err(error)
}

#[breaker(connection = *circuit)]
fn with_eyre(circuit: &Circuit, error: eyre::Report) -> eyre::Result<()> {
    Err(error)
}

/// What the type of one error of a nesting proves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Proves {
    Nothing,
    Evidence(Evidence),
    Rejection,
}

/// An error of the model. Outermost first, they are a list.
#[derive(Clone, Copy, Debug)]
struct Node {
    proves: Proves,
    found_by: FoundBy,
    /// The number of the error in the order of construction.
    number: usize,
}

impl Node {
    /// Whether it is a rejection that is asked for its source, so that a wrapper cannot hide it.
    fn is_rejection_with_source(&self) -> bool {
        self.proves == Proves::Rejection && self.found_by == FoundBy::Source
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum FoundBy {
    Source,
    /// The report that it is in, so it is lost once the report becomes the source of another error.
    Report,
    /// The error with this number, whose type is known to contain the report.
    Wrapper(usize),
}

#[derive(Debug, Default)]
struct Model {
    nodes: Vec<Node>,
    /// How many of the first nodes are hidden from the source of the outermost one.
    head: usize,
    constructed: usize,
}

impl Model {
    fn around(&mut self, proves: Proves) {
        self.constructed += 1;
        self.nodes.insert(0, Node { proves, found_by: FoundBy::Source, number: self.constructed });
        self.head = 1;
    }

    /// Adds an error whose `source()` skips the one that it wraps.
    fn around_hiding(&mut self, proves: Proves) {
        let head = self.head;
        self.around(proves);
        self.head += head;
    }

    fn around_hiding_head(&mut self) {
        for hidden in self.nodes.drain(..self.head).collect::<Vec<_>>() {
            if hidden.is_rejection_with_source() {
                self.nodes.push(hidden);
            } else {
                self.lose(FoundBy::Wrapper(hidden.number));
            }
        }
        self.around(Proves::Nothing);
    }

    /// Loses the errors that are found in this way, and those that are found by these.
    fn lose(&mut self, found_by: FoundBy) {
        let lost = self.nodes.iter_mut().filter(|node| node.found_by == found_by);
        let numbers: Vec<usize> = lost
            .map(|node| {
                *node = Node { proves: Proves::Nothing, found_by: FoundBy::Source, ..*node };
                node.number
            })
            .collect();
        for number in numbers {
            self.lose(FoundBy::Wrapper(number));
        }
    }

    fn around_report(&mut self, proves: Proves) {
        self.lose(FoundBy::Report);
        self.around(proves);
    }

    /// Adds an error that asks the report inside it.
    fn around_known_report(&mut self, proves: Proves) {
        self.around(proves);
        let wrapper = FoundBy::Wrapper(self.constructed);
        for node in &mut self.nodes {
            if node.found_by == FoundBy::Report {
                node.found_by = wrapper;
            }
        }
    }

    fn enter_report(&mut self) {
        for node in self.nodes.iter_mut().take(self.head).filter(|node| !node.is_rejection_with_source()) {
            node.found_by = FoundBy::Report;
        }
    }

    fn context(&mut self, proves: Proves) {
        self.around(proves);
        self.nodes[0].found_by = FoundBy::Report;
    }

    fn is_rejection(&self) -> bool {
        self.nodes.iter().any(|node| node.proves == Proves::Rejection)
    }

    fn evidence(&self) -> Evidence {
        let evidence = self.nodes.iter().find_map(|node| match node.proves {
            Proves::Evidence(evidence) => Some(evidence),
            _ => None,
        });
        if self.is_rejection() { Evidence::Unknown } else { evidence.unwrap_or(Evidence::Failed) }
    }
}

fn open() -> CircuitOpen {
    let circuit = Circuit::new("elsewhere", Config::default());
    circuit.hold_open();
    circuit.try_acquire().unwrap_err()
}

/// An error or a context, behind a random pointer.
macro_rules! behind_a_pointer {
    ($random:ident, $error:expr, |$pointer:ident| $wrap:expr) => {
        match $random.below(5) {
            0 => {
                let $pointer = Box::new($error);
                $wrap
            }
            1 => {
                let $pointer = Arc::new($error);
                $wrap
            }
            2 => {
                let $pointer = Arc::new(Box::new($error));
                $wrap
            }
            _ => {
                let $pointer = $error;
                $wrap
            }
        }
    };
}

fn random_leaf(random: &mut Chance, model: &mut Model) -> Boxed {
    let (proves, leaf): (Proves, Boxed) = match random.below(7) {
        0 => (Proves::Evidence(Evidence::Answered), behind_a_pointer!(random, Leaf::NotFound, |leaf| leaf.into())),
        1 => (Proves::Evidence(Evidence::Failed), behind_a_pointer!(random, Leaf::Lost, |leaf| leaf.into())),
        2 => (Proves::Evidence(Evidence::Unknown), behind_a_pointer!(random, Leaf::Later, |leaf| leaf.into())),
        3 => (Proves::Rejection, behind_a_pointer!(random, open(), |leaf| leaf.into())),
        4 => (Proves::Rejection, behind_a_pointer!(random, HiddenRejection(open()), |leaf| leaf.into())),
        5 => (Proves::Nothing, io::Error::from(io::ErrorKind::ConnectionReset).into()),
        _ => (Proves::Nothing, behind_a_pointer!(random, PlainLeaf, |leaf| leaf.into())),
    };
    model.around(proves);
    leaf
}

/// Adds a random context to a report of `anyhow` or `eyre`.
macro_rules! in_random_contexts {
    ($random:ident, $model:ident, $report:expr, $context:ident) => {{
        let mut report = $report;
        for _ in 0..$random.below(4) {
            let (proves, in_context) = match $random.below(6) {
                0 => (
                    Proves::Evidence(Evidence::Answered),
                    behind_a_pointer!($random, Leaf::NotFound, |context| report.$context(context)),
                ),
                1 => (
                    Proves::Evidence(Evidence::Failed),
                    behind_a_pointer!($random, Leaf::Lost, |context| report.$context(context)),
                ),
                2 if $random.below(4) == 0 => {
                    (Proves::Rejection, behind_a_pointer!($random, open(), |context| report.$context(context)))
                }
                3 => (Proves::Nothing, report.$context(PlainLeaf)),
                _ => (Proves::Nothing, report.$context("while syncing")),
            };
            report = in_context;
            // A report finds only the outermost context of each type.
            $model.context(proves);
        }
        report
    }};
}

fn random_error(random: &mut Chance, model: &mut Model) -> Boxed {
    let mut error = random_leaf(random, model);
    for _ in 0..random.below(7) {
        error = match random.below(12) {
            0 | 1 => {
                model.around(Proves::Nothing);
                Plain(error).into()
            }
            2 => {
                model.around_hiding_head();
                Transparent(error).into()
            }
            3 => {
                model.around(Proves::Evidence(Evidence::Answered));
                Marked::Declined(error).into()
            }
            4 => {
                model.around(Proves::Evidence(Evidence::Failed));
                Box::new(Arc::new(Marked::Broken(error)))
            }
            5 => {
                model.around(Proves::Evidence(Evidence::Unknown));
                Marked::Unclear(error).into()
            }
            6 => {
                // The type asks its field, so nothing is lost by this hiding.
                model.around_hiding(Proves::Evidence(Evidence::Failed));
                Marked::Transparent(error).into()
            }
            7 => {
                model.around_hiding(Proves::Nothing);
                io::Error::other(error).into()
            }
            8 => {
                model.around_hiding(Proves::Nothing);
                let shared: Arc<dyn Error + Send + Sync> = error.into();
                Box::new(shared)
            }
            kind => {
                model.enter_report();
                let report = in_random_contexts!(random, model, anyhow::Error::from_boxed(error), context);
                match kind {
                    9 => {
                        model.around_report(Proves::Nothing);
                        PlainAroundAnyhow(report).into()
                    }
                    10 => {
                        model.around_known_report(Proves::Evidence(Evidence::Answered));
                        MarkedAroundAnyhow(report).into()
                    }
                    _ => {
                        let evidence = model.evidence();
                        model.around_known_report(Proves::Evidence(evidence));
                        model.around(Proves::Nothing);
                        Plain(reqwest_middleware::Error::Middleware(report).into()).into()
                    }
                }
            }
        };
    }
    error
}

fn evidence_of(call: impl FnOnce(&Circuit)) -> Evidence {
    let circuit = Circuit::new("crm", Config::default());
    call(&circuit);
    let seen = circuit.snapshot();
    match (seen.failed, seen.unknown, seen.marked_answers) {
        (1, 0, 0) => Evidence::Failed,
        (0, 1, 0) => Evidence::Unknown,
        (0, 0, 1) => Evidence::Answered,
        counts => panic!("one call, one piece of evidence: {counts:?}"),
    }
}

#[test]
fn random_nestings_agree_with_a_plain_model() {
    let mut random = Chance(0x9E37_79B9_7F4A_7C15);
    for case in 0..6_000 {
        let mut model = Model::default();
        let error = random_error(&mut random, &mut model);
        let found = match random.below(3) {
            0 => {
                assert_eq!(rejection(&*error).is_some(), model.is_rejection(), "case {case}: {model:?}");
                evidence_of(|circuit| drop(boxed(circuit, error)))
            }
            1 => {
                let report = in_random_contexts!(random, model, anyhow::Error::from_boxed(error), context);
                evidence_of(|circuit| drop(with_anyhow(circuit, report)))
            }
            _ => {
                let report = in_random_contexts!(random, model, eyre::eyre!(error), wrap_err);
                evidence_of(|circuit| drop(with_eyre(circuit, report)))
            }
        };
        assert_eq!(found, model.evidence(), "case {case}: {model:?}");
    }
}

/// A generic wrapper whose type is registered nowhere.
#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
enum Retry<E: Error + 'static> {
    #[error(transparent)]
    Last(E),
    #[error("gave up")]
    GaveUp(#[source] E),
}

/// The same without declared bounds.
#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
enum Timed<E> {
    #[error(transparent)]
    Inner(#[from] E),
}

/// Returns no source, so that only its own type finds the error in its field.
#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
#[error("kept")]
struct Kept<E: ProvesReachable>(E);

/// The same without a type parameter.
#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
#[error("later")]
struct WithoutSource(CircuitOpen);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Generic {
    Transparent,
    Source,
    Kept,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Innermost {
    Rejection,
    WithoutSource,
    NoRejection,
}

/// Whether an error of hidden type passes on a rejection. The wrappers are outermost first.
fn is_found_by_source(wrappers: &[Generic], innermost: Innermost) -> bool {
    !wrappers.contains(&Generic::Kept)
        && match innermost {
            Innermost::Rejection => true,
            // Its type is registered, so it must be visited.
            Innermost::WithoutSource => wrappers.last().is_none_or(|last| *last == Generic::Source),
            Innermost::NoRejection => false,
        }
}

/// Whether an error passes on a rejection by its type, which asks the error in its field.
fn is_found_by_type(wrappers: &[Generic], innermost: Innermost) -> bool {
    match wrappers.split_first() {
        Some((Generic::Kept, inside)) => is_found_by_type(inside, innermost),
        Some((_, inside)) => is_found_by_source(wrappers, innermost) || is_found_by_source(inside, innermost),
        None => is_found_by_source(wrappers, innermost),
    }
}

fn check_generic<E>(_: &mut Chance, error: E, wrappers: &[Generic], innermost: Innermost)
where
    E: ProvesReachable + Send + Sync + 'static,
{
    let by_source = is_found_by_source(wrappers, innermost);
    assert_eq!(rejection(&error).is_some(), by_source, "{wrappers:?} {innermost:?}");
    let by_type = is_found_by_type(wrappers, innermost);
    assert_eq!(ProvesReachable::rejection(&error).is_some(), by_type, "{wrappers:?} {innermost:?}");
    assert_eq!(error.evidence() == Evidence::Unknown, by_type, "{wrappers:?} {innermost:?}");
    let evidence = evidence_of(|circuit| drop(boxed(circuit, error.into())));
    assert_eq!(evidence == Evidence::Unknown, by_source, "{wrappers:?} {innermost:?}");
}

/// A function that puts a random wrapper around an error, or none, and passes it to the next one.
macro_rules! in_random_wrapper {
    ($name:ident, $next:ident) => {
        fn $name<E>(random: &mut Chance, error: E, wrappers: &[Generic], innermost: Innermost)
        where
            E: ProvesReachable + Send + Sync + 'static,
        {
            let around = |wrapper| [&[wrapper], wrappers].concat();
            match random.below(9) {
                0 | 1 => $next(random, Retry::Last(error), &around(Generic::Transparent), innermost),
                2 | 3 => $next(random, Retry::GaveUp(error), &around(Generic::Source), innermost),
                4 | 5 => $next(random, Timed::Inner(error), &around(Generic::Transparent), innermost),
                6 => $next(random, Kept(error), &around(Generic::Kept), innermost),
                _ => $next(random, error, wrappers, innermost),
            }
        }
    };
}

in_random_wrapper!(in_three_wrappers, in_two_wrappers);
in_random_wrapper!(in_two_wrappers, in_one_wrapper);
in_random_wrapper!(in_one_wrapper, check_generic);

// Fails if a generic wrapper hides a rejection from the chain of sources.
#[test]
fn random_generic_wrappers_agree_with_a_plain_model() {
    let mut random = Chance(0x9E37_79B9_7F4A_7C15);
    for _ in 0..2_000 {
        match random.below(5) {
            0 => in_three_wrappers(&mut random, open(), &[], Innermost::Rejection),
            1 | 2 => in_three_wrappers(&mut random, HiddenRejection(open()), &[], Innermost::Rejection),
            3 => in_three_wrappers(&mut random, WithoutSource(open()), &[], Innermost::WithoutSource),
            _ => in_three_wrappers(&mut random, Leaf::Lost, &[], Innermost::NoRejection),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("rejected")]
struct Rejected(#[source] CircuitOpen);

/// Returns the last error of its chain as its source.
#[derive(Debug)]
struct RootCause(Rejected);

impl std::fmt::Display for RootCause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("root cause")
    }
}

impl Error for RootCause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let first: &(dyn Error + 'static) = &self.0;
        let chain: Vec<_> = std::iter::successors(Some(first), |error| (*error).source()).take(9).collect();
        assert!(chain.len() < 9, "the chain has no end");
        chain.last().copied()
    }
}

// Fails if a rejection returns itself as its source more than once in a search, or after one.
#[test]
fn a_rejection_has_no_source_outside_a_search() {
    assert_eq!(rejection(&RootCause(Rejected(open()))).unwrap().connection(), "elsewhere");
    assert!(rejection(&PlainLeaf).is_none());
    assert!(open().source().is_none());
    let chain = anyhow::Error::new(Retry::GaveUp(Retry::Last(Rejected(open()))));
    assert!(rejection(chain.as_ref()).is_some());
    assert_eq!(chain.chain().count(), 3);
}
