//! Malformed `#[reachable]` attributes.

use breaker_core::ProvesReachable;

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(statu = 404)]
#[reachable(transparent)]
#[reachable(status = 404)]
enum OfEnum {
    #[error("a")]
    #[reachable]
    NotFound,
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum OfVariants {
    #[error("a")]
    #[reachable]
    #[reachable]
    Twice,
    #[error("b")]
    #[reachable(status = 404, status = 410)]
    StatusTwice,
    #[error("c")]
    #[reachable(status = 404, unknown)]
    Contradiction,
    #[error("d")]
    #[reachable(status = "404")]
    StatusText,
    #[error("e")]
    #[reachable(status)]
    StatusBare,
    #[error("f")]
    #[reachable(status = [])]
    StatusNone,
    #[error("g")]
    #[reachable(status = [404, 404])]
    StatusListedTwice,
    #[error("h")]
    #[reachable()]
    Empty,
    #[error("i")]
    #[reachable = "404"]
    NameValue,
    #[error("j")]
    #[reachable(becuase = "typo")]
    Typo,
    #[error("k")]
    #[reachable(never)]
    Never,
    #[error("l")]
    #[reachable(crate = breaker_core)]
    Crate,
    #[error("m")]
    #[reachable(because)]
    BareReason,
    #[error("n")]
    #[reachable(because = 7)]
    NumberReason,
    #[error("o")]
    #[reachable(unknown, because = "idle")]
    SoldOut,
    #[error("p")]
    #[reachable(unknown = true)]
    FlagValue,
    #[error("q")]
    #[reachable(transparent)]
    TwoFields(u8, u16),
    #[error("r")]
    #[reachable(http)]
    NoSuchKey,
    #[error("s")]
    #[reachable(404)]
    BareNumber,
    #[error("t")]
    Fields(#[reachable] u16, #[reachable(unknown)] u8, #[reachable(status = 404)] u8),
    #[error("u")]
    #[reachable(status = 404)]
    Both(#[reachable(status)] u16),
    #[error("v")]
    TwoStatuses(#[reachable(status)] u16, #[reachable(status)] u16),
    #[error("w")]
    #[reachable(because = "a", because = "b")]
    Other,
    #[error("x")]
    #[reachable(status = 404, 410)]
    NoList,
    #[error("y")]
    #[reachable(status(404))]
    InParentheses,
    #[error("z")]
    #[reachable(status: 404)]
    Colon,
    #[error("a")]
    #[reachable(status =)]
    NoValue,
    #[error("b")]
    #[reachable(because("a"))]
    General,
    #[error("c")]
    #[reachable(,)]
    Comma,
    #[error("d")]
    #[reachable(status = 404 because = "a")]
    NoComma,
    #[error("d")]
    #[reachable(status = 404 410)]
    NoListEither,
    #[error("e")]
    #[reachable(because = "  ")]
    Misc,
    #[error("e")]
    #[reachable(because = "...")]
    Unspecified,
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(crate = "breaker_core")]
#[error("a")]
struct PathInQuotes;

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(crate)]
#[error("a")]
struct NoPath;

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
enum NeverAndMarked {
    #[error("a")]
    #[reachable]
    NotFound,
    #[error("b")]
    ByStatus(#[reachable(status)] u16),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable]
enum AllAndOne {
    #[error("a")]
    #[reachable]
    NotFound,
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(because = "nobody needs it")]
enum IdleReasonOfAll {
    #[error("a")]
    NotFound,
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never, because = "idle")]
#[error("a")]
struct IdleReasonOfStruct;

fn main() {}
