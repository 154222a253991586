//! Return types: aliases, unsizing, diverging bodies.

use std::error::Error;
use std::fmt::Debug;

use breaker_core::{breaker, Circuit};

use crate::{fragile, is_open, ready, CallError};

type Answer<T> = Result<T, CallError>;
type Unit = Answer<()>;

#[breaker(connection = *circuit)]
async fn alias(circuit: &Circuit) -> Answer<u32> {
    let _ = circuit;
    Ok(1)
}

#[breaker(connection = *circuit)]
fn alias_without_arguments(circuit: &Circuit) -> Unit {
    let _ = circuit;
    Err(CallError::Failed)
}

trait Api {
    type Out;
    fn call(&self) -> Self::Out;
    #[breaker(connection = *circuit)]
    async fn default_method(&self, circuit: &Circuit) -> Result<u32, CallError> {
        let _ = circuit;
        Ok(2)
    }
}

struct Shop(Circuit);

impl Api for Shop {
    type Out = Result<u32, CallError>;

    #[breaker(connection = self.0)]
    fn call(&self) -> Self::Out {
        Ok(1)
    }
}

#[breaker(connection = *circuit, is_failure = |_| true, fallback = |open| Err(open.into()))]
async fn unsized_later(circuit: &Circuit, fail: bool) -> Result<Box<dyn Debug>, Box<dyn Error>> {
    let _ = circuit;
    if fail {
        return Err(Box::new(CallError::Failed));
    }
    let parsed: u32 = "1".parse()?;
    Ok(Box::new(parsed))
}

#[breaker(connection = *circuit, is_failure = |_| true, fallback = |open| Err(open.into()))]
fn unsized_at_once(circuit: &Circuit, fail: bool) -> Result<Box<dyn Debug>, Box<dyn Error>> {
    let _ = circuit;
    if fail {
        return Err(Box::new(CallError::Failed));
    }
    let parsed: u32 = "1".parse()?;
    Ok(Box::new(parsed))
}

#[breaker(connection = *circuit)]
async fn diverges(circuit: &Circuit) -> Result<u32, CallError> {
    let _ = circuit;
    panic!("no way out")
}

#[breaker(connection = *circuit)]
fn diverges_at_once(circuit: &Circuit) -> Result<u32, CallError> {
    let _ = circuit;
    panic!("no way out")
}

#[breaker(connection = *circuit)]
async fn closure_in_the_result(circuit: &Circuit) -> Result<impl Fn(u32) -> u32, CallError> {
    let _ = circuit;
    Ok(|number| number + 1)
}

#[test]
fn results_are_returned() {
    let circuit = fragile();
    assert_eq!(ready(alias(&circuit)).unwrap(), 1);
    assert_eq!(Shop(circuit.clone()).call().unwrap(), 1);
    assert_eq!(ready(Shop(circuit.clone()).default_method(&circuit)).unwrap(), 2);
    assert_eq!(format!("{:?}", ready(unsized_later(&circuit, false)).unwrap()), "1");
    assert_eq!(format!("{:?}", unsized_at_once(&circuit, false).unwrap()), "1");
    assert_eq!(ready(closure_in_the_result(&circuit)).unwrap()(1), 2);
}

#[test]
fn errors_count() {
    for call in [
        |circuit: &Circuit| drop(alias_without_arguments(circuit)),
        |circuit: &Circuit| drop(ready(unsized_later(circuit, true))),
        |circuit: &Circuit| drop(unsized_at_once(circuit, true)),
        |circuit: &Circuit| drop(std::panic::catch_unwind(|| ready(diverges(circuit)))),
        |circuit: &Circuit| drop(std::panic::catch_unwind(|| diverges_at_once(circuit))),
    ] {
        let circuit = fragile();
        call(&circuit);
        assert!(is_open(&circuit));
    }
}

/// Without marks: only its source shows that it passes on a rejection.
#[derive(Debug)]
struct Wrapped(breaker_core::CircuitOpen);

impl std::fmt::Display for Wrapped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the other system is down")
    }
}

impl std::error::Error for Wrapped {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

impl From<breaker_core::CircuitOpen> for Wrapped {
    fn from(open: breaker_core::CircuitOpen) -> Self {
        Self(open)
    }
}

#[breaker(connection = *outer, is_failure = |_| true)]
fn nests_another(outer: &breaker_core::Circuit, inner: &breaker_core::Circuit) -> Result<u32, Wrapped> {
    drop(inner.try_acquire()?);
    Ok(1)
}

/// Law 6. Fails if `is_failure` alone decides.
#[test]
fn is_failure_does_not_turn_a_rejection_into_evidence() {
    let (outer, inner) = (crate::fragile(), crate::held_open());
    nests_another(&outer, &inner).unwrap_err();
    assert_eq!(outer.state(), breaker_core::State::Closed);
}

/// Blanket implementations of user traits for every type.
trait Namesakes {
    fn kind(&self) -> u32 {
        1
    }
    fn judge(&self) -> u32 {
        1
    }
    fn judge_values(&self, _: u32) -> u32 {
        1
    }
}

impl<T: ?Sized> Namesakes for T {}

#[breaker(connection = "shapes-namesakes")]
fn beside_namesakes() -> Result<u32, crate::CallError> {
    Ok(1.kind() + 1.judge() + 1.judge_values(1))
}

#[test]
fn blanket_traits_do_not_clash() {
    assert_eq!(beside_namesakes().unwrap(), 3);
}
