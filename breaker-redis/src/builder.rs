//! Collects the settings of a fleet.

use std::fmt;
use std::time::Duration;

use redis::{Client, IntoConnectionInfo as _, ProtocolVersion, RedisError};

use crate::error::FleetError;
use crate::event::{FleetEvent, Hook};
use crate::fleet::Fleet;
use crate::post::Office;
use crate::script::Place;

/// Which failures count together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// The failures of all processes are one streak, and an answer to any of them clears it. A process that sees
    /// `failure_threshold` failures in a row itself opens the circuit too, whatever the others saw.
    ///
    /// A circuit with a `failure_window` counts for itself, as if its scope were the process.
    #[default]
    Fleet,
    /// Each process counts its own failures; only what follows is shared: that the circuit is open, and the probe. For a
    /// fleet in which one process must not add to the failures of the others, nor hide its own behind their answers.
    Process,
}

/// Collects the settings of a [`Fleet`]; [`start`](Self::start) checks them. All but the address have defaults.
///
/// ```no_run
/// use std::time::Duration;
/// use breaker_redis::{Fleet, Scope};
///
/// let fleet = Fleet::builder("redis://billing:password@redis.internal:6379/")
///     .namespace("billing")                 // who shares
///     .scope(Scope::Fleet)                  // which failures count together
///     .poll_every(Duration::from_secs(60))  // many circuits, many processes: compare less often
///     .on_event(|event| eprintln!("{event}"))
///     .start()?;
/// # Ok::<(), breaker_redis::FleetError>(())
/// ```
#[must_use = "a fleet does nothing until it is started"]
pub struct FleetBuilder {
    url: String,
    prefix: String,
    namespace: String,
    scope: Scope,
    operation_limit: Duration,
    poll_every: Duration,
    ttl: Duration,
    queue: usize,
    hooks: Vec<Hook>,
}

impl FleetBuilder {
    pub(crate) fn new(url: String) -> Self {
        Self {
            url,
            prefix: "breaker".to_owned(),
            namespace: "default".to_owned(),
            scope: Scope::default(),
            operation_limit: Duration::from_millis(100),
            poll_every: Duration::from_secs(10),
            ttl: Duration::from_secs(60 * 60),
            queue: 16_384,
            hooks: Vec::new(),
        }
    }

    /// What the keys and the channel begin with. Default `breaker`; 1 to 64 letters, digits, `.`, `_`, `-`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// The name of the fleet: processes of one namespace share their circuits. Default `default`; 1 to 64 letters,
    /// digits, `.`, `_`, `-`.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// Which failures count together. Default [`Scope::Fleet`].
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// How long the server may take to answer up to 32 operations before it counts as lost. Default 100 ms; from 10 ms to
    /// 200 ms, for a circuit waits 250 ms for leave to probe and then probes by itself. No call ever waits for it.
    pub fn operation_limit(mut self, limit: Duration) -> Self {
        self.operation_limit = limit;
        self
    }

    /// How often all circuits are compared with the server's, a quarter more or less at random, in case a message was
    /// lost. Default 10 s; from 100 ms to 1 h.
    ///
    /// This is what a healthy fleet costs: processes × circuits ÷ interval reads a second, of some 5 µs of the server's
    /// processor each. 64 processes with 1,000 circuits are 6,400 a second; beyond 50,000, make the interval longer.
    pub fn poll_every(mut self, interval: Duration) -> Self {
        self.poll_every = interval;
        self
    }

    /// After how long without news the server forgets a circuit, which is closed then. It has to be longer than the longest
    /// call. A cooldown and a lease count on top, and a circuit that is held open stays. Default 1 h; from 1 s to 365 days.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// How many news may wait for the server; what comes on top is dropped and counted in
    /// [`FleetSnapshot::overflowed`](crate::FleetSnapshot::overflowed). Default 16,384; from 1 to 1,048,576. One takes
    /// 72 bytes while it waits.
    pub fn queue(mut self, news: usize) -> Self {
        self.queue = news;
        self
    }

    /// Adds a function that is told when the server is lost, is back, or refuses.
    ///
    /// It runs on the fleet's own thread, as do the registry's hooks for what others decided: calls never wait for it,
    /// but the fleet does, so it should be quick.
    pub fn on_event(mut self, hook: impl Fn(&FleetEvent) + Send + Sync + 'static) -> Self {
        self.hooks.push(Box::new(hook));
        self
    }

    /// Starts the fleet on a thread of its own, `breaker-fleet`, so that the program needs no runtime. Returns at once,
    /// whether the server is up or down; [`on_event`](Self::on_event) and [`Fleet::snapshot`] tell which.
    ///
    /// # Errors
    ///
    /// A [`FleetError`] that names the first setting out of its range, says why the address is none, or what TLS is missing;
    /// or that the operating system gave no thread.
    pub fn start(self) -> Result<Fleet, FleetError> {
        self.check()?;
        let client = client(&self.url)?;
        let database = client.get_connection_info().redis_settings().db();
        let place = Place::new(self.prefix, self.namespace, database, self.ttl);
        let limits = Limits { operation: self.operation_limit, poll: self.poll_every };
        let (office, letters) = Office::new(place, self.scope, limits, self.queue, self.hooks);
        Fleet::start(client, office, letters)
    }

