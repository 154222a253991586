//! Combination with other macros that rewrite functions, in both orders.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::common::{CallError, breaking_at, ready};
use async_trait::async_trait;
use breaker_core::{Circuit, breaker};
use tracing::span;

#[async_trait]
trait Crm: Send + Sync {
    async fn pull(&self, contact: u64) -> Result<u64, CallError>;
    async fn push(&mut self, text: &str) -> Result<usize, CallError>;
    async fn inbound(&self) -> Result<(), CallError> {
        Ok(())
    }
}

struct Inside(Circuit);

#[async_trait]
impl Crm for Inside {
    #[breaker(connection = self.0)]
    async fn pull(&self, contact: u64) -> Result<u64, CallError> {
        if contact == 0 { Err(CallError::Failed) } else { Ok(contact) }
    }

    #[breaker(connection = self.0, fallback = |_| Ok(9))]
    async fn push(&mut self, text: &str) -> Result<usize, CallError> {
        Ok(text.len())
    }
}

struct BlockInside(Circuit);

#[async_trait]
#[breaker(connection = self.0)]
impl Crm for BlockInside {
    async fn pull(&self, contact: u64) -> Result<u64, CallError> {
        if contact == 0 { Err(CallError::Failed) } else { Ok(contact) }
    }

    #[breaker(fallback = |_| Ok(9))]
    async fn push(&mut self, text: &str) -> Result<usize, CallError> {
        Ok(text.len())
    }

    #[breaker(skip)]
    async fn inbound(&self) -> Result<(), CallError> {
        Ok(())
    }
}

struct BlockOutside(Circuit);

#[breaker(connection = self.0)]
#[async_trait]
impl Crm for BlockOutside {
    async fn pull(&self, contact: u64) -> Result<u64, CallError> {
        if contact == 0 { Err(CallError::Failed) } else { Ok(contact) }
    }

    #[breaker(fallback = |_| Ok(9))]
    async fn push(&mut self, text: &str) -> Result<usize, CallError> {
        Ok(text.len())
    }

    #[breaker(skip)]
    async fn inbound(&self) -> Result<(), CallError> {
        Ok(())
    }
}

#[test]
fn async_trait_in_both_orders() {
    let circuit = Circuit::new("crm", breaking_at(1));
    let integrations: [Box<dyn Crm>; 3] = [
        Box::new(Inside(circuit.clone())),
        Box::new(BlockInside(circuit.clone())),
        Box::new(BlockOutside(circuit.clone())),
    ];
    for mut crm in integrations {
        circuit.reset();
        assert_eq!(ready(crm.push("text")).unwrap(), 4);
        let unpolled = crm.pull(1);
        drop(unpolled);
        assert!(matches!(ready(crm.pull(0)), Err(CallError::Failed)));
        match ready(crm.pull(1)) {
            Err(CallError::Rejected(open)) => assert_eq!(open.operation(), Some("pull")),
            other => panic!("{other:?}"),
        }
        assert_eq!(ready(crm.push("text")).unwrap(), 9);
        ready(crm.inbound()).unwrap();
    }
}

struct Traced {
    circuit: Circuit,
}

impl Traced {
    #[tracing::instrument(skip(self))]
    #[breaker(connection = self.circuit)]
    async fn outside(&self, contact: u64) -> Result<u64, CallError> {
        Ok(contact)
    }

    #[breaker(connection = self.circuit)]
    #[tracing::instrument(skip(self), err)]
    async fn inside(&self, contact: u64) -> Result<u64, CallError> {
        Ok(contact)
    }

    #[breaker(connection = self.circuit)]
    #[tracing::instrument(skip_all)]
    fn at_once(self: Arc<Self>) -> Result<u64, CallError> {
        Ok(1)
    }
}

/// Without `Debug`, so only an argument without a name can have this type: `instrument` records the others.
struct Secret;

#[breaker(connection = "tracing-arguments")]
#[tracing::instrument(fields(of = %name))]
async fn arguments_keep_their_patterns(_: Secret, (name, _): (String, u8), b: String) -> Result<usize, CallError> {
    Ok(name.len() + b.len())
}

