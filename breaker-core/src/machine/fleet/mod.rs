//! The part of a state machine that takes part in a fleet: membership, probe grants, and reports in both directions.

mod incoming;
mod membership;
mod outgoing;
mod probe_grant;

pub(crate) use membership::HasFleet;
pub(super) use membership::Membership;
pub(crate) use probe_grant::PendingReport;
#[cfg(feature = "testing")]
pub(super) use probe_grant::ProbeGrant;
