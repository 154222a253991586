//! The demo: simulated shops that fail and recover, and jobs that call them.

use std::time::{Duration, Instant};

use breaker_core::{CircuitOpen, ProvesReachable, Registry, breaker};
use tokio::time::sleep;

/// Realistic names, one of which would be markup if the page did not escape it.
const NAMES: [&str; 24] = [
    "acorn",
    "birch",
    "cedar",
    "dogwood",
    "elm & sons",
    "fir <GmbH>",
    "ginkgo",
    "hazel",
    "ivy",
    "juniper",
    "kapok",
    "larch",
    "maple",
    "nutmeg",
    "oak",
    "pine",
    "quince",
    "rowan",
    "spruce",
    "teak",
    "ulmo",
    "viburnum",
    "willow",
    "yew",
];

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("no contact {0}")]
    #[reachable(status = 404)]
    ContactNotFound(u32),
    #[error("the shop answered with status {0}")]
    Status(#[reachable(status)] u16),
    #[error("the shop did not answer in time")]
    Timeout,
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

/// How a shop answers at a given time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behaviour {
    Healthy,
    /// Fails some of the calls.
    Unstable,
    Unavailable,
    /// Does not answer, so that calls end with a timeout.
    Silent,
}

struct Shop {
    connection: String,
    number: usize,
    registry: Registry,
    start: Instant,
    /// How long a job waits between two calls.
    pause: Duration,
}

/// Starts one job for each of this number of shops.
pub(crate) fn start(shops: usize, registry: &Registry) {
    let start = Instant::now();
    let pause = if shops > 100 { Duration::from_secs(4) } else { Duration::from_millis(600) };
    for number in 0..shops {
        let connection = match NAMES.get(number) {
            Some(name) => format!("crm:{name}"),
            None => format!("crm:shop-{number:04}"),
        };
        let shop = Shop { connection, number, registry: registry.clone(), start, pause };
        tokio::spawn(async move { shop.run().await });
    }
}

impl Shop {
    async fn run(self) {
        // The jobs start at different times.
        sleep(self.pause.mul_f64(self.chance(0))).await;
        for round in 1.. {
            // The result is ignored, because the circuit has recorded it.
            let _ = match round % 4 {
                0 => self.pull_consent(round).await,
                1 => self.push_order().await,
                _ => self.verify().await,
            };
            sleep(self.pause.mul_f64(0.5 + self.chance(round))).await;
        }
    }

    #[breaker(connection = self.connection, registry = self.registry)]
    async fn verify(&self) -> Result<(), ShopError> {
        self.answer().await
    }

    #[breaker(connection = self.connection, registry = self.registry)]
    async fn pull_consent(&self, contact: u32) -> Result<(), ShopError> {
        self.answer().await?;
        if contact.is_multiple_of(3) { Err(ShopError::ContactNotFound(contact)) } else { Ok(()) }
    }

    /// An order must not be the probe of a shop.
    #[breaker(connection = self.connection, registry = self.registry, probe = false)]
    async fn push_order(&self) -> Result<(), ShopError> {
        self.answer().await
    }

    async fn answer(&self) -> Result<(), ShopError> {
        let tenths = u32::try_from(self.start.elapsed().as_millis() / 100).unwrap_or(u32::MAX);
        let behaviour = self.behaviour();
        let delay = if behaviour == Behaviour::Silent { 300 } else { 40 };
        sleep(Duration::from_millis(delay).mul_f64(0.5 + self.chance(tenths))).await;
        match behaviour {
            Behaviour::Healthy => Ok(()),
            Behaviour::Unstable if self.chance(tenths) < 0.6 => Ok(()),
            Behaviour::Unstable | Behaviour::Unavailable => Err(ShopError::Status(503)),
            Behaviour::Silent => Err(ShopError::Timeout),
        }
    }

    /// Two of nine shops are down for part of the time, and one of seven is unstable.
    fn behaviour(&self) -> Behaviour {
        let down = if self.number.is_multiple_of(2) { Behaviour::Unavailable } else { Behaviour::Silent };
        let seconds = self.start.elapsed().as_secs() + 7 * self.number as u64;
        match (self.number % 9, self.number % 7) {
            (2, _) if seconds % 100 < 55 => down,
            (5, _) if seconds % 75 < 40 => down,
            (_, 4) => Behaviour::Unstable,
            _ => Behaviour::Healthy,
        }
    }

    /// Returns a pseudo-random number from 0 to 1, which depends only on the shop and the salt.
    fn chance(&self, salt: u32) -> f64 {
        let mixed = u32::try_from(self.number).unwrap_or(0).wrapping_add(1).wrapping_mul(0x9E37_79B1)
            ^ salt.wrapping_mul(0x85EB_CA77);
        f64::from(mixed.wrapping_mul(0xC2B2_AE3D) >> 16) / f64::from(u16::MAX)
    }
}
