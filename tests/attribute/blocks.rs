//! `#[breaker]` on `impl` blocks.
#![allow(clippy::unnecessary_wraps, reason = "a guarded function returns a `Result`")]

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;

use crate::common::{CallError, breaking_at, ready};
use breaker_core::{Circuit, CircuitOpen, breaker};

struct Api {
    circuit: Circuit,
}

impl Api {
    fn held_open() -> Self {
        let circuit = Circuit::new("shop", breaking_at(1));
        circuit.hold_open();
        Self { circuit }
    }
}

fn rejected<T: Debug>(result: Result<T, CallError>) -> Option<String> {
    match result {
        Err(CallError::Rejected(open)) => Some(open.operation().unwrap_or("nameless").to_owned()),
        _ => None,
    }
}

macro_rules! constant {
    ($name:ident) => {
        const $name: u32 = { 3 };
    };
}

/// Every kind of item in an inherent block.
#[breaker(connection = self.circuit)]
impl Api {
    #![allow(clippy::unnecessary_wraps, clippy::unused_async, reason = "the bodies do not matter")]

    const ONE: u32 = { 1 };
    #[breaker(skip)]
    constant! { THREE }

    fn new(circuit: Circuit) -> Self {
        Self { circuit }
    }

    async fn connect() -> Result<u32, CallError> {
        Ok(Self::ONE)
    }

    async fn fetch(&self) -> Result<u32, CallError> {
        Ok(Self::THREE)
    }

    async fn consume(self: Arc<Self>) -> Result<u32, CallError> {
        Ok(1)
    }

    fn boxed(&self) -> Pin<Box<dyn Future<Output = Result<u32, CallError>> + Send + '_>> {
        Box::pin(async { Ok(1) })
    }

    fn opaque(&self) -> impl Future<Output = Result<u32, CallError>> + Send {
        async { Ok(1) }
    }

    fn blocking(&self) -> Result<u32, CallError> {
        let _ = self;
        Ok(1)
    }

    #[breaker]
    fn blocking_with_attribute(&self) -> Result<u32, CallError> {
        Ok(1)
    }

    #[breaker(skip)]
    async fn handle_webhook(&self) -> Result<u32, CallError> {
        let _ = self;
        Ok(1)
    }

    #[breaker(fallback = |_| Ok(9))]
    async fn with_fallback(&self) -> Result<u32, CallError> {
        Ok(1)
    }

    #[breaker(operation = "renamed")]
    async fn named(&self) -> Result<u32, CallError> {
        Ok(1)
    }

    #[breaker(connection = *other, is_failure = |_| true)]
    async fn elsewhere(&self, other: &Circuit) -> Result<u32, CallError> {
        Err(CallError::Answered)
    }

    fn name(&self) -> Box<dyn Debug> {
        Box::new(self.circuit.connection().to_owned())
    }
}

#[test]
fn methods_that_look_like_calls_are_guarded_by_default() {
    let api = Api::held_open();
    assert_eq!(rejected(ready(api.fetch())).as_deref(), Some("fetch"));
    assert_eq!(rejected(ready(api.boxed())).as_deref(), Some("boxed"));
    assert_eq!(rejected(ready(api.opaque())).as_deref(), Some("opaque"));
    assert_eq!(rejected(ready(Arc::new(Api::held_open()).consume())).as_deref(), Some("consume"));
}

#[test]
fn other_methods_are_not_guarded() {
    let api = Api::held_open();
    assert_eq!(ready(Api::connect()).unwrap(), 1);
    assert_eq!(api.blocking().unwrap(), 1);
    assert_eq!(ready(api.handle_webhook()).unwrap(), 1);
    assert_eq!(format!("{:?}", Api::new(api.circuit.clone()).name()), "\"shop\"");
}

#[test]
fn a_method_adds_and_overrides() {
    let api = Api::held_open();
    assert_eq!(rejected(api.blocking_with_attribute()).as_deref(), Some("blocking_with_attribute"));
    assert_eq!(ready(api.with_fallback()).unwrap(), 9);
    assert_eq!(rejected(ready(api.named())).as_deref(), Some("renamed"));
    let other = Circuit::new("other", breaking_at(9));
    assert!(matches!(ready(api.elsewhere(&other)), Err(CallError::Answered)));
    assert_eq!(other.snapshot().failed, 1);
}

trait Crm {
    type Out: Debug;
    fn pull(&self) -> impl Future<Output = Result<Self::Out, CallError>>;
    async fn push(&mut self, out: Self::Out) -> Result<(), CallError>;
    fn count(&self) -> Result<u32, CallError>;
}

struct Generic<T> {
    circuit: Circuit,
    value: T,
}

#[breaker(connection = self.circuit, blocking)]
impl<T: Debug + Clone> Crm for Generic<T>
where
    T: PartialEq,
{
    type Out = T;

    async fn pull(&self) -> Result<Self::Out, CallError> {
        Ok(self.value.clone())
    }

    async fn push(&mut self, out: Self::Out) -> Result<(), CallError> {
        self.value = out;
        Ok(())
    }

    fn count(&self) -> Result<u32, CallError> {
        Ok(1)
    }
}

