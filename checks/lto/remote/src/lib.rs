//! The client of a remote system, with an error that has marks. Nobody names that type outside of this crate.
#![forbid(unsafe_code)]

use std::error::Error;
use std::fmt;

use breaker_core::ProvesReachable;

#[derive(Debug, ProvesReachable)]
enum ContactError {
    #[reachable(status = 404)]
    NotFound,
    Lost,
}

impl fmt::Display for ContactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "no such contact",
            Self::Lost => "the answer never came",
        })
    }
}

impl Error for ContactError {}

/// Pulls a contact that is not there, or loses the answer.
///
/// # Errors
///
/// Always.
pub fn pull(lost: bool) -> Result<u32, Box<dyn Error + Send + Sync>> {
    Err(if lost { ContactError::Lost } else { ContactError::NotFound }.into())
}
