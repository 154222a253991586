//! Errors that can never prove an answer.

use crate::rejection::CircuitOpen;

/// An error that can never prove that the remote system answered: a transport fault, or a response that could not be
/// read.
///
/// A marked variant or struct must not carry a value of such a type in any of its fields, directly or behind an alias,
/// a re-export, a pointer, an `Option`, a collection, a tuple or an array:
///
/// ```compile_fail
/// # use breaker_core::ProvesReachable;
/// # #[derive(Debug)]
/// #[derive(ProvesReachable)]
/// enum ContactError {
///     #[reachable]
///     NotFound(std::io::Error),
/// }
/// # impl std::fmt::Display for ContactError {
/// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("") }
/// # }
/// # impl std::error::Error for ContactError {}
/// ```
///
/// Implement it for your own transport errors, so that they cannot be marked by mistake:
///
/// ```
/// #[derive(Debug)]
/// struct ModemError;
///
/// impl breaker_core::NeverReachable for ModemError {}
/// ```
///
/// The features `reqwest`, `hyper`, `hyper-util`, `h2`, `rustls`, `serde_json`, `tokio`, `http`, `tonic` and
/// `tungstenite` implement it for the errors of those crates, so that an alias of such an error is refused. Without the
/// feature, the derive refuses the error by its path, and [`marks`](crate::marks) by the name of its type. A
/// `Box<dyn Error>` hides its content and is allowed.
pub trait NeverReachable {}

macro_rules! never {
    ($($fault:ty,)*) => {$( impl NeverReachable for $fault {} )*};
}

// The call was not made.
never! { CircuitOpen, }

// The remote system was not reached, or not in time.
never! {
    std::io::Error,
    std::io::ErrorKind,
    std::sync::mpsc::RecvError,
    std::sync::mpsc::RecvTimeoutError,
    std::sync::mpsc::TryRecvError,
}

// The response could not be read.
never! {
    std::array::TryFromSliceError,
    std::char::CharTryFromError,
    std::char::DecodeUtf16Error,
    std::char::ParseCharError,
    std::ffi::FromBytesUntilNulError,
    std::ffi::FromBytesWithNulError,
    std::ffi::FromVecWithNulError,
    std::ffi::IntoStringError,
    std::net::AddrParseError,
    std::num::IntErrorKind,
    std::num::ParseFloatError,
    std::num::ParseIntError,
    std::num::TryFromIntError,
    std::str::ParseBoolError,
    std::str::Utf8Error,
    std::string::FromUtf16Error,
    std::string::FromUtf8Error,
    std::time::SystemTimeError,
    std::time::TryFromFloatSecsError,
}
