//! Errors at the start of a fleet.

use std::io;

/// The reason why a [`Fleet`](crate::Fleet) did not start. An unreachable server is not an error here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// An invalid setting, with its value and the allowed range.
    #[error("`{setting}` is {value}, but must be {allowed}")]
    Setting {
        /// The name of the setting: a method of [`FleetBuilder`](crate::FleetBuilder).
        setting: &'static str,
        /// The given value.
        value: String,
        /// The allowed values, as the end of the sentence "must be ...".
        allowed: &'static str,
    },
    /// The address is invalid. It is not shown, because it may contain a password.
    #[error("`url` is not the address of a server ({reason}), but must be like `redis://host:6379/0`")]
    Url {
        /// What is wrong with it.
        reason: String,
    },
    /// The address requires TLS, but the program has not installed a cryptography provider for `rustls`.
    #[error(
        "`url` requires TLS, but no cryptography provider is installed: call \
         `CryptoProvider::install_default` of `rustls` before the fleet is started"
    )]
    NoCryptography,
    /// The operating system could not create a thread or socket.
    #[error("the fleet could not start its thread")]
    Thread(#[source] io::Error),
}
