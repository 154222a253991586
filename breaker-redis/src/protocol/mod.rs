//! What is exchanged with Redis: encoded names, calls of the Lua script, its replies and its messages.

mod key_encoding;
mod script;
mod wire;

pub(crate) use key_encoding::LongNames;
pub(crate) use script::{Namespace, Operation};
pub(crate) use wire::{Message, Reply, WireState};
