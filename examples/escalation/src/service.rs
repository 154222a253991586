//! The service: its jobs, and the escalation of an opened circuit.

use std::sync::{Arc, Mutex, PoisonError};

use breaker_core::{Event, Reason, Registry, RegistryBuilder, State};
use rusqlite::Result;

use crate::crash;
use crate::shop::{Shop, ShopError};
use crate::store::Store;
use crate::ticket_system::TicketSystem;

/// The service: a registry, the file with its marks and escalations, and the ticket system that receives them.
pub struct Service {
    registry: Registry,
    store: Arc<Store>,
    ticket_system: TicketSystem,
    /// Prevents a reconnect while the states of the circuits are compared with the file.
    reconnect_lock: Mutex<()>,
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
        let service = Self { registry, store, ticket_system, reconnect_lock: Mutex::new(()) };
        service.send_unsent()?;
        Ok(service)
    }

    /// Runs one round of all jobs. Connections that need attention are skipped without a look-up of their circuits.
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
        self.record_missed_openings()?;
        self.send_unsent()?;
        Ok(round)
    }

    /// Records openings that the hook could not record, because the file was locked or the disk was full.
    fn record_missed_openings(&self) -> Result<()> {
        let _guard = self.reconnect_lock.lock().unwrap_or_else(PoisonError::into_inner);
        for circuit in self.registry.snapshots() {
            if circuit.state != State::Closed && !circuit.held {
                self.store.record_opening(&circuit.connection, "found open")?;
            }
        }
        Ok(())
    }

    /// Sends unsent escalations. After a crash between the sending and the recording, an escalation is sent again, and
    /// the ticket system recognises its number.
    fn send_unsent(&self) -> Result<()> {
        for escalation in self.store.unsent()? {
            crash::point("marked");
            self.ticket_system.send(&escalation)?;
            crash::point("sent");
            self.store.mark_sent(escalation.id)?;
        }
        Ok(())
    }

    /// Closes the circuit of a shop that was reconnected, so that its jobs run again.
    ///
    /// The mark is cleared last. In the opposite order, a concurrent reader could see an active connection whose
    /// circuit is still open.
    pub fn reconnect(&self, key: &str) -> Result<()> {
        let _guard = self.reconnect_lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.registry.reset(key);
        self.store.mark_active(key)
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
    let is_manual = matches!(event.reason, Reason::Held | Reason::Tripped);
    if event.to != State::Open || is_manual {
        return;
    }
    crash::point("opened");
    if let Err(error) = store.record_opening(&event.connection, event.reason.as_str()) {
        eprintln!("{event}: not recorded yet: {error}");
    }
}
