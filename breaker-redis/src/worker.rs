//! Carries letters to the server, a pipeline at a time, and its answers to the circuits.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, RedisResult};
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::backoff::{Backoff, jittered};
use crate::health::turn_off;
use crate::messages::Reply;
use crate::post::{Letter, MANY, Office};
use crate::script::{Operation, Place};

/// How long a connection may take to come about.
pub(crate) const CONNECTING: Duration = Duration::from_secs(1);
/// How often the server is asked whether it is still there.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);
/// How long an answer that is too late is still listened to: it may be a grant, which has to be given back.
const LATE: Duration = Duration::from_secs(30);
/// So many letters in one pipeline. Those of all processes wait in line at the server, and the last one has to be through
/// within the limit of an operation: 32 of each of 64 processes take it some 30 ms.
const BATCH: usize = 32;
/// A grant that no call came for in so long is given back; or in a quarter of its lease, if that is shorter.
const COLLECTING: Duration = Duration::from_secs(1);
/// How long to wait before the state of a circuit is read for which the server refused something.
const AGAIN: Duration = Duration::from_secs(1);

/// Why the server counts as lost.
type Lost = String;

pub(crate) async fn run(office: Arc<Office>, client: Client, mut letters: Receiver<Letter>) {
    let mut backoff = Backoff::new();
    loop {
        let lost = match connect(&office, &client).await {
            Ok(connection) => {
                backoff.reset();
                office.came_back();
                Worker::new(&office, connection).serve(&mut letters).await
            }
            Err(lost) => lost,
        };
        office.went_away(lost);
        // What was posted before that was known is of no use to anybody now.
        while let Ok(letter) = letters.try_recv() {
            office.give_up(&letter);
        }
        sleep(backoff.wait()).await;
    }
}

/// A connection to a server that answers.
async fn connect(office: &Office, client: &Client) -> Result<MultiplexedConnection, Lost> {
    let config = AsyncConnectionConfig::new().set_connection_timeout(Some(CONNECTING)).set_response_timeout(Some(LATE));
    let connecting = client.get_multiplexed_async_connection_with_config(&config);
    let mut connection = timeout(CONNECTING, connecting).await.map_err(too_late)?.map_err(|error| error.to_string())?;
    ping(office, &mut connection).await?;
    Ok(connection)
}

async fn ping(office: &Office, connection: &mut MultiplexedConnection) -> Result<(), Lost> {
    let question = redis::cmd("PING");
    let answer = question.query_async::<()>(connection);
    timeout(office.limits.operation, answer).await.map_err(too_late)?.map_err(|error| error.to_string())
}

fn too_late(_: tokio::time::error::Elapsed) -> Lost {
    "no answer in time".to_owned()
}

struct Worker<'o> {
    office: &'o Arc<Office>,
    connection: MultiplexedConnection,
    /// Circuits that are still to be compared with the server's.
    to_compare: VecDeque<Arc<str>>,
    /// Circuits for which the server refused something.
    refused: HashSet<Arc<str>>,
}

impl<'o> Worker<'o> {
    fn new(office: &'o Arc<Office>, connection: MultiplexedConnection) -> Self {
        Self { office, connection, to_compare: VecDeque::new(), refused: HashSet::new() }
    }

