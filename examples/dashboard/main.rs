//! A live page of all circuits, with a demo that calls simulated shops.
//!
//! `cargo run --example dashboard -- [--circuits 24] [--port 3000]`
//!
//! The shops of the demo fail and recover by themselves. The page shows for each circuit its state, since when and why,
//! when it is tried again, and its recent changes. Its buttons reset a circuit or hold it open.
//!
//! To use the page in your own service, copy `history.rs`, `feed.rs`, `server.rs` and `page/`, which do not depend on
//! the demo. Keep it on loopback or put it behind a login, because everyone with access to the page can stop your
//! calls.

mod demo;
mod feed;
mod history;
mod server;

use std::error::Error;
use std::time::Duration;

use breaker_core::{Config, Registry};

use history::History;
use server::Page;

/// Short, so that the demo shows changes. The default is a minute.
const COOLDOWN: Duration = Duration::from_secs(12);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { circuits, port } = Arguments::read(std::env::args().skip(1))?;
    let history = History::start();
    let config = Config::builder().cooldown(COOLDOWN).cooldown_growth(1.5, 3 * COOLDOWN).build()?;
    let registry = Registry::builder().config(config).on_event(history.hook()).build()?;

    let page = Page::bind(registry.clone(), history, port).await?;
    println!("{circuits} circuits at {}", page.address());
    demo::start(circuits, &registry);
    page.serve().await?;
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct Arguments {
    circuits: usize,
    /// 0 selects a free port.
    port: u16,
}

impl Arguments {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Self { circuits: 24, port: 3000 };
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("`{word}` needs a number"))?;
            let invalid = |error| format!("`{word} {value}`: {error}");
            match word.as_str() {
                "--circuits" => arguments.circuits = value.parse().map_err(invalid)?,
                "--port" => arguments.port = value.parse().map_err(invalid)?,
                _ => return Err(format!("`{word}` is neither `--circuits` nor `--port`")),
            }
        }
        Ok(arguments)
    }
}
