//! All measured cases. `gate.txt` and the report refer to a case by its name here.

use std::hint;
use std::time::Duration;

use breaker_core::{Circuit, Config, Registry, State};

use crate::core_subjects::{
    ByKey, ByKeyInGlobalRegistry, Call, CallAsync, HeldHandle, HeldHandleInPlainFn, ManyKeys, Nested, SilentFleet,
};
use crate::lower_bounds::{BareCall, MinimalBreaker};
use crate::remote::{FAILING, IN_STOCK, MISSING};
use crate::subject::Subject;

/// A way to measure a case, such as wall time or instructions.
pub trait Runner {
    /// Measures calls of one article.
    fn run<S: Subject>(&mut self, name: &'static str, subject: &S, article: u64);
}

/// Runs the lower bounds and the cases of breaker-core.
///
/// # Panics
///
/// If a setting is out of range, which does not happen.
pub fn run_core(runner: &mut impl Runner) {
    let never_opening = || Config::builder().failure_threshold(u32::MAX).build().expect("in range");
    let registry = Registry::new(Config::default());
    let circuit = || Circuit::new("shop-7", Config::default());
    runner.run("bare", &BareCall, IN_STOCK);
    runner.run("minimal breaker", &MinimalBreaker::default(), IN_STOCK);
    runner.run("held", &HeldHandle(circuit()), IN_STOCK);
    runner.run("held, plain fn", &HeldHandleInPlainFn(circuit()), IN_STOCK);
    runner.run("call_async", &CallAsync(circuit()), IN_STOCK);
    runner.run("call", &Call(circuit()), IN_STOCK);
    runner.run("nested", &Nested(circuit()), IN_STOCK);
    runner.run("text key", &ByKey { connection: "shop-7", registry: registry.clone() }, IN_STOCK);
    runner.run("text key, global registry", &ByKeyInGlobalRegistry("shop-7"), IN_STOCK);
    runner.run("integer key", &ByKey { connection: 7_u64, registry: registry.clone() }, IN_STOCK);
    runner.run("pair key", &ByKey { connection: ("crm", 7_u64), registry: registry.clone() }, IN_STOCK);
    runner.run("ten thousand keys", &ManyKeys::new(10_000), IN_STOCK);
    let in_fleet = Registry::builder().fleet(SilentFleet).build().expect("in range");
    runner.run("held, in a fleet", &HeldHandle(in_fleet.circuit("shop-7")), IN_STOCK);
    runner.run("text key, in a fleet", &ByKey { connection: "shop-7", registry: in_fleet }, IN_STOCK);
    runner.run("failed", &HeldHandle(Circuit::new("shop-7", never_opening())), FAILING);
    runner.run("marked", &HeldHandle(Circuit::new("shop-7", never_opening())), MISSING);
    let open = circuit();
    open.trip();
    runner.run("rejected", &HeldHandle(open), IN_STOCK);
    runner.run("half-open, a probe", &HeldHandle(half_open(u32::MAX)), IN_STOCK);
    let under_probe = half_open(1);
    let _probe = under_probe.try_acquire().expect("the only slot is free");
    runner.run("half-open, rejected", &HeldHandle(under_probe), IN_STOCK);
}

/// Returns a half-open circuit that closes after this number of successful probes.
///
/// # Panics
///
/// If a setting is out of range, which does not happen.
#[must_use]
pub fn half_open(probes: u32) -> Circuit {
    let config = Config::builder().half_open_probes(probes).cooldown(Duration::from_nanos(1)).build();
    let circuit = Circuit::new("shop-7", config.expect("in range"));
    circuit.trip();
    while circuit.state() != State::HalfOpen {
        hint::spin_loop();
    }
    circuit
}

/// Runs the calls of each rival: those that succeed, those that fail and those that are rejected.
#[cfg(feature = "rivals")]
pub fn run_rivals(runner: &mut impl Runner) {
    use crate::rivals::Path;

    for path in [Path::Success, Path::Failure, Path::Rejection] {
        crate::rivals::run_all(runner, path);
    }
}
