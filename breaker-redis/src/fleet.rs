//! The handle that a registry is given.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use breaker_core::fleet::{CircuitReport, Link};
use redis::Client;
use tokio::sync::Notify;
use tokio::sync::mpsc::Receiver;

use crate::builder::FleetBuilder;
use crate::error::FleetError;
use crate::metrics::FleetSnapshot;
use crate::post::{Letter, Office};
use crate::{subscriber, worker};

/// Shares the circuits of one registry with the other processes of its namespace. Cheap to clone: clones are the same
/// fleet. It ends with its last clone, the registry's included. A second registry is refused when it is built.
///
/// Keep a clone where you want to look at it: [`snapshot`](Self::snapshot).
///
/// ```no_run
/// use breaker_core::{Config, Registry};
/// use breaker_redis::{Fleet, Scope};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fleet = Fleet::builder("redis://127.0.0.1/").namespace("billing").scope(Scope::Fleet).start()?;
/// let registry = Registry::builder().config(Config::default()).fleet(fleet).build()?;
/// Registry::set_global(registry)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Fleet(Arc<Running>);

struct Running {
    office: Arc<Office>,
    end: Arc<Notify>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end.notify_one();
    }
}

impl Fleet {
    /// A fleet that meets at the server of this address: `redis://user:password@host:6379/0`, where all but the host may be
    /// left out; `unix:///path/of/its/socket`; or `rediss://` with the feature `tls`, once the program has called
    /// `install_default()` on a provider of cryptography of `rustls`. Nothing is checked or connected before
    /// [`FleetBuilder::start`].
    pub fn builder(url: impl Into<String>) -> FleetBuilder {
        FleetBuilder::new(url.into())
    }

    pub(crate) fn start(client: Client, office: Arc<Office>, letters: Receiver<Letter>) -> Result<Self, FleetError> {
        let end = Arc::new(Notify::new());
        // A thread of its own: no runtime of the user's is needed, and one that is blocked does not matter.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(FleetError::Thread)?;
        let (end_of_thread, office_of_thread) = (end.clone(), office.clone());
        std::thread::Builder::new()
            .name("breaker-fleet".to_owned())
            .spawn(move || {
                runtime.block_on(async move {
                    tokio::select! {
                        () = worker::run(office_of_thread.clone(), client.clone(), letters) => {}
                        () = subscriber::run(office_of_thread, client) => {}
                        () = end_of_thread.notified() => {}
                    }
                });
                runtime.shutdown_background();
            })
            .map_err(FleetError::Thread)?;
        Ok(Self(Arc::new(Running { office, end })))
    }

    /// What the fleet has done so far.
    #[must_use]
    pub fn snapshot(&self) -> FleetSnapshot {
        self.0.office.snapshot()
    }

    /// Waits until everything that circuits have told so far was answered or given up. False where that takes longer.
    ///
    /// For a program that is about to end and wants its last word to be heard, such as a command that resets a circuit.
    /// It blocks the thread, so it is nothing for a call. What was given up has
    /// [`dropped`](FleetSnapshot::dropped) grow:
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use breaker_core::Registry;
    /// use breaker_redis::Fleet;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let fleet = Fleet::builder("redis://127.0.0.1/").namespace("billing").start()?;
    /// let registry = Registry::builder().fleet(fleet.clone()).build()?;
    /// registry.circuit("shop-7").reset();
    /// if !fleet.flush(Duration::from_secs(2)) || fleet.snapshot().dropped > 0 {
    ///     eprintln!("the other processes have not heard it");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn flush(&self, within: Duration) -> bool {
        let start = Instant::now();
        while !self.0.office.is_idle() {
            if start.elapsed() >= within {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }
}

impl breaker_core::fleet::Fleet for Fleet {
    fn join(&self, link: Link) -> bool {
        self.0.office.serve(link)
    }

    fn publish(&self, report: CircuitReport) {
        self.0.office.take(report);
    }
}

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fleet")
            .field("namespace", &self.0.office.place.namespace)
            .field("snapshot", &self.snapshot())
            .finish_non_exhaustive()
    }
}
