//! A redis-server of the bench's own, and what it says of its load.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use redis::{Connection, RedisResult};

pub struct Server {
    port: u16,
    child: Child,
}

/// Sums since the server started.
pub struct Load {
    pub commands: f64,
    pub cpu: f64,
    pub bytes_out: f64,
    pub memory: f64,
}

impl Server {
    pub fn start() -> std::io::Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .stdout(Stdio::null())
            .spawn()?;
        for _ in 0..500 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(Self { port, child })
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    pub fn connect(&self) -> RedisResult<Connection> {
        redis::Client::open(self.url())?.get_connection()
    }

    pub fn reset_statistics(&self) -> RedisResult<()> {
        redis::cmd("CONFIG").arg("RESETSTAT").exec(&mut self.connect()?)
    }

    pub fn micros_per_call(&self, command: &str) -> RedisResult<String> {
        let text: String = redis::cmd("INFO").arg("commandstats").query(&mut self.connect()?)?;
        let line = text.lines().find(|line| line.starts_with(&format!("cmdstat_{command}:"))).unwrap_or_default();
        let value = line.split(',').find_map(|field| field.strip_prefix("usec_per_call="));
        Ok(value.unwrap_or("?").to_owned())
    }

    pub fn load(&self) -> RedisResult<Load> {
        let text: String = redis::cmd("INFO").arg("everything").query(&mut self.connect()?)?;
        let number = |name: &str| -> f64 {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.and_then(|value| value.trim().parse().ok()).unwrap_or(f64::NAN)
        };
        // The script counts as one command, and so does each that it calls.
        let scripts = text.lines().find_map(|line| line.strip_prefix("cmdstat_evalsha:calls="));
        let scripts = scripts.and_then(|rest| rest.split(',').next()?.parse().ok()).unwrap_or(0.0);
        Ok(Load {
            commands: scripts,
            cpu: number("used_cpu_user") + number("used_cpu_sys"),
            bytes_out: number("total_net_output_bytes"),
            memory: number("used_memory_dataset"),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
