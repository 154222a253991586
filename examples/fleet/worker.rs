//! A worker: a process that calls the shop repeatedly. Only [`join`] is about the fleet; the annotated code is
//! unchanged.

use std::error::Error;
use std::io::BufRead as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use breaker_core::{CircuitOpen, Config, ProvesReachable, Registry, breaker};
use breaker_redis::{Fleet, Scope};

use crate::{COOLDOWN, FAILURES, wall};

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error("the shop answered with status {0}")]
    Status(#[reachable(status)] u16),
    #[error("the request failed")]
    Http(#[from] reqwest::Error),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

struct Shop {
    url: String,
    http: reqwest::Client,
    /// Nanoseconds of the last body. The rest of a call's time is spent in the breaker.
    inside: AtomicU64,
}

impl Shop {
    #[breaker(connection = "acorn")]
    async fn stock(&self, article: u64) -> Result<String, ShopError> {
        let start = Instant::now();
        let stock = self.ask(article).await;
        self.inside.store(nanos(start.elapsed()), Ordering::Relaxed);
        stock
    }

    async fn ask(&self, article: u64) -> Result<String, ShopError> {
        let response = self.http.get(format!("{}/articles/{article}", self.url)).send().await?;
        match response.status().as_u16() {
            200 => Ok(response.text().await?),
            status => Err(ShopError::Status(status)),
        }
    }
}

/// Joins the fleet, after which this process shares its circuits.
fn join(url: &str) -> Result<Fleet, Box<dyn Error>> {
    let fleet = Fleet::builder(url)
        .namespace("example")
        .scope(Scope::Fleet)
        .on_event(|event| println!("fleet {} {event:?}", wall()))
        .start()?;
    let registry = Registry::builder()
        .config(Config::builder().failure_threshold(FAILURES).cooldown(COOLDOWN).build()?)
        .on_event(|event| println!("circuit {} {} {}", wall(), event.to, event.reason))
        .fleet(fleet.clone())
        .build()?;
    Registry::set_global(registry)?;
    Ok(fleet)
}

/// Counts of the calls by result since they were last requested.
#[derive(Default)]
struct Counts {
    answered: AtomicU64,
    failed: AtomicU64,
    rejected: AtomicU64,
    /// The longest time that a call took in addition to its body, in nanoseconds.
    longest: AtomicU64,
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run(shop: &str, fleet: &str) -> Result<(), Box<dyn Error>> {
    let fleet = join(fleet)?;
    let counts = Arc::new(Counts::default());
    let worker_counts = counts.clone();
    std::thread::spawn(move || answer_commands(&fleet, &worker_counts));
    let http = reqwest::Client::builder().timeout(Duration::from_secs(1)).build()?;
    let shop = Shop { url: format!("http://{shop}"), http, inside: AtomicU64::new(0) };
    for article in 1.. {
        shop.inside.store(0, Ordering::Relaxed);
        let start = Instant::now();
        let result = shop.stock(article).await;
        let overhead = nanos(start.elapsed()).saturating_sub(shop.inside.load(Ordering::Relaxed));
        counts.longest.fetch_max(overhead, Ordering::Relaxed);
        let counter = match result {
            Ok(_) => &counts.answered,
            Err(ShopError::Rejected(_)) => &counts.rejected,
            Err(_) => &counts.failed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

/// Answers each input line with counts, and ends the process when the input ends.
fn answer_commands(fleet: &Fleet, counts: &Counts) {
    for line in std::io::stdin().lock().lines() {
        if line.is_err() {
            break;
        }
        let take = |counter: &AtomicU64| counter.swap(0, Ordering::Relaxed);
        let (answered, failed) = (take(&counts.answered), take(&counts.failed));
        let (rejected, longest) = (take(&counts.rejected), take(&counts.longest));
        let fleet = fleet.snapshot();
        println!("counts {answered} {failed} {rejected} {longest} {} {}", fleet.answered, fleet.grants);
    }
    std::process::exit(0);
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
