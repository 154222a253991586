//! Evidence of the values of marked types.

use std::sync::Arc;

use breaker_core::{Circuit, CircuitOpen, Config, Evidence, ProvesReachable};

fn rejection() -> CircuitOpen {
    let circuit = Circuit::new("shop-7", Config::default());
    circuit.hold_open();
    circuit.try_acquire().unwrap_err()
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ConsentError {
    #[error("no contact {0}")]
    #[reachable(status = 404)]
    ContactNotFound(u64),
    #[error("the ledger is closed")]
    #[reachable(status = [409, LOCKED], because = "the ledger answers a closed account with 420 plus 3")]
    NetworkRefused,
    #[error("offline")]
    #[reachable(unknown)]
    NotSent,
    #[error("http")]
    Http(#[from] std::io::Error),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
    #[error("answered {status}")]
    Status {
        #[reachable(status)]
        status: u16,
        body: String,
    },
    #[error("answered {0:?}")]
    Perhaps(#[reachable(status)] Option<u16>),
    #[error(transparent)]
    #[reachable(transparent)]
    Inner(Box<Inner>),
    #[error("inner")]
    Wrapped(#[source] Inner),
    #[error(transparent)]
    Dynamic(Box<dyn std::error::Error + Send + Sync>),
}

const LOCKED: u16 = 423;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum Inner {
    #[error("gone")]
    #[reachable]
    Gone,
    #[error("broken")]
    Broken,
    #[error("rejected")]
    Rejected(Option<CircuitOpen>),
}

#[test]
fn each_mark_has_the_evidence_of_the_table() {
    use ConsentError as E;
    let io = || std::io::Error::other("x");
    let status = |status| E::Status { status, body: String::new() };
    for (error, evidence) in [
        (E::ContactNotFound(1), Evidence::Answered),
        (E::NetworkRefused, Evidence::Answered),
        (E::NotSent, Evidence::Unknown),
        (E::Http(io()), Evidence::Failed),
        (E::Rejected(rejection()), Evidence::Unknown),
        (status(404), Evidence::Answered),
        (status(503), Evidence::Failed),
        (status(500), Evidence::Failed),
        (status(408), Evidence::Failed),
        (status(401), Evidence::Unknown),
        (status(429), Evidence::Unknown),
        (status(0), Evidence::Failed),
        (E::Perhaps(Some(410)), Evidence::Answered),
        (E::Perhaps(None), Evidence::Failed),
        (E::Inner(Box::new(Inner::Gone)), Evidence::Answered),
        (E::Inner(Box::new(Inner::Broken)), Evidence::Failed),
        (E::Inner(Box::new(Inner::Rejected(Some(rejection())))), Evidence::Unknown),
        (E::Wrapped(Inner::Gone), Evidence::Failed),
        (E::Wrapped(Inner::Rejected(Some(rejection()))), Evidence::Unknown),
        (E::Wrapped(Inner::Rejected(None)), Evidence::Failed),
        (E::Dynamic(Box::new(io())), Evidence::Failed),
        (E::Dynamic(Box::new(rejection())), Evidence::Unknown),
    ] {
        assert_eq!(error.evidence(), evidence, "{error:?}");
    }
}

/// Without the range check, a client that stores 0 for "no response" would have proven an answer.
#[test]
fn a_status_in_a_field_decides_by_its_class() {
    const ANSWERS: [u16; 15] = [304, 402, 403, 404, 409, 410, 412, 413, 415, 416, 422, 423, 428, 450, 451];
    for status in 0..=1_000 {
        let expected = match status {
            status if ANSWERS.contains(&status) => Evidence::Answered,
            0..100 | 408 | 444 | 460 | 499 | 500.. => Evidence::Failed,
            _ => Evidence::Unknown,
        };
        let error = ConsentError::Status { status, body: String::new() };
        assert_eq!(error.evidence(), expected, "{status}");
    }
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum Generic<E: std::error::Error + 'static> {
    #[error("gone")]
    #[reachable]
    Gone,
    #[error(transparent)]
    #[reachable(transparent)]
    Inner(E),
    #[error("failed")]
    Failed(#[source] E),
}

#[test]
fn a_generic_wrapper_has_the_evidence_of_its_error() {
    assert_eq!(Generic::<Inner>::Gone.evidence(), Evidence::Answered);
    assert_eq!(Generic::Inner(Inner::Gone).evidence(), Evidence::Answered);
    assert_eq!(Generic::Inner(Inner::Broken).evidence(), Evidence::Failed);
    assert_eq!(Generic::Failed(Inner::Gone).evidence(), Evidence::Failed);
    assert_eq!(Generic::Failed(rejection()).evidence(), Evidence::Unknown);
}

#[test]
fn a_pointer_has_the_evidence_of_its_error() {
    fn evidence_of<E: ProvesReachable>(error: E) -> Evidence {
        error.evidence()
    }
    assert_eq!(evidence_of(&Inner::Gone), Evidence::Answered);
    assert_eq!(evidence_of(Box::new(Inner::Gone)), Evidence::Answered);
    assert_eq!(evidence_of(Arc::new(Inner::Rejected(Some(rejection())))), Evidence::Unknown);
}
