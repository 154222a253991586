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
pub(crate) enum Behaviour {
    Healthy,
    /// Every request is a 503.
    Unavailable,
    /// Healthy but slow, so that other workers have enough time to try a probe too.
    Slow,
}

const BEHAVIOURS: [Behaviour; 3] = [Behaviour::Healthy, Behaviour::Unavailable, Behaviour::Slow];

pub(crate) struct Shop {
    pub(crate) address: SocketAddr,
    state: Arc<ShopState>,
}

#[derive(Default)]
struct ShopState {
    behaviour: AtomicU8,
    /// The time of each request.
    requests: Mutex<Vec<u64>>,
}

impl Shop {
    pub(crate) async fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(ShopState::default());
        let routes = Router::new().route("/articles/{article}", get(article)).with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Ok(Self { address, state })
    }

    pub(crate) fn set_behaviour(&self, behaviour: Behaviour) {
        self.state.behaviour.store(behaviour as u8, Ordering::SeqCst);
    }

    /// Returns the number of requests between two moments of the wall clock.
    pub(crate) fn requests(&self, from: u64, to: u64) -> usize {
        let requests = self.state.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.iter().filter(|moment| (from..to).contains(moment)).count()
    }
}

async fn article(State(state): State<Arc<ShopState>>) -> Result<&'static str, StatusCode> {
    state.requests.lock().unwrap_or_else(PoisonError::into_inner).push(wall());
    match BEHAVIOURS[usize::from(state.behaviour.load(Ordering::SeqCst))] {
        Behaviour::Unavailable => return Err(StatusCode::SERVICE_UNAVAILABLE),
        Behaviour::Slow => tokio::time::sleep(Duration::from_millis(150)).await,
        Behaviour::Healthy => {}
    }
    Ok("3 pieces")
}
