//! Quality of the judgement of names, measured with names from real crates.
//!
//! `cargo test --test marks figures -- --nocapture` prints the figures in `docs/marks.md`. The judgement is compiled
//! from the source files of the macro.

#[path = "../../breaker-macros/src/reachable"]
mod judgement {
    pub(crate) mod http_status;
    pub(crate) mod naming;
}

use std::collections::BTreeMap;
use std::fmt;

use self::judgement::http_status;
use self::judgement::naming::error_text::fault_in;
use self::judgement::naming::{FaultKind, NameVerdict, NeedsReason, Refusal, judge};

/// The name of an error, its label, and whether the name alone does not reveal the meaning.
struct Named {
    list: &'static str,
    of_type: &'static str,
    variant: Option<&'static str>,
    label: &'static str,
    blind: bool,
}

impl Named {
    fn new(list: &'static str, [of_type, variant, label]: [&'static str; 3], blind: bool) -> Self {
        Self { list, of_type, variant: (!variant.is_empty()).then_some(variant), label, blind }
    }

    fn refused(&self) -> bool {
        judge(self.of_type, self.variant) != NameVerdict::Freely
    }

    fn is_fault(&self) -> bool {
        matches!(self.label, "timeout" | "connection" | "server" | "malformed")
    }
}

/// The names that the vocabulary was written with.
fn names() -> Vec<Named> {
    let rows = include_str!("../facts/error-names.tsv").lines().skip(1).map(|line| {
        let [of_type, variant, label, blind] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("a row has four columns: {line}");
        };
        Named::new("tuning", [of_type, variant, label], blind == "1")
    });
    rows.collect()
}

/// Names collected later, in lists. Only names that reveal their meaning are included.
fn fresh_names() -> Vec<Named> {
    let rows = include_str!("../facts/fresh-names.tsv").lines().skip(1).map(|line| {
        let [list, of_type, variant, label] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("a row has four columns: {line}");
        };
        Named::new(list, [of_type, variant, label], false)
    });
    rows.collect()
}

#[derive(Default)]
struct Figure {
    refused: u32,
    all: u32,
}

impl Figure {
    fn add(&mut self, refused: bool) {
        self.refused += u32::from(refused);
        self.all += 1;
    }

    fn percent(&self) -> f64 {
        f64::from(self.refused) * 100.0 / f64::from(self.all)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:4} of {:4} refused, {:5.1} %", self.refused, self.all, self.percent())
    }
}

#[test]
fn faults_are_refused_and_answers_are_not() {
    let mut by_label: BTreeMap<(&str, bool), Figure> = BTreeMap::new();
    let mut faults = Figure::default();
    for name in names() {
        let refused = name.refused();
        by_label.entry((name.label, name.blind)).or_default().add(refused);
        if name.is_fault() && !name.blind {
            faults.add(refused);
        }
    }
    for ((label, blind), figure) in &by_label {
        let note = if *blind { "the name alone does not reveal it" } else { "" };
        println!("{label:12} {figure}  {note}");
    }
    println!("faults whose name reveals them: {faults}");
    let answers = &by_label[&("answer", false)];
    assert!(faults.percent() >= 98.0, "{:.1} % of the faults are refused", faults.percent());
    assert!(answers.percent() <= 2.0, "{:.1} % of the answers are refused", answers.percent());
}

/// All names again without borders between their words, such as `SERVICEUNAVAILABLE`. Without splitting, less than half
/// of the faults are refused.
#[test]
fn names_without_word_borders_are_judged_equally() {
    let mut faults = Figure::default();
    let mut answers = Figure::default();
    for name in names().iter().chain(&fresh_names()).filter(|name| !name.blind) {
        let Some(variant) = name.variant else { continue };
        let together = variant.replace('_', "").to_uppercase();
        let refused = judge(name.of_type, Some(&together)) != NameVerdict::Freely;
        if name.is_fault() {
            faults.add(refused);
        } else if name.label == "answer" {
            answers.add(refused);
        }
    }
    println!("together  faults {faults}; answers {answers}");
    assert!(faults.percent() >= 95.0, "{:.1} % of the faults are refused", faults.percent());
    assert!(answers.percent() <= 3.0, "{:.1} % of the answers are refused", answers.percent());
}

/// The vocabulary was tuned with the first three lists. For the other lists, the bounds reveal a decline and are not
/// targets.
#[test]
fn fresh_names_are_judged_equally_well() {
    for (list, faults_at_least, answers_at_most) in [
        ("first", 98.0, 2.0),
        ("second", 98.0, 2.0),
        ("third", 94.0, 2.5),
        ("held-out", 92.0, 5.0),
        ("collected", 94.0, 8.0),
        ("standard", 90.0, 3.0),
        ("last", 97.0, 4.0),
    ] {
        let mut faults = Figure::default();
        let mut answers = Figure::default();
        for name in fresh_names().iter().filter(|name| name.list == list) {
            let figure = if name.is_fault() { &mut faults } else { &mut answers };
            figure.add(name.refused());
        }
        println!("{list:9} faults {faults}; answers {answers}");
        assert!(faults.percent() >= faults_at_least, "{list}: {:.1} % of the faults are refused", faults.percent());
        assert!(answers.percent() <= answers_at_most, "{list}: {:.1} % of the answers are refused", answers.percent());
    }
}

