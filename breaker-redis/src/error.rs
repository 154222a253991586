//! Why a fleet did not start.

use std::io;

/// Why a [`Fleet`](crate::Fleet) did not start. Never that the server is down: that is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// A setting that cannot be, with its value and what is allowed.
    #[error("`{setting}` is {value}, but must be {allowed}")]
    Setting {
        /// The name of the setting: a method of [`FleetBuilder`](crate::FleetBuilder).
        setting: &'static str,
        /// The value that was given.
        value: String,
        /// What is allowed, as the end of the sentence "must be ...".
        allowed: &'static str,
    },
    /// The address is none. It is not shown, for there may be a password in it.
    #[error("`url` is no address of a server ({reason}), but must be like `redis://host:6379/0`")]
    Url {
        /// What is wrong with it.
        reason: String,
    },
    /// The address asks for TLS, and the program has not said which provider of cryptography `rustls` should use.
    #[error(
        "`url` asks for TLS, but no provider of cryptography is installed: call \
         `CryptoProvider::install_default` of `rustls` before the fleet is started"
    )]
    NoCryptography,
    /// The operating system gave no thread or socket.
    #[error("the fleet has no thread to run on")]
    Thread(#[source] io::Error),
}
