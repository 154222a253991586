//! A sync service that calls four shops over real HTTP on loopback, with one circuit for each.
//!
//! `cargo run --example shop_sync`
//!
//! | shop | behaviour |
//! |---|---|
//! | acorn | is healthy |
//! | birch | answers every contact with a 404: an error for the caller, an answer for the circuit |
//! | cedar | starts to return 503 and recovers a little later |
//! | dogwood | accepts connections and never answers, until it is reconnected |
//!
//! The program ends by itself, with an error if the observed events contradict this table.

mod connection;
mod crm;
mod job;
mod shop;
mod summary;
mod timeline;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use breaker_core::{Config, Reason, Registry, State};

use connection::{Status, SystemConnection};
use job::Job;
use shop::{Mood, Shop};
use timeline::Timeline;

/// Indexed by the numbers of their connections.
const SHOPS: [(u64, &str); 4] = [(1, "acorn"), (2, "birch"), (3, "cedar"), (4, "dogwood")];
/// Short, so that the example takes seconds. The default is a minute.
const COOLDOWN: Duration = Duration::from_millis(800);
const CALL_TIMEOUT: Duration = Duration::from_millis(300);

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let timeline = Timeline::start();
    let mut jobs = Vec::new();
    for (id, name) in SHOPS {
        let shop = Shop::open(name).await?;
        let connection = Arc::new(SystemConnection::new(id, shop.address()));
        jobs.push(Job::new(shop, connection, timeline, CALL_TIMEOUT)?);
    }
    let [acorn, birch, cedar, dogwood] = &jobs[..] else { unreachable!("there are four shops") };
    birch.shop.be(Mood::KnowsNobody);

    // The hook: a job's connection is marked as broken when its circuit opens, and as active when it closes.
    let systems: Vec<_> = jobs.iter().map(|job| (job.connection.clone(), job.shop.clone())).collect();
    let registry = Registry::builder()
        .config(Config::builder().cooldown(COOLDOWN).build()?)
        .on_event(move |event| {
            timeline.tell(&event.connection, &format!("{} -> {} ({})", event.from, event.to, event.reason));
            let Some((connection, shop)) = systems.iter().find(|(connection, _)| connection.is(&event.connection))
            else {
                return;
            };
            match (event.to, event.reason) {
                (State::Open, _) => connection.set_status(Status::Error),
                (State::Closed, Reason::ProbeSucceeded) => {
                    shop.has_recovered();
                    connection.set_status(Status::Active);
                }
                _ => {}
            }
        })
        .build()?;
    Registry::set_global(registry.clone())?;

    let story = async {
        timeline.say("all four shops are synchronised");
        pause(300).await;

        timeline.say("cedar starts to answer 503, dogwood stops answering");
        cedar.shop.be(Mood::Unavailable);
        dogwood.shop.be(Mood::Silent);
        cedar.until_status(Status::Error).await;

        let before = cedar.shop.requests();
        pause(400).await;
        let cedar_was_spared = cedar.shop.requests() == before;
        cedar.shop.be(Mood::Slow);
        timeline.say("cedar has recovered; sixteen callers wait for the end of its cooldown");
        cedar.crowd(16).await;
        cedar.until_status(Status::Active).await;
        let probes = cedar.shop.requests_until_recovery() - before;
        cedar.shop.be(Mood::Healthy);

        dogwood.until_status(Status::Error).await;
        timeline.say("dogwood's circuit is open, yet its webhook is inbound and still served");
        let webhook = dogwood.crm.handle_webhook("order-paid").await;
        pause(200).await;
        dogwood.shop.be(Mood::Healthy);
        timeline.say("dogwood is reconnected");
        dogwood.connection.set_status(Status::Active);
        registry.reset(&*dogwood.connection);
        pause(300).await;
        summary::Observations { cedar_was_spared, probes, webhook }
    };

    // All jobs run until the scenario is over.
    let seen = tokio::select! {
        seen = story => seen,
        () = async { tokio::join!(acorn.sync(), birch.sync(), cedar.sync(), dogwood.sync()); } => unreachable!("jobs never end"),
    };

    summary::print_table(&jobs, &registry);
    let contradictions = summary::contradictions(&jobs, &registry, &seen);
    for contradiction in &contradictions {
        eprintln!("CONTRADICTION: {contradiction}");
    }
    Ok(if contradictions.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn pause(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}
