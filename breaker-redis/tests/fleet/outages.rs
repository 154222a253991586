//! Outages: the server is killed, stopped, emptied, refusing, full or slow. No call fails or waits because of it, each
//! process protects itself, and all agree again within three seconds of the recovery.

use std::time::{Duration, Instant};

use crate::common::process::{Process, Settings};
use crate::common::proxy::Proxy;
use crate::common::server::Server;
use crate::common::{SECOND, ms, say, until};

const THRESHOLD: u32 = 5;
const RECOVERY: Duration = Duration::from_secs(3);

fn settings(url: impl Into<String>) -> Settings {
    Settings { threshold: THRESHOLD, cooldown: ms(500), ..Settings::at(url) }
}

/// An outage, and the processes that live through it.
struct Outage<'t> {
    name: &'t str,
    settings: Settings,
    /// Whether the processes are connected before the outage.
    starts_connected: bool,
    /// What a process reports about the server during the outage.
    health: &'t str,
}

/// Calls go on in two processes during the outage and after it.
fn run_outage(
    outage: &Outage<'_>,
    server: &mut Server,
    begin: impl FnOnce(&mut Server),
    end: impl FnOnce(&mut Server),
) {
    let Outage { name, settings, .. } = outage;
    let mut processes = [Process::start(settings), Process::start(settings)];
    if outage.starts_connected {
        processes.iter_mut().for_each(Process::wait_until_connected);
    }
    for process in &mut processes {
        process.ask("load start");
    }
    std::thread::sleep(ms(200));
    begin(server);
    for process in &mut processes {
        until(&format!("{name} is noticed"), 4 * SECOND, || process.ask("health").contains(outage.health));
    }
    // Each process opens its own circuit.
    for process in &mut processes {
        assert_eq!(process.number("fail down 10"), u64::from(THRESHOLD), "{name}: it opens by itself");
        assert_eq!(process.ask("state down"), "open");
    }
    // Each process probes without a grant.
    for process in &mut processes {
        assert_eq!(process.ask("probe down 3000"), "true", "{name}: it probes by itself");
        assert_eq!(process.ask("settle answered"), "accepted");
        assert_eq!(process.ask("state down"), "closed");
    }
    std::thread::sleep(ms(300));
    end(server);
    let recovered = Instant::now();
    let [first, second] = &mut processes;
    first.ask("hold after");
    second.number(&format!("await after open {}", RECOVERY.as_millis()));
    second.ask("reset after");
    first.number(&format!("await after closed {}", RECOVERY.as_millis()));
    let agreed = recovered.elapsed();
    assert!(agreed < RECOVERY, "{name}: they agreed after {agreed:?}");
    until(&format!("{name} is over"), RECOVERY, || first.ask("health") == "connected subscribed accepted");
    for process in &mut processes {
        let answer = process.ask("load stop");
        let numbers: Vec<u64> = answer.split(' ').map(|number| number.parse().unwrap()).collect();
        let [calls, rejected, half, most, longest] = numbers[..] else { panic!("{answer}") };
        let dropped = process.number("dropped");
        say!(
            "{name}: {calls} calls, none failed; {half} ns at the median, {most} ns at the 99th percentile, {} us at \
             most; {dropped} reports dropped; agreed {} ms after the recovery",
            longest / 1_000,
            agreed.as_millis()
        );
        assert_eq!(rejected, 0, "{name}: healthy calls were rejected");
        assert!(most < 1_000_000, "{name}: calls waited: {most} ns at the 99th percentile");
        assert!(calls > 1_000, "{name}: {calls} calls");
    }
}

#[test]
fn a_server_that_is_killed_and_restarted() {
    let Some(mut server) = Server::start() else { return };
    let outage = Outage {
        name: "kill -9",
        settings: settings(server.url()),
        starts_connected: true,
        health: "lost unsubscribed",
    };
    run_outage(&outage, &mut server, Server::kill, Server::start_again);
}

#[test]
fn a_server_that_is_stopped_and_continued() {
    let Some(mut server) = Server::start() else { return };
    let outage = Outage { name: "SIGSTOP", settings: settings(server.url()), starts_connected: true, health: "lost" };
    run_outage(&outage, &mut server, |server| server.signal("STOP"), |server| server.signal("CONT"));
}

#[test]
fn no_server_at_the_start() {
    let Some(mut server) = Server::start() else { return };
    server.kill();
    let settings = settings(server.url());
    let outage = Outage { name: "not there yet", settings, starts_connected: false, health: "lost unsubscribed" };
    run_outage(&outage, &mut server, |_| {}, Server::start_again);
}

