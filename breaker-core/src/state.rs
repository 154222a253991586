//! The three states of a circuit.

use std::fmt;

/// The state of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Calls pass, and failures are counted.
    Closed,
    /// Calls are rejected at once until the cooldown is over.
    Open,
    /// The cooldown is over: a probe decides, and all other calls are rejected at once.
    HalfOpen,
}

impl State {
    /// Returns the state as text: `closed`, `open` or `half-open`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half-open",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
