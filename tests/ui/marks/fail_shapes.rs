//! Types that cannot be marked as they are.

use breaker_core::ProvesReachable;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum Unmarked {
    #[error("a")]
    NotFound,
    #[error("b")]
    Http,
}

/// `ProvesReachable` is implemented despite the mistake, so that uses cause no further error.
#[derive(Clone, Copy, ProvesReachable)]
union Either {
    a: u8,
    b: u16,
}

impl std::fmt::Debug for Either {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("either")
    }
}

impl std::fmt::Display for Either {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("either")
    }
}

impl std::error::Error for Either {}

#[derive(Debug, ProvesReachable)]
#[reachable]
enum NoError {
    NotFound,
}

#[derive(Debug, thiserror::Error)]
#[error("a")]
struct Foreign;

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum Wrapping {
    #[error("a")]
    #[reachable(transparent)]
    Foreign(Foreign),
    #[error("b")]
    Text(#[reachable(status)] String),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum OfHiddenType {
    #[error(transparent)]
    #[reachable(transparent)]
    Other(anyhow::Error),
}

fn proves<E: ProvesReachable>() {}

fn main() {
    proves::<Foreign>();
    // A type with a mistake is implemented all the same: no error here.
    proves::<Unmarked>();
    proves::<Either>();
    breaker_core::marks::<Either>();
}
