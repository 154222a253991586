//! Lints still apply to the body of an annotated function. If one did not, its expectation here would be unfulfilled,
//! which is denied.
#![deny(warnings)]
#![allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "other lints are not tested here")]

use breaker_core::{Circuit, CircuitOpen, Config, breaker};

#[expect(unused_variables, reason = "this lint is tested")]
#[breaker(connection = *circuit)]
async fn unused_arguments(circuit: &Circuit, number: u32, text: String) -> Result<(), CircuitOpen> {
    core::future::ready(()).await;
    Ok(())
}

#[expect(unused_variables, reason = "this lint is tested")]
#[breaker(connection = *circuit)]
fn unused_arguments_at_once(circuit: &Circuit, text: String) -> Result<(), CircuitOpen> {
    Ok(())
}

struct Api {
    circuit: Circuit,
    number: u32,
}

impl Api {
    /// Both names occur elsewhere, where they are not uses of these arguments.
    #[expect(unused_variables, reason = "this lint is tested")]
    #[breaker(connection = self.circuit)]
    async fn unused_words(&self, circuit: Box<u32>, number: String) -> Result<u32, CircuitOpen> {
        core::future::ready(()).await;
        Ok(self.number)
    }
}

#[expect(dead_code, reason = "this lint is tested")]
#[breaker(connection = *circuit)]
async fn dead(circuit: &Circuit) -> Result<(), CircuitOpen> {
    let _ = core::future::ready(circuit).await;
    Ok(())
}

#[expect(unused_mut, unused_assignments, unused_variables, reason = "this lint is tested")]
#[breaker(connection = *circuit)]
async fn body(circuit: &Circuit, mut number: u32) -> Result<(), CircuitOpen> {
    let mut local = 1_u32;
    number = 2;
    core::future::ready(()).await;
    Ok(())
}

#[expect(unreachable_code, reason = "this lint is tested")]
#[breaker(connection = *circuit)]
fn unreachable(circuit: &Circuit) -> Result<u32, CircuitOpen> {
    return Ok(1);
    Ok(2)
}

#[test]
fn functions_with_expected_lints_run() {
    let circuit = Circuit::new("shop", Config::default());
    assert!(unreachable(&circuit).is_ok());
    assert!(unused_arguments_at_once(&circuit, String::new()).is_ok());
    let api = Api { circuit: circuit.clone(), number: 1 };
    drop(api.unused_words(Box::new(1), String::new()));
    drop((unused_arguments(&circuit, 1, String::new()), body(&circuit, 1)));
}
