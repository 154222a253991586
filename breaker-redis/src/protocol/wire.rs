//! Replies of the script and messages of the channel.
//!
//! | text | parsed as |
//! |---|---|
//! | `granted state era remaining streak now`, returned by the script | [`Reply`] |
//! | `name sender state era remaining streak now`, on the channel | [`Message`] |
//!
//! The comment at the head of `script.lua` explains the fields.

use std::time::Duration;

use breaker_core::fleet::{FleetState, StateUpdate};

/// The state of one circuit on the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WireState {
    pub(crate) era: u64,
    pub(crate) state: FleetState,
}

/// A reply of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// This process was granted the probe.
    Granted { era: u64, lease: Duration },
    /// The state after the operation, whether the operation was accepted or refused.
    State(WireState),
}

impl WireState {
    /// Parses `state era remaining streak now`.
    fn parse<'t>(mut words: impl Iterator<Item = &'t str>) -> Option<Self> {
        let state = words.next()?;
        let mut number = || words.next()?.parse::<u64>().ok();
        let (era, remaining, streak, now) = (number()?, number()?, number()?, number()?);
        let remaining = Duration::from_micros(remaining);
        let state = match state {
            "0" => FleetState::Closed { failures: streak > 0 },
            "1" => FleetState::Open { remaining },
            "2" => FleetState::Probing { remaining },
            "3" => FleetState::HeldOpen,
            // Eras are times of the server's clock, so no era that was lost is later than the current time.
            "-" => return Some(Self { era: now, state: FleetState::Forgotten }),
            _ => return None,
        };
        Some(Self { era, state })
    }

    pub(crate) fn to_update(self, answers: Option<u64>) -> StateUpdate {
        StateUpdate { era: self.era, state: self.state, answers }
    }
}

impl Reply {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (granted, state) = text.split_once(' ')?;
        let state = WireState::parse(state.split(' '))?;
        match (granted, state) {
            ("0", state) => Some(Self::State(state)),
            ("1", WireState { era, state: FleetState::Probing { remaining } }) => {
                Some(Self::Granted { era, lease: remaining })
            }
            _ => None,
        }
    }
}

/// A message of the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message<'t> {
    /// The encoded name of the circuit.
    pub(crate) name: &'t str,
    /// The process whose operation caused the message.
    pub(crate) sender: &'t str,
    pub(crate) state: WireState,
}

impl<'t> Message<'t> {
    pub(crate) fn parse(text: &'t str) -> Option<Self> {
        let mut words = text.split(' ');
        Some(Self { name: words.next()?, sender: words.next()?, state: WireState::parse(words)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read() {
        let era = 1_764_496_000_123_457;
        let reply = Reply::parse("1 2 1764496000123457 30000000 0 1764496000123457").unwrap();
        let remaining = Duration::from_secs(30);
        assert_eq!(reply, Reply::Granted { era, lease: remaining });
        let closed = Reply::parse("0 0 7 0 3 9").unwrap();
        assert_eq!(closed, Reply::State(WireState { era: 7, state: FleetState::Closed { failures: true } }));
        let unknown = Reply::parse("0 - 0 0 0 9").unwrap();
        assert_eq!(unknown, Reply::State(WireState { era: 9, state: FleetState::Forgotten }));
    }

    #[test]
    fn messages_are_read() {
        let state = WireState { era: 7, state: FleetState::Open { remaining: Duration::from_micros(5) } };
        let message = Message { name: "crm%3A7", sender: "a1", state };
        assert_eq!(Message::parse("crm%3A7 a1 1 7 5 0 9"), Some(message));
        assert_eq!(Message::parse(" a1 3 7 0 0 9").unwrap().state.state, FleetState::HeldOpen);
    }

    #[test]
    fn invalid_messages_are_refused() {
        for text in
            ["", "0", "x", "2 0 7 0 3 9", "1 1 7 5 0 9", "0 4 7 0 3 9", "0 0 7 0 3", "0 0 -7 0 3 9", "0 0 7e3 0 3 9"]
        {
            assert_eq!(Reply::parse(text), None, "{text:?}");
        }
        assert_eq!(Message::parse("shop-7"), None);
    }
}
