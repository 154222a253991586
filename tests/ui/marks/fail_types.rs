//! Fields that can never prove an answer.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, LinkedList};
use std::io::ErrorKind;
use std::sync::Arc;

use breaker_core::{CircuitOpen, NeverReachable, ProvesReachable};

type Transport = std::io::Error;

#[derive(Debug)]
pub struct ModemError;
impl NeverReachable for ModemError {}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("a")]
    #[reachable]
    NotFound(#[source] std::io::Error),
    #[error("b")]
    #[reachable(status = 404)]
    NoContact { id: u64, cause: Box<Transport> },
    #[error("c")]
    #[reachable]
    NoOrder(Option<Arc<Transport>>),
    #[error("d")]
    #[reachable]
    NoCart(Vec<(u8, ModemError)>),
    #[error("e")]
    #[reachable]
    NoItem([ModemError; 2], &'static ModemError),
    #[error("f")]
    #[reachable]
    NoShop(#[from] CircuitOpen),
    #[error("g")]
    #[reachable]
    NoTag(std::num::ParseIntError),
    #[error("h")]
    #[reachable]
    NoPage((std::io::Error, ModemError), Result<u8, ModemError>, (u8, u8, u8, u8, u8, ModemError)),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("a")]
#[reachable]
enum InCollections {
    NoContact(HashMap<ErrorKind, u8>),
    NoOrder(BTreeSet<ErrorKind>),
    NoCart(Cow<'static, ErrorKind>),
    NoItem(OnceCell<LinkedList<ModemError>>),
    NoShop((u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, ModemError)),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("a")]
#[reachable(never)]
struct LinkDown;

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("a")]
#[reachable(never)]
enum CallFailed {
    Slow(u64),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum OfNothing {
    #[error("a")]
    #[reachable]
    NoContact(LinkDown),
    #[error("a")]
    #[reachable]
    NoOrder(Option<Box<CallFailed>>),
}

mod namesake {
    #[derive(Debug)]
    pub struct CircuitOpen;
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("a")]
#[reachable]
enum OnlyCalledSo {
    NoContact,
    Rejected(namesake::CircuitOpen),
    NoOrder(u8, CircuitOpen, std::io::Error),
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("a")]
struct Gone<'a>(&'a str, &'a ModemError);

fn main() {}
