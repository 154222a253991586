//! One process of the fleet: it calls the shop all the time, and prints what its circuit does.

use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use breaker_core::{CircuitOpen, Config, ProvesReachable, Registry, breaker};
use breaker_redis::{Fleet, Scope};

use crate::COOLDOWN;

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
enum ShopError {
    #[error("the shop cannot be reached")]
    Transport(#[from] std::io::Error),
    #[error("the shop closed the connection")]
    NoAnswer,
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

struct Shop<'a> {
    address: &'a str,
}

impl Shop<'_> {
    // Nothing here knows of a fleet.
    #[breaker(connection = ("shop", "acorn"))]
    fn stock(&self) -> Result<String, ShopError> {
        let mut shop = TcpStream::connect(self.address)?;
        writeln!(shop, "worker {}", std::process::id())?;
        let mut answer = String::new();
        BufReader::new(shop).read_line(&mut answer)?;
        if answer.is_empty() { Err(ShopError::NoAnswer) } else { Ok(answer) }
    }
}

pub(crate) fn work(server: &str, shop: &str) -> Result<(), Box<dyn Error>> {
    let fleet = Fleet::builder(server)
        .namespace("example")
        .scope(Scope::Fleet)
        .on_event(|event| println!("{event}"))
        .start()?;
    let config = Config::builder().failure_threshold(5).cooldown(COOLDOWN).build()?;
    let registry = Registry::builder().config(config).fleet(fleet).on_event(|event| println!("{event}")).build()?;
    Registry::set_global(registry)?;

    let shop = Shop { address: shop };
    loop {
        // What the shop says is of no interest here.
        let _ = shop.stock();
        std::thread::sleep(Duration::from_millis(15));
    }
}
