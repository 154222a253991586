//! The part of a state machine that takes part in a fleet: membership, probe grants, and reports in both directions.

mod incoming;
mod membership;
mod outgoing;
mod participation;

pub(crate) use membership::HasFleet;
pub(super) use membership::Membership;
pub(crate) use participation::PendingReport;
#[cfg(feature = "testing")]
pub(super) use participation::ProbeGrant;
