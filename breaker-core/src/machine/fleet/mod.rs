//! The part of a state machine that takes part in a fleet: membership, probe grants, and reports in both directions.

mod incoming;
mod membership;
mod outgoing;
mod probe_grant;

pub(super) use membership::Seat;
pub(crate) use probe_grant::Dispatch;
#[cfg(feature = "testing")]
pub(super) use probe_grant::Leave;