    fn check(&self) -> Result<(), FleetError> {
        const NAME: &str = "1 to 64 letters, digits, `.`, `_` or `-`";
        let name = |setting, name: &str| {
            let fits = (1..=64).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
            or(fits, setting, || format!("{name:?}"), NAME)
        };
        let time = |setting, time: Duration, least: Duration, most: Duration, allowed| {
            or((least..=most).contains(&time), setting, || format!("{time:?}"), allowed)
        };
        let (millis, secs) = (Duration::from_millis, Duration::from_secs);
        name("prefix", &self.prefix)?;
        name("namespace", &self.namespace)?;
        time("operation_limit", self.operation_limit, millis(10), millis(200), "from 10 ms to 200 ms")?;
        time("poll_every", self.poll_every, millis(100), secs(3_600), "from 100 ms to 1 h")?;
        time("ttl", self.ttl, secs(1), secs(365 * 24 * 3_600), "from 1 s to 365 days")?;
        or((1..=1 << 20).contains(&self.queue), "queue", || self.queue.to_string(), "from 1 to 1048576")
    }
}

/// An ACL need not allow `CLIENT SETINFO` or `HELLO` for our sake.
fn client(url: &str) -> Result<Client, FleetError> {
    check_tls(url)?;
    let info = url.into_connection_info().map_err(|error| no_address(&error))?;
    let settings = info.redis_settings().clone().set_skip_set_lib_name().set_protocol(ProtocolVersion::RESP2);
    Client::open(info.set_redis_settings(settings)).map_err(|error| no_address(&error))
}

fn no_address(error: &RedisError) -> FleetError {
    let text = error.to_string();
    // What follows is the client's name for the kind of error, or a part of the address.
    let reason = text.split(" - ").next().unwrap_or_default();
    FleetError::Url { reason: reason.to_owned() }
}

fn check_tls(url: &str) -> Result<(), FleetError> {
    let scheme = url.split(':').next().unwrap_or_default();
    if !["rediss", "valkeys"].iter().any(|secure| scheme.eq_ignore_ascii_case(secure)) {
        return Ok(());
    }
    // Without a provider, the client would panic when it connects.
    #[cfg(feature = "tls")]
    let checked = rustls::crypto::CryptoProvider::get_default().map(|_| ()).ok_or(FleetError::NoCryptography);
    #[cfg(not(feature = "tls"))]
    let checked = Err(FleetError::Url { reason: "TLS needs the feature `tls` of breaker-redis".to_owned() });
    checked
}

/// How long what takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) operation: Duration,
    pub(crate) poll: Duration,
}

fn or(
    fits: bool,
    setting: &'static str,
    value: impl FnOnce() -> String,
    allowed: &'static str,
) -> Result<(), FleetError> {
    if fits { Ok(()) } else { Err(FleetError::Setting { setting, value: value(), allowed }) }
}

/// Without the address, for there may be a password in it.
impl fmt::Debug for FleetBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FleetBuilder")
            .field("prefix", &self.prefix)
            .field("namespace", &self.namespace)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(change: impl FnOnce(FleetBuilder) -> FleetBuilder) -> String {
        change(Fleet::builder("redis://127.0.0.1:1/")).start().expect_err("it started").to_string()
    }

    #[test]
    fn bad_settings_do_not_start() {
        let ms = Duration::from_millis;
        let name = "1 to 64 letters, digits, `.`, `_` or `-`";
        assert_eq!(said(|fleet| fleet.namespace("")), format!("`namespace` is \"\", but must be {name}"));
        assert_eq!(said(|fleet| fleet.namespace("a}b")), format!("`namespace` is \"a}}b\", but must be {name}"));
        assert_eq!(said(|fleet| fleet.prefix("ä")), format!("`prefix` is \"ä\", but must be {name}"));
        assert_eq!(
            said(|fleet| fleet.operation_limit(ms(9))),
            "`operation_limit` is 9ms, but must be from 10 ms to 200 ms"
        );
        assert_eq!(said(|fleet| fleet.poll_every(ms(99))), "`poll_every` is 99ms, but must be from 100 ms to 1 h");
        assert_eq!(said(|fleet| fleet.ttl(ms(999))), "`ttl` is 999ms, but must be from 1 s to 365 days");
        assert_eq!(said(|fleet| fleet.queue(0)), "`queue` is 0, but must be from 1 to 1048576");
    }

    #[test]
    fn a_bad_address_is_refused_and_its_password_not_shown() {
        let error = Fleet::builder("http://user:secret@host/").start().expect_err("it started").to_string();
        assert!(error.starts_with("`url` is no address of a server"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn tls_says_what_it_needs() {
        let missing = if cfg!(feature = "tls") {
            "no provider of cryptography is installed"
        } else {
            "TLS needs the feature `tls`"
        };
        for url in ["rediss://127.0.0.1:1/", "Rediss://127.0.0.1:1/", "valkeys://127.0.0.1:1/"] {
            let error = Fleet::builder(url).start().expect_err("it started").to_string();
            assert!(error.contains(missing), "{url}: {error}");
        }
    }

    #[test]
    fn it_starts_without_a_server() {
        let fleet = Fleet::builder("redis://127.0.0.1:1/").namespace("billing").scope(Scope::Process).start().unwrap();
        assert!(!fleet.snapshot().connected);
    }
}
