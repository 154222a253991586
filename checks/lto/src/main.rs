//! A program that panics if a marked error type of another crate is not recognised inside a dynamic error.
#![forbid(unsafe_code)]

use std::error::Error;

use breaker_core::{Circuit, Config, breaker};

#[breaker(connection = *circuit)]
fn boxed(circuit: &Circuit, lost: bool) -> Result<u32, Box<dyn Error + Send + Sync>> {
    breaker_lto_remote::pull(lost)
}

#[breaker(connection = *circuit)]
fn with_anyhow(circuit: &Circuit, lost: bool) -> anyhow::Result<u32> {
    breaker_lto_remote::pull(lost).map_err(|error| anyhow::Error::from_boxed(error).context("while syncing"))
}

#[breaker(connection = *circuit)]
fn with_eyre(circuit: &Circuit, lost: bool) -> eyre::Result<u32> {
    breaker_lto_remote::pull(lost).map_err(|error| eyre::eyre!(error).wrap_err("while syncing"))
}

fn main() {
    type Call = fn(&Circuit, bool);
    let calls: [(&str, Call); 3] = [
        ("boxed", |circuit, lost| drop(boxed(circuit, lost))),
        ("anyhow", |circuit, lost| drop(with_anyhow(circuit, lost))),
        ("eyre", |circuit, lost| drop(with_eyre(circuit, lost))),
    ];
    for (name, call) in calls {
        let circuit = Circuit::new("crm", Config::default());
        call(&circuit, false);
        call(&circuit, true);
        let seen = circuit.snapshot();
        assert_eq!((seen.marked_answers, seen.failed), (1, 1), "{name}");
        println!("{name}: an answer and a failure");
    }
}