/// Records the fields of each new span, and counts entered spans.
#[derive(Clone, Default)]
struct Fields(Arc<Mutex<Vec<&'static str>>>, Arc<AtomicUsize>);

impl tracing::Subscriber for Fields {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        self.0.lock().unwrap().extend(attributes.fields().iter().map(|field| field.name()));
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &span::Id) {
        self.1.fetch_add(1, Ordering::Relaxed);
    }
    fn exit(&self, _: &span::Id) {
        self.1.fetch_sub(1, Ordering::Relaxed);
    }
}

#[test]
fn a_span_has_the_names_of_the_arguments() {
    let fields = Fields::default();
    tracing::subscriber::with_default(fields.clone(), || {
        ready(arguments_keep_their_patterns(Secret, ("a".to_owned(), 1), "b".to_owned())).unwrap();
    });
    assert_eq!(*fields.0.lock().unwrap(), ["name", "b", "of"]);
}

/// The number of entered spans while a body runs.
struct Depth {
    circuit: Circuit,
    entered: Arc<AtomicUsize>,
}

#[async_trait]
trait Deep: Send + Sync {
    async fn above(&self) -> Result<usize, CallError>;
    async fn below(&self) -> Result<usize, CallError>;
    async fn with_fallback(&self) -> Result<usize, CallError>;
}

#[async_trait]
impl Deep for Depth {
    #[breaker(connection = self.circuit)]
    #[tracing::instrument(skip_all)]
    async fn above(&self) -> Result<usize, CallError> {
        Ok(self.entered.load(Ordering::Relaxed))
    }

    #[tracing::instrument(skip_all)]
    #[breaker(connection = self.circuit)]
    async fn below(&self) -> Result<usize, CallError> {
        Ok(self.entered.load(Ordering::Relaxed))
    }

    #[breaker(connection = self.circuit, fallback = |_| Ok(9))]
    #[tracing::instrument(skip_all)]
    async fn with_fallback(&self) -> Result<usize, CallError> {
        Ok(self.entered.load(Ordering::Relaxed))
    }
}

impl Depth {
    #[tracing::instrument(skip_all)]
    #[breaker(connection = self.circuit)]
    fn handed_out(&self) -> impl Future<Output = Result<usize, CallError>> {
        async move { Ok(self.entered.load(Ordering::Relaxed)) }
    }
}

// Fails if a function that is annotated above the other macro does not end with a box of a block.
#[test]
fn a_body_of_async_trait_runs_inside_its_span() {
    let fields = Fields::default();
    let depth = Depth { circuit: Circuit::new("crm", breaking_at(1)), entered: fields.1.clone() };
    tracing::subscriber::with_default(fields, || {
        assert_eq!(ready(depth.above()).unwrap(), 1);
        assert_eq!(ready(depth.below()).unwrap(), 1);
        assert_eq!(ready(depth.with_fallback()).unwrap(), 1);
        assert_eq!(ready(depth.handed_out()).unwrap(), 1);
        depth.circuit.hold_open();
        assert!(ready(depth.above()).is_err());
        assert!(ready(depth.below()).is_err());
        assert_eq!(ready(depth.with_fallback()).unwrap(), 9);
    });
}

#[breaker(connection = "other-macros-tokio")]
#[tokio::main(flavor = "current_thread")]
async fn main_inside() -> Result<u64, CallError> {
    Ok(1)
}

#[tokio::main(flavor = "current_thread")]
#[breaker(connection = "other-macros-tokio")]
async fn main_outside() -> Result<u64, CallError> {
    Ok(1)
}

// Fails if the return type is left to type inference alone.
#[test]
fn tokio_main_in_both_orders() {
    assert_eq!(main_inside().unwrap() + main_outside().unwrap(), 2);
}

