//! The closing summary: a table of the calls, and a check that they match the expected course of events.

use std::sync::atomic::{AtomicU64, Ordering};

use breaker_core::{Registry, Snapshot};

use crate::connection::Status;
use crate::job::Job;

/// What the scenario observed while it ran.
pub(crate) struct Observations {
    /// The number of requests that reached cedar during the cooldown of its circuit.
    pub(crate) cedar_requests_in_cooldown: u64,
    /// The number of requests that reached cedar between the opening and the closing of its circuit.
    pub(crate) cedar_probes: u64,
    /// Whether dogwood's webhook was served although its circuit was open.
    pub(crate) dogwood_webhook_served: bool,
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

fn snapshot(job: &Job, registry: &Registry) -> Snapshot {
    registry.circuit(&*job.connection).snapshot()
}

pub(crate) fn print_table(jobs: &[Job], registry: &Registry) {
    println!();
    println!("shop      calls  succeeded  marked errors  failed  rejected  opened  requests at the shop  state");
    for job in jobs {
        let counts = &job.counts;
        let (succeeded, marked) = (get(&counts.succeeded), get(&counts.marked));
        let (failed, rejected) = (get(&counts.failed), get(&counts.rejected));
        let circuit = snapshot(job, registry);
        println!(
            "{:8} {:6} {:10} {:14} {:7} {:9} {:7} {:21}  {}",
            job.shop.name,
            succeeded + marked + failed + rejected,
            succeeded,
            marked,
            failed,
            rejected,
            circuit.times_opened,
            job.shop.requests(),
            circuit.state,
        );
    }
}

/// Returns each observation that contradicts the expected course of events.
pub(crate) fn contradictions(jobs: &[Job], registry: &Registry, observed: &Observations) -> Vec<String> {
    let mut found = Vec::new();
    let mut expect = |holds: bool, what: &str| {
        if !holds {
            found.push(what.to_owned());
        }
    };
    for job in jobs {
        let name = job.shop.name;
        let (counts, circuit) = (&job.counts, snapshot(job, registry));
        expect(get(&counts.succeeded) > 0, &format!("no call to {name} succeeded"));
        expect(
            job.connection.status() == Status::Active,
            &format!("the connection of {name} is not active at the end"),
        );
        if matches!(name, "acorn" | "birch") {
            expect(circuit.times_opened == 0, &format!("the circuit of {name} opened"));
            expect(get(&counts.failed) + get(&counts.rejected) == 0, &format!("{name} had failures or rejections"));
        }
        match name {
            "birch" => expect(get(&counts.marked) >= 10, "birch answered fewer than ten 404s"),
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
    expect(observed.cedar_requests_in_cooldown == 0, "cedar received requests during its cooldown");
    expect(observed.cedar_probes == 1, "the number of probes that reached cedar is not one");
    expect(observed.dogwood_webhook_served, "dogwood's webhook was not served while its circuit was open");
    found
}
