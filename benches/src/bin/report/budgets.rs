//! The budgets of the crate, and whether each is met.

use std::fmt::Write as _;

use crate::input::Measured;
use crate::tables::{RIVALS, growth};

/// A figure and its bounds.
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

pub fn table(measured: &Measured) -> String {
    let mut table = "| path | budget | measured | |\n|---|---|--:|---|\n".to_owned();
    for Budget { path, what, figure, bound } in all(measured) {
        let (bound, is_met) = match bound {
            AtMost(most) => (format!("at most {most}"), figure.is_some_and(|figure| figure <= most)),
            AtLeast(least) => (format!("at least {least}"), figure.is_some_and(|figure| figure >= least)),
        };
        let verdict = match figure {
            None => "not measured",
            Some(_) if is_met => "met",
            Some(_) => "**missed**",
        };
        let figure = figure.map_or("-".to_owned(), |figure| figure.to_string());
        let _ = writeln!(table, "| {path} | {what}: {bound} | {figure} | {verdict} |");
    }
    table
}

fn all(measured: &Measured) -> Vec<Budget> {
    let Measured { instructions, throughput, memory, compile_time, .. } = measured;
    let count = |case, field| instructions.number(case, field);
    let speed = |case, field| throughput.number(case, field);
    let seconds = |name| compile_time.number(name, 0);
    let held = "closed, a held circuit";
    let keyed = "closed, a short text key";
    let rejected = "open, rejected";
    let future = "the future";
    let bytes = "a circuit, beside the text of its key";
    let compiling = "compile time";
    // If the cost of a chain grows linearly, each level adds the same cost.
    let first_level = growth(measured, "future of a chain of two", "future, guarded");
    let last_level = growth(measured, "future of a chain of ten", "future of a chain of nine");
    let best_rival = RIVALS.iter().filter_map(|(case, _)| speed(case, 2)).reduce(f64::max);
    let to_best_rival = speed("held", 2).zip(best_rival).map(|(ours, best)| hundredths(ours / best));
    let to_tracing = seconds("200 functions, `#[breaker]`").zip(seconds("200 functions, `#[tracing::instrument]`"));
    let of_the_derive =
        seconds("the same, with `ProvesReachable`").zip(seconds("enum of 200 variants, `thiserror` alone"));
    let row = |path, what, figure, bound| Budget { path, what, figure, bound };
    vec![
        row(held, "instructions above the bare call", count("held", 1), AtMost(80.0)),
        row(held, "allocations", count("held", 2), AtMost(0.0)),
        row(held, "looks at the clock", count("held", 3), AtMost(0.0)),
        row(held, "two threads to one", speed("held", 3), AtLeast(1.7)),
        row(held, "two threads, to the fastest rival's two", to_best_rival, AtLeast(1.0)),
        row(keyed, "instructions above the bare call", count("text key", 1), AtMost(250.0)),
        row(keyed, "allocations", count("text key", 2), AtMost(0.0)),
        row(keyed, "two threads to one", speed("text key", 3), AtLeast(1.5)),
        row(rejected, "looks at the clock", count("rejected", 3), AtMost(1.0)),
        row(rejected, "allocations", count("rejected", 2), AtMost(1.0)),
        row(future, "bytes above the body's", growth(measured, "future, guarded", "future, unguarded"), AtMost(64.0)),
        row(
            future,
            "the same, for a body of 4,096 bytes",
            growth(measured, "future of 4,096 bytes, guarded", "future of 4,096 bytes, unguarded"),
            AtMost(64.0),
        ),
        row(
            future,
            "bytes that the tenth level of a chain adds over the second",
            last_level.zip(first_level).map(|(last, first)| last - first),
            AtMost(0.0),
        ),
        row(bytes, "bytes, healthy", memory.most("bytes, healthy"), AtMost(256.0)),
        row(bytes, "bytes, after one failure", memory.most("bytes, failed once"), AtMost(256.0)),
        row(bytes, "bytes, open", memory.most("bytes, open"), AtMost(256.0)),
        row(
            compiling,
            "200 functions, to the same with `#[tracing::instrument]`",
            to_tracing.map(|(ours, tracing)| hundredths(ours / tracing)),
            AtMost(1.0),
        ),
        row(
            compiling,
            "seconds that the derive adds for 200 variants",
            of_the_derive.map(|(with, without)| hundredths(with - without)),
            AtMost(0.1),
        ),
    ]
}

fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
