//! Kinds of faults that a name or a text can mean.

/// A kind of fault between the caller and a usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Timeout,
    Connection,
    Server,
    /// A limit of calls, which proves neither that the remote system works nor that it is down.
    RateLimit,
    Malformed,
}

impl FaultKind {
    /// The end of a sentence that starts with "this name means".
    pub(crate) const fn explained(self) -> &'static str {
        match self {
            Self::Timeout => "a timeout, after which no answer came",
            Self::Connection => "a connection fault: the remote system was not reached",
            Self::Server => "a fault or overload of the server, which must count against the circuit",
            Self::RateLimit => "a limit of calls, which is overload and not an answer",
            Self::Malformed => "a malformed message: no usable answer came back",
        }
    }
}
