//! What circuits tell on its way to the server, and what the server says on its way to the circuits.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use breaker_core::fleet::{Change, CircuitReport, Link};
use tokio::sync::{Notify, mpsc};

use crate::builder::{Limits, Scope};
use crate::event::{self, FleetEvent, Hook};
use crate::health::Refusal;
use crate::messages::{Reply, Statement};
use crate::metrics::{Counters, FleetSnapshot};
use crate::names::LongNames;
use crate::script::{Operation, Place};

/// One operation on one circuit, on its way to the server.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    pub(crate) connection: Arc<str>,
    pub(crate) era: Option<u64>,
    pub(crate) operation: Operation,
    pub(crate) stamp: Option<u64>,
}

impl Letter {
    pub(crate) fn read(connection: Arc<str>) -> Self {
        Self { connection, era: None, operation: Operation::Read, stamp: None }
    }
}

/// With so many connections that something concerns, it concerns all.
pub(crate) const MANY: usize = 1_024;

/// What all parts of a fleet share.
pub(crate) struct Office {
    pub(crate) place: Place,
    pub(crate) scope: Scope,
    pub(crate) limits: Limits,
    pub(crate) names: LongNames,
    pub(crate) counters: Counters,
    /// Wakes the worker to compare all circuits with the server's.
    pub(crate) compare: Notify,
    link: OnceLock<Link>,
    queue: mpsc::Sender<Letter>,
    hooks: Vec<Hook>,
    /// Connections of which the server has missed failures or answers; with too many of them, all are meant.
    missed: Mutex<HashSet<Arc<str>>>,
    /// Letters that were posted and neither answered nor given up.
    waiting: AtomicU64,
    /// The server was lost, and what is told now would only wait.
    pub(crate) lost: AtomicBool,
    pub(crate) connected: AtomicBool,
    /// The queue had no room: what was told or asked then, only a comparison makes up for.
    pub(crate) overflowed: AtomicBool,
    /// The server refuses something.
    pub(crate) refusal: Mutex<Option<Refusal>>,
    pub(crate) subscribed: AtomicBool,
}

impl Office {
    pub(crate) fn new(
        place: Place,
        scope: Scope,
        limits: Limits,
        queue: usize,
        hooks: Vec<Hook>,
    ) -> (Arc<Self>, mpsc::Receiver<Letter>) {
        let (queue, letters) = mpsc::channel(queue);
        let office = Self {
            place,
            scope,
            limits,
            names: LongNames::default(),
            counters: Counters::default(),
            compare: Notify::new(),
            link: OnceLock::new(),
            queue,
            hooks,
            missed: Mutex::default(),
            waiting: AtomicU64::new(0),
            lost: AtomicBool::new(false),
            connected: AtomicBool::new(false),
            overflowed: AtomicBool::new(false),
            refusal: Mutex::default(),
            subscribed: AtomicBool::new(false),
        };
        (Arc::new(office), letters)
    }

    /// The registry that is served. False where there is one already.
    pub(crate) fn serve(&self, link: Link) -> bool {
        let is_first = self.link.set(link).is_ok();
        self.compare.notify_one();
        is_first
    }

    pub(crate) fn link(&self) -> Option<&Link> {
        self.link.get()
    }

    pub(crate) fn take(&self, news: CircuitReport) {
        let CircuitReport { connection, era, change, stamp, .. } = news;
        let operation = match change {
            Change::Joined => Operation::Read,
            Change::Failed { .. } | Change::Answered if self.scope == Scope::Process => return,
            change => Operation::Tell(change),
        };
        self.post(Letter { connection, era, operation, stamp });
    }

    /// Never waits: what finds no room, or no server, is given up.
    pub(crate) fn post(&self, letter: Letter) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if self.lost.load(Ordering::Acquire) {
            return self.give_up(&letter);
        }
        if let Err(error) = self.queue.try_send(letter) {
            self.counters.overflowed.add(1);
            self.overflowed.store(true, Ordering::Release);
            self.give_up(&error.into_inner());
        }
    }

    /// The letter will not be answered.
    pub(crate) fn give_up(&self, letter: &Letter) {
        self.counters.dropped.add(1);
        self.tell_given_up(letter);
        self.close();
    }

    fn tell_given_up(&self, letter: &Letter) {
        let Some(link) = self.link() else { return };
        if matches!(letter.operation, Operation::Tell(Change::Failed { .. } | Change::Answered)) {
            let mut missed = self.missed();
            if missed.len() < MANY {
                missed.insert(letter.connection.clone());
            }
        }
        if let Some(stamp) = letter.stamp {
            link.undelivered(&letter.connection, stamp);
        }
        if matches!(letter.operation, Operation::Tell(Change::ProbeWanted { .. })) {
            link.unavailable(&letter.connection);
        }
    }

    /// The server listens again. A failure that it may have heard without the answer after it must not stay: the next
    /// answer is told.
    pub(crate) fn make_up_for_what_was_missed(&self) {
        let missed = std::mem::take(&mut *self.missed());
        let Some(link) = self.link() else { return };
        let all = if missed.len() < MANY { missed.into_iter().collect() } else { link.connections() };
        for connection in all {
            link.expect_answer(&connection);
        }
    }

    fn missed(&self) -> MutexGuard<'_, HashSet<Arc<str>>> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One letter less that somebody may wait for.
    pub(crate) fn close(&self) {
        self.waiting.fetch_sub(1, Ordering::AcqRel);
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.load(Ordering::Acquire) == 0
    }

    /// A letter that nobody counted on its way in, such as one of a comparison.
    pub(crate) fn count(&self) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
    }

    /// The server answers a letter, perhaps too late. True where it gave leave to probe, and the circuit took it.
    pub(crate) fn deliver(&self, letter: &Letter, reply: &Reply) -> bool {
        let Some(link) = self.link() else { return false };
        let Statement { era, .. } = reply.statement;
        if !reply.granted {
            link.update(&letter.connection, reply.statement.told(letter.stamp));
            return false;
        }
        self.counters.grants.add(1);
        let taken = link.grant(&letter.connection, era, reply.lease());
        if !taken {
            self.return_grant(&letter.connection, era);
        }
        taken
    }

    /// A grant that nobody collects must not keep the others from probing.
    pub(crate) fn return_grant(&self, connection: &Arc<str>, era: u64) {
        self.counters.grants_returned.add(1);
        let operation = Operation::Tell(Change::ProbeDropped);
        self.post(Letter { connection: connection.clone(), era: Some(era), operation, stamp: None });
    }

    /// Somebody has published how a circuit stands.
    pub(crate) fn hear(&self, name: &str, statement: Statement) {
        self.counters.messages.add(1);
        if let (Some(link), Some(connection)) = (self.link(), self.names.connection_of(name)) {
            link.update(&connection, statement.told(None));
        }
    }

    pub(crate) fn tell(&self, event: &FleetEvent) {
        event::tell(&self.hooks, event);
    }

    pub(crate) fn snapshot(&self) -> FleetSnapshot {
        FleetSnapshot {
            connected: self.connected.load(Ordering::Acquire),
            refused: self.refusal().is_some(),
            subscribed: self.subscribed.load(Ordering::Acquire),
            waiting: self.waiting.load(Ordering::Acquire),
            ..self.counters.snapshot()
        }
    }
}
