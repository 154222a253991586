//! A redis-server for one test, on a free port.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{ms, until};

/// One test at a time has a server, so that tests do not compete for the processors.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

pub(crate) struct Server {
    pub(crate) port: u16,
    arguments: Vec<String>,
    directory: PathBuf,
    child: Child,
    _turn: MutexGuard<'static, ()>,
}

/// Whether a redis-server is installed. Prints a note if it is not, which is a failure in CI.
fn is_installed() -> bool {
    let found = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        assert!(std::env::var_os("CI").is_none(), "there is no redis-server, and in CI there has to be one");
        say!("SKIPPED: there is no redis-server here (Debian: apt-get install redis-server)");
    }
    found
}

impl Server {
    /// `None` where it is not installed; the test is skipped then.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(arguments: &[&str]) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_installed() {
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("breaker-redis-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
        let child = spawn(port, &directory, &arguments);
        let server = Self { port, arguments, directory, child, _turn: turn };
        server.wait_until_it_listens();
        Some(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// A connection of the test, which is not affected by restrictions of users.
    pub(crate) fn client(&self) -> redis::Connection {
        redis::Client::open(self.url()).unwrap().get_connection().unwrap()
    }

    pub(crate) fn command(&self, command: &str) -> redis::Value {
        let mut words = command.split(' ');
        let mut call = redis::cmd(words.next().unwrap());
        words.for_each(|word| {
            call.arg(word);
        });
        call.query(&mut self.client()).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// Reads a field of a circuit's hash in the namespace `tests` as a number.
    pub(crate) fn field(&self, name: &str, field: &str) -> Option<u64> {
        let key = format!("breaker:v1:{{tests:{name}}}");
        redis::cmd("HGET").arg(key).arg(field).query(&mut self.client()).unwrap()
    }

    /// Kills the server like `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn start_again(&mut self) {
        self.child = spawn(self.port, &self.directory, &self.arguments);
        self.wait_until_it_listens();
    }

    pub(crate) fn signal(&self, signal: &str) {
        signal_to(self.child.id(), signal);
    }

    fn wait_until_it_listens(&self) {
        until("the server listens", ms(10_000), || {
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
                && redis::Client::open(self.url()).unwrap().get_connection().is_ok()
        });
    }
}

pub(crate) fn signal_to(process: u32, signal: &str) {
    let status = Command::new("kill").arg(format!("-{signal}")).arg(process.to_string()).status().unwrap();
    assert!(status.success());
}

fn spawn(port: u16, directory: &PathBuf, arguments: &[String]) -> Child {
    Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
        .arg("--dir")
        .arg(directory)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
