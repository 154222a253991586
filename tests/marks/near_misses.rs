//! Near misses: marks on names, texts and types that only look like faults must compile.
#![expect(dead_code, reason = "most variants are only declared")]

use std::error::Error;

use breaker_core::{CircuitOpen, Evidence, MarkedPayload, ProvesReachable};

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("the connection {0} is not known")]
    #[reachable]
    ConnectionNotFound(u64),
    #[error("no timeout of that name")]
    #[reachable]
    TimeoutNotFound,
    #[error("session timeout {0} is invalid")]
    #[reachable]
    InvalidSessionTimeout(u64),
    #[error("the group exists")]
    #[reachable]
    BusyGroup,
    #[error("lossless")]
    #[reachable]
    ConnectionDisabled,
    #[error("at most 500 items")]
    #[reachable]
    TooManyItems,
    #[error("sold out")]
    #[reachable]
    ItemUnavailable,
    #[error("closed")]
    #[reachable]
    AccountClosed,
    #[error("declined")]
    #[reachable]
    PaymentRefused,
    #[error("404")]
    #[reachable]
    Status404,
    #[error("offline")]
    #[reachable(because = "the gateway answers 200 with this word in its body, so it is up")]
    ServerOffline,
    #[error("cause")]
    #[reachable]
    Rejected(#[source] Box<dyn Error + Send + Sync>),
    #[error("timed out")]
    Timeout,
    #[error("not sent")]
    #[reachable(unknown, because = "the pool is exhausted before a request is sent")]
    ConnectTimeout,
    #[error("other")]
    #[reachable(status = 400, because = "the shop answers an invalid coupon with 400")]
    InvalidCoupon,
    #[error("gone")]
    #[reachable(status = [http::StatusCode::GONE, http::StatusCode::NOT_FOUND])]
    NoLongerSold,
    #[error("niet gevonden")]
    #[reachable]
    GeenKlantÉén,
    #[error("gone")]
    #[reachable(status = UNPROCESSABLE)]
    Unfit,
    #[error("seen")]
    ByStatus(#[reachable(status)] Option<http::StatusCode>),
    #[error("grpc")]
    #[reachable(because = "the server sends this code for an empty page only")]
    Other(Box<dyn Error>),
}

const UNPROCESSABLE: u16 = 422;

/// A reason beside a status of an answer lifts a name that nothing else lifts.
#[derive(Debug, thiserror::Error, ProvesReachable)]
enum PaymentError {
    #[error("the customer did not confirm in time")]
    #[reachable(status = 402, because = "the payment service reports an absent customer with 402")]
    TerminalReaderTimeout,
    #[error("the job is over")]
    #[reachable(status = [404, 410], because = "the service forgets a job after its deadline")]
    DeadlineExceeded,
    #[error("a test double")]
    #[reachable(status = 409, because = "this service names its conflicts after statuses")]
    Http503,
}

/// Names and texts that only look like faults.
#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable]
enum LooksLikeFault {
    #[error("the order is closed")]
    NotBusy,
    #[error("the response to your invitation is missing")]
    NotReadOnly,
    #[error("the customer did not respond to the offer")]
    NotClosed,
    #[error("the point in time is past")]
    PointInTimeExpired,
    #[error("the ticket was closed by its owner")]
    InvalidCiphertext,
    #[error("spending limit reached")]
    RefundAmountGtNet,
    #[error("article 503 is sold out")]
    InvalidContentType,
    #[error("the truck is overloaded")]
    MissingContentLength,
    #[error("the payload is too large")]
    OwnerIdMalformed,
}

/// Both derives, in the other order.
#[derive(Debug, ProvesReachable, thiserror::Error)]
#[error("the field {field} is wrong")]
#[reachable(status = 422)]
struct WrongField {
    field: String,
    #[source]
    cause: Box<dyn Error + Send + Sync>,
}

/// Errors that prove nothing, with a reason only where the name or the text means a fault of the remote system.
#[derive(Debug, thiserror::Error, ProvesReachable)]
enum NoEvidence {
    #[error("answered {status}")]
    #[reachable(unknown)]
    RateLimited { status: u16 },
    #[error("answered {status}")]
    #[reachable(unknown)]
    Unauthorized { status: u16 },
    #[error("the request timed out on the server")]
    #[reachable(unknown)]
    RequestTimeout,
    #[error("too many requests")]
    #[reachable(unknown)]
    TooManyRequests,
    #[error("busy")]
    #[reachable(unknown, because = "it is the server of the user, who has been asked to close it")]
    ServerOverloaded,
    #[error("no reply")]
    #[reachable(unknown, because = "the bus delivers no replies on this channel")]
    NoReply,
    #[error("could not connect")]
    #[reachable(unknown, because = "it is the pool, before a request is sent")]
    Aborted,
    #[error("http")]
    #[reachable(unknown, because = "a status of the caller's own proxy")]
    Http { status: u16 },
    #[error("not encoded")]
    #[reachable(unknown)]
    EncodeRequest,
    #[error("not encoded")]
    #[reachable(unknown, because = "it was never sent")]
    EncodeBody,
}

#[derive(Debug, ProvesReachable, thiserror::Error)]
#[error(transparent)]
#[reachable(transparent)]
struct Transparent(#[from] WrongField);

#[derive(Debug, ProvesReachable, thiserror::Error)]
#[reachable(because = "the ledger answers every failure of its own with 200 and one of these")]
enum LedgerError {
    #[error("not found")]
    NotFound,
    #[error("other")]
    Other,
    #[error("not sent")]
    #[reachable(unknown, because = "the pool is exhausted before a request is sent")]
    ConnectTimeout,
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum Lookup<'a, T, const N: usize>
where
    T: std::fmt::Debug,
{
    #[error("a")]
    #[reachable]
    NotFound(T, &'a str, [u8; N]),
    #[error("b")]
    Http(&'a std::io::Error),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum Outer<E: Error + ProvesReachable + 'static> {
    #[error("a")]
    #[reachable(because = "the cause is where the local copy was searched")]
    NotFound(#[source] E),
    #[error("b")]
    #[reachable(transparent)]
    Inner(E),
    #[error("c")]
    Io(#[from] std::io::Error),
}

#[derive(Debug)]
struct Id;
impl MarkedPayload for Id {}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("gone")]
struct Gone;
impl MarkedPayload for Gone {}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("gone")]
#[reachable(never)]
struct ReadTimeout(std::io::Error);

type Alias = CircuitOpen;

/// A rejection is known by its type, so it is not an answer under the mark of the whole enum, whatever it is called.
#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable]
enum AllButRejections {
    #[error("gone")]
    Gone,
    #[error("cause")]
    Declined(#[source] Box<dyn Error + Send + Sync>),
    #[error(transparent)]
    CircuitOpen(#[from] CircuitOpen),
    #[error("rejected")]
    Rejected { why: Option<Box<breaker_core::CircuitOpen>> },
    #[error("rejected")]
    Aliased(Alias),
}

fn answered(error: &impl ProvesReachable) {
    assert_eq!(error.evidence(), Evidence::Answered);
}

#[test]
fn near_misses_pass() {
    answered(&ShopError::ConnectionNotFound(1));
    answered(&LooksLikeFault::NotBusy);
    answered(&PaymentError::TerminalReaderTimeout);
    answered(&PaymentError::DeadlineExceeded);
    answered(&PaymentError::Http503);
    answered(&Lookup::<_, 2>::NotFound(Id, "a", [1, 2]));
    answered(&Outer::NotFound(Gone));
    answered(&Outer::Inner(Gone));
    answered(&Gone);
    assert_eq!(ReadTimeout(std::io::Error::other("a")).evidence(), Evidence::Failed);
    answered(&Transparent(WrongField { field: String::new(), cause: "a".into() }));
    answered(&LedgerError::Other);
    answered(&LedgerError::NotFound);
    assert_eq!(LedgerError::ConnectTimeout.evidence(), Evidence::Unknown);
    assert_eq!(NoEvidence::RateLimited { status: 429 }.evidence(), Evidence::Unknown);
    assert_eq!(NoEvidence::ServerOverloaded.evidence(), Evidence::Unknown);
    answered(&ShopError::ByStatus(Some(http::StatusCode::CONFLICT)));
    assert_eq!(ShopError::ByStatus(Some(http::StatusCode::BAD_GATEWAY)).evidence(), Evidence::Failed);
    assert_eq!(ShopError::ByStatus(None).evidence(), Evidence::Failed);
    assert_eq!(ShopError::ConnectTimeout.evidence(), Evidence::Unknown);
    answered(&AllButRejections::Gone);
    assert_eq!(AllButRejections::Rejected { why: None }.evidence(), Evidence::Unknown);
    let reviewed = "\
Gone         Answered
Declined     Answered
CircuitOpen  Unknown
Rejected     Unknown
Aliased      Unknown
";
    assert_eq!(breaker_core::marks::<AllButRejections>().to_string(), reviewed);
}
