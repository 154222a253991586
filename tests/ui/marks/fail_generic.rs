//! A type parameter has to promise that it is no fault.

use breaker_core::ProvesReachable;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum LookupError<T> {
    #[error("a")]
    #[reachable]
    NotFound(T),
    #[error("b")]
    Http(T),
}

#[derive(Debug)]
struct Mine;

fn proves<E: ProvesReachable>() {}

fn main() {
    proves::<LookupError<u64>>();
    proves::<LookupError<std::io::Error>>();
    proves::<LookupError<Mine>>();
}