#[test]
fn tracing_in_both_orders() {
    let traced = Arc::new(Traced { circuit: Circuit::new("crm", breaking_at(1)) });
    assert_eq!(ready(traced.outside(1)).unwrap(), 1);
    assert_eq!(ready(traced.inside(1)).unwrap(), 1);
    assert_eq!(traced.clone().at_once().unwrap(), 1);
    traced.circuit.hold_open();
    assert!(ready(traced.outside(1)).is_err());
    assert!(ready(traced.inside(1)).is_err());
    assert!(traced.at_once().is_err());
}

#[breaker(connection = tenant)]
#[breaker(connection = provider)]
async fn for_a_tenant_of_a_provider(tenant: &Circuit, provider: &Circuit) -> Result<u64, CallError> {
    Err(CallError::Failed)
}

// Fails if one attribute replaces the other.
#[test]
fn the_attribute_twice_on_one_function() {
    let [tenant, provider] = ["tenant", "provider"].map(|name| Circuit::new(name, breaking_at(1)));
    assert!(ready(for_a_tenant_of_a_provider(&tenant, &provider)).is_err());
    assert_eq!((tenant.snapshot().failed, provider.snapshot().failed), (1, 1));
    assert!(ready(for_a_tenant_of_a_provider(&tenant, &provider)).is_err());
    assert_eq!((tenant.snapshot().rejected, provider.snapshot().rejected), (0, 1), "the lower layer is polled first");
}

#[async_trait]
trait Recorded: Send + Sync {
    async fn error_inside(&self) -> Result<u64, CallError>;
    async fn value_inside(&self) -> Result<u64, CallError>;
    async fn both_outside(&self) -> Result<u64, CallError>;
}

struct Recording(Circuit);

#[async_trait]
impl Recorded for Recording {
    #[breaker(connection = self.0)]
    #[tracing::instrument(skip_all, err)]
    async fn error_inside(&self) -> Result<u64, CallError> {
        Err(CallError::Failed)
    }

    #[breaker(connection = self.0, fallback = |_| Ok(9))]
    #[tracing::instrument(skip_all, ret, err(Debug))]
    async fn value_inside(&self) -> Result<u64, CallError> {
        Ok(1)
    }

    #[tracing::instrument(skip_all, ret, err)]
    #[breaker(connection = self.0)]
    async fn both_outside(&self) -> Result<u64, CallError> {
        Ok(1)
    }
}

#[breaker(connection = circuit)]
#[tracing::instrument(skip_all, ret, err)]
fn recorded_box(circuit: &Circuit) -> Pin<Box<dyn Future<Output = Result<u64, CallError>> + Send>> {
    Box::pin(async move { Err(CallError::Failed) })
}

// Fails if the names that the other macro gives to results are hidden from its own events.
#[test]
fn a_macro_that_records_results_works_in_both_orders() {
    let recording = Recording(Circuit::new("crm", breaking_at(3)));
    assert!(ready(recording.error_inside()).is_err());
    assert_eq!(ready(recording.value_inside()).unwrap(), 1);
    assert_eq!(ready(recording.both_outside()).unwrap(), 1);
    for _ in 0..3 {
        assert!(ready(recorded_box(&recording.0)).is_err());
    }
    assert!(ready(recording.both_outside()).is_err());
    assert_eq!(ready(recording.value_inside()).unwrap(), 9);
}

type Later<'a> = Pin<Box<dyn Future<Output = Result<u64, CallError>> + Send + 'a>>;

#[breaker(connection = circuit, is_failure = |_| true)]
#[tracing::instrument(skip_all, ret, err)]
fn recorded_alias(circuit: &Circuit) -> Later<'_> {
    let id = circuit.snapshot().failed;
    Box::pin(async move { if id < 3 { Err(CallError::Failed) } else { Ok(id) } })
}

// Fails if the future behind an alias is not found at the end of the body.
#[test]
fn a_macro_that_records_results_works_on_an_alias_of_a_boxed_future() {
    let circuit = Circuit::new("crm", breaking_at(3));
    drop(recorded_alias(&circuit));
    for _ in 0..3 {
        assert!(matches!(ready(recorded_alias(&circuit)), Err(CallError::Failed)));
    }
    assert!(matches!(ready(recorded_alias(&circuit)), Err(CallError::Rejected(_))));
}
