//! The web server of the page. It listens on loopback only.

use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use breaker_core::{Circuit, Registry};
use futures::{Stream, StreamExt, stream};
use tokio::net::TcpListener;
use tokio::time::interval;

use crate::feed::Feed;
use crate::history::History;

/// The interval between two updates of an open page.
const UPDATE_INTERVAL: Duration = Duration::from_millis(500);

/// Permits only files of this server, and forbids other pages to embed this one in a frame.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page of a registry, with its port bound.
pub(crate) struct Page {
    listener: TcpListener,
    address: SocketAddr,
    shared: Shared,
}

#[derive(Clone)]
struct Shared {
    registry: Registry,
    history: History,
    port: u16,
}

impl Page {
    /// Binds the port; 0 selects a free one.
    pub(crate) async fn bind(registry: Registry, history: History, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, shared: Shared { registry, history, port: address.port() } })
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) async fn serve(self) -> io::Result<()> {
        let routes = Router::new()
            .route("/", get(|| file("text/html; charset=utf-8", include_str!("page/index.html"))))
            .route("/page.css", get(|| file("text/css; charset=utf-8", include_str!("page/page.css"))))
            .route("/page.js", get(|| file("text/javascript; charset=utf-8", include_str!("page/page.js"))))
            .route("/updates", get(updates))
            .route("/reset", post(|shared, connection| ready(apply(&shared, &connection, Circuit::reset))))
            .route("/hold-open", post(|shared, connection| ready(apply(&shared, &connection, Circuit::hold_open))))
            .layer(middleware::from_fn_with_state(self.shared.clone(), own_origin_only))
            .with_state(self.shared);
        axum::serve(self.listener, routes).await
    }
}

fn file(content_type: &'static str, content: &'static str) -> impl Future<Output = impl IntoResponse> {
    let headers = [
        (CONTENT_TYPE, content_type),
        (CACHE_CONTROL, "no-cache"),
        (CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    ready((headers, content))
}

async fn updates(State(shared): State<Shared>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut feed = Feed::new(shared.registry, shared.history);
    let ticks = stream::unfold(interval(UPDATE_INTERVAL), |mut ticks| async {
        ticks.tick().await;
        Some(((), ticks))
    });
    let updates = ticks.map(move |()| Ok(Event::default().data(feed.update().to_string())));
    Sse::new(updates).keep_alive(KeepAlive::default())
}

/// Applies the action of a button to the circuit whose key is the body of the request.
fn apply(State(shared): &State<Shared>, connection: &String, action: fn(&Circuit)) -> StatusCode {
    match shared.registry.get(connection) {
        Some(circuit) => {
            action(&circuit);
            StatusCode::NO_CONTENT
        }
        None => StatusCode::NOT_FOUND,
    }
}

/// Rejects requests for another host name, and `POST` requests that were not sent by this page.
///
/// The first check stops foreign host names that resolve to loopback. The second stops forms and scripts of other
/// pages.
async fn own_origin_only(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    if is_allowed(request.method(), request.headers(), shared.port) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "only requests for this address are accepted, and actions only from this page\n")
            .into_response()
    }
}

fn is_allowed(method: &Method, headers: &HeaderMap, port: u16) -> bool {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let own_hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let Some(host) = header(HOST).filter(|host| own_hosts.iter().any(|own| own == host)) else { return false };
    method == Method::GET || header(ORIGIN) == Some(&format!("http://{host}"))
}
