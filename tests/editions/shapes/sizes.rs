//! Size and nesting depth of the futures.

use std::mem::size_of_val;

use breaker_core::{breaker, Circuit};

use crate::{fragile, is_send, ready, CallError};

/// The same function twice: with and without the annotation.
macro_rules! both {
    ($annotated:ident, $bare:ident, ($($arguments:tt)*) $body:block) => {
        #[breaker(connection = "shapes-sizes")]
        async fn $annotated($($arguments)*) -> Result<usize, CallError> $body

        async fn $bare($($arguments)*) -> Result<usize, CallError> $body
    };
}

both!(nothing, bare_nothing, (circuit: &Circuit) {
    let _ = circuit;
    Ok(1)
});

both!(large_argument, bare_large_argument, (circuit: &Circuit, payload: [u8; 2_000]) {
    std::future::ready(circuit).await;
    Ok(payload.len())
});

both!(large_local, bare_large_local, (circuit: &Circuit, length: usize) {
    let local = [1_u8; 3_000];
    std::future::ready(circuit).await;
    Ok(local.len() + length)
});

#[test]
fn a_future_grows_by_at_most_64_bytes() {
    let circuit = fragile();
    for (annotated, bare) in [
        (size_of_val(&nothing(&circuit)), size_of_val(&bare_nothing(&circuit))),
        (size_of_val(&large_argument(&circuit, [0; 2_000])), size_of_val(&bare_large_argument(&circuit, [0; 2_000]))),
        (size_of_val(&large_local(&circuit, 1)), size_of_val(&bare_large_local(&circuit, 1))),
    ] {
        assert!(annotated <= bare + 64, "{} bytes instead of {}", annotated, bare);
    }
}

both!(looked_at, bare_looked_at, (circuit: &Circuit, payload: [u8; 1_000]) {
    let _ = circuit;
    Ok(payload.len())
});

both!(moved, bare_moved, (circuit: &Circuit, payload: [u8; 1_000]) {
    let local = payload;
    std::future::ready(circuit).await;
    Ok(local.len())
});

both!(passed_on, bare_passed_on, (circuit: &Circuit, payload: [u8; 1_000]) {
    large_argument(circuit, [payload[0]; 2_000]).await?;
    bare_looked_at(circuit, payload).await
});

/// The documentation states these figures. Fails if an argument is stored a third time.
#[test]
fn a_value_not_held_across_an_await_is_stored_once_more() {
    let circuit = fragile();
    let payload = [0; 1_000];
    for (annotated, bare) in [
        (size_of_val(&looked_at(&circuit, payload)), size_of_val(&bare_looked_at(&circuit, payload))),
        (size_of_val(&moved(&circuit, payload)), size_of_val(&bare_moved(&circuit, payload))),
        (size_of_val(&passed_on(&circuit, payload)), size_of_val(&bare_passed_on(&circuit, payload))),
    ] {
        assert!(annotated <= bare + 1_000 + 64, "{} bytes instead of {}", annotated, bare);
    }
}

macro_rules! chain {
    ($first:ident $second:ident $($rest:ident)*) => {
        #[breaker(connection = *circuit)]
        async fn $first(circuit: &Circuit, depth: usize) -> Result<usize, CallError> {
            Ok($second(circuit, depth + 1).await?)
        }
        chain!($second $($rest)*);
    };
    ($last:ident) => {
        #[breaker(connection = *circuit)]
        async fn $last(circuit: &Circuit, depth: usize) -> Result<usize, CallError> {
            let _ = circuit;
            Ok(depth)
        }
    };
}

chain!(one two three four five six seven eight nine ten);

#[test]
fn a_chain_of_ten_grows_linearly() {
    let circuit = fragile();
    let sizes = [
        size_of_val(&one(&circuit, 1)),
        size_of_val(&two(&circuit, 1)),
        size_of_val(&eight(&circuit, 1)),
        size_of_val(&nine(&circuit, 1)),
    ];
    // Fails if a level stores a body twice: each level would then add more than the one below it.
    assert!(sizes[0] - sizes[1] <= sizes[2] - sizes[3], "{:?}", sizes);
    assert_eq!(ready(is_send(one(&circuit, 1))).unwrap(), 10);
}

macro_rules! chain_with_fallback {
    ($first:ident $second:ident $($rest:ident)*) => {
        #[breaker(connection = *circuit, fallback = |_| Ok(0))]
        fn $first(circuit: &Circuit, depth: usize) -> impl std::future::Future<Output = Result<usize, CallError>> + Send + '_ {
            async move { Ok($second(circuit, depth + 1).await?) }
        }
        chain_with_fallback!($second $($rest)*);
    };
    ($last:ident) => {
        #[breaker(connection = *circuit, fallback = |_| Ok(0))]
        fn $last(circuit: &Circuit, depth: usize) -> impl std::future::Future<Output = Result<usize, CallError>> + Send + '_ {
            let _ = circuit;
            async move { Ok(depth) }
        }
    };
}

chain_with_fallback!(first second third fourth fifth sixth seventh eighth ninth tenth);

#[test]
fn a_chain_with_fallbacks_grows_linearly() {
    let circuit = fragile();
    let sizes = [
        size_of_val(&first(&circuit, 1)),
        size_of_val(&second(&circuit, 1)),
        size_of_val(&eighth(&circuit, 1)),
        size_of_val(&ninth(&circuit, 1)),
    ];
    assert!(sizes[0] - sizes[1] <= sizes[2] - sizes[3], "{:?}", sizes);
    assert_eq!(ready(is_send(first(&circuit, 1))).unwrap(), 10);
    circuit.hold_open();
    assert_eq!(ready(first(&circuit, 1)).unwrap(), 0);
}

#[breaker(connection = *circuit, fallback = |_| Ok(0))]
async fn fallen_back(circuit: &Circuit) -> Result<usize, CallError> {
    large(circuit).await
}

async fn bare_fallen_back(circuit: &Circuit) -> Result<usize, CallError> {
    large(circuit).await
}

#[breaker(connection = *circuit, fallback = |_| { std::future::ready(()).await; Ok(0) })]
fn fallen_back_later(circuit: &Circuit) -> impl std::future::Future<Output = Result<usize, CallError>> + '_ {
    large(circuit)
}

async fn large(circuit: &Circuit) -> Result<usize, CallError> {
    let local = [1_u8; 3_000];
    std::future::ready(circuit).await;
    Ok(local.len())
}

#[test]
fn a_fallback_stores_no_second_body() {
    let circuit = fragile();
    for (annotated, bare) in [
        (size_of_val(&fallen_back(&circuit)), size_of_val(&bare_fallen_back(&circuit))),
        (size_of_val(&fallen_back_later(&circuit)), size_of_val(&large(&circuit))),
    ] {
        assert!(annotated <= bare + 64, "{} bytes instead of {}", annotated, bare);
    }
    assert_eq!(ready(fallen_back(&circuit)).unwrap(), 3_000);
    assert_eq!(ready(fallen_back_later(&circuit)).unwrap(), 3_000);
    circuit.hold_open();
    assert_eq!(ready(fallen_back(&circuit)).unwrap(), 0);
    assert_eq!(ready(fallen_back_later(&circuit)).unwrap(), 0);
}
