//! The builder of a fleet.

use std::fmt;
use std::time::Duration;

use redis::{Client, IntoConnectionInfo as _, ProtocolVersion, RedisError};

use crate::error::FleetError;
use crate::event::{FleetEvent, Hook};
use crate::fleet::Fleet;
use crate::protocol::Namespace;
use crate::settings::{Scope, Settings};

impl Fleet {
    /// Starts a builder for a fleet with this server: `redis://user:password@host:6379/0`, where everything except the
    /// host is optional; `unix:///path/of/its/socket`; or `rediss://` with the feature `tls`, after the program has
    /// called `install_default()` on a cryptography provider of `rustls`. Nothing is checked or connected before
    /// [`FleetBuilder::start`].
    pub fn builder(url: impl Into<String>) -> FleetBuilder {
        FleetBuilder::new(url.into())
    }
}

/// Collects the settings of a [`Fleet`]. [`start`](Self::start) checks them. All but the address have defaults.
///
/// ```no_run
/// use std::time::Duration;
/// use breaker_redis::{Fleet, Scope};
///
/// let fleet = Fleet::builder("redis://billing:password@redis.internal:6379/")
///     .namespace("billing")                 // the processes that share circuits
///     .scope(Scope::Fleet)                  // the failures that count together
///     .poll_every(Duration::from_secs(60))  // for many circuits and processes: compare less often
///     .on_event(|event| eprintln!("{event}"))
///     .start()?;
/// # Ok::<(), breaker_redis::FleetError>(())
/// ```
#[must_use = "a fleet does nothing until it is started"]
pub struct FleetBuilder {
    url: String,
    prefix: String,
    namespace: String,
    ttl: Duration,
    settings: Settings,
    hooks: Vec<Hook>,
}

impl FleetBuilder {
    fn new(url: String) -> Self {
        Self {
            url,
            prefix: "breaker".to_owned(),
            namespace: "default".to_owned(),
            ttl: Duration::from_secs(60 * 60),
            settings: Settings {
                scope: Scope::default(),
                operation_limit: Duration::from_millis(100),
                poll_every: Duration::from_secs(10),
                queue: 16_384,
            },
            hooks: Vec::new(),
        }
    }

    /// Sets the prefix of keys and of the channel. Default `breaker`; 1 to 64 letters, digits, `.`, `_`, `-`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the name of the fleet: processes of one namespace share their circuits. Default `default`; 1 to 64 letters,
    /// digits, `.`, `_`, `-`.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// Sets which failures count together. Default [`Scope::Fleet`].
    pub fn scope(mut self, scope: Scope) -> Self {
        self.settings.scope = scope;
        self
    }

    /// Sets how long the server may take to answer up to 32 operations before it counts as lost. Default 100 ms; from
    /// 10 ms to 200 ms, because a circuit waits 250 ms for a probe grant and then probes without one. No call waits for
    /// the server.
    pub fn operation_limit(mut self, limit: Duration) -> Self {
        self.settings.operation_limit = limit;
        self
    }

    /// Sets how often all circuits are compared with the server, in case a message was lost, with a jitter of a
    /// quarter. Default 10 s; from 100 ms to 1 h.
    ///
    /// This is the cost of a healthy fleet: processes × circuits ÷ interval reads a second, of about 5 µs of the
    /// server's processor each. 64 processes with 1,000 circuits cause 6,400 reads a second. Beyond 50,000, make the
    /// interval longer.
    pub fn poll_every(mut self, interval: Duration) -> Self {
        self.settings.poll_every = interval;
        self
    }

    /// Sets the time after which the server forgets an unused circuit, which is closed then. It must be longer than the
    /// longest call. A cooldown and a lease are added to it, and a circuit that is held open stays. Default 1 h; from 1
    /// s to 365 days.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets how many reports may wait for the server. Further ones are dropped and counted in
    /// [`FleetSnapshot::overflowed`](crate::FleetSnapshot::overflowed). Default 16,384; from 1 to 1,048,576. A waiting
    /// report takes 72 bytes.
    pub fn queue(mut self, length: usize) -> Self {
        self.settings.queue = length;
        self
    }

    /// Adds a function that receives each [`FleetEvent`]: the server is lost, is back, or refuses.
    ///
    /// It runs on the thread of the fleet, like the hooks of the registry for changes by other processes. Calls never
    /// wait for it, but the fleet does, so it should be fast.
    pub fn on_event(mut self, hook: impl Fn(&FleetEvent) + Send + Sync + 'static) -> Self {
        self.hooks.push(Box::new(hook));
        self
    }

    /// Starts the fleet on a thread of its own, `breaker-fleet`, so that the program needs no runtime. Returns at once,
    /// whether the server is up or down; [`on_event`](Self::on_event) and [`Fleet::snapshot`] report which.
    ///
    /// # Errors
    ///
    /// A [`FleetError`] that names the first invalid setting, what is wrong with the address, what TLS is missing, or
    /// that the operating system could not start a thread.
    pub fn start(self) -> Result<Fleet, FleetError> {
        self.check()?;
        let client = client(&self.url)?;
        let database = client.get_connection_info().redis_settings().db();
        let namespace = Namespace::new(self.prefix, self.namespace, database, self.ttl);
        Fleet::start(client, namespace, self.settings, self.hooks)
    }