// The verdicts that the guide promises, name by name: the last meaningful word decides.

#[test]
fn names_of_faults_are_never_answers() {
    for name in [
        "Timeout",
        "ConnectTimeout",
        "NotFoundTimeout",
        "HTTPTimeout",
        "TIMED_OUT",
        "timed_out",
        "READTIMEOUT",
        "TIMEDOUT",
        "readtimedout",
        "r#Timeout",
    ] {
        assert_eq!(judge("ShopError", Some(name)), NameVerdict::Never(Refusal::Timeout), "{name}");
    }
    for (name, status) in [
        ("Http503", 503),
        ("Status502", 502),
        ("_504", 504),
        ("Http429", 429),
        ("Http5xx", 505),
        ("InternalServerError", 500),
        ("INTERNAL_SERVER_ERROR", 500),
        ("INTERNALSERVERERROR", 500),
        ("SERVICEUNAVAILABLE", 503),
        ("badgateway", 502),
        ("ServiceUnavailable", 503),
        ("BadGateway", 502),
        ("HTTP_502_BAD_GATEWAY", 502),
        ("HTTP_5XX", 505),
        // The nearest word decides, whatever the other words are.
        ("ShopHttp503", 503),
        ("StatusCode500FromShop", 500),
        ("GotHttp500", 500),
        ("Received502", 502),
        ("HttpVersionNotSupported", 505),
        ("LoopDetected", 508),
        ("TooEarly", 425),
        ("MisdirectedRequest", 421),
    ] {
        assert_eq!(judge("ShopError", Some(name)), NameVerdict::Never(Refusal::Status(status)), "{name}");
    }
}

#[test]
fn names_of_possible_faults_need_a_reason() {
    for (name, fault) in [
        ("ConnectionRefused", FaultKind::Connection),
        ("CONNECTIONREFUSED", FaultKind::Connection),
        ("SHOPUNREACHABLE", FaultKind::Connection),
        ("Hostunreachable", FaultKind::Connection),
        ("TLSHandshake", FaultKind::Connection),
        ("CertNotValidForName", FaultKind::Connection),
        ("WriteZero", FaultKind::Connection),
        ("EADDRINUSE", FaultKind::Connection),
        ("CloseNotify", FaultKind::Connection),
        ("GoneAway", FaultKind::Connection),
        ("CouldNotConnectToShop", FaultKind::Connection),
        ("ConnectShop", FaultKind::Connection),
        ("ServerOverloaded", FaultKind::Server),
        ("ServerMeltdown", FaultKind::Server),
        ("ShopServerError", FaultKind::Server),
        ("TooManyLabelRequests", FaultKind::Server),
        ("RateLimited", FaultKind::Server),
        ("TooManyRequestsFromUser", FaultKind::Server),
        ("ShopBadGateway", FaultKind::Server),
        // The service that makes payments is unavailable, not the payment.
        ("PaymentServiceUnavailable", FaultKind::Server),
        ("PaymentGatewayDown", FaultKind::Server),
        ("UserDatabaseBusy", FaultKind::Server),
        ("OrderBackendUnavailable", FaultKind::Server),
        ("InvalidUtf8", FaultKind::Malformed),
        ("DecodeBody", FaultKind::Malformed),
        ("ParseInvoice", FaultKind::Malformed),
        ("MissingFieldInResponse", FaultKind::Malformed),
        ("ResponseTypeMismatch", FaultKind::Malformed),
    ] {
        assert_eq!(judge("ShopError", Some(name)), NameVerdict::OnlyWithReason(NeedsReason::Fault(fault)), "{name}");
    }
    for name in ["Http", "Other", "Unknown", "IOError", "Reqwest"] {
        assert_eq!(judge("ShopError", Some(name)), NameVerdict::OnlyWithReason(NeedsReason::Blank), "{name}");
    }
    assert_eq!(judge("ShopError", Some("BadRequest")), NameVerdict::OnlyWithReason(NeedsReason::Status(400)));
    assert_eq!(judge("ShopError", Some("Shop502")), NameVerdict::OnlyWithReason(NeedsReason::Status(502)));
}

#[test]
fn names_of_near_misses_pass() {
    for name in [
        "ConnectionNotFound",
        "TimeoutNotFound",
        "InvalidSessionTimeout",
        "BusyGroup",
        "AccountClosed",
        "ConnectionNameTaken",
        "DnsZoneNotEmpty",
        "NoSuchServer",
        "UnknownChannel",
        "InvalidBackoff",
        "HostnameTooLong",
        "RequestBodyTooLarge",
        "ItemUnavailable",
        "PaymentRefused",
        "PaymentMethodUnavailable",
        "InvalidAccountServer",
        "LoanApplicationClosed",
        "Status404",
        "ShopHttp404",
        "Max500",
        "Sku503NotFound",
        "USERNOTFOUND",
        "SERVERNOTFOUND",
        "Accountclosed",
        "PIPELINE",
        "A",
    ] {
        assert_eq!(judge("ShopError", Some(name)), NameVerdict::Freely, "{name}");
    }
}

