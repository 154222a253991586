//! The latency and throughput of each operation of the script.
#![expect(clippy::cast_precision_loss, reason = "counts are small")]

use std::time::{Duration, Instant};

use breaker_benches::server::Server;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, Pipeline, Script};

/// The number of sequential operations, for the latency.
const ALONE: usize = 3_000;
/// The number of operations in pipelines of the size that a fleet sends.
const TOGETHER: usize = 25_600;
const BATCH: usize = 256;

const MINUTE: u64 = 60_000_000;

/// An operation with its two arguments.
type Step = (&'static str, u64, u64);

struct Case {
    name: &'static str,
    /// The state of the circuit before the operation.
    before: &'static [Step],
    measured: Step,
}

/// A state in which the operation has an effect, unless its name says otherwise.
const CASES: [Case; 14] = [
    Case { name: "read, unknown circuit", before: &[], measured: ("read", 0, 0) },
    Case { name: "read, open circuit", before: &[("open", MINUTE, 0)], measured: ("read", 0, 0) },
    Case { name: "fail, the first", before: &[], measured: ("fail", 5, MINUTE) },
    Case { name: "fail, a further one", before: &[("fail", 5, MINUTE)], measured: ("fail", 5, MINUTE) },
    Case { name: "fail, opens", before: &[("fail", 5, MINUTE)], measured: ("fail", 2, MINUTE) },
    Case { name: "answer, clears", before: &[("fail", 5, MINUTE)], measured: ("answer", 0, 0) },
    Case { name: "open", before: &[], measured: ("open", MINUTE, 0) },
    Case { name: "probe, granted", before: &[("open", 0, 0)], measured: ("probe", MINUTE, 0) },
    Case { name: "probe, not yet", before: &[("open", MINUTE, 0)], measured: ("probe", MINUTE, 0) },
    Case { name: "won", before: &[("open", 0, 0), ("probe", MINUTE, 0)], measured: ("won", 0, 0) },
    Case { name: "lost", before: &[("open", 0, 0), ("probe", MINUTE, 0)], measured: ("lost", MINUTE, 0) },
    Case { name: "drop", before: &[("open", 0, 0), ("probe", MINUTE, 0)], measured: ("drop", 0, 0) },
    Case { name: "reset", before: &[("open", MINUTE, 0)], measured: ("reset", 0, 0) },
    Case { name: "hold", before: &[], measured: ("hold", 0, 0) },
];

struct Measurement {
    connection: MultiplexedConnection,
    hash: String,
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn measure() {
    let server = Server::start();
    let client = Client::open(server.url()).expect("an address");
    // A flush of many keys takes longer than the client waits by default.
    let config = AsyncConnectionConfig::new().set_response_timeout(Some(Duration::from_secs(30)));
    let mut connection =
        client.get_multiplexed_async_connection_with_config(&config).await.expect("the server is there");
    let script = Script::new(include_str!("../../../../breaker-redis/src/protocol/script.lua"));
    let hash = script.prepare_invoke().load_async(&mut connection).await.expect("the server takes it");
    let mut measurement = Measurement { connection, hash };
    for case in &CASES {
        measurement.measure(&server, case).await;
    }
}

impl Measurement {
    async fn measure(&mut self, server: &Server, case: &Case) {
        redis::cmd("FLUSHALL").query_async::<()>(&mut self.connection).await.expect("the server is there");
        let eras = self.prepare(case.before, ALONE).await;
        let mut latencies = Vec::with_capacity(ALONE);
        for (number, era) in eras.iter().enumerate() {
            let call = self.call(number, era, case.measured);
            let start = Instant::now();
            call.query_async::<String>(&mut self.connection).await.expect("an answer");
            latencies.push(start.elapsed());
        }
        latencies.sort_unstable();

        redis::cmd("FLUSHALL").query_async::<()>(&mut self.connection).await.expect("the server is there");
        let eras = self.prepare(case.before, TOGETHER).await;
        let before = server.info();
        let start = Instant::now();
        self.run(case.measured, &eras).await;
        let took = start.elapsed().as_secs_f64();
        let after = server.info();
        let spent = after.of_command("evalsha", "usec") - before.of_command("evalsha", "usec");
        let micros = |latency: Duration| latency.as_secs_f64() * 1e6;
        println!(
            "{}\t{:.0}\t{:.0}\t{:.0}\t{:.1}",
            case.name,
            micros(latencies[ALONE / 2]),
            micros(latencies[ALONE * 99 / 100]),
            eras.len() as f64 / took,
            spent / eras.len() as f64,
        );
    }

    /// Brings circuits into this state and returns the era of each.
    async fn prepare(&mut self, steps: &[Step], circuits: usize) -> Vec<String> {
        let mut eras = vec![String::new(); circuits];
        for step in steps {
            eras = self.run(*step, &eras).await;
        }
        eras
    }

    /// Runs an operation on circuits of these eras in pipelines, and returns the new eras.
    async fn run(&mut self, step: Step, eras: &[String]) -> Vec<String> {
        let mut after = Vec::with_capacity(eras.len());
        for (batch, eras) in eras.chunks(BATCH).enumerate() {
            let mut pipeline = Pipeline::with_capacity(BATCH);
            for (number, era) in eras.iter().enumerate() {
                pipeline.add_command(self.call(batch * BATCH + number, era, step));
            }
            let answers: Vec<String> = pipeline.query_async(&mut self.connection).await.expect("answers");
            // The reply: "granted state era ..."
            after.extend(answers.iter().map(|answer| answer.split(' ').nth(2).unwrap_or_default().to_owned()));
        }
        after
    }

    fn call(&self, number: usize, era: &str, (operation, first, second): Step) -> Cmd {
        let name = format!("connection-{number:08}");
        let mut call = redis::cmd("EVALSHA");
        call.arg(&self.hash).arg(1).arg(format!("breaker:v1:{{bench:{name}}}"));
        call.arg(operation)
            .arg(era)
            .arg("breaker:v1:bench")
            .arg(name)
            .arg(3_600_000)
            .arg(first)
            .arg(second)
            .arg("bench");
        call
    }
}
