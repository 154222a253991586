//! Errors with a hidden type: a marked type inside them is found without a list at the call.
#![forbid(unsafe_code)]

use std::error::Error;

use crate::common::ready;
use breaker_core::{Circuit, CircuitOpen, Config, ProvesReachable, Snapshot, State, breaker};

type Boxed = Box<dyn Error + Send + Sync>;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ContactError {
    #[error("no such contact")]
    #[reachable(status = 404)]
    NotFound,
    #[error("the answer never came")]
    Lost,
}

/// Has no marks, and a source.
#[derive(Debug, thiserror::Error)]
#[error("while reading the contact")]
struct Reading(#[source] ContactError);

/// Has marks of its own, which take precedence over its source.
#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("while writing the contact")]
#[reachable(never)]
struct Writing(#[source] ContactError);

/// Not `Send`, and registered nevertheless.
#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("no such row")]
struct LocalNotFound(std::rc::Rc<()>);

#[breaker(connection = *circuit)]
fn boxed(circuit: &Circuit, error: Boxed) -> Result<(), Boxed> {
    Err(error)
}

#[breaker(connection = *circuit)]
fn boxed_locally(circuit: &Circuit, error: Box<dyn Error>) -> Result<(), Box<dyn Error>> {
    Err(error)
}

#[breaker(connection = *circuit)]
async fn with_anyhow(circuit: &Circuit, error: anyhow::Error) -> anyhow::Result<()> {
    Err(error)
}

#[breaker(connection = *circuit)]
async fn with_eyre(circuit: &Circuit, error: eyre::Report) -> eyre::Result<()> {
    Err(error)
}

#[breaker(connection = *circuit, is_failure = |_| true)]
fn judged(circuit: &Circuit, error: anyhow::Error) -> anyhow::Result<()> {
    Err(error)
}

fn after<R>(call: impl FnOnce(&Circuit) -> R) -> Snapshot {
    let circuit = Circuit::new("crm", Config::default());
    drop(call(&circuit));
    circuit.snapshot()
}

const ANSWERED: (u64, u64, u64) = (1, 0, 0);
const FAILED: (u64, u64, u64) = (0, 1, 0);
const UNKNOWN: (u64, u64, u64) = (0, 0, 1);

fn counts(seen: &Snapshot) -> (u64, u64, u64) {
    (seen.marked_answers, seen.failed, seen.unknown)
}

#[test]
fn a_marked_type_is_found_inside() {
    let seen = after(|circuit| boxed(circuit, ContactError::NotFound.into()));
    assert_eq!(counts(&seen), ANSWERED);
    assert_eq!(seen.last_answer.unwrap().error, Some(std::any::type_name::<ContactError>()));
    assert_eq!(counts(&after(|circuit| boxed(circuit, ContactError::Lost.into()))), FAILED);
    assert_eq!(counts(&after(|circuit| boxed_locally(circuit, LocalNotFound(().into()).into()))), ANSWERED);
    assert_eq!(counts(&after(|circuit| ready(with_anyhow(circuit, ContactError::NotFound.into())))), ANSWERED);
    assert_eq!(counts(&after(|circuit| ready(with_eyre(circuit, ContactError::NotFound.into())))), ANSWERED);
}

#[test]
fn a_marked_type_is_found_through_sources_and_contexts() {
    assert_eq!(counts(&after(|circuit| boxed(circuit, Reading(ContactError::NotFound).into()))), ANSWERED);
    let context = anyhow::Error::new(Reading(ContactError::NotFound)).context("while syncing");
    assert_eq!(counts(&after(|circuit| ready(with_anyhow(circuit, context)))), ANSWERED);
    let marked_context = anyhow::anyhow!("what the remote system said").context(ContactError::NotFound);
    assert_eq!(counts(&after(|circuit| ready(with_anyhow(circuit, marked_context)))), ANSWERED);
    let context = eyre::Report::new(Reading(ContactError::NotFound)).wrap_err("while syncing");
    assert_eq!(counts(&after(|circuit| ready(with_eyre(circuit, context)))), ANSWERED);
    let marked_context = eyre::eyre!("what the remote system said").wrap_err(ContactError::NotFound);
    assert_eq!(counts(&after(|circuit| ready(with_eyre(circuit, marked_context)))), ANSWERED);
}

// Fails if only the sources of a dynamic error are searched: the box that it was made from is not one of them.
#[test]
fn a_marked_type_is_found_in_a_nested_box() {
    let boxed = || -> Boxed { ContactError::NotFound.into() };
    let error = anyhow::Error::from_boxed(boxed()).context("while syncing");
    assert_eq!(counts(&after(|circuit| ready(with_anyhow(circuit, error)))), ANSWERED);
    let error = eyre::eyre!(boxed()).wrap_err("while syncing");
    assert_eq!(counts(&after(|circuit| ready(with_eyre(circuit, error)))), ANSWERED);
}

#[test]
fn the_outermost_marked_type_wins() {
    assert_eq!(counts(&after(|circuit| boxed(circuit, Writing(ContactError::NotFound).into()))), FAILED);
}

#[test]
fn an_error_without_evidence_is_a_failure() {
    assert_eq!(counts(&after(|circuit| boxed(circuit, "no idea".into()))), FAILED);
    assert_eq!(counts(&after(|circuit| ready(with_anyhow(circuit, anyhow::anyhow!("no idea"))))), FAILED);
}

// Fails if only types with marks are searched for.
#[tokio::test]
async fn evidence_of_reqwest_and_tonic_is_found_inside() {
    for (status, expected) in [(404, ANSWERED), (503, FAILED), (401, UNKNOWN)] {
        let error = || -> reqwest::Error {
            let response = http::Response::builder().status(status).body("").unwrap();
            reqwest::Response::from(response).error_for_status().unwrap_err()
        };
        assert_eq!(counts(&after(|circuit| boxed(circuit, error().into()))), expected);
        let context = anyhow::Error::new(error()).context("while syncing");
        assert_eq!(counts(&after(|circuit| ready(with_anyhow(circuit, context)))), expected);
        assert_eq!(counts(&after(|circuit| ready(with_eyre(circuit, error().into())))), expected);
    }
    let unroutable = reqwest::get("http://127.0.0.1:1/").await.unwrap_err();
    assert_eq!(counts(&after(|circuit| ready(with_anyhow(circuit, unroutable.into())))), FAILED);
    let unknown_contact = tonic::Status::not_found("contact 7");
    assert_eq!(counts(&after(|circuit| ready(with_anyhow(circuit, unknown_contact.into())))), ANSWERED);
}

#[test]
fn a_rejection_inside_is_not_evidence() {
    let closed = Circuit::new("elsewhere", Config::default());
    closed.hold_open();
    let open = || -> CircuitOpen { closed.try_acquire().unwrap_err() };
    assert_eq!(counts(&after(|circuit| boxed(circuit, open().into()))), UNKNOWN);
    let context = anyhow::Error::new(open()).context("while syncing");
    assert_eq!(counts(&after(|circuit| ready(with_anyhow(circuit, context)))), UNKNOWN);
    let in_a_box = || -> Boxed { open().into() };
    assert_eq!(counts(&after(|circuit| ready(with_anyhow(circuit, anyhow::anyhow!(in_a_box()))))), UNKNOWN);
    assert_eq!(counts(&after(|circuit| ready(with_eyre(circuit, eyre::eyre!(in_a_box()))))), UNKNOWN);
    assert_eq!(counts(&after(|circuit| judged(circuit, anyhow::anyhow!(in_a_box())))), UNKNOWN);
}

#[test]
fn a_rejection_is_returned_as_the_dynamic_error() {
    let circuit = Circuit::new("crm", Config::default());
    circuit.hold_open();
    assert!(boxed(&circuit, "no idea".into()).unwrap_err().is::<CircuitOpen>());
    assert!(ready(with_anyhow(&circuit, anyhow::anyhow!("no idea"))).unwrap_err().is::<CircuitOpen>());
    assert!(ready(with_eyre(&circuit, eyre::eyre!("no idea"))).unwrap_err().is::<CircuitOpen>());
    assert_eq!(circuit.state(), State::Open);
}
