//! Jobs, and what becomes of a circuit that opens.

use std::sync::{Arc, Mutex, PoisonError};

use breaker_core::{Event, Reason, Registry, RegistryBuilder, State};
use rusqlite::Result;

use crate::crash;
use crate::desk::Desk;
use crate::shop::{Shop, ShopError};
use crate::store::Store;

pub struct Service {
    registry: Registry,
    store: Arc<Store>,
    desk: Desk,
    /// Keeps a reconnect out while circuits are compared with the file.
    turn: Mutex<()>,
}

/// What a round of the jobs did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    pub answered: u32,
    pub failed: u32,
    pub rejected: u32,
}

impl Service {
    /// Starts, and sends what an earlier run left unsent.
    pub fn start(store: Store, desk: Desk, registry: RegistryBuilder) -> Result<Self> {
        let store = Arc::new(store);
        let in_hook = store.clone();
        let registry = registry.on_event(move |event| escalate(&in_hook, event)).build();
        let registry = registry.expect("the settings are constants");
        let service = Self { registry, store, desk, turn: Mutex::new(()) };
        service.deliver()?;
        Ok(service)
    }

    /// One round of all jobs. They skip connections that need attention: those are not even looked up.
    pub fn round(&self, is_up: impl Fn(&str) -> bool) -> Result<Round> {
        let mut round = Round::default();
        for key in self.store.active()? {
            let shop = Shop { key: &key, is_up: is_up(&key), registry: &self.registry };
            match shop.sync() {
                Ok(()) => round.answered += 1,
                Err(ShopError::Unavailable) => round.failed += 1,
                Err(ShopError::Rejected(_)) => round.rejected += 1,
            }
        }
        self.catch_up()?;
        self.deliver()?;
        Ok(round)
    }

    /// Notes the openings that the hook could not note, because the file was locked or the disk full.
    fn catch_up(&self) -> Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        for circuit in self.registry.snapshots() {
            if circuit.state != State::Closed && !circuit.held {
                self.store.opened(&circuit.connection, "found open")?;
            }
        }
        Ok(())
    }

    /// Sends what is unsent. Dying between the two steps sends it twice, which the desk recognises by its number.
    fn deliver(&self) -> Result<()> {
        for escalation in self.store.unsent()? {
            crash::point("marked");
            self.desk.send(&escalation)?;
            crash::point("sent");
            self.store.sent(escalation.id)?;
        }
        Ok(())
    }

    /// Somebody has reconnected a shop: its circuit closes at once, and its jobs run again.
    ///
    /// In this order, so that whoever looks in between sees a connection that still needs attention, never an open circuit
    /// that nobody was told of.
    pub fn reconnect(&self, key: &str) -> Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.registry.reset(key);
        self.store.reconnected(key)
    }

    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    pub fn desk(&self) -> &Desk {
        &self.desk
    }
}

/// The hook. It runs on the thread of the call that opened the circuit, before that call returns.
fn escalate(store: &Store, event: &Event) {
    // What somebody did by hand is known to somebody.
    let by_hand = matches!(event.reason, Reason::Held | Reason::Tripped);
    if event.to != State::Open || by_hand {
        return;
    }
    crash::point("opened");
    if let Err(error) = store.opened(&event.connection, event.reason.as_str()) {
        eprintln!("{event}: not noted yet, for {error}");
    }
}
