//! A redis-server of the example's own, on a port that was free.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub(crate) struct Server {
    port: u16,
    child: Child,
}

impl Server {
    /// `None` where none is installed.
    pub(crate) fn start() -> io::Result<Option<Self>> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        match run(port) {
            Ok(child) => Ok(Some(Self { port, child })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    pub(crate) fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    pub(crate) fn start_again(&mut self) -> io::Result<()> {
        self.child = run(self.port)?;
        Ok(())
    }
}

fn run(port: u16) -> io::Result<Child> {
    let child = Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    for _ in 0..500 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(child)
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}
