//! Kinds of faults that a name or a text can mean.

/// A kind of fault between the caller and a usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Timeout,
    Connection,
    Server,
    Malformed,
}

impl FaultKind {
    /// The end of a sentence that starts with "this name means".
    pub(crate) const fn explained(self) -> &'static str {
        match self {
            Self::Timeout => "a timeout, after which no answer came",
            Self::Connection => "a connection fault: the remote system was not reached",
            Self::Server => "a fault or overload of the server, which must count against the circuit",
            Self::Malformed => "a malformed message: no usable answer came back",
        }
    }
}
