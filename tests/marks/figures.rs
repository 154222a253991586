//! Quality of the judgement of names, measured with names from real crates.
//!
//! `cargo test --test marks figures -- --nocapture` prints the figures in `docs/marks.md`. The judgement is compiled
//! from the source files of the macro.

#[path = "../../breaker-macros/src/reachable"]
mod judgement {
    pub(crate) mod http_status;
    pub(crate) mod naming;
}

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use self::judgement::http_status;
use self::judgement::naming::error_text::fault_in;
use self::judgement::naming::{FaultKind, NameVerdict, NeedsReason, Refusal, judge, words_of};

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

    fn verdict(&self) -> NameVerdict {
        judge(self.of_type, self.variant)
    }

    /// The words of the variant, or of a struct.
    fn words(&self) -> Vec<String> {
        words_of(self.variant.unwrap_or(self.of_type))
    }

    fn is_fault(&self) -> bool {
        matches!(self.label, "timeout" | "connection" | "server" | "malformed")
    }
}

/// The two labelled lists: `error-names`, with which the vocabulary was written, and `more-error-names`, which was
/// measured once before its misses were looked at.
const LISTS: [(&str, &str); 2] = [
    ("error-names", include_str!("../facts/error-names.tsv")),
    ("more-error-names", include_str!("../facts/more-error-names.tsv")),
];

fn names_of((list, rows): (&'static str, &'static str)) -> Vec<Named> {
    let rows = rows.lines().skip(1).map(|line| {
        let [of_type, variant, label, blind] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("a row has four columns: {line}");
        };
        Named::new(list, [of_type, variant, label], blind == "1")
    });
    rows.collect()
}

fn names() -> Vec<Named> {
    LISTS.into_iter().flat_map(names_of).collect()
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
    never: u32,
    with_reason: u32,
    all: u32,
}

impl Figure {
    fn add(&mut self, verdict: NameVerdict) {
        match verdict {
            NameVerdict::Never(_) => self.never += 1,
            NameVerdict::OnlyWithReason(_) => self.with_reason += 1,
            NameVerdict::Freely => {}
        }
        self.all += 1;
    }

    fn refused(&self) -> u32 {
        self.never + self.with_reason
    }

    fn percent(&self) -> f64 {
        f64::from(self.refused()) * 100.0 / f64::from(self.all)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (refused, percent) = (self.refused(), self.percent());
        write!(
            f,
            "{refused:4} of {:4} refused, {percent:5.1} % ({} never, {} with a reason)",
            self.all, self.never, self.with_reason
        )
    }
}

/// Faults whose name reveals them, and answers.
#[derive(Default)]
struct Figures {
    faults: Figure,
    answers: Figure,
}

impl Figures {
    fn of<'a>(names: impl IntoIterator<Item = &'a Named>, judge: impl Fn(&Named) -> NameVerdict) -> Self {
        let mut figures = Self::default();
        for name in names.into_iter().filter(|name| !name.blind) {
            if name.is_fault() {
                figures.faults.add(judge(name));
            } else if name.label == "answer" {
                figures.answers.add(judge(name));
            }
        }
        figures
    }

    fn assert(&self, list: &str, faults_at_least: f64, answers_at_most: f64) {
        println!("{list:28} faults {}; answers {}", self.faults, self.answers);
        let (faults, answers) = (self.faults.percent(), self.answers.percent());
        assert!(faults >= faults_at_least, "{list}: {faults:.1} % of the faults are refused");
        assert!(answers <= answers_at_most, "{list}: {answers:.1} % of the answers are refused");
    }
}

#[test]
fn faults_are_refused_and_answers_are_not() {
    for list in LISTS {
        let names = names_of(list);
        let mut by_label: BTreeMap<(&str, bool), Figure> = BTreeMap::new();
        for name in &names {
            by_label.entry((name.label, name.blind)).or_default().add(name.verdict());
        }
        for ((label, blind), figure) in &by_label {
            let note = if *blind { "the name alone does not reveal it" } else { "" };
            println!("{:16} {label:12} {figure}  {note}", list.0);
        }
        Figures::of(&names, Named::verdict).assert(list.0, 97.5, 2.5);
    }
}

/// A refusal that no reason lifts must be certain.
#[test]
fn no_answer_is_refused_for_ever() {
    for name in names().iter().chain(&fresh_names()).filter(|name| name.label == "answer") {
        let verdict = name.verdict();
        assert!(
            !matches!(verdict, NameVerdict::Never(_)),
            "{} {}::{:?}: {verdict:?}",
            name.list,
            name.of_type,
            name.variant
        );
    }
}

