//! How well names are judged, measured over names of real crates.
//!
//! `cargo test --test marks_figures -- --nocapture` prints the figures that `docs/marks.md` states. The judgement under
//! test is compiled from the very files of the macro.

#[path = "../breaker-macros/src/reachable"]
mod judgement {
    pub(crate) mod names;
    pub(crate) mod statuses;
    pub(crate) mod vocabulary;
    pub(crate) mod words;
}

use std::collections::BTreeMap;

use judgement::names::{Doubt, Fault, Lie, Verdict, judge};
use judgement::statuses;

/// One name of a real crate: type, variant (empty for a struct), meaning, and whether the name alone does not tell.
struct Named {
    of_type: &'static str,
    variant: Option<&'static str>,
    label: &'static str,
    blind: bool,
}

impl Named {
    fn refused(&self) -> bool {
        judge(self.of_type, self.variant) != Verdict::Freely
    }
}

fn names() -> Vec<Named> {
    let facts = include_str!("facts/error-names.tsv");
    let rows = facts.lines().skip(1).map(|line| {
        let [of_type, variant, label, blind] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("a row has four columns: {line}");
        };
        Named { of_type, variant: (!variant.is_empty()).then_some(variant), label, blind: blind == "1" }
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

#[test]
fn faults_are_refused_and_answers_are_not() {
    let mut by_label: BTreeMap<(&str, bool), Figure> = BTreeMap::new();
    let mut faults = Figure::default();
    for name in names() {
        let refused = name.refused();
        by_label.entry((name.label, name.blind)).or_default().add(refused);
        if matches!(name.label, "timeout" | "connection" | "server" | "malformed") && !name.blind {
            faults.add(refused);
        }
    }
    for ((label, blind), figure) in &by_label {
        let told = if *blind { "the name does not tell" } else { "" };
        println!("{label:12} {:4} of {:4} refused, {:5.1} %  {told}", figure.refused, figure.all, figure.percent());
    }
    println!("faults whose name tells: {} of {} refused, {:.1} %", faults.refused, faults.all, faults.percent());
    let answers = &by_label[&("answer", false)];
    assert!(faults.percent() >= 98.0, "{:.1} % of the faults are refused", faults.percent());
    assert!(answers.percent() <= 2.0, "{:.1} % of the answers are refused", answers.percent());
}

/// The verdicts that the guide promises, name by name.
#[test]
fn the_last_meaningful_word_leads() {
    for name in ["Timeout", "ConnectTimeout", "NotFoundTimeout", "HTTPTimeout", "TIMED_OUT", "timed_out", "r#Timeout"] {
        assert_eq!(judge("ShopError", Some(name)), Verdict::Never(Lie::Timeout), "{name}");
    }
    for (name, status) in [
        ("Http503", 503),
        ("Status502", 502),
        ("_504", 504),
        ("Http429", 429),
        ("Http5xx", 505),
        ("InternalServerError", 500),
        ("INTERNAL_SERVER_ERROR", 500),
        ("ServiceUnavailable", 503),
        ("BadGateway", 502),
    ] {
        assert_eq!(judge("ShopError", Some(name)), Verdict::Never(Lie::Status(status)), "{name}");
    }
    for (name, fault) in [
        ("ConnectionRefused", Fault::Connection),
        ("TLSHandshake", Fault::Connection),
        ("CertNotValidForName", Fault::Connection),
        ("ServerOverloaded", Fault::Server),
        ("RateLimited", Fault::Server),
        ("InvalidUtf8", Fault::Malformed),
        ("DecodeBody", Fault::Malformed),
    ] {
        assert_eq!(judge("ShopError", Some(name)), Verdict::OnlyWithReason(Doubt::Fault(fault)), "{name}");
    }
    for name in ["Http", "Other", "Unknown", "IOError", "Reqwest"] {
        assert_eq!(judge("ShopError", Some(name)), Verdict::OnlyWithReason(Doubt::Blank), "{name}");
    }
    assert_eq!(judge("ShopError", Some("BadRequest")), Verdict::OnlyWithReason(Doubt::Status(400)));
    for name in [
        "ConnectionNotFound",
        "TimeoutNotFound",
        "InvalidSessionTimeout",
        "BusyGroup",
        "AccountClosed",
        "ItemUnavailable",
        "PaymentRefused",
        "Status404",
        "A",
    ] {
        assert_eq!(judge("ShopError", Some(name)), Verdict::Freely, "{name}");
    }
}

#[test]
fn the_name_of_the_type_is_context() {
    let of = |of_type| judge(of_type, Some("NotFound"));
    assert_eq!(of("ConnectTimeoutError"), Verdict::OnlyWithReason(Doubt::FaultOfType(Fault::Timeout)));
    assert_eq!(of("TransportError"), Verdict::OnlyWithReason(Doubt::FaultOfType(Fault::Connection)));
    assert_eq!(of("ShopErrorResponse"), Verdict::Freely);
    assert_eq!(of("ServerError"), Verdict::Freely);
    assert_eq!(judge("ReadTimeout", None), Verdict::Never(Lie::Timeout));
    assert_eq!(judge("ContactNotFound", None), Verdict::Freely);
}

#[test]
fn each_refusal_says_why() {
    for fault in [Fault::Timeout, Fault::Connection, Fault::Server, Fault::Malformed] {
        assert!(fault.explained().contains(", which "), "{fault:?}");
    }
    for status in 100..=599 {
        let why = match statuses::class(status) {
            Some(statuses::Class::Freely) => continue,
            Some(statuses::Class::Never) => statuses::never_because(status),
            Some(statuses::Class::OnlyWithReason) => statuses::doubt_because(status),
            None => statuses::NO_STATUS,
        };
        assert!(why.len() > 20, "{status}");
    }
}

#[test]
fn the_two_crates_judge_statuses_alike() {
    let of_the_macro = include_str!("../breaker-macros/src/reachable/statuses.rs");
    let of_the_runtime = include_str!("../breaker-core/src/status/classes.rs");
    assert!(of_the_macro == of_the_runtime, "the two copies of the table of statuses differ");
}
