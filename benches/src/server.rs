//! A redis-server that a measurement starts for itself, and the statistics of that server.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use breaker_redis::Fleet;

/// A running redis-server, which is stopped on drop.
pub struct Server {
    port: u16,
    process: Child,
}

impl Server {
    /// Starts a server on a free port and waits until it listens.
    ///
    /// # Panics
    ///
    /// If no server can be started.
    #[must_use]
    pub fn start() -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.local_addr()).expect("a port");
        let port = free.port();
        let process = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server should be installed (`apt-get install redis-server`)");
        let server = Self { port, process };
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(10), "redis-server does not listen");
            sleep(Duration::from_millis(5));
        }
        server
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Requests the statistics of `INFO everything`.
    ///
    /// # Panics
    ///
    /// If the server does not answer.
    #[must_use]
    pub fn info(&self) -> Info {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("the server listens");
        stream.write_all(b"INFO everything\r\n").expect("the server listens");
        let mut reader = BufReader::new(stream);
        let mut length = String::new();
        reader.read_line(&mut length).expect("an answer");
        let length: u32 = length.trim_start_matches('$').trim().parse().expect("a length");
        let mut text = vec![0; length as usize];
        reader.read_exact(&mut text).expect("an answer");
        let text = String::from_utf8_lossy(&text);
        let pairs = text.lines().filter_map(|line| line.split_once(':'));
        let bytes = f64::from(length);
        Info {
            at: Instant::now(),
            bytes,
            values: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The statistics of a server at one time.
pub struct Info {
    pub at: Instant,
    /// The size of this answer in bytes. The server adds it to the output that its next answer reports.
    pub bytes: f64,
    values: HashMap<String, String>,
}

impl Info {
    /// Returns the number with this name, or 0 if it is missing.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        self.values.get(name).and_then(|value| value.parse().ok()).unwrap_or(0.0)
    }

    /// Returns a number from the statistics of a command, such as `calls` or `usec`.
    #[must_use]
    pub fn of_command(&self, command: &str, name: &str) -> f64 {
        let statistics = self.values.get(&format!("cmdstat_{command}")).map(String::as_str).unwrap_or_default();
        let found = statistics.split(',').filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name);
        found.and_then(|(_, value)| value.parse().ok()).unwrap_or(0.0)
    }

    /// Returns the processor time that the server has used, in seconds.
    #[must_use]
    pub fn processor(&self) -> f64 {
        self.number("used_cpu_user") + self.number("used_cpu_sys")
    }
}

/// Waits until a fleet is subscribed to updates and the server has answered all of its reports.
///
/// # Panics
///
/// If that takes longer than a minute.
pub fn wait_for(fleet: &Fleet) {
    let start = Instant::now();
    let is_ready = || {
        let now = fleet.snapshot();
        now.connected && now.subscribed && now.comparisons > 0 && now.waiting == 0
    };
    while !is_ready() {
        assert!(start.elapsed() < Duration::from_mins(1), "the fleet is not ready: {fleet:?}");
        sleep(Duration::from_millis(1));
    }
    // Leaves time for the rest of the first comparison, which the snapshot does not show.
    sleep(Duration::from_millis(200));
}
