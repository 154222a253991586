//! All cases of the measurements.

use std::hint;
use std::time::Duration;

use breaker_core::{Circuit, Config, Registry, State};

use crate::floor::{Bare, Floor};
use crate::ours;
use crate::remote::{IN_STOCK, MISSING, POISON};
use crate::subject::Subject;

/// A way to measure.
pub trait Runner {
    /// Measures one case.
    fn run<S: Subject>(&mut self, name: &'static str, subject: &S, article: u64);
}

/// The cases of breaker-core.
///
/// # Panics
///
/// If a setting is out of range, which does not happen.
pub fn ours(runner: &mut impl Runner) {
    let tolerant = || Config::builder().failure_threshold(u32::MAX).build().expect("in range");
    let registry = Registry::new(Config::default());
    let circuit = || Circuit::new("shop-7", Config::default());
    runner.run("bare", &Bare, IN_STOCK);
    runner.run("floor", &Floor::default(), IN_STOCK);
    runner.run("held", &ours::Held(circuit()), IN_STOCK);
    runner.run("held, plain fn", &ours::HeldPlain(circuit()), IN_STOCK);
    runner.run("call_async", &ours::CallAsync(circuit()), IN_STOCK);
    runner.run("call", &ours::Call(circuit()), IN_STOCK);
    runner.run("nested", &ours::Nested(circuit()), IN_STOCK);
    runner.run("text key", &ours::Keyed { connection: "shop-7", registry: registry.clone() }, IN_STOCK);
    runner.run("text key, global registry", &ours::Global("shop-7"), IN_STOCK);
    runner.run("integer key", &ours::Keyed { connection: 7_u64, registry: registry.clone() }, IN_STOCK);
    runner.run("pair key", &ours::Keyed { connection: ("crm", 7_u64), registry: registry.clone() }, IN_STOCK);
    runner.run("ten thousand keys", &ours::ManyKeys::new(10_000), IN_STOCK);
    let team = Registry::builder().fleet(ours::Elsewhere).build().expect("in range");
    runner.run("held, in a fleet", &ours::Held(team.circuit("shop-7")), IN_STOCK);
    runner.run("text key, in a fleet", &ours::Keyed { connection: "shop-7", registry: team }, IN_STOCK);
    runner.run("failed", &ours::Held(Circuit::new("shop-7", tolerant())), POISON);
    runner.run("marked", &ours::Held(Circuit::new("shop-7", tolerant())), MISSING);
    let open = circuit();
    open.trip();
    runner.run("rejected", &ours::Held(open), IN_STOCK);
    runner.run("half-open, a probe", &ours::Held(half_open(u32::MAX)), IN_STOCK);
    let probed = half_open(1);
    let _probe = probed.try_acquire().expect("the first asks for the only slot");
    runner.run("half-open, rejected", &ours::Held(probed), IN_STOCK);
}

/// A circuit that this many probes have to close.
fn half_open(probes: u32) -> Circuit {
    let config = Config::builder().half_open_probes(probes).cooldown(Duration::from_nanos(1)).build();
    let circuit = Circuit::new("shop-7", config.expect("in range"));
    circuit.trip();
    while circuit.state() != State::HalfOpen {
        hint::spin_loop();
    }
    circuit
}

/// The plain call of each rival.
#[cfg(feature = "rivals")]
pub fn rivals(runner: &mut impl Runner) {
    crate::rivals::each(runner, IN_STOCK);
}