/// Each list is judged with the words of the other lists only: a word that only its own names have is replaced by one
/// that the vocabulary does not contain. The figures are lower than for unseen names, because the
/// vocabulary has most of its words from general use and not from a list.
#[test]
fn names_are_judged_by_the_words_of_other_lists() {
    for (at, faults_at_least, answers_at_most) in [(0, 90.0, 3.0), (1, 90.0, 3.0)] {
        let other = names_of(LISTS[1 - at]);
        let known: HashSet<String> = other.iter().chain(&fresh_names()).flat_map(Named::words).collect();
        let left_out = |name: &Named| {
            let spelled: String = name
                .words()
                .iter()
                .map(|word| if known.contains(word) { word } else { "zq" })
                .fold(String::new(), |name, word| name + &word[..1].to_uppercase() + &word[1..]);
            judge(name.of_type, Some(&spelled))
        };
        let list = format!("{} by other lists", LISTS[at].0);
        Figures::of(&names_of(LISTS[at]), left_out).assert(&list, faults_at_least, answers_at_most);
    }
}

/// Five parts of each list, chosen by a hash of the name, so that no part of a list carries its figure alone.
#[test]
fn every_fifth_of_a_list_is_judged_equally() {
    for list in LISTS {
        let names = names_of(list);
        for part in 0..5 {
            let in_part = |name: &&Named| {
                let letters = name.variant.unwrap_or(name.of_type).bytes();
                letters.fold(0_u64, |hash, letter| hash.wrapping_mul(31).wrapping_add(u64::from(letter))) % 5 == part
            };
            Figures::of(names.iter().filter(in_part), Named::verdict).assert(
                &format!("{} part {part}", list.0),
                94.0,
                5.0,
            );
        }
    }
}

/// All names again without borders between their words, such as `SERVICEUNAVAILABLE`. Without splitting, less than half
/// of the faults are refused.
#[test]
fn names_without_word_borders_are_judged_equally() {
    let names: Vec<Named> = names().into_iter().chain(fresh_names()).filter(|name| name.variant.is_some()).collect();
    let together = |name: &Named| {
        let spelled = name.variant.unwrap_or_default().replace('_', "").to_uppercase();
        judge(name.of_type, Some(&spelled))
    };
    Figures::of(&names, together).assert("together", 93.0, 3.0);
}

/// For most of these lists, the bounds reveal a decline and are not targets.
#[test]
fn fresh_names_are_judged_equally_well() {
    for (list, faults_at_least, answers_at_most) in [
        ("first", 98.0, 2.0),
        ("second", 98.0, 2.0),
        ("third", 93.0, 2.5),
        ("held-out", 94.0, 4.0),
        ("collected", 96.0, 2.5),
        ("standard", 93.0, 3.0),
        ("last", 97.0, 4.0),
        // Compound names of many fields, such as `HsmLinkLost`, written before the rules were changed.
        ("fields-1", 91.0, 3.5),
        ("fields-2", 83.0, 2.5),
        ("fields-3", 88.0, 4.0),
    ] {
        let names = fresh_names();
        let of_list = names.iter().filter(|name| name.list == list);
        Figures::of(of_list, Named::verdict).assert(list, faults_at_least, answers_at_most);
    }
}

