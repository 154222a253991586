//! Arguments of a function that the attribute uses by value, or that only the attribute uses.
#![allow(clippy::needless_pass_by_value, reason = "the attribute borrows some of the arguments")]
#![allow(clippy::used_underscore_binding, reason = "attributes that use such an argument are tested here")]

use std::pin::Pin;

use breaker_core::{Circuit, breaker};
use futures::StreamExt as _;

use crate::common::{CallError, breaking_at, ready};

type Boxed<T> = Pin<Box<dyn Future<Output = Result<T, CallError>> + Send>>;

/// A name that the connection takes and the body does not use.
#[breaker(connection = ("moved-arguments", name))]
async fn asynchronous(name: String) -> Result<u32, CallError> {
    Err(CallError::Failed)
}

#[breaker(connection = ("moved-arguments", name))]
fn plain(name: String) -> Result<u32, CallError> {
    Err(CallError::Failed)
}

#[breaker(connection = ("moved-arguments", name))]
fn opaque(name: String) -> impl Future<Output = Result<u32, CallError>> {
    async { Err(CallError::Failed) }
}

#[breaker(connection = ("moved-arguments", name))]
fn boxed(name: String) -> Boxed<u32> {
    Box::pin(async { Err(CallError::Failed) })
}

#[breaker(connection = ("moved-arguments", name), fallback = |_| Ok(7))]
fn boxed_with_fallback(name: String) -> Pin<Box<dyn Future<Output = Result<u32, CallError>> + Send>> {
    Box::pin(async { Err(CallError::Failed) })
}

#[breaker(connection = ("moved-arguments", _name))]
async fn with_underscore(_name: String) -> Result<u32, CallError> {
    Err(CallError::Failed)
}

struct Request {
    shop: String,
    circuit: Circuit,
}

fn look_up(shop: String) -> (&'static str, String) {
    ("moved-arguments", shop)
}

#[breaker(connection = look_up(request.shop))]
async fn field(request: Request) -> Result<u32, CallError> {
    Err(CallError::Failed)
}

/// The connection takes one field, and the body another one.
#[breaker(connection = look_up(request.shop))]
async fn two_fields(request: Request) -> Result<u32, CallError> {
    Err(if request.circuit.snapshot().failed == 0 { CallError::Failed } else { CallError::Answered })
}

#[test]
fn the_connection_may_take_an_argument() {
    let failed = |key: &str| {
        let circuit = breaker_core::Registry::global().get(&("moved-arguments", key)).expect("the call has made it");
        circuit.snapshot().failed
    };
    let request = |shop: &str| Request { shop: shop.into(), circuit: Circuit::new("other", breaking_at(1)) };
    ready(asynchronous("async".into())).unwrap_err();
    plain("plain".into()).unwrap_err();
    ready(opaque("opaque".into())).unwrap_err();
    ready(boxed("boxed".into())).unwrap_err();
    ready(boxed_with_fallback("fallback".into())).unwrap_err();
    ready(with_underscore("underscore".into())).unwrap_err();
    ready(field(request("field"))).unwrap_err();
    ready(two_fields(request("fields"))).unwrap_err();
    for key in ["async", "plain", "opaque", "boxed", "fallback", "underscore", "field", "fields"] {
        assert_eq!(failed(key), 1, "{key}");
    }
}

/// Counts an error as a failure only if the name is not empty. The body takes the name, too.
#[breaker(connection = circuit, is_failure = { let name = name.clone(); move |_: &CallError| !name.is_empty() })]
async fn judged(circuit: &Circuit, name: String) -> Result<String, CallError> {
    drop(name);
    Err(CallError::Answered)
}

#[breaker(connection = circuit, is_failure = { let name = name.clone(); move |_: &CallError| !name.is_empty() })]
fn judged_plain(circuit: &Circuit, name: String) -> Result<String, CallError> {
    drop(name);
    Err(CallError::Answered)
}

#[breaker(connection = circuit, is_failure = { let name = name.clone(); move |_: &CallError| !name.is_empty() })]
fn judged_opaque(circuit: Circuit, name: String) -> impl Future<Output = Result<String, CallError>> {
    async move {
        drop(name);
        Err(CallError::Answered)
    }
}

#[breaker(
    connection = circuit,
    is_failure = { let name = name.clone(); move |_: &CallError| !name.is_empty() },
    fallback = |_| Ok(String::new())
)]
fn judged_opaque_with_fallback(circuit: Circuit, name: String) -> impl Future<Output = Result<String, CallError>> {
    async move {
        drop(name);
        Err(CallError::Answered)
    }
}

#[breaker(
    connection = circuit,
    is_failure = { let name = name.clone(); move |_: &CallError| !name.is_empty() },
    fallback = |_| Ok(String::new())
)]
fn judged_boxed(circuit: Circuit, name: String) -> Pin<Box<dyn Future<Output = Result<String, CallError>> + Send>> {
    Box::pin(async move {
        drop(name);
        Err(CallError::Answered)
    })
}

#[breaker(connection = circuit, is_failure = { let name = name.clone(); move |_: &CallError| !name.is_empty() })]
fn judged_stream(circuit: Circuit, name: String) -> impl futures::Stream<Item = Result<String, CallError>> {
    drop(name);
    futures::stream::iter([Err(CallError::Answered)])
}

#[test]
fn a_judge_may_use_an_argument_that_the_body_takes() {
    let circuit = Circuit::new("shop", breaking_at(u32::MAX));
    let call = |name: &str| {
        let before = circuit.snapshot().failed;
        ready(judged(&circuit, name.into())).unwrap_err();
        judged_plain(&circuit, name.into()).unwrap_err();
        ready(judged_opaque(circuit.clone(), name.into())).unwrap_err();
        ready(judged_opaque_with_fallback(circuit.clone(), name.into())).unwrap_err();
        ready(judged_boxed(circuit.clone(), name.into())).unwrap_err();
        ready(judged_stream(circuit.clone(), name.into()).next()).unwrap().unwrap_err();
        circuit.snapshot().failed - before
    };
    assert_eq!(call("shop"), 6);
    assert_eq!(call(""), 0);
}

/// An argument with an underscore that only the judge reads.
#[breaker(connection = circuit, is_failure = |_: &CallError| _limit > 3)]
async fn limited(circuit: &Circuit, _limit: u32) -> Result<u32, CallError> {
    Err(CallError::Answered)
}

/// An argument with an underscore that only a second attribute reads.
#[breaker(connection = _shop)]
#[breaker(connection = _tenant)]
async fn for_a_tenant(_shop: &Circuit, _tenant: Circuit) -> Result<u32, CallError> {
    Err(CallError::Failed)
}

#[breaker(connection = circuit)]
#[tracing::instrument(skip_all, fields(tenant = %_tenant))]
async fn traced(circuit: &Circuit, _tenant: String) -> Result<u32, CallError> {
    Err(CallError::Failed)
}

#[test]
fn an_argument_with_an_underscore_may_be_used_by_attributes_alone() {
    let [shop, tenant] = ["shop", "tenant"].map(|key| Circuit::new(key, breaking_at(u32::MAX)));
    ready(limited(&shop, 3)).unwrap_err();
    assert_eq!(shop.snapshot().failed, 0);
    ready(limited(&shop, 4)).unwrap_err();
    assert_eq!(shop.snapshot().failed, 1);
    ready(for_a_tenant(&shop, tenant.clone())).unwrap_err();
    ready(traced(&tenant, "seven".into())).unwrap_err();
    assert_eq!((shop.snapshot().failed, tenant.snapshot().failed), (2, 2));
}