/// The table of names in the guide.
#[test]
fn the_table_of_names_in_the_guide_is_true() {
    let guide = include_str!("../../docs/marks.md");
    let (_, table) = guide.split_once("| name | a mark on it | because it is about |").expect("the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut names = 0;
    for row in rows {
        let [_, spelled, verdict, ..] = row.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("a row has three columns: {row}");
        };
        for name in spelled.split('`').skip(1).step_by(2) {
            let (of_type, name) = name.split_once("::").unwrap_or(("ShopError", name));
            let found = match judge(of_type, Some(name)) {
                NameVerdict::Never(_) => "never",
                NameVerdict::OnlyWithReason(_) => "with a reason",
                NameVerdict::Freely => "freely",
            };
            assert_eq!(found, verdict, "{name}");
            names += 1;
        }
    }
    assert!(names > 20, "{names} names were found");
}

#[test]
fn the_name_of_the_type_is_context() {
    let of = |of_type| judge(of_type, Some("NotFound"));
    assert_eq!(of("ConnectTimeoutError"), NameVerdict::OnlyWithReason(NeedsReason::FaultOfType(FaultKind::Timeout)));
    assert_eq!(of("TransportError"), NameVerdict::OnlyWithReason(NeedsReason::FaultOfType(FaultKind::Connection)));
    assert_eq!(of("ShopErrorResponse"), NameVerdict::Freely);
    assert_eq!(of("ServerError"), NameVerdict::Freely);
    assert_eq!(judge("ReadTimeout", None), NameVerdict::Never(Refusal::Timeout));
    assert_eq!(judge("ContactNotFound", None), NameVerdict::Freely);
}

/// Every status with an established meaning. Every other 4xx needs a reason.
#[test]
fn each_status_has_its_class() {
    const NEVER: &[u16] = &[407, 408, 420, 421, 425, 429, 444, 460, 463, 494, 495, 496, 497, 499];
    const FREELY: &[u16] = &[304, 402, 403, 404, 409, 410, 412, 413, 415, 416, 422, 423, 428, 450, 451];
    for status in 0..=1_000 {
        let expected = match status {
            0..100 | 600.. => None,
            100..300 | 500.. => Some(http_status::Class::Never),
            _ if NEVER.contains(&status) => Some(http_status::Class::Never),
            _ if FREELY.contains(&status) => Some(http_status::Class::Freely),
            _ => Some(http_status::Class::OnlyWithReason),
        };
        assert_eq!(http_status::class(status), expected, "{status}");
    }
}

#[test]
fn each_refusal_has_a_reason() {
    for fault in [FaultKind::Timeout, FaultKind::Connection, FaultKind::Server, FaultKind::Malformed] {
        // The name of the fault, then the reason why it is not an answer.
        let (_, reason) = fault.explained().split_once([',', ':']).unwrap_or_default();
        assert!(reason.len() > 20, "{fault:?}");
    }
    for status in 100..=599 {
        let why = match http_status::class(status) {
            Some(http_status::Class::Freely) => continue,
            Some(http_status::Class::Never) => http_status::never_because(status),
            Some(http_status::Class::OnlyWithReason) => http_status::reason_needed_because(status),
            None => http_status::NO_STATUS,
        };
        assert!(why.len() > 20, "{status}");
    }
}

#[test]
fn both_crates_have_the_same_table_of_foreign_types() {
    let of_the_macro = include_str!("../../breaker-macros/src/reachable/foreign_types.rs");
    let of_the_runtime = include_str!("../../breaker-core/src/evidence/foreign_types.rs");
    assert!(of_the_macro == of_the_runtime, "the two copies of the table of error types differ");
}

#[test]
fn both_crates_have_the_same_table_of_statuses() {
    let of_the_macro = include_str!("../../breaker-macros/src/reachable/http_status.rs");
    let of_the_runtime = include_str!("../../breaker-core/src/evidence/status/classes.rs");
    assert!(of_the_macro == of_the_runtime, "the two copies of the table of statuses differ");
}

// Fails if the core counts a text as a fault of the transport that the derive accepts on a marked error.
#[test]
fn the_derive_knows_each_phrase_of_the_core() {
    let source = include_str!("../../breaker-core/src/transport/phrases.rs");
    let phrases: Vec<_> = source
        .lines()
        .skip_while(|line| !line.starts_with("const TIMEOUT"))
        .take_while(|line| !line.starts_with("///") || line.contains("connection"))
        .flat_map(|line| line.split("&[").filter(|part| part.starts_with('"')))
        .map(|words| words.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(phrases.len(), 12, "{phrases:?}");
    for phrase in phrases {
        assert!(fault_in(&format!("it failed: {phrase}"), "Other").is_some(), "the derive accepts `{phrase}`");
    }
}
