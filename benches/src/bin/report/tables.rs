//! The tables of the report.

use std::fmt::Write as _;

use crate::input::Measured;

/// The crate of a case, unless it is this one.
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

/// The name of a row that measures this crate in the closed state.
const OURS: [(&str, &str); 6] = [
    ("bare", "bare call"),
    ("floor", "floor: two atomic loads and a drop guard"),
    ("call", "**breaker-core**, `Circuit::call`, not async"),
    ("held, plain fn", "**breaker-core**, `#[breaker]` on a plain `fn`"),
    ("call_async", "**breaker-core**, `Circuit::call_async`"),
    ("held", "**breaker-core**, `#[breaker]`, a held circuit"),
];

pub fn machine(measured: &Measured) -> String {
    let versions: Vec<_> =
        RIVALS.iter().map(|(_, package)| format!("{package} {}", measured.version(package))).collect();
    let machine: Vec<_> = measured.machine.lines().collect();
    format!("Versions: {}. Machine: {}.", versions.join(", "), machine.join(", "))
}

pub fn closed(measured: &Measured) -> String {
    let mut table = "| | instructions above bare | allocations | ns a call | one thread, million calls/s | two threads | two to one |\n\
         |---|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    let mut rivals = RIVALS.map(|(case, _)| (case, case));
    rivals.sort_by_key(|(case, _)| measured.instructions.number(case, 1).map(f64::to_bits));
    for (case, name) in OURS.into_iter().chain(rivals) {
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
        ("ten thousand keys", "another one of ten thousand text keys each time"),
    ];
    guarded_calls(measured, "`#[breaker]`, closed, a success", &cases)
}

pub fn other_paths(measured: &Measured) -> String {
    let cases = [
        ("failed", "an error that counts"),
        ("marked", "a marked error"),
        ("rejected", "a rejection, open"),
        ("half-open, a probe", "a probe of a half-open circuit that succeeds"),
        ("half-open, rejected", "a rejection, half-open"),
        ("nested", "two nested annotated calls"),
    ];
    guarded_calls(measured, "`#[breaker]`, a held circuit", &cases)
}

fn guarded_calls(measured: &Measured, title: &str, cases: &[(&str, &str)]) -> String {
    let mut table = format!(
        "| {title} | instructions above bare | allocations | looks at the clock | ns a call | two threads to one |\n\
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
    let mut table = "| a registry of a million circuits | µs |\n|---|--:|\n".to_owned();
    for (line, name) in [
        ("ns, insert up to a million", "an insert"),
        ("ns, look-up among a million", "a look-up that no cache holds"),
        ("ns, insert over the capacity of a million", "an insert over the capacity, evictions included"),
        ("ns, snapshot among a million", "a snapshot, for each circuit"),
    ] {
        let micros = measured.memory.most(line).map_or("-".to_owned(), |nanos| format!("{:.1}", nanos / 1_000.0));
        let _ = writeln!(table, "| {name} | {micros} |");
    }
    table
}

pub fn bytes(measured: &Measured) -> String {
    let mut table = "| | bytes |\n|---|--:|\n".to_owned();
    for (line, name) in [
        ("bytes, healthy", "a circuit, healthy"),
        ("bytes, failed once", "after one failure"),
        ("bytes, failed once and recovered", "after a failure and an answer"),
        ("bytes, open", "open"),
        ("bytes, failed once, and a call was dropped", "after a failure and a dropped call"),
    ] {
        let _ = writeln!(table, "| {name} | {} |", measured.memory.range(line));
    }
    for (line, bare, name) in [
        ("future, guarded", "future, unguarded", "future of a guarded call, above the unguarded one's"),
        (
            "future of 4,096 bytes, guarded",
            "future of 4,096 bytes, unguarded",
            "the same, with a body that holds 4,096 bytes",
        ),
    ] {
        let _ = writeln!(
            table,
            "| {name} | {} |",
            growth(measured, line, bare).map_or("-".to_owned(), |bytes| bytes.to_string())
        );
    }
    let chain = measured.memory.range("future of a chain of ten");
    let _ = writeln!(table, "| future of ten guarded calls, one in the other | {chain} |");
    table
}

/// The difference in bytes between two futures.
pub fn growth(measured: &Measured, larger: &str, smaller: &str) -> Option<f64> {
    Some(measured.memory.most(larger)? - measured.memory.most(smaller)?)
}

pub fn compile_time(measured: &Measured) -> String {
    let mut table = "| | s |\n|---|--:|\n".to_owned();
    for name in &measured.compile_time.names {
        let seconds = measured.compile_time.text(name, 0);
        let _ = writeln!(table, "| {name} | {seconds} |");
    }
    table
}
