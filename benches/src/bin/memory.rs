//! Memory of a circuit in a registry and of the future of a guarded call, in bytes. With `--million`, also the times of a
//! registry with a million circuits.

use std::alloc::System;
use std::hint::black_box;
use std::time::{Duration, Instant};

use breaker_benches::core_subjects::{ByKey, Chain, LargeBody};
use breaker_core::{Circuit, Config, Evidence, Registry};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn live_bytes() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// The length of each key in bytes.
const KEY_BYTES: usize = 8;

fn key(number: u32) -> String {
    format!("{number:08}")
}

/// Prints the bytes of a circuit, with its entry in the map and without the text of its key.
///
/// The least and the most are printed, because the map doubles its size when it is full. So the bytes for each circuit
/// depend on the number of circuits.
fn print_bytes_per_circuit(name: &str, make: impl Fn(Circuit)) {
    let bytes = [8_000, 12_000, 15_000, 20_000_u32].map(|circuits| {
        let registry = Registry::builder().capacity(1_000_000).build().expect("in range");
        let before = live_bytes();
        for number in 0..circuits {
            make(registry.circuit(key(number).as_str()));
        }
        (live_bytes() - before) / circuits as usize - KEY_BYTES
    });
    let (least, most) = (bytes.iter().min().expect("four"), bytes.iter().max().expect("four"));
    println!("bytes, {name}\t{least}\t{most}");
}

fn measure_circuits() {
    let settle = |circuit: &Circuit, evidence| circuit.try_acquire().expect("closed").settle(evidence);
    print_bytes_per_circuit("healthy", drop);
    print_bytes_per_circuit("failed once", |circuit| settle(&circuit, Evidence::Failed));
    print_bytes_per_circuit("failed once and recovered", |circuit| {
        settle(&circuit, Evidence::Failed);
        settle(&circuit, Evidence::Answered);
    });
    print_bytes_per_circuit("open", |circuit| (0..5).for_each(|_| settle(&circuit, Evidence::Failed)));
    print_bytes_per_circuit("failed once, and a call was dropped", |circuit| {
        settle(&circuit, Evidence::Failed);
        drop(circuit.try_acquire());
    });
}

fn measure_futures() {
    let circuit = Circuit::new("shop-7", Config::default());
    let by_key = ByKey { connection: "shop-7", registry: Registry::new(Config::default()) };
    let chain = Chain(circuit.clone());
    let large = LargeBody(circuit);
    let sizes = [
        ("future, unguarded", size_of_val(&chain.bare())),
        ("future, guarded", size_of_val(&chain.first())),
        ("future of 4,096 bytes, unguarded", size_of_val(&large.bare())),
        ("future of 4,096 bytes, guarded", size_of_val(&large.guarded())),
        ("future, guarded by key", size_of_val(&by_key.stock(7))),
        ("future of a chain of two", size_of_val(&chain.second())),
        ("future of a chain of nine", size_of_val(&chain.ninth())),
        ("future of a chain of ten", size_of_val(&chain.tenth())),
    ];
    for (name, bytes) in sizes {
        println!("{name}\t{bytes}");
    }
}

fn measure_million_circuits() {
    const KEYS: u32 = 1_000_000;
    let registry = Registry::builder().capacity(KEYS as usize).build().expect("in range");
    let keys: Vec<_> = (0..KEYS + 200_000).map(key).collect();
    let nanos_per_call = |took: Duration, times: usize| took.as_nanos() / times as u128;
    let timed = |keys: &[String]| {
        let start = Instant::now();
        for key in keys {
            black_box(registry.circuit(key.as_str()));
        }
        nanos_per_call(start.elapsed(), keys.len())
    };
    println!("ns, insert up to a million\t{}", timed(&keys[..KEYS as usize]));
    // A stride that visits each key at most once, in an order that no cache predicts.
    let scattered: Vec<_> = (0..200_000_usize).map(|step| keys[step * 699_967 % KEYS as usize].clone()).collect();
    println!("ns, look-up among a million\t{}", timed(&scattered));
    let before = live_bytes();
    println!("ns, insert over the capacity of a million\t{}", timed(&keys[KEYS as usize..]));
    println!("circuits after these inserts\t{}", registry.len());
    println!("bytes of growth by these inserts\t{}", live_bytes().saturating_sub(before));
    let start = Instant::now();
    let snapshots = registry.snapshots().len();
    println!("ns, snapshot among a million\t{}", nanos_per_call(start.elapsed(), snapshots));
}

fn main() {
    measure_circuits();
    measure_futures();
    if std::env::args().nth(1).as_deref() == Some("--million") {
        measure_million_circuits();
    }
}
