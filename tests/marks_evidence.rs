//! What a value of a marked type proves.

use std::fmt;

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
    NetworkNameTaken,
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
fn each_mark_means_what_the_table_says() {
    use ConsentError as E;
    let io = || std::io::Error::other("x");
    let status = |status| E::Status { status, body: String::new() };
    for (error, evidence) in [
        (E::ContactNotFound(1), Evidence::Answered),
        (E::NetworkNameTaken, Evidence::Answered),
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

#[test]
fn table() {
    println!("{}", breaker_core::marks::<ConsentError>());
    let _ = fmt::Error;
}
