//! Remote systems on loopback, one for each behaviour.
#![allow(dead_code, reason = "not every test uses every helper")]

pub(crate) mod errors;

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A server that treats each connection equally, until the end of the test.
pub(crate) struct Remote {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Remote {
    pub(crate) fn new(each: impl Fn(TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
        let address = listener.local_addr().expect("it is bound");
        let connections = Arc::new(AtomicUsize::new(0));
        let seen = connections.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                seen.fetch_add(1, Ordering::SeqCst);
                each(stream);
            }
        });
        Self { address, connections }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// A port on which no server listens.
pub(crate) fn no_listener() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
    listener.local_addr().expect("it is bound")
}

/// Reads a request, sends this text and closes the connection.
pub(crate) fn replying_with(words: impl Into<Vec<u8>>) -> Remote {
    let words = words.into();
    Remote::new(move |mut stream| {
        read_request(&mut stream);
        let _ = stream.write_all(&words);
        let _ = stream.shutdown(Shutdown::Write);
    })
}

/// Answers with this status and an empty body.
pub(crate) fn answering(status: u16) -> Remote {
    replying_with(head(status, "content-length: 0"))
}

/// The head of a response.
pub(crate) fn head(status: u16, header: &str) -> String {
    format!("HTTP/1.1 {status} Said\r\nconnection: close\r\n{header}\r\n\r\n")
}

/// Sends this text and closes the connection with unread data, which turns the close into a reset.
pub(crate) fn resetting_after(words: impl Into<Vec<u8>>) -> Remote {
    let words = words.into();
    Remote::new(move |mut stream| {
        let _ = stream.peek(&mut [0]);
        let _ = stream.write_all(&words);
    })
}

/// Reads a request, sends this text, and sends nothing more.
pub(crate) fn silent_after(words: impl Into<Vec<u8>>) -> Remote {
    let words = words.into();
    Remote::new(move |mut stream| {
        let words = words.clone();
        thread::spawn(move || {
            read_request(&mut stream);
            let _ = stream.write_all(&words);
            // Until the client closes the connection.
            let _ = stream.read(&mut [0; 64]);
        });
    })
}

/// A remote system that sends first, without waiting for a request.
pub(crate) fn greeting(words: impl Into<Vec<u8>>) -> Remote {
    let words = words.into();
    Remote::new(move |mut stream| {
        let _ = stream.write_all(&words);
        let _ = stream.shutdown(Shutdown::Write);
    })
}

/// Reads the first bytes of the client: a request without a body, or anything else.
fn read_request(stream: &mut TcpStream) {
    let mut request = Vec::new();
    let mut chunk = [0; 4096];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(read) => request.extend_from_slice(&chunk[..read]),
        }
        if !request.starts_with(b"GET") && !request.starts_with(b"POST") {
            return;
        }
    }
}
