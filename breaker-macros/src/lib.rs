//! The macros of [`breaker-core`](https://docs.rs/breaker-core), which re-exports them.

mod breaker;
mod diagnostics;
#[cfg(test)]
mod fuzz_corpus;
mod reachable;
mod syntax;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Guards the calls of a function, or of a whole `impl` block, with the circuit of their connection.
///
/// It goes on an `async fn`, a `fn`, a method with any receiver, a method that returns an `impl` or boxed future or
/// stream, a default method of a trait, or an `impl` block.
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `connection = EXPR` | required; evaluated once per call, before the body, in the scope of the function; may use `?` and `.await`; only borrowed until the call is admitted |
/// | `registry = EXPR` | a registry instead of the global one |
/// | `is_failure = F`, `is_success = F` | `Fn(&E) -> bool` instead of the evidence of the error's type; `Fn(&T) -> bool` for a value |
/// | `fallback = \|open\| EXPR`, or a path | the return value of a rejected call; the body of a closure is inlined, so `.await`, `?` and the arguments work in it |
/// | `probe = false` | the calls are never the probe of a half-open circuit |
/// | `operation = "name"` | the name in events and rejections; by default the name of the function |
/// | `timeout = "5s"` | feature `tokio`: after this time the call is dropped, counts as failed and returns `E: From<TimedOut>` |
/// | `settles = first_item`, or `end` | feature `stream`: when the verdict about a stream is final; by default at its end |
/// | `crate = PATH` | the path of `breaker_core` |
///
/// The error type must implement `From<CircuitOpen>`, unless `fallback` is given, and `ProvesReachable`, unless
/// `is_failure` is given.
///
/// # On an `impl` block
///
/// On a block, every `async fn` with a receiver is guarded, and every method that returns an `impl` or boxed future or
/// stream. With `blocking`, plain methods that return a `Result` are guarded too. `#[breaker(skip)]` leaves a method
/// out, for example one that calls a guarded method through `spawn_blocking`: the probe of a half-open circuit would
/// reject that call. Any other `#[breaker(..)]` on a method adds to the arguments of the block or overrides them.
///
/// # Expansion
///
/// The function keeps its signature and its body, and everything in them keeps its span, so that errors and lints refer
/// to the same tokens as without the annotation.
#[proc_macro_attribute]
pub fn breaker(args: TokenStream, item: TokenStream) -> TokenStream {
    breaker::breaker(args.into(), item.into()).into()
}

/// Implements `ProvesReachable` for an error, and marks which of its values prove that the remote system answered.
///
/// The rule: *the request was well-formed and the credentials worked; the system understood the question and said no*.
/// A mark on a timeout, a connection error, a 5xx or a malformed response does not compile.
///
/// ```text
/// #[derive(Debug, thiserror::Error, ProvesReachable)]
/// pub enum ConsentError {
///     #[error("no contact {0}")]
///     #[reachable(status = 404)]
///     ContactNotFound(u64),
///     #[error("request failed: {0}")]
///     Http(#[from] reqwest::Error),          // unmarked, so it counts against the circuit
///     #[error(transparent)]
///     Rejected(#[from] CircuitOpen),         // recognised by its type: never evidence
/// }
/// ```
///
/// # Marks
///
/// | mark | where | meaning |
/// |---|---|---|
/// | (none) | struct | the derive itself is the mark: every value is an answer |
/// | `#[reachable]` | variant | this variant is an answer; unmarked variants are failures |
/// | `#[reachable]` | enum | every variant is an answer, and each is checked; a variant with a rejection is exempt |
/// | `#[reachable(status = 404)]` | struct, variant | an answer with that HTTP status: a literal, a constant of type `u16` or `http::StatusCode` (`Self::GONE` too, unless the type is generic), or a list such as `[404, GONE]` |
/// | `#[reachable(status)]` | field | decided at run time by the status in that field: a `u16`, a `NonZero<u16>`, an `http::StatusCode`, or an `Option` of one |
/// | `#[reachable(transparent)]` | single-field struct, variant | the evidence of the wrapped error; its type must be `ProvesReachable` |
/// | `#[reachable(unknown)]` | struct, variant | no evidence, for example because the request was never sent; a timeout, a connection fault or a server fault by its name or text, and a field that may be a fault need a reason |
/// | `#[reachable(never)]` | enum, struct | no value is an answer; an enum without any mark and without this does not compile |
/// | `because = "..."` | beside a mark | the reason, where a mark is only suspicious; refused where no reason is needed |
/// | `crate = some::path` | enum, struct | the path of `breaker_core` |
///
/// A value with a rejection (`CircuitOpen`) in a field or among its sources has no evidence, whatever its mark. This
/// covers pointers, `Option`, `Result`, collections, arrays, tuples, and boxed errors inside those.
///
/// # What is refused
///
/// | | never, with no way out | only with `because = "..."` |
/// |---|---|---|
/// | status | 1xx, 2xx, 407, 408, 420, 421, 425, 429, 444, 460, 463, 494 to 497, 499, 5xx | 400, 401, 405, 406, 411, 414, 417, 424, 426, 430, 431, 3xx except 304 |
/// | name | a timeout, or one of the statuses in the first row | a connection fault, a server fault or overload, a malformed message, or no meaning at all |
/// | text of `#[error("...")]` | | a phrase of a timeout, a refused connection, an unresolved host, TLS, or a 5xx |
/// | type of a field | a type that is `NeverReachable` or has `#[reachable(never)]`, through aliases, pointers and collections; an error of a well-known crate such as `reqwest::Error`, by its path | a type that is `ProvesReachable`, where `transparent` lets it decide; an HTTP status under a mark without a status, where `#[reachable(status)]` on the field lets it decide: a `StatusCode`, or an integer in a field called `status`, `status_code`, `http_status` or `http_status_code` |
///
/// No feature and no version decides about a path. `marks::<E>()` refuses the same types behind an alias or a renamed import.
///
/// A marked field whose type mentions a type parameter must be `MarkedPayload`. The derive adds that bound.
///
/// # Expansion
///
/// The derive implements `ProvesReachable` and `Marked` (the table behind `marks::<E>()`). It implements them even where a mark
/// is refused, so that one mistake causes one error; a refused mark has no evidence.
#[proc_macro_derive(ProvesReachable, attributes(reachable))]
pub fn derive_proves_reachable(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    reachable::derive(&input).into()
}
