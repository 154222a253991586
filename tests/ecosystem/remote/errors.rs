//! Real errors, each made by its crate with a remote system on loopback.

use std::error::Error;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use breaker_core::{CircuitOpen, ProvesReachable};
use tokio::time::error::Elapsed;

use super::{Remote, answering, greeting, head, no_listener, replying_with, resetting_after, silent_after};

/// The error of an integration. The evidence of known crates is passed on, and the other variants are unmarked.
#[derive(Debug, thiserror::Error, ProvesReachable)]
pub(crate) enum ApiError {
    #[error(transparent)]
    #[reachable(transparent)]
    Http(#[from] reqwest::Error),
    #[error(transparent)]
    #[reachable(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    #[reachable(transparent)]
    Grpc(#[from] tonic::Status),
    #[error("gave up waiting")]
    Elapsed(#[from] Elapsed),
    #[error("not the JSON that was promised")]
    Json(#[from] serde_json::Error),
    #[error("the shop answered with status {0}")]
    Status(#[reachable(status)] u16),
    #[error("{0}")]
    Text(String),
    #[error(transparent)]
    Boxed(Box<dyn Error + Send + Sync>),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

/// The kind of an error, which determines when the error counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Answered,
    Unknown,
    Timeout,
    ConnectTimeout,
    Connection,
    CountedStatus,
    /// A failure that does not concern the transport.
    Other,
}

use Kind::{Answered, ConnectTimeout, Connection, CountedStatus, Other, Timeout, Unknown};

/// A wrapper without evidence of its own, which keeps its source.
#[derive(Debug, thiserror::Error)]
#[error("the price list could not be loaded")]
struct Wrapped(#[source] io::Error);

/// Long enough for every success, and short enough for a test that waits for the limit.
const SHORT: Duration = Duration::from_millis(150);

/// A name that no resolver accepts, so that none is queried.
fn unresolvable() -> String {
    format!("{}.invalid", "x".repeat(64))
}

fn client() -> reqwest::ClientBuilder {
    reqwest::Client::builder().no_proxy()
}

async fn get(url: String) -> Result<String, ApiError> {
    let response = client().build()?.get(url).send().await?.error_for_status()?;
    Ok(response.text().await?)
}

/// Returns the error of a call that must fail.
fn error<T>(result: Result<T, impl Into<ApiError>>) -> ApiError {
    match result {
        Ok(_) => panic!("it was to fail"),
        Err(error) => error.into(),
    }
}

async fn got(remote: Remote) -> ApiError {
    error(get(remote.url()).await)
}

/// Errors of `reqwest`.
pub(crate) async fn of_reqwest() -> Vec<(&'static str, Kind, ApiError)> {
    let refused = error(get(format!("http://{}/", no_listener())).await);
    let unresolved = error(get(format!("http://{}/", unresolvable())).await);
    let full = Full::new().await;
    let connect_timeout = {
        let client = client().connect_timeout(SHORT).build().expect("a client");
        error(client.get(format!("http://{}/", full.address)).send().await)
    };
    let timeout = {
        let remote = silent_after("");
        error(client().timeout(SHORT).build().expect("a client").get(remote.url()).send().await)
    };
    let read_timeout = {
        let remote = silent_after("");
        error(client().read_timeout(SHORT).build().expect("a client").get(remote.url()).send().await)
    };
    let timeout_in_body = {
        let remote = silent_after(head(200, "content-length: 100") + "half");
        let client = client().timeout(SHORT).build().expect("a client");
        let response = client.get(remote.url()).send().await.expect("a head");
        error(response.bytes().await)
    };
    let redirects = {
        let remote = replying_with(head(302, "location: /\r\ncontent-length: 0"));
        error(get(remote.url()).await)
    };
    vec![
        ("port refused", Connection, refused),
        ("name not resolved", Connection, unresolved),
        ("connect timeout", ConnectTimeout, connect_timeout),
        ("timeout before the response", Timeout, timeout),
        ("read timeout", Timeout, read_timeout),
        ("timeout within the body", Timeout, timeout_in_body),
        ("closed without a response", Connection, got(replying_with("")).await),
        ("closed within the head", Connection, got(replying_with("HTTP/1.1 200 OK\r\ncontent-le")).await),
        ("reset without a response", Connection, got(resetting_after("")).await),
        ("reset within the body", Connection, got(resetting_after(head(200, "content-length: 100") + "half")).await),
        ("body cut short", Connection, got(replying_with(head(200, "content-length: 100") + "half")).await),
        (
            "chunked body cut short",
            Connection,
            got(replying_with(head(200, "transfer-encoding: chunked") + "5\r\nab")).await,
        ),
        ("nonsense instead of a response", Other, got(replying_with("hello there\r\n\r\n")).await),
        (
            "chunk of nonsense",
            Other,
            got(replying_with(head(200, "transfer-encoding: chunked") + "zz\r\nab\r\n")).await,
        ),
        ("TLS alert instead of a response", Other, got(replying_with([21, 3, 3, 0, 2, 2, 40])).await),
        ("too many redirects", Other, redirects),
        ("URL of nonsense", Unknown, error(get("http://".to_owned()).await)),
        ("`error_for_status` with 400", Unknown, got(answering(400)).await),
        ("`error_for_status` with 401", Unknown, got(answering(401)).await),
        ("`error_for_status` with 404", Answered, got(answering(404)).await),
        ("`error_for_status` with 408", Other, got(answering(408)).await),
        ("`error_for_status` with 409", Answered, got(answering(409)).await),
        ("`error_for_status` with 422", Answered, got(answering(422)).await),
        ("`error_for_status` with 429", Unknown, got(answering(429)).await),
        ("`error_for_status` with 500", Other, got(answering(500)).await),
        ("`error_for_status` with 501", Other, got(answering(501)).await),
        ("`error_for_status` with 502", CountedStatus, got(answering(502)).await),
        ("`error_for_status` with 503", CountedStatus, got(answering(503)).await),
        ("`error_for_status` with 504", CountedStatus, got(answering(504)).await),
    ]
}

/// Errors of the standard library, `tokio` and `rustls`.
pub(crate) async fn of_sockets() -> Vec<(&'static str, Kind, ApiError)> {
    let full = Full::new().await;
    let mut errors = vec![
        ("port refused", Connection, error(TcpStream::connect(no_listener()))),
        ("name not resolved", Connection, error((unresolvable(), 80).to_socket_addrs())),
        ("connect timeout", Timeout, error(TcpStream::connect_timeout(&full.address, SHORT))),
        ("read timeout of a blocking socket", Timeout, error(read_timeout())),
        ("reset while reading", Connection, error(read_to_end(&resetting_after("half")))),
        ("end of file within a message", Connection, error(read_exactly(&replying_with("half")))),
        ("written to a closed connection", Connection, error(write_for_ever(&resetting_after("")))),
        ("line that is not UTF-8", Other, error(read_line(&greeting([0xff, b'\n'])))),
        ("port in use", Unknown, error(port_in_use())),
        ("file not found", Other, error(std::fs::read("/no/such/file"))),
        (
            "port refused, wrapped",
            Connection,
            boxed(Wrapped(TcpStream::connect(no_listener()).expect_err("no server listens"))),
        ),
        (
            "port refused, in an `io::Error` of another kind",
            Connection,
            error(TcpStream::connect(no_listener()).map_err(io::Error::other)),
        ),
        ("port refused, by `tokio`", Connection, error(tokio::net::TcpStream::connect(no_listener()).await)),
        (
            "`tokio::time::timeout` is over",
            Timeout,
            error(tokio::time::timeout(SHORT, std::future::pending::<()>()).await),
        ),
    ];
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    errors.push(("TLS to a plain port", Connection, error(tls_to_a_plain_port())));
    errors
}

/// Errors of an integration for answers that it could read.
pub(crate) async fn of_business() -> Vec<(&'static str, Kind, ApiError)> {
    let not_json = get(replying_with(head(200, "content-length: 5") + "<html").url()).await.expect("a body");
    let text_error = |words: &str| {
        let remote = replying_with(head(200, &format!("content-length: {}", words.len())) + words);
        async move { ApiError::Text(get(remote.url()).await.expect("a body")) }
    };
    vec![
        ("JSON of nonsense", Other, error(serde_json::from_str::<u8>(&not_json))),
        ("status 404 in a field", Answered, ApiError::Status(404)),
        ("status 429 in a field", Unknown, ApiError::Status(429)),
        ("status 500 in a field", Other, ApiError::Status(500)),
        ("status 503 in a field", CountedStatus, ApiError::Status(503)),
        ("\"card declined\"", Other, text_error("card declined").await),
        ("\"only lossless formats are accepted\"", Other, text_error("only lossless formats are accepted").await),
        ("\"the bank TIMED OUT\"", Timeout, text_error("the bank TIMED OUT").await),
        ("\"Connection refused by the ledger\"", Connection, text_error("Connection refused by the ledger").await),
        (
            "\"could not resolve host bank.example\"",
            Connection,
            text_error("could not resolve host bank.example").await,
        ),
        ("\"SSL certificate problem\"", Connection, text_error("SSL certificate problem").await),
        ("\"no more timeouts are allowed\"", Other, text_error("no more timeouts are allowed").await),
    ]
}

fn boxed(error: impl Error + Send + Sync + 'static) -> ApiError {
    ApiError::Boxed(error.into())
}

/// A port whose queue of connections is full, so that the next connection hangs.
struct Full {
    address: SocketAddr,
    _listener: tokio::net::TcpListener,
    _waiting: Vec<tokio::net::TcpStream>,
}

impl Full {
    async fn new() -> Self {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a port on loopback");
        let listener = socket.listen(1).expect("it is bound");
        let address = listener.local_addr().expect("it is bound");
        let mut waiting = Vec::new();
        while let Ok(connected) = tokio::time::timeout(SHORT, tokio::net::TcpStream::connect(address)).await {
            waiting.push(connected.expect("a place in the queue"));
        }
        Self { address, _listener: listener, _waiting: waiting }
    }
}

fn read_timeout() -> io::Result<usize> {
    let remote = silent_after("");
    let mut stream = TcpStream::connect(remote.address)?;
    stream.set_read_timeout(Some(SHORT))?;
    stream.read(&mut [0])
}

fn request(remote: &Remote) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(remote.address)?;
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n")?;
    Ok(stream)
}

fn read_to_end(remote: &Remote) -> io::Result<usize> {
    request(remote)?.read_to_end(&mut Vec::new())
}

fn read_exactly(remote: &Remote) -> io::Result<()> {
    request(remote)?.read_exact(&mut [0; 100])
}

fn write_for_ever(remote: &Remote) -> io::Result<()> {
    let mut stream = request(remote)?;
    loop {
        stream.write_all(&[0; 4096])?;
    }
}

fn read_line(remote: &Remote) -> io::Result<usize> {
    BufReader::new(TcpStream::connect(remote.address)?).read_line(&mut String::new())
}

fn port_in_use() -> io::Result<TcpListener> {
    let first = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    TcpListener::bind(first.local_addr()?)
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn tls_to_a_plain_port() -> io::Result<()> {
    use rustls::{ClientConfig, ClientConnection, RootCertStore};

    let remote = replying_with(head(400, "content-length: 0"));
    let provider = std::sync::Arc::new(rustls_graviola::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider supports TLS 1.3")
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let name = "localhost".try_into().expect("a name");
    let mut connection = ClientConnection::new(config.into(), name).map_err(io::Error::other)?;
    let mut stream = TcpStream::connect(remote.address)?;
    connection.complete_io(&mut stream)?;
    Ok(())
}
