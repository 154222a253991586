//! The handle to a fleet.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use breaker_core::fleet::{CircuitReport, Link};
use redis::Client;
use tokio::sync::Notify;

use crate::error::FleetError;
use crate::event::Hook;
use crate::metrics::FleetSnapshot;
use crate::protocol::Namespace;
use crate::settings::Settings;
use crate::shared::FleetShared;
use crate::tasks::{run_subscriber, run_worker};

/// Shares the circuits of one registry with the other processes of its namespace. Cheap to clone: clones are the same
/// fleet. The fleet ends with its last clone, including that of the registry. It serves one registry; a second one does
/// not build.
///
/// Keep a clone to inspect it with [`snapshot`](Self::snapshot).
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
    shared: Arc<FleetShared>,
    end: Arc<Notify>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end.notify_one();
    }
}

impl Fleet {
    pub(crate) fn start(
        client: Client,
        namespace: Namespace,
        settings: Settings,
        hooks: Vec<Hook>,
    ) -> Result<Self, FleetError> {
        let (shared, requests) = FleetShared::new(namespace, settings, hooks);
        let end = Arc::new(Notify::new());
        // The fleet has a thread of its own, so it needs no runtime of the user's and is not affected by a blocked one.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(FleetError::Thread)?;
        let (end_of_thread, shared_of_thread) = (end.clone(), shared.clone());
        std::thread::Builder::new()
            .name("breaker-fleet".to_owned())
            .spawn(move || {
                runtime.block_on(async move {
                    tokio::select! {
                        () = run_worker(shared_of_thread.clone(), client.clone(), requests) => {}
                        () = run_subscriber(shared_of_thread, client) => {}
                        () = end_of_thread.notified() => {}
                    }
                });
                runtime.shutdown_background();
            })
            .map_err(FleetError::Thread)?;
        Ok(Self(Arc::new(Running { shared, end })))
    }

    /// Returns the counters of the fleet.
    #[must_use]
    pub fn snapshot(&self) -> FleetSnapshot {
        self.0.shared.snapshot()
    }

    /// Waits until every report of a circuit so far was answered or dropped. Returns `false` if that takes longer than
    /// `within`.
    ///
    /// Call it before a program ends whose last report must reach the server, such as a command that resets a circuit.
    /// It blocks the thread, so do not use it in a call. Dropped reports increase [`dropped`](FleetSnapshot::dropped):
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
    ///     eprintln!("the reset did not reach the server");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn flush(&self, within: Duration) -> bool {
        let start = Instant::now();
        while !self.0.shared.is_idle() {
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
        self.0.shared.serve(link)
    }

    fn publish(&self, report: CircuitReport) {
        self.0.shared.accept_report(report);
    }
}

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fleet")
            .field("namespace", &self.0.shared.namespace.name)
            .field("snapshot", &self.snapshot())
            .finish_non_exhaustive()
    }
}
