//! A client of a remote system. Its error type has marks and is private, so other crates see only a dynamic error.
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

/// Requests a contact that does not exist, or loses the answer.
///
/// # Errors
///
/// Always.
pub fn pull(lost: bool) -> Result<u32, Box<dyn Error + Send + Sync>> {
    Err(if lost { ContactError::Lost } else { ContactError::NotFound }.into())
}
