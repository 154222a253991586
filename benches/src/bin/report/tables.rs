//! The tables of the report.

use std::fmt::Write as _;

use crate::input::{Measured, NOT_MEASURED};

/// The case of each rival and the name of its crate.
pub const RIVALS: [(&str, &str); 8] = [
    ("recloser", "recloser"),
    ("failsafe", "failsafe"),
    ("tower-resilience", "tower-resilience-circuitbreaker"),
    ("seatbelt", "seatbelt"),
    ("breaker", "breaker"),
    ("breaker-machines", "breaker-machines"),
    ("nobreak", "nobreak"),
    ("circuitbreaker-rs", "circuitbreaker-rs"),
];

/// The other cases of the closed state and the names of their rows.
const CLOSED: [(&str, &str); 6] = [
    ("bare", "bare call"),
    ("minimal breaker", "minimal breaker: two atomic loads and a drop guard"),
    ("call", "**breaker-core**, `Circuit::call`, not async"),
    ("held, plain fn", "**breaker-core**, `#[breaker]` on a plain `fn`"),
    ("call_async", "**breaker-core**, `Circuit::call_async`"),
    ("held", "**breaker-core**, `#[breaker]`, a held handle"),
];

pub fn machine(measured: &Measured) -> String {
    let versions: Vec<_> =
        RIVALS.iter().map(|(_, package)| format!("{package} {}", measured.version(package))).collect();
    let machine: Vec<_> = measured.machine.lines().collect();
    format!("Versions: {}. Machine: {}.", versions.join(", "), machine.join(", "))
}

pub fn closed(measured: &Measured) -> String {
    let mut table = "| | instructions above the bare call | allocations | ns per call | million calls/s, one thread | two threads | two threads / one |\n\
         |---|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    let mut rivals = RIVALS.map(|(case, _)| (case, case));
    rivals.sort_by_key(|(case, _)| measured.instructions.number(case, 1).map(f64::to_bits));
    for (case, name) in CLOSED.into_iter().chain(rivals) {
        let count = measured.instructions.text(case, 1);
        let count = if name.starts_with("**") { format!("**{count}**") } else { count.to_owned() };
        let allocations = measured.instructions.text(case, 2);
        let speed: Vec<_> = (0..4).map(|field| measured.throughput.text(case, field)).collect();
        let _ = writeln!(table, "| {name} | {count} | {allocations} | {} |", speed.join(" | "));
    }
    table
}

pub fn looked_up(measured: &Measured) -> String {
    let cases = [
        ("text key", "text key, injected registry"),
        ("text key, global registry", "text key, global registry"),
        ("integer key", "integer key"),
        ("pair key", "pair key, such as `(\"crm\", 7)`"),
        ("program, pair key", "the same, in a type of the user's that implements `Connection`"),
        ("program, 100 pair keys", "100 of these, a different one in each call"),
        ("program, 10,000 pair keys", "10,000 of these, a different one in each call"),
        ("ten thousand keys", "ten thousand text keys, a different one in each call"),
    ];
    guarded_calls(measured, "`#[breaker]`, closed, a success", &cases)
}

pub fn other_paths(measured: &Measured) -> String {
    let cases = [
        ("failed", "an error that counts"),
        ("marked", "a marked error"),
        ("rejected", "a rejection while open"),
        ("half-open, a probe", "a probe of a half-open circuit that succeeds"),
        ("half-open, rejected", "a rejection while half-open"),
        ("nested", "two nested annotated calls"),
    ];
    guarded_calls(measured, "`#[breaker]`, a held handle", &cases)
}

