//! Kinds of faults that a name or a text can mean.

/// What goes wrong between the caller and a usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Timeout,
    Connection,
    Server,
    Malformed,
}

impl FaultKind {
    /// The end of the sentence "this name speaks of ...".
    pub(crate) const fn explained(self) -> &'static str {
        match self {
            Self::Timeout => "a timeout, which says that nobody answered",
            Self::Connection => "a connection fault, which says that the remote system was not reached",
            Self::Server => "a fault or overload of the server, which is what the circuit is there to notice",
            Self::Malformed => "a malformed message, which says that no usable answer came back",
        }
    }
}
