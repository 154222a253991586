//! A proxy between processes and server that delays the traffic.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use super::ms;

pub(crate) struct Proxy {
    pub(crate) port: u16,
    delay: Arc<AtomicU64>,
}

impl Proxy {
    pub(crate) fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let delay = Arc::new(AtomicU64::new(0));
        let proxy = Self { port: listener.local_addr().unwrap().port(), delay: delay.clone() };
        thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(("127.0.0.1", port))) else { continue };
                pass_on(client.try_clone().unwrap(), server.try_clone().unwrap(), delay.clone());
                pass_on(server, client, delay.clone());
            }
        });
        proxy
    }

    /// Sets the delay of each direction, from now on.
    pub(crate) fn delay(&self, millis: u64) {
        self.delay.store(millis, Ordering::Relaxed);
    }
}

/// As in a network, bytes are under way while others follow.
fn pass_on(mut from: TcpStream, mut to: TcpStream, delay: Arc<AtomicU64>) {
    let _ = to.set_nodelay(true);
    let (under_way, arrivals) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let mut buffer = [0; 16_384];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            let arrival = Instant::now() + ms(delay.load(Ordering::Relaxed));
            if under_way.send((arrival, buffer[..read].to_vec())).is_err() {
                return;
            }
        }
    });
    thread::spawn(move || {
        for (arrival, bytes) in arrivals {
            thread::sleep(arrival.saturating_duration_since(Instant::now()));
            if to.write_all(&bytes).is_err() {
                break;
            }
        }
        let _ = to.shutdown(std::net::Shutdown::Both);
    });
}
