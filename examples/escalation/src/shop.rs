//! The integration, with one guarded call.

use breaker_core::{CircuitOpen, ProvesReachable, Registry, breaker};

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
pub enum ShopError {
    #[error("the shop answered with status 503")]
    Unavailable,
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

/// A shop that is up or down.
pub struct Shop<'r> {
    pub key: &'r str,
    pub is_up: bool,
    pub registry: &'r Registry,
}

impl Shop<'_> {
    #[breaker(connection = self.key, registry = self.registry)]
    pub fn sync(&self) -> Result<(), ShopError> {
        if self.is_up { Ok(()) } else { Err(ShopError::Unavailable) }
    }
}
