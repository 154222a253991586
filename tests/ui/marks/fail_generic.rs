//! Type parameters in marked fields without the bound `MarkedPayload`.

use breaker_core::ProvesReachable;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum LookupError<T> {
    #[error("a")]
    #[reachable]
    NotFound(T),
    #[error("b")]
    Http(T),
}

/// The bound `ProvesReachable` does not imply `MarkedPayload`.
#[derive(Debug, thiserror::Error, ProvesReachable)]
enum PurchaseError<E: ProvesReachable + Wraps> {
    #[error("a")]
    #[reachable(because = "the cause is where the local copy was searched")]
    NotFound(E),
    #[error("b")]
    #[reachable]
    Sold(E::Cause),
}

trait Wraps {
    type Cause: std::fmt::Debug;
}

impl Wraps for std::io::Error {
    type Cause = u8;
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("a")]
struct Gone;

impl Wraps for Gone {
    type Cause = std::io::Error;
}

#[derive(Debug)]
struct Mine;

fn proves<E: ProvesReachable>() {}

fn main() {
    proves::<LookupError<u64>>();
    proves::<LookupError<std::io::Error>>();
    proves::<LookupError<Mine>>();
    proves::<PurchaseError<std::io::Error>>();
    proves::<PurchaseError<Gone>>();
}
