//! The service: its jobs, and the escalation of an opened circuit.

use std::sync::{Arc, Mutex, PoisonError};

use breaker_core::{Event, Reason, Registry, RegistryBuilder, State};
use rusqlite::Result;

use crate::crash;
use crate::shop::{Shop, ShopError};
use crate::store::Store;
use crate::ticket_system::TicketSystem;

pub struct Service {
    registry: Registry,
    store: Arc<Store>,
    ticket_system: TicketSystem,
    /// Prevents a reconnect while circuits are compared with the file.
    turn: Mutex<()>,
}

/// The result of one round of the jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    pub answered: u32,
    pub failed: u32,
    pub rejected: u32,
}

impl Service {
    /// Starts the service and sends escalations that an earlier run left unsent.
    pub fn start(store: Store, ticket_system: TicketSystem, registry: RegistryBuilder) -> Result<Self> {
        let store = Arc::new(store);
        let in_hook = store.clone();
        let registry = registry.on_event(move |event| escalate(&in_hook, event)).build();
        let registry = registry.expect("the settings are constants");
        let service = Self { registry, store, ticket_system, turn: Mutex::new(()) };
        service.deliver()?;
        Ok(service)
    }

    /// Runs one round of all jobs. Jobs skip connections that need attention without looking them up.
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

    /// Records openings that the hook could not record, because the file was locked or the disk was full.
    fn catch_up(&self) -> Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        for circuit in self.registry.snapshots() {
            if circuit.state != State::Closed && !circuit.held {
                self.store.opened(&circuit.connection, "found open")?;
            }
        }
        Ok(())
    }

    /// Sends unsent escalations. A crash between the two steps sends one twice, and the ticket system recognises its
    /// number.
    fn deliver(&self) -> Result<()> {
        for escalation in self.store.unsent()? {
            crash::point("marked");
            self.ticket_system.send(&escalation)?;
            crash::point("sent");
            self.store.sent(escalation.id)?;
        }
        Ok(())
    }

    /// Closes the circuit of a shop that was reconnected, so that its jobs run again.
    ///
    /// In this order, so that a concurrent reader sees a connection that still needs attention, and never an open
    /// circuit without an escalation.
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

    pub fn ticket_system(&self) -> &TicketSystem {
        &self.ticket_system
    }
}

/// The hook. It runs on the thread of the call that opened the circuit, before that call returns.
fn escalate(store: &Store, event: &Event) {
    // Manual actions are skipped, because the operator already knows about them.
    let by_hand = matches!(event.reason, Reason::Held | Reason::Tripped);
    if event.to != State::Open || by_hand {
        return;
    }
    crash::point("opened");
    if let Err(error) = store.opened(&event.connection, event.reason.as_str()) {
        eprintln!("{event}: not recorded yet, because of {error}");
    }
}