#[test]
fn a_generic_trait_impl_is_guarded_too_and_plain_functions_with_blocking() {
    let Api { circuit } = Api::held_open();
    let mut crm = Generic { circuit: circuit.clone(), value: 1 };
    assert!(rejected(ready(crm.pull())).is_some());
    assert!(rejected(ready(crm.push(2))).is_some());
    assert!(rejected(crm.count()).is_some());
    circuit.reset();
    ready(crm.push(2)).unwrap();
    assert_eq!(ready(crm.pull()).unwrap(), 2);
}

/// The methods that the author of an integration writes.
trait Integration {
    type Error: std::error::Error + breaker_core::ProvesReachable + From<CircuitOpen>;
    fn circuit(&self) -> &Circuit;
    async fn verify_unguarded(&self) -> Result<u32, Self::Error>;
}

/// The method that callers use. It is protected by default.
trait Guarded: Integration {
    #[breaker(connection = *self.circuit())]
    async fn verify(&self) -> Result<u32, Self::Error> {
        self.verify_unguarded().await
    }
}

impl<I: Integration> Guarded for I {}

#[test]
fn an_extension_trait_protects_every_integration() {
    struct Shop(Circuit);
    impl Integration for Shop {
        type Error = CallError;
        fn circuit(&self) -> &Circuit {
            &self.0
        }
        async fn verify_unguarded(&self) -> Result<u32, CallError> {
            Err(CallError::Failed)
        }
    }
    let shop = Shop(Circuit::new("shop", breaking_at(1)));
    assert!(matches!(ready(shop.verify()), Err(CallError::Failed)));
    assert!(matches!(ready(shop.verify()), Err(CallError::Rejected(_))));
}

#[breaker(connection = self.circuit)]
impl Api {
    #[cfg_attr(all(), inline, breaker(skip))]
    async fn left_out_here(&self) -> Result<u32, CallError> {
        std::future::ready(self).await;
        Ok(1)
    }

    #[cfg_attr(any(), breaker(skip))]
    async fn left_out_elsewhere(&self) -> Result<u32, CallError> {
        Ok(1)
    }

    #[cfg_attr(all(), breaker(fallback = |_| Ok(7)))]
    #[cfg_attr(any(), breaker(fallback = |_| Ok(8)))]
    async fn instead_here(&self) -> Result<u32, CallError> {
        Ok(1)
    }
}

// Fails if the macro assumes that a `cfg` condition is true or false instead of leaving it to the compiler.
#[test]
fn a_cfg_condition_decides_about_the_attribute_of_a_method() {
    let api = Api::held_open();
    assert_eq!(ready(api.left_out_here()).unwrap(), 1);
    assert!(rejected(ready(api.left_out_elsewhere())).is_some());
    assert_eq!(ready(api.instead_here()).unwrap(), 7);
}

macro_rules! block_of_items {
    ($($item:item)*) => {
        #[breaker(connection = self.circuit)]
        impl Items { $($item)* }
    };
}

struct Items {
    circuit: Circuit,
}

block_of_items! {
    const FIRST: u32 = 1;

    async fn after_a_constant(&self) -> Result<u32, CallError> {
        Ok(Self::FIRST)
    }

    #[allow(dead_code, reason = "an attribute on a passed item")]
    const SECOND: fn(u32) -> u32 = |number| number;

    pub(crate) async fn after_a_function_pointer(&self) -> Result<u32, CallError> {
        Ok((Self::SECOND)(2))
    }

    fn plain(&self) -> u32 {
        u32::from(self.circuit.state() == breaker_core::State::Open)
    }

    async fn last(&self) -> Result<u32, CallError> {
        Ok(self.plain())
    }
}

/// Passes methods on twice, so that their groups are nested, with a visibility in a group of its own.
macro_rules! twice {
    ($visibility:vis, $($item:item)*) => {
        inner! { $($item)* $visibility async fn written_here(&self) -> Result<u32, CallError> { Ok(1) } }
    };
}

macro_rules! inner {
    ($($item:item)*) => {
        #[breaker(connection = self.circuit)]
        impl Nested { $($item)* }
    };
}

struct Nested {
    circuit: Circuit,
}

twice! {
    pub(crate),
    const ONE: u32 = 1;
    async fn passed_on(&self) -> Result<u32, CallError> { Ok(Self::ONE) }
}

// Fails if the group around a constant hides the end of the constant, so that the methods after it are passed through.
#[test]
fn items_that_a_macro_passes_on_are_guarded() {
    let items = Items { circuit: Api::held_open().circuit };
    assert_eq!(rejected(ready(items.after_a_constant())).as_deref(), Some("after_a_constant"));
    assert_eq!(rejected(ready(items.after_a_function_pointer())).as_deref(), Some("after_a_function_pointer"));
    assert_eq!(rejected(ready(items.last())).as_deref(), Some("last"));
    let nested = Nested { circuit: items.circuit };
    assert_eq!(rejected(ready(nested.passed_on())).as_deref(), Some("passed_on"));
    assert_eq!(rejected(ready(nested.written_here())).as_deref(), Some("written_here"));
}

type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<u32, CallError>> + Send + 'a>>;

#[breaker(connection = self.circuit)]
impl Nested {
    fn by_alias(&self) -> ReplyFuture<'_> {
        Box::pin(async { Ok(1) })
    }
}

#[test]
fn an_alias_that_is_called_a_future_is_guarded() {
    let nested = Nested { circuit: Api::held_open().circuit };
    assert_eq!(rejected(ready(nested.by_alias())).as_deref(), Some("by_alias"));
}