#[test]
fn commands_refused_by_an_acl() {
    let Some(mut server) = Server::start() else { return };
    let allowed = "~breaker:* &breaker:* +evalsha +script|load +time +hmget +hset +pexpire +publish +subscribe +ping";
    // The ACL of the documentation is sufficient.
    server.command(&format!("ACL SETUSER worker on >secret {allowed}"));
    let settings = settings(format!("redis://worker:secret@127.0.0.1:{}/", server.port));
    let outage = Outage { name: "ACL", settings, starts_connected: true, health: "refused" };
    run_outage(
        &outage,
        &mut server,
        |server| drop(server.command("ACL SETUSER worker -hset")),
        |server| drop(server.command("ACL SETUSER worker +hset")),
    );
}

#[test]
fn a_server_without_free_memory() {
    let Some(mut server) = Server::start() else { return };
    let outage =
        Outage { name: "memory full", settings: settings(server.url()), starts_connected: true, health: "refused" };
    run_outage(
        &outage,
        &mut server,
        |server| drop(server.command("CONFIG SET maxmemory 1")),
        |server| drop(server.command("CONFIG SET maxmemory 0")),
    );
}

#[test]
fn a_wrong_password() {
    let Some(mut server) = Server::start() else { return };
    server.command("ACL SETUSER worker on >right ~* &* +@all");
    let settings = settings(format!("redis://worker:wrong@127.0.0.1:{}/", server.port));
    let outage = Outage { name: "wrong password", settings, starts_connected: false, health: "lost unsubscribed" };
    run_outage(&outage, &mut server, |_| {}, |server| drop(server.command("ACL SETUSER worker >wrong")));
}

#[test]
fn a_slow_network() {
    let Some(mut server) = Server::start() else { return };
    let proxy = Proxy::to(server.port);
    let settings = settings(format!("redis://127.0.0.1:{}/", proxy.port));
    let outage = Outage { name: "slow network", settings, starts_connected: true, health: "lost" };
    run_outage(&outage, &mut server, |_| proxy.delay(400), |_| proxy.delay(0));
}

// Fails when a refused message makes the whole write fail.
#[test]
fn a_refused_channel_only_delays_updates() {
    let Some(server) = Server::start() else { return };
    server.command("ACL SETUSER worker on >secret ~* resetchannels +@all");
    let settings = settings(format!("redis://worker:secret@127.0.0.1:{}/", server.port));
    let mut processes = [Process::start(&settings), Process::start(&settings)];
    for process in &mut processes {
        until("it is connected", 5 * SECOND, || process.ask("health") == "connected unsubscribed accepted");
        process.ask("state shop-7");
    }
    processes[0].ask("hold shop-7");
    processes[1].number("await shop-7 open 3000");
    assert!(processes[0].ask("health").ends_with("accepted"), "{}", processes[0].ask("events"));
}

// Fails when the script is loaded only once.
#[test]
fn a_lost_script_is_loaded_again() {
    let Some(server) = Server::start() else { return };
    let mut process = Process::join(&settings(server.url()));
    for round in 0..3 {
        server.command("SCRIPT FLUSH");
        assert_eq!(process.number("fail shop-7 1"), 1);
        assert_eq!(process.ask("flush 1000"), "true");
        assert_eq!(process.number("dropped"), 0, "round {round}");
        process.ask("reset shop-7");
    }
}

// Fails when a command of an operator is dropped with other reports while the server is away.
#[test]
fn decisions_made_during_an_outage_are_published_after_it() {
    let Some(mut server) = Server::start() else { return };
    let settings = Settings { cooldown: 60 * SECOND, ..settings(server.url()) };
    let mut processes = [Process::join(&settings), Process::join(&settings)];
    processes[0].ask("hold forgotten");
    processes[1].number("await forgotten open 1000");
    // Without the reply the process would not know that the command arrived, and would rightly repeat it.
    assert_eq!(processes[0].ask("flush 1000"), "true");
    server.kill();
    until("it is noticed", 4 * SECOND, || processes[0].ask("health") == "lost unsubscribed accepted");
    processes[0].ask("hold held-alone");
    assert_eq!(processes[0].number("fail opened-alone 10"), u64::from(THRESHOLD));
    server.start_again();
    processes[1].number("await held-alone open 3000");
    processes[1].number("await opened-alone open 3000");
    // A circuit whose state the server lost is closed.
    processes[0].number("await forgotten closed 3000");
    processes[1].number("await forgotten closed 3000");
}