/// Failures and rejections, with those of the other crates beside them.
pub fn beside_rivals(measured: &Measured) -> String {
    let mut table = "| | a failure: instructions | million calls/s | two threads / one | a rejection: instructions | million calls/s | two threads / one |\n\
         |---|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    let mut rivals = RIVALS.map(|(case, _)| (case, format!("{case}, failed"), format!("{case}, rejected")));
    rivals.sort_by_key(|(_, failed, _)| measured.instructions.number(failed, 1).map(f64::to_bits));
    let own = ("**breaker-core**", "program, failed".to_owned(), "program, rejected".to_owned());
    for (name, failed, rejected) in [own].into_iter().chain(rivals) {
        let figures = [failed, rejected].map(|case| {
            let (count, speed) = (measured.instructions.text(&case, 1), measured.throughput.text(&case, 1));
            format!("{count} | {speed} | {}", measured.throughput.text(&case, 3))
        });
        let _ = writeln!(table, "| {name} | {} |", figures.join(" | "));
    }
    table
}

fn guarded_calls(measured: &Measured, title: &str, cases: &[(&str, &str)]) -> String {
    let mut table = format!(
        "| {title} | instructions above the bare call | allocations | clock reads | ns per call | two threads / one |\n\
         |---|--:|--:|--:|--:|--:|\n"
    );
    for (case, name) in cases {
        let counts: Vec<_> = (1..4).map(|field| measured.instructions.text(case, field)).collect();
        let (nanos, ratio) = (measured.throughput.text(case, 0), measured.throughput.text(case, 3));
        let _ = writeln!(table, "| {name} | {} | {nanos} | {ratio} |", counts.join(" | "));
    }
    table
}

pub fn million(measured: &Measured) -> String {
    let rows = [
        ("ns, insert up to a million", "an insert"),
        ("ns, look-up among a million", "a look-up that misses the cache of the thread"),
        ("ns, insert over the capacity of a million", "an insert over the capacity, with its evictions"),
        ("ns, snapshot among a million", "a snapshot, per circuit"),
    ];
    let micros = |nanos: f64| format!("{:.1}", nanos / 1_000.0);
    two_columns(
        ("a registry of a million circuits", "µs"),
        rows.map(|(line, name)| (name, measured.memory.most(line).map_or(NOT_MEASURED.to_owned(), micros))),
    )
}

pub fn bytes(measured: &Measured) -> String {
    let added_by_guard = |guarded, unguarded| {
        growth(measured, guarded, unguarded).map_or(NOT_MEASURED.to_owned(), |bytes| bytes.to_string())
    };
    two_columns(
        ("", "bytes"),
        [
            ("a circuit, healthy", measured.memory.range("bytes, healthy")),
            ("after one failure", measured.memory.range("bytes, failed once")),
            ("after a failure and an answer", measured.memory.range("bytes, failed once and recovered")),
            ("open", measured.memory.range("bytes, open")),
            ("after a failure and a dropped call", measured.memory.range("bytes, failed once, and a call was dropped")),
            ("added to the future of a call by its guard", added_by_guard("future, guarded", "future, unguarded")),
            (
                "the same, for a body that keeps 4,096 bytes",
                added_by_guard("future of 4,096 bytes, guarded", "future of 4,096 bytes, unguarded"),
            ),
            ("future of ten nested guarded calls", measured.memory.range("future of a chain of ten")),
        ],
    )
}

/// Returns by how many bytes one future is larger than another.
pub fn growth(measured: &Measured, larger: &str, smaller: &str) -> Option<f64> {
    Some(measured.memory.most(larger)? - measured.memory.most(smaller)?)
}

pub fn compile_time(measured: &Measured) -> String {
    let names = measured.compile_time.names.iter().map(String::as_str);
    two_columns(("", "s"), names.map(|name| (name, measured.compile_time.text(name, 0).to_owned())))
}

/// Returns a table with a name and a value in each row.
fn two_columns<'n>((name, value): (&str, &str), rows: impl IntoIterator<Item = (&'n str, String)>) -> String {
    let head = if name.is_empty() { "| |".to_owned() } else { format!("| {name} |") };
    let mut table = format!("{head} {value} |\n|---|--:|\n");
    for (name, value) in rows {
        let _ = writeln!(table, "| {name} | {value} |");
    }
    table
}
