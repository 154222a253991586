//! The macros of [`breaker-core`](https://docs.rs/breaker-core): use them through that crate.

mod breaker;
mod diagnostics;
#[cfg(test)]
mod fuzz_corpus;
mod reachable;
mod syntax;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// `#[breaker(..)]` stands on an `async fn`, a `fn`, a method of any receiver, a method that returns an `impl` or boxed
/// future or stream, a default method of a trait, or an `impl` block.
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `connection = EXPR` | required; evaluated once per call, before the body, in the function's scope; may use `?` and `.await`; only borrowed until the call is admitted |
/// | `registry = EXPR` | instead of the global one |
/// | `is_failure = F`, `is_success = F` | `Fn(&E) -> bool` in place of the error's own word, `Fn(&T) -> bool` for a value |
/// | `fallback = \|open\| EXPR`, or a path | what to return instead of a rejection; a closure's body is inlined, so `.await`, `?` and the arguments work in it |
/// | `probe = false` | never chosen as the probe of a half-open circuit |
/// | `operation = "name"` | label in events and rejections; the function's name by default |
/// | `timeout = "5s"` | feature `tokio`: past it the call is dropped, counts as failed and returns `E: From<TimedOut>` |
/// | `crate = PATH` | where `breaker_core` is reached |
///
/// The error type has to be `From<CircuitOpen>`, unless `fallback` is given, and `ProvesReachable`, unless `is_failure` is.
///
/// # On an `impl` block
///
/// Every `async fn` with a receiver is guarded, and every method that returns an `impl` or boxed future or stream; with
/// `blocking`, plain methods that return a `Result`, too. `#[breaker(skip)]` leaves a method out, and any other
/// `#[breaker(..)]` on a method adds to what the block says, or overrides it.
///
/// # What is written
///
/// The function as it was, around its body: the signature, the body and everything in it keep their places, so that
/// errors and lints speak of the same tokens as without the annotation.
#[proc_macro_attribute]
pub fn breaker(args: TokenStream, item: TokenStream) -> TokenStream {
    breaker::breaker(args.into(), item.into()).into()
}

/// Implements `ProvesReachable` for an error, and marks which of its values prove that the remote system answered.
///
/// The rule: *the request was well-formed and the credentials worked; the system understood the question and said no*.
/// A mark that would be a lie, be it on a timeout, a connection error, a 5xx or a malformed response, does not compile.
///
/// ```text
/// #[derive(Debug, thiserror::Error, ProvesReachable)]
/// pub enum ConsentError {
///     #[error("no contact {0}")]
///     #[reachable(status = 404)]
///     ContactNotFound(u64),
///     #[error("request failed: {0}")]
///     Http(#[from] reqwest::Error),          // unmarked: counts against the circuit
///     #[error(transparent)]
///     Rejected(#[from] CircuitOpen),         // seen by its type: never evidence
/// }
/// ```
///
/// # Marks
///
/// | mark | where | meaning |
/// |---|---|---|
/// | (none) | struct | the derive itself is the mark: every value is an answer |
/// | `#[reachable]` | variant | this variant is an answer; unmarked variants are failures |
/// | `#[reachable]` | enum | every variant is an answer, and each is checked, but for a rejection |
/// | `#[reachable(status = 404)]` | struct, variant | an answer with that HTTP status: a literal, a constant of type `u16` or `http::StatusCode` (`Self::GONE` too, unless the type is generic), or a list such as `[404, GONE]` |
/// | `#[reachable(status)]` | field | decided at run time by the status in that field: a `u16`, a `NonZero<u16>`, an `http::StatusCode`, or an `Option` of one |
/// | `#[reachable(transparent)]` | single-field struct, variant | whatever the wrapped error says; its type has to be `ProvesReachable` |
/// | `#[reachable(unknown)]` | struct, variant | says nothing: the request never left the machine, say |
/// | `#[reachable(never)]` | enum, struct | nothing here proves anything; an enum with no mark at all and without this does not compile |
/// | `because = "..."` | beside a mark | the reason, where a mark is only suspicious; refused where nothing needs one |
/// | `crate = some::path` | enum, struct | where `breaker_core` is reached |
///
/// A value that carries a rejection (`CircuitOpen`) in a field or among its sources says nothing, whatever its mark: in pointers,
/// `Option`, `Result`, collections, arrays, tuples, and boxed errors inside those.
///
/// # What is refused
///
/// | | never; no reason helps | only with `because = "..."` |
/// |---|---|---|
/// | status | 1xx, 2xx, 407, 408, 420, 421, 425, 429, 444, 460, 463, 494 to 497, 499, 5xx | 400, 401, 405, 406, 411, 414, 417, 424, 426, 430, 431, 3xx but 304 |
/// | name | a timeout, or one of the statuses beside | a connection fault, a server fault or overload, a malformed message, or nothing at all |
/// | text of `#[error("...")]` | | a phrase of a timeout, a refused connection, an unresolved host, TLS, or a 5xx |
/// | type of a field | one that is `NeverReachable` or says `#[reachable(never)]`, through aliases, pointers and collections | |
///
/// A marked field whose type mentions a type parameter has to be `MarkedPayload`; the derive adds that bound.
///
/// # What is written
///
/// Implementations of `ProvesReachable`, of `Marked` (the table behind `marks::<E>()`) and, without `never`, of
/// `MarkedPayload`. They are written even where a mark is refused, so that one mistake is one message; such a mark then proves nothing.
#[proc_macro_derive(ProvesReachable, attributes(reachable))]
pub fn derive_proves_reachable(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    reachable::derive(&input).into()
}