    /// Serves until the server is lost, and says why it is.
    async fn serve(&mut self, letters: &mut Receiver<Letter>) -> Lost {
        let office = self.office;
        self.compare_all();
        let mut next_poll = Instant::now() + jittered(office.limits.poll);
        let mut next_beat = Instant::now() + HEARTBEAT;
        let mut next_look = Instant::now() + AGAIN;
        let mut next_catching_up = Instant::now();
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            // A comparison goes on however many letters there are.
            let room = if self.to_compare.is_empty() { BATCH } else { BATCH / 2 };
            tokio::select! {
                biased;
                // What is seldom due comes first, for there may always be letters.
                () = office.compare.notified() => self.compare_all(),
                () = sleep_until(next_poll) => {
                    next_poll = Instant::now() + jittered(office.limits.poll);
                    self.compare_all();
                }
                () = sleep_until(next_look), if !self.refused.is_empty() => {
                    next_look = Instant::now() + jittered(AGAIN);
                    self.to_compare.extend(self.refused.drain());
                }
                _ = letters.recv_many(&mut batch, room) => {}
                () = std::future::ready(()), if !self.to_compare.is_empty() => {}
                // A server that answers letters is there, so this comes last.
                () = sleep_until(next_beat) => {
                    next_beat = Instant::now() + HEARTBEAT;
                    if let Err(lost) = ping(office, &mut self.connection).await {
                        return lost;
                    }
                }
            }
            while batch.len() < BATCH {
                let Some(connection) = self.to_compare.pop_front() else { break };
                office.count();
                batch.push(Letter::read(connection));
            }
            if !batch.is_empty() {
                if let Err(lost) = self.send(std::mem::take(&mut batch)).await {
                    return lost;
                }
            }
            office.end_refusal();
            // Once the last comparison is through, and not so often that it fills the queue itself.
            if self.to_compare.is_empty() && Instant::now() >= next_catching_up && turn_off(&office.overflowed) {
                next_catching_up = Instant::now() + AGAIN;
                self.compare_all();
            }
        }
    }

    fn compare_all(&mut self) {
        if let Some(link) = self.office.link() {
            let connections = link.connections();
            self.office.names.keep_only(&connections);
            self.office.counters.comparisons.add(1);
            self.to_compare = connections.into();
        }
    }

    /// Sends a pipeline and hands its answers out. The server is lost where they do not come in time: then the circuits
    /// are told at once that they are on their own, and what comes late is given back.
    async fn send(&mut self, batch: Vec<Letter>) -> Result<(), Lost> {
        let (office, mut connection) = (self.office.clone(), self.connection.clone());
        let calls = pipeline(&office, &batch);
        let mut answers =
            tokio::spawn(async move { calls.query_async::<Vec<RedisResult<String>>>(&mut connection).await });
        match timeout(office.limits.operation, &mut answers).await {
            Ok(Ok(Ok(answers))) => self.hand_out(batch, answers).await,
            Ok(Ok(Err(error))) => Err(give_all_up(&office, &batch, error.to_string())),
            Ok(Err(error)) => Err(give_all_up(&office, &batch, error.to_string())),
            Err(elapsed) => {
                let lost = give_all_up(&office, &batch, too_late(elapsed));
                tokio::spawn(async move {
                    if let Ok(Ok(answers)) = answers.await {
                        for (letter, answer) in batch.iter().zip(answers) {
                            if let Some(reply) = answer.ok().as_deref().and_then(Reply::parse) {
                                hand(&office, letter, &reply);
                            }
                        }
                    }
                });
                Err(lost)
            }
        }
    }

    async fn hand_out(&mut self, batch: Vec<Letter>, answers: Vec<RedisResult<String>>) -> Result<(), Lost> {
        let mut unknown = Vec::new();
        for (letter, answer) in batch.into_iter().zip(answers) {
            match answer {
                Ok(text) => self.answered(&letter, &text),
                Err(error) if error.code() == Some("NOSCRIPT") => unknown.push(letter),
                Err(error) => self.refuse(&letter, &error),
            }
        }
        if unknown.is_empty() { Ok(()) } else { self.teach(unknown).await }
    }

    /// The server has never seen the script, or has forgotten it.
    async fn teach(&mut self, letters: Vec<Letter>) -> Result<(), Lost> {
        let office = self.office;
        let mut connection = self.connection.clone();
        let calls = pipeline(office, &letters);
        let work = async {
            Place::load().query_async::<()>(&mut connection).await?;
            calls.query_async::<Vec<RedisResult<String>>>(&mut connection).await
        };
        match timeout(office.limits.operation, work).await {
            Ok(Ok(answers)) => {
                for (letter, answer) in letters.iter().zip(answers) {
                    match answer {
                        Ok(text) => self.answered(letter, &text),
                        Err(error) => self.refuse(letter, &error),
                    }
                }
                Ok(())
            }
            Ok(Err(error)) if error.code().is_some() => {
                for letter in &letters {
                    self.refuse(letter, &error);
                }
                Ok(())
            }
            Ok(Err(error)) => Err(give_all_up(office, &letters, error.to_string())),
            Err(elapsed) => Err(give_all_up(office, &letters, too_late(elapsed))),
        }
    }

    fn answered(&mut self, letter: &Letter, text: &str) {
        match Reply::parse(text) {
            Some(reply) => {
                self.office.counters.answered.add(1);
                if letter.operation != Operation::Read {
                    self.office.was_accepted();
                }
                hand(self.office, letter, &reply);
                self.office.close();
            }
            None => self.refuse_because(letter, format!("an answer that makes no sense: {text:?}")),
        }
    }

    fn refuse(&mut self, letter: &Letter, error: &RedisError) {
        self.refuse_because(letter, error.to_string());
    }

    fn refuse_because(&mut self, letter: &Letter, reason: String) {
        self.office.was_refused(reason);
        if self.refused.len() < MANY {
            self.refused.insert(letter.connection.clone());
        } else {
            self.refused.clear();
            self.compare_all();
        }
        self.office.give_up(letter);
    }
}

fn pipeline(office: &Office, letters: &[Letter]) -> redis::Pipeline {
    let mut calls = redis::Pipeline::with_capacity(letters.len());
    for letter in letters {
        let name = office.names.name_of(&letter.connection);
        calls.add_command(office.place.call(&name, letter.era, letter.operation));
    }
    calls.ignore_errors();
    calls
}

fn give_all_up(office: &Office, letters: &[Letter], lost: Lost) -> Lost {
    for letter in letters {
        office.give_up(letter);
    }
    lost
}

/// Hands an answer to its circuit, and sees to it that a grant is collected.
fn hand(office: &Arc<Office>, letter: &Letter, reply: &Reply) {
    if !office.deliver(letter, reply) {
        return;
    }
    let (office, connection, era) = (office.clone(), letter.connection.clone(), reply.statement.era);
    let wait = COLLECTING.min(reply.lease() / 4);
    tokio::spawn(async move {
        sleep(wait).await;
        if office.link().is_some_and(|link| link.withdraw(&connection, era)) {
            office.return_grant(&connection, era);
        }
    });
}
