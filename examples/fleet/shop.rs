//! The remote side: a real HTTP server on loopback with a configurable behaviour.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::wall;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Mood {
    Healthy,
    /// Every request is a 503.
    Unavailable,
    /// Healthy but slow, so that other workers have enough time to try a probe too.
    Slow,
}

const MOODS: [Mood; 3] = [Mood::Healthy, Mood::Unavailable, Mood::Slow];

pub(crate) struct Shop {
    pub(crate) address: SocketAddr,
    mind: Arc<Mind>,
}

#[derive(Default)]
struct Mind {
    mood: AtomicU8,
    /// The time of each request.
    requests: Mutex<Vec<u64>>,
}

impl Shop {
    pub(crate) async fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let mind = Arc::new(Mind::default());
        let routes = Router::new().route("/articles/{article}", get(article)).with_state(mind.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Ok(Self { address, mind })
    }

    pub(crate) fn be(&self, mood: Mood) {
        self.mind.mood.store(mood as u8, Ordering::SeqCst);
    }

    /// Returns the number of requests between two moments of the wall clock.
    pub(crate) fn requests(&self, from: u64, to: u64) -> usize {
        let requests = self.mind.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.iter().filter(|moment| (from..to).contains(moment)).count()
    }
}

async fn article(State(mind): State<Arc<Mind>>) -> Result<&'static str, StatusCode> {
    mind.requests.lock().unwrap_or_else(PoisonError::into_inner).push(wall());
    match MOODS[usize::from(mind.mood.load(Ordering::SeqCst))] {
        Mood::Unavailable => return Err(StatusCode::SERVICE_UNAVAILABLE),
        Mood::Slow => tokio::time::sleep(Duration::from_millis(150)).await,
        Mood::Healthy => {}
    }
    Ok("3 pieces")
}
