//! The remote system: an HTTP server on loopback whose behaviour can be changed while it runs.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;

/// How a shop treats a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Behaviour {
    Healthy,
    /// Answers after 50 ms.
    Slow,
    /// Answers requests for contacts with 404 and all others as usual.
    NoContacts,
    /// Answers every request with 503.
    Unavailable,
    /// Accepts connections and never answers.
    Silent,
}

/// All behaviours in the order of their discriminants.
const BEHAVIOURS: [Behaviour; 5] =
    [Behaviour::Healthy, Behaviour::Slow, Behaviour::NoContacts, Behaviour::Unavailable, Behaviour::Silent];

/// A handle to a running server. Clones refer to the same one.
#[derive(Clone)]
pub(crate) struct Shop {
    pub(crate) name: &'static str,
    address: SocketAddr,
    state: Arc<ShopState>,
}

#[derive(Default)]
struct ShopState {
    behaviour: AtomicU8,
    requests: AtomicU64,
    requests_until_recovery: AtomicU64,
}

impl ShopState {
    fn behaviour(&self) -> Behaviour {
        BEHAVIOURS[usize::from(self.behaviour.load(Ordering::SeqCst))]
    }
}

impl Shop {
    pub(crate) async fn open(name: &'static str) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(ShopState::default());
        let routes = Router::new()
            .route("/verify", get(|| async { "welcome" }))
            .route("/bulk-export", get(|| async { "article;price\n".repeat(1_000) }))
            .route("/pages/{page}", get(|Path(page): Path<u32>| async move { format!("page {page}") }))
            .route("/contacts/{contact}/consent", get(consent))
            .layer(from_fn_with_state(state.clone(), apply_behaviour))
            .with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Ok(Self { name, address, state })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn set_behaviour(&self, behaviour: Behaviour) {
        self.state.behaviour.store(behaviour as u8, Ordering::SeqCst);
    }

    /// Returns the number of requests that reached the shop.
    pub(crate) fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::SeqCst)
    }

    /// Records the number of requests so far, when the circuit of the shop has just closed.
    pub(crate) fn record_recovery(&self) {
        self.state.requests_until_recovery.store(self.requests(), Ordering::SeqCst);
    }

    pub(crate) fn requests_until_recovery(&self) -> u64 {
        self.state.requests_until_recovery.load(Ordering::SeqCst)
    }
}

async fn apply_behaviour(State(state): State<Arc<ShopState>>, request: Request, next: Next) -> Response {
    state.requests.fetch_add(1, Ordering::SeqCst);
    match state.behaviour() {
        Behaviour::Unavailable => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Behaviour::Silent => std::future::pending().await,
        Behaviour::Slow => tokio::time::sleep(Duration::from_millis(50)).await,
        Behaviour::Healthy | Behaviour::NoContacts => {}
    }
    next.run(request).await
}

async fn consent(State(state): State<Arc<ShopState>>, Path(contact): Path<u64>) -> Response {
    match state.behaviour() {
        Behaviour::NoContacts => StatusCode::NOT_FOUND.into_response(),
        _ => format!("contact {contact}: newsletter").into_response(),
    }
}
