//! The worker, which sends requests to the server in pipelines and delivers the replies to the circuits.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, RedisResult};
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::{CONNECT_TIMEOUT, HEARTBEAT_INTERVAL};
use crate::backoff::{Backoff, jittered};
use crate::protocol::{Namespace, Operation, Reply};
use crate::shared::{AcceptedGrant, FleetShared, MANY_CONNECTIONS, Request};

/// How long a late reply is awaited. It may be a grant, which must be returned.
const LATE_REPLY_LIMIT: Duration = Duration::from_secs(30);
/// The number of requests in one pipeline. The requests of all processes queue at the server, and the last one must be
/// answered within the operation limit: 32 requests of each of 64 processes take the server about 30 ms.
const BATCH_SIZE: usize = 32;
/// The time after which an unclaimed grant is returned, or a quarter of its lease if that is shorter.
const GRANT_COLLECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The wait before a circuit with a refused operation is read again. The update makes the circuit repeat a refused
/// verdict, unless the state on the server is newer.
const RETRY_AFTER_REFUSAL: Duration = Duration::from_secs(1);
/// The shortest interval of comparisons after an overflow of the queue. A comparison makes circuits report, which may
/// fill the queue again.
const COMPARE_AFTER_OVERFLOW: Duration = Duration::from_secs(1);

/// The reason why the server counts as lost.
type Lost = String;

pub(crate) async fn run(shared: Arc<FleetShared>, client: Client, mut requests: Receiver<Request>) {
    let mut backoff = Backoff::new();
    loop {
        let lost = match connect(&shared, &client).await {
            Ok(connection) => {
                backoff.reset();
                shared.on_connected();
                Worker::new(&shared, connection).serve(&mut requests).await
            }
            Err(lost) => lost,
        };
        shared.on_lost(lost);
        // Requests that were queued before the server was lost would be outdated. The state has changed before, so that
        // no thread of a call refills the queue.
        while let Ok(request) = requests.try_recv() {
            shared.drop_request(&request);
        }
        sleep(backoff.wait()).await;
    }
}

/// Connects to the server and checks that it answers.
async fn connect(shared: &FleetShared, client: &Client) -> Result<MultiplexedConnection, Lost> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(CONNECT_TIMEOUT))
        .set_response_timeout(Some(LATE_REPLY_LIMIT));
    let connecting = client.get_multiplexed_async_connection_with_config(&config);
    let mut connection =
        timeout(CONNECT_TIMEOUT, connecting).await.map_err(too_late)?.map_err(|error| error.to_string())?;
    ping(shared, &mut connection).await?;
    Ok(connection)
}

async fn ping(shared: &FleetShared, connection: &mut MultiplexedConnection) -> Result<(), Lost> {
    let question = redis::cmd("PING");
    let answer = question.query_async::<()>(connection);
    timeout(shared.settings.operation_limit, answer).await.map_err(too_late)?.map_err(|error| error.to_string())
}

fn too_late(_: tokio::time::error::Elapsed) -> Lost {
    "no answer in time".to_owned()
}

/// The worker while it is connected.
struct Worker<'s> {
    shared: &'s Arc<FleetShared>,
    connection: MultiplexedConnection,
    /// Circuits that are still to be compared with the server.
    to_compare: VecDeque<Arc<str>>,
    /// Circuits with an operation that the server refused.
    refused: HashSet<Arc<str>>,
}

impl<'s> Worker<'s> {
    fn new(shared: &'s Arc<FleetShared>, connection: MultiplexedConnection) -> Self {
        Self { shared, connection, to_compare: VecDeque::new(), refused: HashSet::new() }
    }

    /// Serves until the server is lost. Returns the reason.
    async fn serve(&mut self, requests: &mut Receiver<Request>) -> Lost {
        let shared = self.shared;
        self.compare_all();
        let mut next_poll = Instant::now() + jittered(shared.settings.poll_every);
        let mut next_ping = Instant::now() + HEARTBEAT_INTERVAL;
        let mut next_retry = Instant::now() + RETRY_AFTER_REFUSAL;
        let mut next_compare_after_overflow = Instant::now();
        let mut batch = Vec::with_capacity(BATCH_SIZE);
        loop {
            // A comparison gets half of each pipeline, so that it advances however many requests arrive.
            let room = if self.to_compare.is_empty() { BATCH_SIZE } else { BATCH_SIZE / 2 };
            tokio::select! {
                biased;
                // Branches that are rarely due come first, because requests may always be available.
                () = shared.compare.notified() => self.compare_all(),
                () = sleep_until(next_poll) => {
                    next_poll = Instant::now() + jittered(shared.settings.poll_every);
                    self.compare_all();
                }
                () = sleep_until(next_retry), if !self.refused.is_empty() => {
                    next_retry = Instant::now() + jittered(RETRY_AFTER_REFUSAL);
                    self.to_compare.extend(self.refused.drain());
                }
                _ = requests.recv_many(&mut batch, room) => {}
                () = std::future::ready(()), if !self.to_compare.is_empty() => {}
                // A server that answers requests needs no heartbeat, so this comes last.
                () = sleep_until(next_ping) => {
                    next_ping = Instant::now() + HEARTBEAT_INTERVAL;
                    if let Err(lost) = ping(shared, &mut self.connection).await {
                        return lost;
                    }
                }
            }
            while batch.len() < BATCH_SIZE {
                let Some(connection) = self.to_compare.pop_front() else { break };
                shared.start_request();
                batch.push(Request::read(connection));
            }
            if !batch.is_empty() {
                if let Err(lost) = self.send(std::mem::take(&mut batch)).await {
                    return lost;
                }
            }
            shared.end_refusal();
            let may_compare = self.to_compare.is_empty() && Instant::now() >= next_compare_after_overflow;
            if may_compare && shared.take_overflow() {
                next_compare_after_overflow = Instant::now() + COMPARE_AFTER_OVERFLOW;
                self.compare_all();
            }
        }
    }

