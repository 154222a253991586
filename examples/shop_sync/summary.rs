//! The summary at the end, and the check of the observed events.

use std::sync::atomic::{AtomicU64, Ordering};

use breaker_core::{Registry, Snapshot};

use crate::connection::Status;
use crate::job::Job;

/// Observations during the run.
pub(crate) struct Observations {
    /// Whether cedar received no request during its cooldown.
    pub(crate) cedar_was_spared: bool,
    /// The number of requests that reached cedar between the opening and the closing of its circuit.
    pub(crate) probes: u64,
    /// Whether dogwood's webhook was served although its circuit was open.
    pub(crate) webhook: bool,
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

fn snapshot(job: &Job, registry: &Registry) -> Snapshot {
    registry.circuit(&*job.connection).snapshot()
}

pub(crate) fn print_table(jobs: &[Job], registry: &Registry) {
    println!();
    println!("shop      calls  succeeded  refused  failed  rejected  opened  requests at the shop  state");
    for job in jobs {
        let counts = &job.counts;
        let (answered, refused) = (get(&counts.answered), get(&counts.refused));
        let (failed, rejected) = (get(&counts.failed), get(&counts.rejected));
        let circuit = snapshot(job, registry);
        println!(
            "{:8} {:6} {:10} {:12} {:7} {:11} {:7} {:21}  {}",
            job.shop.name,
            answered + refused + failed + rejected,
            answered,
            refused,
            failed,
            rejected,
            circuit.times_opened,
            job.shop.requests(),
            circuit.state,
        );
    }
}

/// Returns every deviation from the expected course.
pub(crate) fn contradictions(jobs: &[Job], registry: &Registry, seen: &Observations) -> Vec<String> {
    let mut found = Vec::new();
    let mut expect = |holds: bool, what: &str| {
        if !holds {
            found.push(what.to_owned());
        }
    };
    for job in jobs {
        let name = job.shop.name;
        let (counts, circuit) = (&job.counts, snapshot(job, registry));
        expect(get(&counts.answered) > 0, &format!("{name} was never answered"));
        expect(job.connection.status() == Status::Active, &format!("{name} did not end active"));
        if matches!(name, "acorn" | "birch") {
            expect(circuit.times_opened == 0, &format!("the circuit of {name} opened"));
            expect(get(&counts.failed) + get(&counts.rejected) == 0, &format!("{name} had failures or rejections"));
        }
        match name {
            "birch" => expect(get(&counts.refused) >= 10, "birch answered fewer than ten 404s"),
            "cedar" => {
                expect(circuit.times_opened == 1, "the circuit of cedar did not open exactly once");
                expect(get(&counts.failed) == 5, "cedar did not fail exactly five times");
                expect(get(&counts.rejected) > 0, "no call to cedar was rejected");
            }
            "dogwood" => {
                expect(circuit.times_opened >= 1, "the circuit of dogwood never opened");
                expect(get(&counts.rejected) > 0, "no call to dogwood was rejected");
            }
            _ => {}
        }
    }
    expect(seen.cedar_was_spared, "cedar received requests during its cooldown");
    expect(seen.probes == 1, "the number of probes of cedar is not one");
    expect(seen.webhook, "dogwood's webhook was not served while its circuit was open");
    found
}
