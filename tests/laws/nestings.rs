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

/// Hides the error that it wraps: its source is the source of that.
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
            self.lose(FoundBy::Wrapper(hidden.number));
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
        for node in self.nodes.iter_mut().take(self.head) {
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