    /// Starts a comparison of all circuits. One that is not finished starts again.
    fn compare_all(&mut self) {
        if let Some(link) = self.shared.link() {
            let connections = link.connections();
            self.shared.names.keep_only(&connections);
            self.shared.counters.comparisons.add(1);
            self.to_compare = connections.into();
        }
    }

    /// Sends a pipeline and delivers its replies. If they do not arrive in time, the server is lost, and the circuits
    /// are notified at once that they decide alone. The server may carry out the pipeline anyway, so late replies are
    /// still delivered. A grant among them that was ignored would keep all processes from probing until its lease ends.
    async fn send(&mut self, batch: Vec<Request>) -> Result<(), Lost> {
        let (shared, mut connection) = (self.shared.clone(), self.connection.clone());
        let calls = pipeline(&shared, &batch);
        let mut answers =
            tokio::spawn(async move { calls.query_async::<Vec<RedisResult<String>>>(&mut connection).await });
        match timeout(shared.settings.operation_limit, &mut answers).await {
            Ok(Ok(Ok(answers))) => self.deliver_all(batch, answers).await,
            Ok(Ok(Err(error))) => Err(drop_all(&shared, &batch, error.to_string())),
            Ok(Err(error)) => Err(drop_all(&shared, &batch, error.to_string())),
            Err(elapsed) => {
                let lost = drop_all(&shared, &batch, too_late(elapsed));
                tokio::spawn(async move {
                    if let Ok(Ok(answers)) = answers.await {
                        for (request, answer) in batch.iter().zip(answers) {
                            if let Some(reply) = answer.ok().as_deref().and_then(Reply::parse) {
                                deliver(&shared, request, reply);
                            }
                        }
                    }
                });
                Err(lost)
            }
        }
    }

    async fn deliver_all(&mut self, batch: Vec<Request>, answers: Vec<RedisResult<String>>) -> Result<(), Lost> {
        let mut unknown = Vec::new();
        for (request, answer) in batch.into_iter().zip(answers) {
            match answer {
                Ok(text) => self.answered(&request, &text),
                Err(error) if error.code() == Some("NOSCRIPT") => unknown.push(request),
                Err(error) => self.refuse(&request, &error),
            }
        }
        if unknown.is_empty() { Ok(()) } else { self.load_script(unknown).await }
    }

    /// Loads the script, which the server has lost or never had, and sends the requests again.
    async fn load_script(&mut self, requests: Vec<Request>) -> Result<(), Lost> {
        let shared = self.shared;
        let mut connection = self.connection.clone();
        let calls = pipeline(shared, &requests);
        let work = async {
            Namespace::load().query_async::<()>(&mut connection).await?;
            calls.query_async::<Vec<RedisResult<String>>>(&mut connection).await
        };
        match timeout(shared.settings.operation_limit, work).await {
            Ok(Ok(answers)) => {
                for (request, answer) in requests.iter().zip(answers) {
                    match answer {
                        Ok(text) => self.answered(request, &text),
                        Err(error) => self.refuse(request, &error),
                    }
                }
                Ok(())
            }
            // An error with a code is an answer of the server, which refuses the script.
            Ok(Err(error)) if error.code().is_some() => {
                for request in &requests {
                    self.refuse(request, &error);
                }
                Ok(())
            }
            Ok(Err(error)) => Err(drop_all(shared, &requests, error.to_string())),
            Err(elapsed) => Err(drop_all(shared, &requests, too_late(elapsed))),
        }
    }

    fn answered(&mut self, request: &Request, text: &str) {
        match Reply::parse(text) {
            Some(reply) => {
                self.shared.counters.answered.add(1);
                if request.operation != Operation::Read {
                    self.shared.on_accepted();
                }
                deliver(self.shared, request, reply);
                self.shared.finish_request();
            }
            None => self.refuse_because(request, format!("the reply has an unknown format: {text:?}")),
        }
    }

    fn refuse(&mut self, request: &Request, error: &RedisError) {
        self.refuse_because(request, error.to_string());
    }

    fn refuse_because(&mut self, request: &Request, reason: String) {
        self.shared.on_refused(reason);
        if self.refused.len() < MANY_CONNECTIONS {
            self.refused.insert(request.connection.clone());
        } else {
            self.refused.clear();
            self.compare_all();
        }
        self.shared.drop_request(request);
    }
}

fn pipeline(shared: &FleetShared, requests: &[Request]) -> redis::Pipeline {
    let mut calls = redis::Pipeline::with_capacity(requests.len());
    for request in requests {
        let name = shared.names.name_of(&request.connection);
        calls.add_command(shared.namespace.call(&name, request.era, request.operation));
    }
    // Otherwise one refused request would replace the replies to all of them.
    calls.ignore_errors();
    calls
}

fn drop_all(shared: &FleetShared, requests: &[Request], lost: Lost) -> Lost {
    for request in requests {
        shared.drop_request(request);
    }
    lost
}

/// Delivers a reply to its circuit, and returns the grant in it to the server if no call claims it.
fn deliver(shared: &Arc<FleetShared>, request: &Request, reply: Reply) {
    let Some(AcceptedGrant { connection, era, lease }) = shared.deliver_reply(request, reply) else { return };
    let shared = shared.clone();
    tokio::spawn(async move {
        sleep(GRANT_COLLECT_TIMEOUT.min(lease / 4)).await;
        if shared.link().is_some_and(|link| link.withdraw(&connection, era)) {
            shared.return_grant(&connection, era);
        }
    });
}
