//! What a registry and a fleet of processes say to each other.
//!
//! Processes that call the same connections can share their circuits: the experience of one spares the others. A circuit
//! still decides by itself, at once and without asking anybody. It *tells* its [`Fleet`] what happened ([`CircuitReport`]), and is
//! told what others decided ([`StateUpdate`]) through the [`Link`] that the fleet was given. There is no server here: the crate
//! `breaker-redis` is a fleet, and so is anything else that implements the trait.
//!
//! # What a fleet has to do
//!
//! It keeps one [`FleetState`] state a connection with a number, its *era*, which grows with each change of that state. So a
//! circuit tells what is older than what it knows, and the fleet refuses a verdict that was founded on an older state.
//!
//! - A [`Change::ProbeWanted`] is answered by [`Link::grant`], which gives the process the right to probe under a new era,
//!   by [`Link::update`] where the state allows no probe, or by [`Link::unavailable`] where nobody can be asked. A circuit that
//!   hears nothing for a quarter of a second probes by itself.
//! - A grant that [`Link::grant`] did not take, or that [`Link::withdraw`] took back because no call came for it, is
//!   given back to the fleet.
//! - A change with a [stamp](CircuitReport::stamp) is answered by a [`StateUpdate`] that repeats it, or by [`Link::undelivered`]. Until then the
//!   circuit stays with its own verdict, whatever else it is told.
//!
//! ```
//! use std::sync::Mutex;
//! use breaker_core::fleet::{Change, Fleet, Link, CircuitReport, FleetState, StateUpdate};
//! use breaker_core::{Config, Registry, State};
//!
//! /// A fleet of one, in which somebody else has opened the circuit of `shop-7`.
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

/// Other processes that share the circuits of a registry: see the [module](self).
///
/// A panic in here is printed and harms nobody.
pub trait Fleet: Send + Sync {
    /// A registry is ready, and this is how to reach its circuits. Called once for each registry that is built with this
    /// fleet; false where the fleet can serve no further one, and then the registry does not build.
    fn join(&self, link: Link) -> bool;

    /// A circuit has something to tell. Called outside every lock, in order for each circuit, on the thread of the call
    /// that caused the report: so this must neither wait nor take long.
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