/// Texts of faults and of answers, with the name of a variant where one of the lists has one that fits.
#[test]
fn texts_are_judged_by_what_they_say() {
    let mut faults = Figure::default();
    let mut wrong = Vec::new();
    for line in include_str!("../facts/error-texts.tsv").lines().skip(1) {
        let [_, label, text] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("a row has three columns: {line}");
        };
        let found = fault_in(text, "Gone");
        if label == "fault" {
            let verdict = found.as_ref().map(|found| NameVerdict::OnlyWithReason(NeedsReason::Fault(found.fault)));
            faults.add(verdict.unwrap_or(NameVerdict::Freely));
        } else if let Some(found) = found {
            wrong.push(format!("{text} ({})", found.text));
        }
    }
    println!("texts of faults: {faults}; of answers: {} refused", wrong.len());
    assert!(faults.percent() >= 97.0, "{:.1} % of the texts of faults are refused", faults.percent());
    assert!(wrong.is_empty(), "texts of answers are refused: {wrong:#?}");
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
        ("TooManyLabelRequests", FaultKind::RateLimit),
        ("RateLimited", FaultKind::RateLimit),
        ("TooManyRequestsFromUser", FaultKind::RateLimit),
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
        // A good state that is denied.
        ("NotReady", FaultKind::Server),
        ("LeaderNotAvailable", FaultKind::Server),
        ("NotConnected", FaultKind::Connection),
        ("NoGreetingInTime", FaultKind::Timeout),
        ("MalformedReply", FaultKind::Malformed),
        ("MessageTruncated", FaultKind::Malformed),
        ("UnexpectedContentType", FaultKind::Malformed),
        ("ResponseContentLengthTooLarge", FaultKind::Malformed),
        ("CarrierInternalError", FaultKind::Server),
        ("RetryLater", FaultKind::Server),
        ("ApiLimitExceeded", FaultKind::RateLimit),
        // A good state of a machine, denied.
        ("ServerNotAlive", FaultKind::Server),
        ("NotListening", FaultKind::Server),
        ("BackendNotHealthy", FaultKind::Server),
        ("UplinkNotOnline", FaultKind::Server),
        // A machine that is not there.
        ("DnsNotFound", FaultKind::Connection),
        ("UpstreamMissing", FaultKind::Connection),
        ("NoRouteFound", FaultKind::Connection),
        ("NoGatewayFound", FaultKind::Connection),
        ("HostGone", FaultKind::Connection),
        // A state belongs to the word before it.
        ("PaymentBrokerLost", FaultKind::Connection),
        ("HsmLinkLost", FaultKind::Connection),
        ("OrderSchedulerStopped", FaultKind::Server),
        ("PriceFeedTruncated", FaultKind::Malformed),
        ("BackendSilent", FaultKind::Timeout),
        ("NodeMarkedDead", FaultKind::Server),
        ("NoLivingUpstream", FaultKind::Server),
        ("HostNotThere", FaultKind::Connection),
        ("OutOfTime", FaultKind::Timeout),
        ("AckOverdue", FaultKind::Malformed),
        // The words before a preposition.
        ("TooManyConnectionsFromTenant", FaultKind::RateLimit),
        ("ThrottledByPartition", FaultKind::RateLimit),
        ("RequestLimitExceededForOrg", FaultKind::RateLimit),
        // A deadline of a thing may be an answer.
        ("SubmissionDeadlineExceeded", FaultKind::Timeout),
        ("NetError", FaultKind::Connection),
        // The remote system may wait for another person.
        ("CustomerTimeout", FaultKind::Timeout),
        ("Elapsed", FaultKind::Timeout),
        ("ResponseTypeMismatch", FaultKind::Malformed),
    ] {
        assert_eq!(judge("ShopError", Some(name)), NameVerdict::OnlyWithReason(NeedsReason::Fault(fault)), "{name}");
    }
    for name in ["Http", "Other", "Unknown", "IOError", "Reqwest"] {
        assert_eq!(judge("ShopError", Some(name)), NameVerdict::OnlyWithReason(NeedsReason::Blank), "{name}");
    }
    assert_eq!(judge("ShopError", Some("BadRequest")), NameVerdict::OnlyWithReason(NeedsReason::Status(400)));
    for (name, status) in [("Shop502", 502), ("Expired504", 504), ("Upstream503Received", 503), ("Rejected429", 429)] {
        assert_eq!(judge("ShopError", Some(name)), NameVerdict::OnlyWithReason(NeedsReason::Status(status)), "{name}");
    }
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
        "MoreThan500",
        "Sku503NotFound",
        "USERNOTFOUND",
        "SERVERNOTFOUND",
        "Accountclosed",
        "PIPELINE",
        "A",
        // A bad state that is denied.
        "NotBusy",
        "NotReadOnly",
        "NotClosed",
        "IsNotClosed",
        "OrderNotTerminated",
        "PoolNotFull",
        "NotThrottled",
        "NotTimedOut",
        // A word within another word, or a word with two meanings.
        "InvalidCiphertext",
        "RefundAmountGtNet",
        "DialectUnsupported",
        "FrameworkUnsupported",
        "TrustFundClosed",
        // What the request lacked or had wrong.
        "InvalidContentType",
        "MissingContentLength",
        "UnsupportedContentType",
        "MissingRequestBody",
        "RequestHeaderFieldsTooLarge",
        "MissingRequiredHeader",
        "MissingAuthorizationHeader",
        "OwnerIdMalformed",
        "MalformedAddress",
        // Limits of an account.
        "InvalidQuota",
        "StorageQuotaExceeded",
        "ClusterLimitExceeded",
        "SeatLimitReached",
        // A retry as advice.
        "DoNotRetry",
        "RetryNotAllowed",
        // A time of the user's domain.
        "PointInTimeExpired",
        "PointInTimeRecoveryUnavailable",
        "JustInTimeAccessDenied",
        "NoTimeoutConfigured",
        "InternalAccountOnly",
        "UnknownNode",
        // An act that did not happen in time.
        "DeliveredInTime",
        "ArrivedInTime",
        "TooLateToCancel",
        "NotPaidInTime",
        "SignerDidNotSignInTime",
        "ParcelNotReturnedInTime",
        "ExamTimeUp",
        // A network in the name of a thing.
        "InternetOrderClosed",
        "IntranetUserLocked",
        // Headers and bodies of requests.
        "MissingHostHeader",
        "InvalidAcceptHeader",
        "MissingTenantHeader",
        "MissingBody",
        "EmptyRequestBody",
        "AcceptEncodingNotSupported",
        // A state of a thing, and persons.
        "LeaseLost",
        "AttendeeBusy",
        "PlayerOffline",
        "CustomerUnreachable",
        "KitchenAtCapacity",
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
    assert_eq!(of("ImageProxyError"), NameVerdict::Freely);
    assert_eq!(of("ShopErrorResponse"), NameVerdict::Freely);
    let syntax = |of_type| judge(of_type, Some("SyntaxError"));
    assert_eq!(syntax("ReplyError"), NameVerdict::OnlyWithReason(NeedsReason::Fault(FaultKind::Malformed)));
    assert_eq!(syntax("DbError"), NameVerdict::Freely);
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
    for fault in
        [FaultKind::Timeout, FaultKind::Connection, FaultKind::Server, FaultKind::RateLimit, FaultKind::Malformed]
    {
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
