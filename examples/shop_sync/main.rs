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
//! The program ends by itself, with an error if what it observes contradicts this table.

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
use shop::{Behaviour, Shop};
use summary::Observations;
use timeline::Timeline;

/// The number of each connection and the name of its shop.
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
    birch.shop.set_behaviour(Behaviour::NoContacts);

    // The hook sets the status of a connection to `Error` when its circuit opens, and to `Active` when it closes.
    let systems: Vec<_> = jobs.iter().map(|job| (job.connection.clone(), job.shop.clone())).collect();
    let registry = Registry::builder()
        .config(Config::builder().cooldown(COOLDOWN).build()?)
        .on_event(move |event| {
            timeline.event(&event.connection, &format!("{} -> {} ({})", event.from, event.to, event.reason));
            let Some((connection, shop)) = systems.iter().find(|(connection, _)| connection.is(&event.connection))
            else {
                return;
            };
            match (event.to, event.reason) {
                (State::Open, _) => connection.set_status(Status::Error),
                (State::Closed, Reason::ProbeSucceeded) => {
                    shop.record_recovery();
                    connection.set_status(Status::Active);
                }
                _ => {}
            }
        })
        .build()?;
    Registry::set_global(registry.clone())?;

    let scenario = async {
        timeline.step("all four shops are synchronised");
        pause(300).await;

        timeline.step("cedar starts to answer 503, dogwood stops answering");
        cedar.shop.set_behaviour(Behaviour::Unavailable);
        dogwood.shop.set_behaviour(Behaviour::Silent);
        cedar.wait_for_status(Status::Error).await;

        let before = cedar.shop.requests();
        pause(400).await;
        let cedar_requests_in_cooldown = cedar.shop.requests() - before;
        cedar.shop.set_behaviour(Behaviour::Slow);
        timeline.step("cedar has recovered; sixteen callers wait for the end of its cooldown");
        cedar.call_after_cooldown(16).await;
        cedar.wait_for_status(Status::Active).await;
        let cedar_probes = cedar.shop.requests_until_recovery() - before;
        cedar.shop.set_behaviour(Behaviour::Healthy);

        dogwood.wait_for_status(Status::Error).await;
        timeline.step("dogwood's circuit is open; its webhook is inbound and therefore still served");
        let dogwood_webhook_served = dogwood.crm.handle_webhook("order-paid").await;
        pause(200).await;
        dogwood.shop.set_behaviour(Behaviour::Healthy);
        timeline.step("dogwood is reconnected");
        dogwood.connection.set_status(Status::Active);
        registry.reset(&*dogwood.connection);
        pause(300).await;
        Observations { cedar_requests_in_cooldown, cedar_probes, dogwood_webhook_served }
    };

    // All jobs run until the scenario is over.
    let observed = tokio::select! {
        observed = scenario => observed,
        () = async { tokio::join!(acorn.sync(), birch.sync(), cedar.sync(), dogwood.sync()); } => unreachable!("jobs never end"),
    };

    summary::print_table(&jobs, &registry);
    let contradictions = summary::contradictions(&jobs, &registry, &observed);
    for contradiction in &contradictions {
        eprintln!("CONTRADICTION: {contradiction}");
    }
    Ok(if contradictions.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn pause(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}
