//! The caches of recently used circuits of each thread. They are visible only by the time that a call takes, so these
//! tests differ from others only in the number of calls before an assertion.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use breaker_core::testing::ManualClock;
use breaker_core::{CircuitOpen, Config, ProvesReachable, Reason, Registry, breaker};

const IDLE_AFTER: Duration = Duration::from_secs(100);

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("no such article")]
    #[reachable]
    NoSuchArticle,
    #[error("down")]
    Down,
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

struct Shop {
    registry: Registry,
}

impl Shop {
    #[breaker(connection = shop, registry = self.registry)]
    fn ping(&self, shop: &str, up: bool) -> Result<(), ShopError> {
        if up { Ok(()) } else { Err(ShopError::Down) }
    }

    /// Fails at the second poll.
    #[breaker(connection = shop, registry = self.registry)]
    async fn go_down(&self, shop: &str) -> Result<(), ShopError> {
        let mut waited = false;
        poll_fn(|_| if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }).await;
        Err(ShopError::Down)
    }

    #[breaker(connection = shop, registry = self.registry)]
    fn refuse(&self, shop: &str) -> Result<(), ShopError> {
        Err(ShopError::NoSuchArticle)
    }

    /// Makes enough calls to fill every kind of cache.
    fn ping_often(&self, shop: &str) {
        for _ in 0..4 {
            self.ping(shop, true).unwrap();
        }
    }
}

fn shop(capacity: usize) -> (Shop, ManualClock, Arc<Mutex<Vec<Reason>>>) {
    let clock = ManualClock::new();
    let reasons: Arc<Mutex<Vec<Reason>>> = Arc::default();
    let seen = Arc::clone(&reasons);
    let registry = Registry::builder()
        .config(Config::builder().failure_threshold(3).build().unwrap())
        .clock(clock.clone())
        .capacity(capacity)
        .idle_after(IDLE_AFTER)
        .on_event(move |event| seen.lock().unwrap().push(event.reason))
        .build()
        .unwrap();
    (Shop { registry }, clock, reasons)
}

/// Runs `before` on another thread, and keeps that thread alive until `after` has returned.
fn beside_a_thread<R>(before: impl FnOnce() + Send, after: impl FnOnce() -> R) -> R {
    thread::scope(|scope| {
        let (ready, is_ready) = mpsc::channel();
        let (finish, is_finished) = mpsc::channel::<()>();
        scope.spawn(move || {
            before();
            ready.send(()).unwrap();
            let _ = is_finished.recv();
        });
        is_ready.recv().unwrap();
        let result = after();
        drop(finish);
        result
    })
}

#[test]
fn an_idle_circuit_is_evicted_although_caches_contain_it() {
    // Fails if a handle in a cache counts as a use of the circuit.
    let (shop, clock, _) = shop(100);
    beside_a_thread(
        || shop.ping_often("shop-7"),
        || {
            shop.ping_often("shop-7");
            shop.ping("shop-7", false).unwrap_err();
            clock.advance(IDLE_AFTER);
            assert_eq!(shop.registry.len(), 0);
            assert!(shop.registry.get("shop-7").is_none());
            shop.ping("shop-7", false).unwrap_err();
            assert_eq!(shop.registry.circuit("shop-7").snapshot().streak, 1, "it should have been a new one");
        },
    );
}

#[test]
fn a_cache_hit_counts_as_a_use() {
    // Fails if a cache hit does not count as a use.
    let (shop, clock, _) = shop(100);
    shop.ping_often("shop-7");
    shop.refuse("shop-7").unwrap_err();
    for _ in 0..5 {
        clock.advance(IDLE_AFTER * 3 / 4);
        shop.ping("shop-7", true).unwrap();
    }
    assert_eq!(shop.registry.snapshots()[0].marked_answers, 1);
}

#[test]
fn cached_circuits_are_evicted_over_capacity() {
    // Fails if the caches are not emptied before victims are selected.
    let (shop, _, reasons) = shop(4);
    beside_a_thread(
        || (0..100).for_each(|number| shop.ping_often(&format!("shop-{number}"))),
        || {
            (0..100).for_each(|number| shop.ping_often(&format!("shop-{number}")));
            assert!(shop.registry.len() <= 4);
        },
    );
    assert_eq!(*reasons.lock().unwrap(), []);
}

#[test]
fn a_running_call_keeps_its_circuit_the_only_one_of_its_key() {
    // Fails if the registry evicts a circuit whose cached handle a call shares.
    let (shop, clock, _) = shop(4);
    shop.ping_often("shop-7");
    let mut call = pin!(shop.go_down("shop-7"));
    let context = &mut Context::from_waker(Waker::noop());
    assert!(call.as_mut().poll(context).is_pending());
    clock.advance(2 * IDLE_AFTER);
    (0..100).for_each(|number| shop.ping_often(&format!("other-{number}")));
    shop.ping("shop-7", false).unwrap_err();
    assert!(call.as_mut().poll(context).is_ready());
    assert_eq!(shop.registry.circuit("shop-7").snapshot().streak, 2, "there were two circuits for one key");
}