    fn check(&self) -> Result<(), FleetError> {
        const NAME: &str = "1 to 64 letters, digits, `.`, `_` or `-`";
        let name = |setting, name: &str| {
            let fits = (1..=64).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
            require(fits, setting, || format!("{name:?}"), NAME)
        };
        let time = |setting, time: Duration, least: Duration, most: Duration, allowed| {
            require((least..=most).contains(&time), setting, || format!("{time:?}"), allowed)
        };
        let (millis, secs) = (Duration::from_millis, Duration::from_secs);
        let Settings { operation_limit, poll_every, queue, .. } = self.settings;
        name("prefix", &self.prefix)?;
        name("namespace", &self.namespace)?;
        time("operation_limit", operation_limit, millis(10), millis(200), "from 10 ms to 200 ms")?;
        time("poll_every", poll_every, millis(100), secs(3_600), "from 100 ms to 1 h")?;
        time("ttl", self.ttl, secs(1), secs(365 * 24 * 3_600), "from 1 s to 365 days")?;
        require((1..=1 << 20).contains(&queue), "queue", || queue.to_string(), "from 1 to 1048576")
    }
}

/// The client sends no `CLIENT SETINFO` and no `HELLO`, so that an ACL need not allow them.
fn client(url: &str) -> Result<Client, FleetError> {
    check_tls(url)?;
    let info = url.into_connection_info().map_err(|error| no_address(&error))?;
    let settings = info.redis_settings().clone().set_skip_set_lib_name().set_protocol(ProtocolVersion::RESP2);
    Client::open(info.set_redis_settings(settings)).map_err(|error| no_address(&error))
}

fn no_address(error: &RedisError) -> FleetError {
    let text = error.to_string();
    // The rest is the client's name for the kind of error, or a part of the address, which may contain the password.
    let reason = text.split(" - ").next().unwrap_or_default();
    FleetError::Url { reason: reason.to_owned() }
}

fn check_tls(url: &str) -> Result<(), FleetError> {
    let scheme = url.split(':').next().unwrap_or_default();
    if !["rediss", "valkeys"].iter().any(|secure| scheme.eq_ignore_ascii_case(secure)) {
        return Ok(());
    }
    // Without a provider, the client would panic on the thread of the fleet when it connects.
    #[cfg(feature = "tls")]
    let checked = rustls::crypto::CryptoProvider::get_default().map(|_| ()).ok_or(FleetError::NoCryptography);
    #[cfg(not(feature = "tls"))]
    let checked = Err(FleetError::Url { reason: "TLS needs the feature `tls` of breaker-redis".to_owned() });
    checked
}

fn require(
    fits: bool,
    setting: &'static str,
    value: impl FnOnce() -> String,
    allowed: &'static str,
) -> Result<(), FleetError> {
    if fits { Ok(()) } else { Err(FleetError::Setting { setting, value: value(), allowed }) }
}

/// Omits the address, because it may contain a password.
impl fmt::Debug for FleetBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FleetBuilder")
            .field("prefix", &self.prefix)
            .field("namespace", &self.namespace)
            .field("scope", &self.settings.scope)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(change: impl FnOnce(FleetBuilder) -> FleetBuilder) -> String {
        change(Fleet::builder("redis://127.0.0.1:1/")).start().expect_err("it started").to_string()
    }

    #[test]
    fn invalid_settings_are_refused() {
        let ms = Duration::from_millis;
        let name = "1 to 64 letters, digits, `.`, `_` or `-`";
        assert_eq!(error_of(|fleet| fleet.namespace("")), format!("`namespace` is \"\", but must be {name}"));
        assert_eq!(error_of(|fleet| fleet.namespace("a}b")), format!("`namespace` is \"a}}b\", but must be {name}"));
        assert_eq!(error_of(|fleet| fleet.prefix("ä")), format!("`prefix` is \"ä\", but must be {name}"));
        assert_eq!(
            error_of(|fleet| fleet.operation_limit(ms(9))),
            "`operation_limit` is 9ms, but must be from 10 ms to 200 ms"
        );
        assert_eq!(error_of(|fleet| fleet.poll_every(ms(99))), "`poll_every` is 99ms, but must be from 100 ms to 1 h");
        assert_eq!(error_of(|fleet| fleet.ttl(ms(999))), "`ttl` is 999ms, but must be from 1 s to 365 days");
        assert_eq!(error_of(|fleet| fleet.queue(0)), "`queue` is 0, but must be from 1 to 1048576");
    }

    #[test]
    fn an_invalid_address_is_refused_without_showing_its_password() {
        let error = Fleet::builder("http://user:secret@host/").start().expect_err("it started").to_string();
        assert!(error.starts_with("`url` is not the address of a server"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn tls_errors_name_what_is_missing() {
        let missing =
            if cfg!(feature = "tls") { "no cryptography provider is installed" } else { "TLS needs the feature `tls`" };
        for url in ["rediss://127.0.0.1:1/", "Rediss://127.0.0.1:1/", "valkeys://127.0.0.1:1/"] {
            let error = Fleet::builder(url).start().expect_err("it started").to_string();
            assert!(error.contains(missing), "{url}: {error}");
        }
    }

    #[test]
    fn a_fleet_starts_without_a_server() {
        let fleet = Fleet::builder("redis://127.0.0.1:1/").namespace("billing").scope(Scope::Process).start().unwrap();
        assert!(!fleet.snapshot().connected);
    }
}
