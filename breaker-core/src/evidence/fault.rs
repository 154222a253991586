//! Transport faults.

/// A transport fault that an error reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There was no answer in time.
    Timeout,
    /// There was no connection in time.
    ConnectTimeout,
    /// There was no connection, or it broke.
    Connection,
    /// There was a response, with this HTTP status.
    Status(u16),
    /// The error is not about the transport.
    Other,
    /// Only the name of the type is known. Its words and those of the messages decide.
    Named(&'static str),
}
