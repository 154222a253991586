//! A redis-server of the example, which ends with the example in any case: normally, by Ctrl-C or by `kill -9`.

use std::error::Error;
use std::io::{self, Read as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The server program, if one is installed.
pub(crate) fn installed() -> Option<&'static str> {
    let is_there = |program: &&str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    ["redis-server", "valkey-server"].into_iter().find(is_there)
}

pub(crate) struct Server {
    program: &'static str,
    port: u16,
    /// The keeper process of the server. The end of its pipe makes it kill the server.
    keeper: Option<Child>,
}

impl Server {
    pub(crate) fn start(program: &'static str) -> Result<Self, Box<dyn Error>> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut server = Self { program, port, keeper: None };
        server.come_back()?;
        Ok(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Like `kill -9`: nothing is saved, and no client is notified.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        // Waiting closes the pipe first.
        self.keeper.take().map_or(Ok(()), |mut keeper| keeper.wait().map(|_| ()))
    }

    /// Starts the server on its earlier port, without data.
    pub(crate) fn come_back(&mut self) -> Result<(), Box<dyn Error>> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["keep", self.program, &self.port.to_string()]).stdin(Stdio::piped());
        // Ctrl-C reaches all processes of a terminal's group at once, and the keeper must end last.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        self.keeper = Some(command.spawn()?);
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_err() {
            if start.elapsed() > Duration::from_secs(10) {
                return Err(format!("{} does not listen on port {}", self.program, self.port).into());
            }
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// The keeper: starts the server and kills it when the pipe to the example is closed, because the example has ended
/// then.
pub(crate) fn keep(program: &str, port: &str) -> Result<(), Box<dyn Error>> {
    let mut server = Command::new(program)
        .args(["--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
        .current_dir(std::env::temp_dir())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()?;
    let _ = io::stdin().read_to_end(&mut Vec::new());
    server.kill()?;
    server.wait()?;
    Ok(())
}
