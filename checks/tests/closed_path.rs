//! Tests that an admitted call allocates no memory while the features `tracing` and `metrics` are enabled.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use breaker_core::{Circuit, CircuitOpen, Config, Evidence, Registry, breaker};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// An allocator that counts the allocations of each thread, because other tests run at the same time.
struct CountingAllocator;

// SAFETY: every method forwards to the system's allocator, and counting allocates nothing.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Returns the number of allocations of this thread while `run` runs.
fn allocations_of(run: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    run();
    ALLOCATIONS.get() - before
}

#[breaker(connection = circuit)]
fn verify(circuit: &Circuit) -> Result<u32, CircuitOpen> {
    Ok(black_box(3))
}

#[breaker(connection = "shop-7", registry = registry)]
fn verify_by_key(registry: &Registry) -> Result<u32, CircuitOpen> {
    Ok(black_box(3))
}

#[test]
fn an_admitted_call_allocates_nothing() {
    let circuit = Circuit::new("shop-7", Config::default());
    let registry = Registry::new(Config::default());
    let call_all = || {
        verify(&circuit).unwrap();
        verify_by_key(&registry).unwrap();
    };
    // The first calls fill the caches.
    (0..10).for_each(|_| call_all());
    assert_eq!(allocations_of(|| (0..100).for_each(|_| call_all())), 0);
    // A rejection allocates, which shows that the counter works.
    circuit.hold_open();
    assert!(allocations_of(|| drop(verify(&circuit))) > 0);
}

#[test]
fn a_failure_after_the_first_allocates_nothing() {
    let circuit = Circuit::new("shop-7", Config::builder().failure_threshold(1_000).build().unwrap());
    let fail = || circuit.try_acquire().unwrap().settle(Evidence::Failed);
    fail();
    assert_eq!(allocations_of(|| (0..100).for_each(|_| fail())), 0);
}
