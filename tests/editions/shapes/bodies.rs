//! Function bodies.

use breaker_core::{breaker, Circuit};

use crate::{fragile, held_open, is_send, ready, CallError};

#[breaker(connection = *circuit)]
async fn leaves_early(circuit: &Circuit, text: &str) -> Result<u32, CallError> {
    let _ = circuit;
    if text.is_empty() {
        return Err(CallError::Answered);
    }
    let number = 'search: {
        for character in text.chars() {
            if character.is_ascii_digit() {
                break 'search character.to_digit(10);
            }
        }
        None
    };
    match number {
        Some(number) => Ok(number),
        None => Ok(text.parse()?),
    }
}

#[breaker(connection = *circuit)]
fn leaves_early_at_once(circuit: &Circuit, text: &str) -> Result<u32, CallError> {
    let _ = circuit;
    if text.is_empty() {
        return Err(CallError::Answered);
    }
    Ok(text.parse()?)
}

#[breaker(connection = *circuit)]
async fn inner_attributes(circuit: &Circuit) -> Result<u32, CallError> {
    //! It has documentation inside.
    #![allow(unused_variables)]
    let unused = circuit;
    Ok(1)
}

#[breaker(connection = *circuit)]
fn inner_attributes_at_once(circuit: &Circuit) -> Result<u32, CallError> {
    #![allow(unused_variables)]
    let unused = circuit;
    Ok(1)
}

#[breaker(connection = *circuit)]
async fn items(circuit: &Circuit) -> Result<u32, CallError> {
    macro_rules! twice {
        ($value:expr) => {
            $value * 2
        };
    }
    const ONE: u32 = 1;
    struct Local(u32);
    impl Local {
        fn value(&self) -> u32 {
            self.0
        }
    }
    let _ = circuit;
    let local = Local(ONE);
    Ok(twice!(local.value()))
}

/// Recursion with an explicit box.
#[breaker(connection = *circuit)]
async fn recursive(circuit: &Circuit, depth: u32) -> Result<u32, CallError> {
    if depth == 0 {
        return Ok(0);
    }
    Ok(Box::pin(recursive(circuit, depth - 1)).await? + 1)
}

#[breaker(connection = *circuit)]
fn recursive_at_once(circuit: &Circuit, depth: u32) -> Result<u32, CallError> {
    if depth == 0 {
        Ok(0)
    } else {
        Ok(recursive_at_once(circuit, depth - 1)? + 1)
    }
}

#[breaker(connection = *circuit)]
async fn empty_looking(circuit: &Circuit) -> Result<(), CallError> {
    Ok(drop(circuit.clone()))
}

#[breaker(connection = *circuit)]
#[must_use = "of the user"]
#[inline]
pub(crate) fn with_attributes(circuit: &Circuit) -> Result<u32, CallError> {
    let _ = circuit;
    Ok(1)
}

#[breaker(connection = *circuit)]
async fn awaits_inside_closures(circuit: &Circuit) -> Result<u32, CallError> {
    let later = |number: u32| async move { number + 1 };
    let _ = circuit;
    Ok(later(1).await)
}

#[breaker(connection = *r#type)]
async fn r#match(r#type: &Circuit, r#fn: u32) -> Result<u32, CallError> {
    let _ = r#type;
    Ok(r#fn)
}

#[test]
fn bodies_of_every_shape_run() {
    let circuit = fragile();
    assert_eq!(ready(is_send(leaves_early(&circuit, "a7"))).unwrap(), 7);
    assert!(matches!(ready(leaves_early(&circuit, "")), Err(CallError::Answered)));
    assert_eq!(leaves_early_at_once(&circuit, "7").unwrap(), 7);
    assert_eq!(ready(inner_attributes(&circuit)).unwrap(), 1);
    assert_eq!(inner_attributes_at_once(&circuit).unwrap(), 1);
    assert_eq!(ready(items(&circuit)).unwrap(), 2);
    assert_eq!(ready(recursive(&circuit, 5)).unwrap(), 5);
    assert_eq!(recursive_at_once(&circuit, 5).unwrap(), 5);
    ready(empty_looking(&circuit)).unwrap();
    assert_eq!(with_attributes(&circuit).unwrap(), 1);
    assert_eq!(ready(awaits_inside_closures(&circuit)).unwrap(), 2);
    assert_eq!(ready(r#match(&circuit, 3)).unwrap(), 3);
    match ready(r#match(&held_open(), 3)) {
        Err(CallError::Rejected(open)) => assert_eq!(open.operation(), Some("match")),
        other => panic!("{:?}", other),
    }
}

#[breaker(connection = "shapes-diverging-fallback", fallback = |_| panic!("rejected"))]
async fn panics_instead() -> Result<u32, CallError> {
    Ok(1)
}

#[breaker(connection = "shapes-diverging-fallback", fallback = |_| panic!("rejected"))]
fn panics_instead_at_once() -> Result<u32, CallError> {
    Ok(1)
}

#[breaker(connection = "shapes-diverging-fallback", fallback = |_| return Ok(4))]
async fn returns_instead() -> Result<u32, CallError> {
    Ok(1)
}

#[breaker(connection = "shapes-diverging-fallback", fallback = |_| return Ok(4))]
fn returns_instead_at_once() -> Result<u32, CallError> {
    Ok(1)
}

#[breaker(connection = "shapes-diverging-fallback", fallback = |_| panic!("rejected"))]
fn panics_instead_later() -> impl std::future::Future<Output = Result<u32, CallError>> {
    async { Ok(1) }
}

/// Causes no warning about generated code.
#[test]
fn a_fallback_may_diverge() {
    assert_eq!(ready(panics_instead()).unwrap(), 1);
    assert_eq!(panics_instead_at_once().unwrap(), 1);
    assert_eq!(ready(returns_instead()).unwrap(), 1);
    assert_eq!(returns_instead_at_once().unwrap(), 1);
    assert_eq!(ready(panics_instead_later()).unwrap(), 1);
}
