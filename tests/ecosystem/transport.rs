//! Evidence of errors by default, and under the rule that counts only the transport. Writes `docs/evidence-table.md`.

use std::fmt::Write as _;

use crate::remote::errors::{ApiError, Kind, of_business, of_reqwest, of_sockets};
use breaker_core::{Circuit, CircuitOpen, Config, Evidence, FailureRule, ProvesReachable, State};

const TRANSPORT: FailureRule = FailureRule::Transport { timeouts: true, connection_errors: true };
const TIMEOUTS: FailureRule = FailureRule::Transport { timeouts: true, connection_errors: false };
const CONNECTION_ERRORS: FailureRule = FailureRule::Transport { timeouts: false, connection_errors: true };
const RULES: [FailureRule; 4] = [FailureRule::AnyError, TRANSPORT, TIMEOUTS, CONNECTION_ERRORS];

fn config(rule: FailureRule) -> Config {
    Config::builder().failure_rule(rule).build().unwrap()
}

/// The evidence that a circuit records for a call that returns this error, and the error as the caller receives it.
fn evidence<E: ProvesReachable + From<CircuitOpen>>(error: E, config: Config) -> (Evidence, E) {
    let circuit = Circuit::new("shop", config);
    let Err(error) = circuit.call(|| Err::<(), _>(error)) else { unreachable!("it returns the error") };
    let seen = circuit.snapshot();
    let evidence = match (seen.failed, seen.unknown, seen.marked_answers) {
        (1, 0, 0) => Evidence::Failed,
        (0, 1, 0) => Evidence::Unknown,
        (0, 0, 1) => Evidence::Answered,
        counts => panic!("one call, one piece of evidence: {counts:?}"),
    };
    (evidence, error)
}

/// Under each of the [`RULES`].
fn under_each_rule<E: ProvesReachable + From<CircuitOpen>>(error: E) -> [Evidence; 4] {
    let mut kept = Some(error);
    RULES.map(|rule| {
        let (evidence, error) = evidence(kept.take().expect("it was put back"), config(rule));
        kept = Some(error);
        evidence
    })
}

fn expected(kind: Kind) -> [Evidence; 4] {
    use Evidence::{Answered, Failed, Unknown};
    match kind {
        Kind::Answered => [Answered; 4],
        Kind::Unknown => [Unknown; 4],
        Kind::Timeout => [Failed, Failed, Failed, Unknown],
        Kind::Connection => [Failed, Failed, Unknown, Failed],
        Kind::ConnectTimeout | Kind::CountedStatus => [Failed; 4],
        Kind::Other => [Failed, Unknown, Unknown, Unknown],
    }
}