#[test]
fn a_removed_circuit_is_gone_although_caches_contain_it() {
    let (shop, _, _) = shop(100);
    beside_a_thread(
        || shop.ping_often("shop-7"),
        || {
            shop.ping_often("shop-7");
            shop.refuse("shop-7").unwrap_err();
            assert!(shop.registry.remove("shop-7"));
            assert!(!shop.registry.remove("shop-7"));
            shop.ping("shop-7", true).unwrap();
            assert_eq!(shop.registry.circuit("shop-7").snapshot().marked_answers, 0);
        },
    );
}

#[test]
fn a_circuit_removed_during_a_call_is_listed_again_by_a_look_up() {
    let (shop, _, _) = shop(100);
    shop.ping_often("shop-7");
    let mut call = pin!(shop.go_down("shop-7"));
    let context = &mut Context::from_waker(Waker::noop());
    assert!(call.as_mut().poll(context).is_pending());
    assert!(shop.registry.remove("shop-7"));
    assert_eq!(shop.registry.len(), 0);
    shop.ping_often("shop-7");
    assert_eq!(shop.registry.len(), 1);
}

#[test]
fn caches_keep_no_circuit_of_a_dropped_registry() {
    // Fails if a cache keeps a circuit and its hooks alive after the registry was dropped.
    let (shop, _, reasons) = shop(100);
    assert_eq!(Arc::strong_count(&reasons), 2);
    let registry = shop.registry.clone();
    thread::scope(|scope| {
        let (ready, is_ready) = mpsc::channel();
        let (finish, is_finished) = mpsc::channel::<()>();
        scope.spawn(move || {
            let shop = Shop { registry };
            shop.ping_often("shop-7");
            drop(shop);
            ready.send(()).unwrap();
            let _ = is_finished.recv();
        });
        is_ready.recv().unwrap();
        drop(shop);
        assert_eq!(Arc::strong_count(&reasons), 1, "a thread keeps the registry's hooks alive");
        drop(finish);
    });
}

#[test]
fn two_registries_do_not_mix_their_circuits() {
    // Fails if a cache identifies a circuit only by the text of its key.
    let (one, _, _) = shop(100);
    let (other, _, _) = shop(100);
    for _ in 0..3 {
        one.ping_often("shop-7");
        other.ping_often("shop-7");
        one.ping("shop-7", false).unwrap_err();
    }
    assert!(one.ping("shop-7", false).is_err());
    other.ping("shop-7", true).unwrap();
}

#[test]
fn keys_that_differ_in_one_byte_have_different_circuits() {
    // Fails if the caches compare a part of a key only, or the keys of different registries.
    let registries = [0, 1].map(|_| Shop { registry: Registry::new(Config::default()) });
    for len in 1..=20 {
        let key = "article-1234-of-shop"[..len].to_owned();
        let with_another_byte = (0..len).map(|index| {
            let mut other = key.clone();
            other.replace_range(index..=index, "_");
            other
        });
        let keys: Vec<_> = with_another_byte.chain([key.clone()]).collect();
        for _ in 0..3 {
            for shop in &registries {
                for key in &keys {
                    shop.ping_often(key);
                }
            }
        }
        for _ in 0..5 {
            registries[0].ping(&key, false).unwrap_err();
        }
        for (number, shop) in registries.iter().enumerate() {
            for other in &keys {
                let is_open = shop.ping(other, true).is_err();
                assert_eq!(is_open, number == 0 && *other == key, "`{other}` of registry {number}, opened: `{key}`");
            }
        }
        assert!(registries[0].registry.remove(&key));
    }
}

#[test]
fn a_cached_circuit_becomes_idle_by_the_clock_of_the_system() {
    // Fails if the cache of a thread keeps an old time, or if its hits are no uses. The other tests have clocks of their own.
    const IDLE_AFTER: Duration = Duration::from_secs(2);
    let registry = Registry::builder().idle_after(IDLE_AFTER).build().unwrap();
    let shop = Shop { registry };
    for key in ["shop-7", "the shop with the long key"] {
        shop.ping(key, false).unwrap_err();
        let circuit = shop.registry.get(key).expect("just called");
        (0..4).for_each(|_| drop(shop.registry.circuit(key)));
        drop(circuit);
        let mut latest = Instant::now();
        for _ in 0..5 {
            thread::sleep(IDLE_AFTER / 4);
            let circuit = shop.registry.circuit(key);
            if latest.elapsed() >= IDLE_AFTER {
                // This thread was stopped for a long time.
                return;
            }
            latest = Instant::now();
            assert_eq!(circuit.snapshot().streak, 1, "it was used, so it is the same one");
        }
        thread::sleep(IDLE_AFTER + Duration::from_millis(10));
        assert_eq!(shop.registry.circuit(key).snapshot().streak, 0, "it should have been a new one");
    }
}
