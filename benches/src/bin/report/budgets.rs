//! The budgets of the crate, and the table that shows whether each is met.

use std::fmt::Write as _;

use crate::input::{Measured, NOT_MEASURED};
use crate::tables::{RIVALS, growth};

/// A measured figure and its bound.
struct Budget {
    path: &'static str,
    what: &'static str,
    figure: Option<f64>,
    bound: Bound,
}

enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

use Bound::{AtLeast, AtMost};

/// Returns the table of all budgets.
pub fn table(measured: &Measured) -> String {
    let mut table = "| path | budget | measured | |\n|---|---|--:|---|\n".to_owned();
    for Budget { path, what, figure, bound } in all(measured) {
        let (bound, is_met) = match bound {
            AtMost(most) => (format!("at most {most}"), figure.is_some_and(|figure| figure <= most)),
            AtLeast(least) => (format!("at least {least}"), figure.is_some_and(|figure| figure >= least)),
        };
        let result = match figure {
            None => "not measured",
            Some(_) if is_met => "met",
            Some(_) => "**missed**",
        };
        let figure = figure.map_or(NOT_MEASURED.to_owned(), |figure| figure.to_string());
        let _ = writeln!(table, "| {path} | {what}: {bound} | {figure} | {result} |");
    }
    table
}

fn all(measured: &Measured) -> Vec<Budget> {
    let Measured { instructions, throughput, memory, compile_time, .. } = measured;
    let count = |case, field| instructions.number(case, field);
    let speed = |case, field| throughput.number(case, field);
    let seconds = |name| compile_time.number(name, 0);
    let held = "closed, a held handle";
    let keyed = "closed, a short text key";
    let rejected = "open, a rejection";
    let future = "future";
    let bytes = "circuit, without the text of its key";
    let compiling = "compile time";
    // The size of a chain grows linearly if its last level adds as many bytes as its first.
    let first_level = growth(measured, "future of a chain of two", "future, guarded");
    let last_level = growth(measured, "future of a chain of ten", "future of a chain of nine");
    let fastest_rival = RIVALS.iter().filter_map(|(case, _)| speed(case, 2)).reduce(f64::max);
    let relative_to_fastest_rival = speed("held", 2).zip(fastest_rival).map(|(own, rival)| hundredths(own / rival));
    let breaker_and_tracing =
        seconds("200 functions, `#[breaker]`").zip(seconds("200 functions, `#[tracing::instrument]`"));
    let with_and_without_derive = seconds("enum of 200 variants, `thiserror` and `ProvesReachable`")
        .zip(seconds("enum of 200 variants, `thiserror` only"));
    let row = |path, what, figure, bound| Budget { path, what, figure, bound };
    vec![
        row(held, "instructions above the bare call", count("held", 1), AtMost(60.0)),
        row(held, "allocations", count("held", 2), AtMost(0.0)),
        row(held, "clock reads", count("held", 3), AtMost(0.0)),
        row(held, "throughput of two threads, relative to one", speed("held", 3), AtLeast(1.7)),
        row(
            held,
            "throughput of two threads, relative to the fastest other crate",
            relative_to_fastest_rival,
            AtLeast(1.0),
        ),
        row(keyed, "instructions above the bare call", count("text key", 1), AtMost(200.0)),
        row(keyed, "allocations", count("text key", 2), AtMost(0.0)),
        row(keyed, "throughput of two threads, relative to one", speed("text key", 3), AtLeast(1.7)),
        row(
            "closed, a pair key in a type of the user's",
            "instructions above the bare call",
            count("program, pair key", 1),
            AtMost(300.0),
        ),
        row(
            "closed, a pair key in a type of the user's",
            "throughput of two threads, relative to one",
            speed("program, pair key", 3),
            AtLeast(1.6),
        ),
        row(
            "closed, 100 of these",
            "instructions above the bare call",
            count("program, 100 pair keys", 1),
            AtMost(350.0),
        ),
        row(
            "closed, 100 of these",
            "throughput of two threads, relative to one",
            speed("program, 100 pair keys", 3),
            AtLeast(1.6),
        ),
        row(
            "closed, 10,000 of these",
            "instructions above the bare call",
            count("program, 10,000 pair keys", 1),
            AtMost(500.0),
        ),
        row(
            "closed, 10,000 of these",
            "throughput of two threads, relative to one",
            speed("program, 10,000 pair keys", 3),
            AtLeast(1.6),
        ),
        row("closed, a marked error", "instructions above the bare call", count("program, marked", 1), AtMost(150.0)),
        row(
            "closed, a marked error",
            "throughput of two threads, relative to one",
            speed("program, marked", 3),
            AtLeast(1.5),
        ),
        row("closed, a failure", "instructions above the bare call", count("program, failed", 1), AtMost(165.0)),
        row(
            "closed, a failure",
            "throughput of two threads, relative to one",
            speed("program, failed", 3),
            AtLeast(0.3),
        ),
        row(rejected, "instructions above the bare call", count("program, rejected", 1), AtMost(200.0)),
        row(rejected, "throughput of two threads, relative to one", speed("program, rejected", 3), AtLeast(1.6)),
        row(
            "half-open, a rejection",
            "instructions above the bare call",
            count("program, half-open, rejected", 1),
            AtMost(250.0),
        ),
        row(
            "half-open, a rejection",
            "throughput of two threads, relative to one",
            speed("program, half-open, rejected", 3),
            AtLeast(1.5),
        ),
        row(rejected, "clock reads", count("rejected", 3), AtMost(1.0)),
        row(rejected, "allocations", count("rejected", 2), AtMost(0.0)),
        row(future, "bytes more than the body", growth(measured, "future, guarded", "future, unguarded"), AtMost(64.0)),
        row(
            future,
            "bytes more than a body of 4,096 bytes",
            growth(measured, "future of 4,096 bytes, guarded", "future of 4,096 bytes, unguarded"),
            AtMost(64.0),
        ),
        row(
            future,
            "bytes that the tenth level of a chain adds, minus those of the second",
            last_level.zip(first_level).map(|(last, first)| last - first),
            AtMost(0.0),
        ),
        row(bytes, "bytes, healthy", memory.most("bytes, healthy"), AtMost(256.0)),
        row(bytes, "bytes, after one failure", memory.most("bytes, failed once"), AtMost(256.0)),
        row(bytes, "bytes, open", memory.most("bytes, open"), AtMost(256.0)),
        row(
            compiling,
            "200 functions, relative to `#[tracing::instrument]`",
            breaker_and_tracing.map(|(breaker, tracing)| hundredths(breaker / tracing)),
            AtMost(0.64),
        ),
        row(
            compiling,
            "seconds that the derive adds for 200 variants",
            with_and_without_derive.map(|(with, without)| hundredths(with - without)),
            AtMost(0.1),
        ),
    ]
}

/// Rounds to two decimals.
fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