/// Under `Transport`, only timeouts, connection errors and counted statuses count, and each can be turned off.
#[tokio::test]
async fn every_error_counts_as_its_kind() {
    let parts = [
        ("`reqwest::Error`", of_reqwest().await),
        ("`std::io::Error`, `tokio` and `rustls`", of_sockets().await),
        ("Errors of an integration", of_business().await),
    ];
    assert!(parts.iter().map(|(_, errors)| errors.len()).sum::<usize>() >= 40, "a table of names");
    let mut wrong = Vec::new();
    let mut page = String::new();
    for (title, errors) in parts {
        let _ = write!(page, "\n### {title}\n\n{ERRORS_HEAD}");
        for (name, kind, error) in errors {
            let shown = format!("{error:?}");
            let found = under_each_rule(error);
            if found != expected(kind) {
                wrong.push(format!("{title}, {name}: {found:?} is not {kind:?}: {shown}"));
            }
            let [any_error, transport, ..] = found;
            let _ = writeln!(page, "| {name} | {any_error:?} | {transport:?} | {} |", kind_text(kind));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // On other architectures a row is missing, because no cryptography provider supports them.
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        assert_page(&(PAGE_HEAD.to_owned() + &statuses() + ERRORS_INTRODUCTION + &page + &codes()));
    }
}

#[test]
fn the_name_of_the_error_type_is_examined() {
    // Fails if the words in the name of the type are ignored, or searched for as plain text.
    macro_rules! error_types {
        ($($name:ident)*) => {$(
            #[derive(Debug, thiserror::Error, ProvesReachable)]
            #[error("the bank did not say a word")]
            #[reachable(never)]
            struct $name;

            impl From<CircuitOpen> for $name {
                fn from(_: CircuitOpen) -> Self {
                    Self
                }
            }
        )*};
    }
    error_types!(ReadTimeoutError TLSError LosslessError CardDeclined);
    assert_eq!(under_each_rule(ReadTimeoutError), expected(Kind::Timeout));
    assert_eq!(under_each_rule(TLSError), expected(Kind::Connection));
    assert_eq!(under_each_rule(LosslessError), expected(Kind::Other));
    assert_eq!(under_each_rule(CardDeclined), expected(Kind::Other));
}

#[test]
fn a_business_error_keeps_the_streak_and_releases_the_slot() {
    let config = Config::builder().failure_threshold(2).failure_rule(TRANSPORT).build().unwrap();
    let clock = breaker_core::testing::ManualClock::new();
    let circuit = Circuit::with_clock("bank", config, clock.clone());
    let call = |words: &str| {
        let _ = circuit.call(|| Err::<(), _>(ApiError::Text(words.to_owned())));
    };
    call("timed out");
    call("card declined");
    assert_eq!(circuit.snapshot().streak, 1, "neither longer nor cleared");
    call("timed out");
    assert_eq!(circuit.state(), State::Open);
    clock.advance(Config::default().cooldown());
    call("card declined");
    assert_eq!(circuit.state(), State::HalfOpen);
    // Fails if the slot was not released: this call would be rejected.
    assert!(circuit.call(|| Ok::<_, ApiError>(())).is_ok());
    assert_eq!(circuit.state(), State::Closed);
}

#[test]
fn a_classifier_takes_precedence_over_the_rule() {
    let circuit = Circuit::new("bank", config(TRANSPORT));
    let declined = || Err::<(), _>(ApiError::Text("card declined".to_owned()));
    let _ = circuit.call_with(declined, |_| Evidence::Failed);
    assert_eq!(circuit.snapshot().failed, 1);
}

#[test]
fn a_counted_status_in_an_error_counts_under_every_rule() {
    let counted = Config::builder().counted_statuses([404, 429]).build().unwrap();
    for (status, expected) in [(404, Evidence::Failed), (429, Evidence::Failed), (410, Evidence::Answered)] {
        assert_eq!(evidence(ApiError::Status(status), counted.clone()).0, expected, "{status}");
    }
}

const PAGE_HEAD: &str = "\
# Evidence of statuses and errors

`tests/ecosystem/transport.rs` writes this page from the behaviour of the code, and fails if the two differ.
`EVIDENCE_TABLE=overwrite cargo test --test ecosystem transport` rewrites the page.

*Answered* clears the streak of failures, *Failed* counts towards the threshold, *Unknown* has no effect. For an error, the
tables show the evidence of its own type. A mark, or the `is_failure` of a call, takes precedence.

A call that returns a stream ends with it, by the rules of the guide to [streams]. A call that returns a response ends with its
head, unless the body is made a part of the call.

[streams]: streams.md

## HTTP statuses

";

const ERRORS_INTRODUCTION: &str = "
## Errors

The test makes each error with the crate that it belongs to, against a remote system on loopback. *By default* means
`FailureRule::AnyError`, *transport* means `FailureRule::Transport` with both kinds. The last column is the kind of the error,
because each kind can be turned off.
";

const ERRORS_HEAD: &str = "| error | by default | transport | kind |\n|---|---|---|---|\n";

fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::Timeout => "timeout",
        Kind::Connection => "connection error",
        Kind::ConnectTimeout => "both",
        Kind::CountedStatus => "counted status",
        Kind::Answered | Kind::Unknown | Kind::Other => "",
    }
}

/// Evidence of statuses, in a response and in an error. Adjacent statuses with equal evidence share a row.
fn statuses() -> String {
    let default = Config::default();
    let with_500 = Config::builder().count_http_500(true).build().unwrap();
    let row = |status: u16| {
        let in_error = evidence(ApiError::Status(status), default.clone()).0;
        [default.evidence_of_status(status), with_500.evidence_of_status(status), in_error]
    };
    let mut rows: Vec<(u16, u16, [Evidence; 3])> = Vec::new();
    for status in 100..=599 {
        match rows.last_mut() {
            Some((_, last, found)) if *found == row(status) => *last = status,
            _ => rows.push((status, status, row(status))),
        }
    }
    let mut page =
        String::from("| status | `Ok(response)` | with `count_http_500(true)` | in an error |\n|---|---|---|---|\n");
    for (first, last, [ok, with_500, in_error]) in rows {
        let range = if first == last { first.to_string() } else { format!("{first} to {last}") };
        let _ = writeln!(page, "| {range} | {ok:?} | {with_500:?} | {in_error:?} |");
    }
    page
}

/// Evidence of gRPC codes.
fn codes() -> String {
    let mut page = String::from("\n## `tonic::Status`\n\n| code | by default | transport |\n|---|---|---|\n");
    for code in (0..=16).map(tonic::Code::from_i32) {
        let [any_error, transport, ..] = under_each_rule(ApiError::Grpc(tonic::Status::new(code, "")));
        let _ = writeln!(page, "| `{code:?}` | {any_error:?} | {transport:?} |");
    }
    page
}

fn assert_page(page: &str) {
    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/evidence-table.md");
    if std::env::var("EVIDENCE_TABLE").is_ok_and(|mode| mode == "overwrite") {
        std::fs::write(PATH, page).expect("the page is writable");
    }
    let written = std::fs::read_to_string(PATH).unwrap_or_default();
    assert!(
        written == page,
        "docs/evidence-table.md is stale: rewrite it with \
         `EVIDENCE_TABLE=overwrite cargo test --test ecosystem transport`, and read what changed"
    );
}
