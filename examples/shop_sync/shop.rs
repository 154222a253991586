//! The remote side: a real HTTP server on loopback with a configurable behaviour.

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Mood {
    Healthy,
    /// Healthy but slow.
    Slow,
    /// Every contact is a 404.
    KnowsNobody,
    /// Every request is a 503.
    Unavailable,
    /// Accepts and never answers.
    Silent,
}

const MOODS: [Mood; 5] = [Mood::Healthy, Mood::Slow, Mood::KnowsNobody, Mood::Unavailable, Mood::Silent];

#[derive(Clone)]
pub(crate) struct Shop {
    pub(crate) name: &'static str,
    address: SocketAddr,
    mind: Arc<Mind>,
}

#[derive(Default)]
struct Mind {
    mood: AtomicU8,
    requests: AtomicU64,
    requests_until_recovery: AtomicU64,
}

impl Mind {
    fn mood(&self) -> Mood {
        MOODS[usize::from(self.mood.load(Ordering::SeqCst))]
    }
}

impl Shop {
    pub(crate) async fn open(name: &'static str) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let mind = Arc::new(Mind::default());
        let routes = Router::new()
            .route("/verify", get(|| async { "welcome" }))
            .route("/bulk-export", get(|| async { "article;price\n".repeat(1_000) }))
            .route("/pages/{page}", get(|Path(page): Path<u32>| async move { format!("page {page}") }))
            .route("/contacts/{contact}/consent", get(consent))
            .layer(from_fn_with_state(mind.clone(), in_its_mood))
            .with_state(mind.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Ok(Self { name, address, mind })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn be(&self, mood: Mood) {
        self.mind.mood.store(mood as u8, Ordering::SeqCst);
    }

    /// The number of requests that reached the shop.
    pub(crate) fn requests(&self) -> u64 {
        self.mind.requests.load(Ordering::SeqCst)
    }

    /// Its circuit has just closed.
    pub(crate) fn has_recovered(&self) {
        self.mind.requests_until_recovery.store(self.requests(), Ordering::SeqCst);
    }

    pub(crate) fn requests_until_recovery(&self) -> u64 {
        self.mind.requests_until_recovery.load(Ordering::SeqCst)
    }
}

async fn in_its_mood(State(mind): State<Arc<Mind>>, request: Request, next: Next) -> Response {
    mind.requests.fetch_add(1, Ordering::SeqCst);
    match mind.mood() {
        Mood::Unavailable => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Mood::Silent => std::future::pending().await,
        Mood::Slow => tokio::time::sleep(Duration::from_millis(50)).await,
        Mood::Healthy | Mood::KnowsNobody => {}
    }
    next.run(request).await
}

async fn consent(State(mind): State<Arc<Mind>>, Path(contact): Path<u64>) -> Response {
    match mind.mood() {
        Mood::KnowsNobody => StatusCode::NOT_FOUND.into_response(),
        _ => format!("contact {contact}: newsletter").into_response(),
    }
}
