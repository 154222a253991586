//! The protocol between a registry and a fleet of processes that share circuits.
//!
//! Processes that call the same connections can share their circuits, so that the failures of one process spare the
//! others. A circuit still decides by itself, immediately and without a question to the fleet. It sends
//! [`CircuitReport`]s to its [`Fleet`], and receives [`StateUpdate`]s of the other processes through the [`Link`] that
//! the fleet was given. This module contains no server. The crate `breaker-redis` implements a fleet, and so can any
//! other crate.
//!
//! # Duties of a fleet
//!
//! A fleet stores one [`FleetState`] for each connection, with a number that grows with each change: the *era*. With it
//! a circuit recognises stale updates, and the fleet refuses a verdict that is based on an older state.
//!
//! - The reply to a [`Change::ProbeWanted`] is [`Link::grant`], which grants the process a probe under a new era;
//!   [`Link::update`] where the state allows no probe; or [`Link::unavailable`] where the store cannot be reached. A
//!   circuit without a reply within 250 ms probes without a grant.
//! - A grant that [`Link::grant`] refused, or that [`Link::withdraw`] withdrew, is returned to the store.
//! - The reply to a report with a [stamp](CircuitReport::stamp) is a [`StateUpdate`] that repeats the stamp, or
//!   [`Link::undelivered`]. Until then the circuit keeps its own verdict and ignores other updates.
//!
//! ```
//! use std::sync::Mutex;
//! use breaker_core::fleet::{Change, Fleet, Link, CircuitReport, FleetState, StateUpdate};
//! use breaker_core::{Config, Registry, State};
//!
//! /// A fleet in which another process has opened the circuit of `shop-7`.
//! struct Warned;
//!
//! impl Fleet for Warned {
//!     fn join(&self, link: Link) -> bool {
//!         *LINK.lock().unwrap() = Some(link);
//!         true
//!     }
//!     fn publish(&self, report: CircuitReport) {
//!         if let Change::Joined = report.change {
//!             let link = LINK.lock().unwrap().clone().expect("joined");
//!             link.update(&report.connection, StateUpdate { era: 1, state: FleetState::HeldOpen, answers: None });
//!         }
//!     }
//! }
//! static LINK: Mutex<Option<Link>> = Mutex::new(None);
//!
//! let registry = Registry::builder().fleet(Warned).build()?;
//! assert_eq!(registry.circuit("shop-7").state(), State::Open);
//! # Ok::<(), breaker_core::ConfigError>(())
//! ```

mod link;
mod report;
mod update;

pub use link::Link;
pub(crate) use link::Target;
pub use report::{Change, CircuitReport};
pub use update::{FleetState, StateUpdate};

/// Other processes that share the circuits of a registry. See the [module](self).
///
/// A panic in an implementation is printed and has no other effect.
pub trait Fleet: Send + Sync {
    /// Receives access to the circuits of a registry. Called once for each registry that is built with this fleet.
    /// Return `false` where the fleet cannot serve another registry; the registry does not build then.
    fn join(&self, link: Link) -> bool;

    /// Publishes a report of a circuit. Called outside every lock, in order for each circuit, on the thread of the call
    /// that caused the report, so it must neither block nor take long.
    fn publish(&self, report: CircuitReport);
}

impl<F: Fleet + ?Sized> Fleet for std::sync::Arc<F> {
    fn join(&self, link: Link) -> bool {
        (**self).join(link)
    }

    fn publish(&self, report: CircuitReport) {
        (**self).publish(report);
    }
}
