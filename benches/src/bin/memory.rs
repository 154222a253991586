//! Bytes: of a circuit in a registry, and of the futures of guarded calls. And the registry at a million keys.

use std::alloc::System;
use std::hint::black_box;
use std::time::{Duration, Instant};

use breaker_benches::ours::{Chain, Keyed, Large};
use breaker_core::{Circuit, Config, Registry};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn live_bytes() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// The text of each key has as many bytes.
fn key(number: u32) -> String {
    format!("connection-{number:08}")
}

/// What the text of a key takes: two counts and the text.
const KEY_BYTES: usize = 16 + 19 + 5;

fn bytes_a_circuit() {
    const CIRCUITS: u32 = 100_000;
    let registry = Registry::builder().capacity(1_000_000).build().expect("in range");
    let before = live_bytes();
    for number in 0..CIRCUITS {
        drop(registry.circuit(key(number).as_str()));
    }
    let all = (live_bytes() - before) / CIRCUITS as usize;
    let before = ALLOCATOR.stats();
    let _circuit = Circuit::new("shop-7", Config::default());
    let alone = ALLOCATOR.stats() - before;
    println!("bytes a circuit, with its key and its place in the map\t{all}");
    println!("bytes a circuit, beside its key\t{}", all - KEY_BYTES);
    println!("allocations of a circuit alone\t{}", alone.allocations);
}

fn bytes_of_futures() {
    let circuit = Circuit::new("shop-7", Config::default());
    let keyed = Keyed { connection: "shop-7", registry: Registry::new(Config::default()) };
    let chain = Chain(circuit.clone());
    let large = Large(circuit);
    println!("future of a call without arguments, unguarded\t{}", size_of_val(&chain.bare()));
    println!("future of a call without arguments, guarded\t{}", size_of_val(&chain.first()));
    println!("the same with a body that holds 4,096 bytes, unguarded\t{}", size_of_val(&large.bare()));
    println!("the same with a body that holds 4,096 bytes, guarded\t{}", size_of_val(&large.guarded()));
    println!("future of a call by key with one argument, guarded\t{}", size_of_val(&keyed.stock(7)));
    println!("future of a chain of ten guarded calls\t{}", size_of_val(&chain.tenth()));
}

fn million() {
    const KEYS: u32 = 1_000_000;
    let registry = Registry::builder().capacity(KEYS as usize).build().expect("in range");
    let keys: Vec<_> = (0..KEYS + 200_000).map(key).collect();
    let each = |took: Duration, times: usize| took.as_nanos() / times as u128;
    let timed = |keys: &[String]| {
        let start = Instant::now();
        for key in keys {
            black_box(registry.circuit(key.as_str()));
        }
        each(start.elapsed(), keys.len())
    };
    println!("ns an insert up to a million keys\t{}", timed(&keys[..KEYS as usize]));
    // A stride that meets every key once, in no order that a cache likes.
    let scattered: Vec<_> = (0..200_000_usize).map(|step| keys[step * 699_967 % KEYS as usize].clone()).collect();
    println!("ns a look-up among a million keys\t{}", timed(&scattered));
    let before = live_bytes();
    println!("ns an insert over the capacity of a million, evictions included\t{}", timed(&keys[KEYS as usize..]));
    println!("circuits after that\t{}", registry.len());
    println!("bytes of growth by that\t{}", live_bytes().saturating_sub(before));
    let start = Instant::now();
    let snapshots = registry.snapshots().len();
    println!("ns a snapshot of a million\t{}", each(start.elapsed(), snapshots));
}

fn main() {
    bytes_a_circuit();
    bytes_of_futures();
    if std::env::args().nth(1).as_deref() == Some("--million") {
        million();
    }
}
