//! What other crates know of a call, and how to tell others what circuits go through. Each adapter stands apart, behind
//! the feature of its crate; nothing else knows of them, but that [`watch`](crate::watch) tells the latter.

#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
mod choice;
#[cfg(feature = "dynamic")]
pub(crate) mod dynamic;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
mod erased;
#[cfg(feature = "h2")]
mod h2;
#[cfg(feature = "http")]
pub(crate) mod http;
#[cfg(feature = "hyper")]
mod hyper;
#[cfg(feature = "hyper-util")]
mod hyper_util;
#[cfg(feature = "io")]
mod io;
#[cfg(feature = "metrics")]
pub mod metrics;
#[cfg(feature = "reqwest")]
mod reqwest;
#[cfg(feature = "reqwest-middleware")]
pub mod reqwest_middleware;
#[cfg(feature = "rustls")]
mod rustls;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "serde_json")]
mod serde_json;
#[cfg(feature = "stream")]
mod stream;
#[cfg(feature = "tokio")]
pub(crate) mod tokio;
#[cfg(feature = "tonic")]
mod tonic;
#[cfg(feature = "tower")]
pub mod tower;
#[cfg(feature = "tracing")]
pub(crate) mod tracing;
#[cfg(feature = "tungstenite")]
mod tungstenite;

use std::error::Error;

use crate::transport::Fault;

/// What an error of another crate tells of the transport; `None` where its type is not known.
pub(crate) fn fault(error: &(dyn Error + 'static)) -> Option<Fault> {
    /// Looks for one type, and asks it.
    type Known = fn(&(dyn Error + 'static)) -> Option<Fault>;
    const FAULTS: &[Known] = &[
        #[cfg(feature = "reqwest")]
        |error| error.downcast_ref().map(reqwest::fault),
        #[cfg(feature = "hyper")]
        |error| error.downcast_ref().map(hyper::fault),
        #[cfg(feature = "hyper-util")]
        |error| error.downcast_ref().map(hyper_util::fault),
        #[cfg(feature = "h2")]
        |error| error.downcast_ref().map(h2::fault),
        #[cfg(feature = "rustls")]
        |error| error.downcast_ref().map(rustls::fault),
        #[cfg(feature = "tokio")]
        |error| error.downcast_ref().map(tokio::fault),
        #[cfg(feature = "tonic")]
        |error| error.downcast_ref().and_then(tonic::fault),
        #[cfg(feature = "tonic")]
        |error| error.downcast_ref().map(tonic::fault_of_timeout),
        #[cfg(feature = "tonic")]
        |error| error.downcast_ref().map(tonic::fault_of_connect),
        #[cfg(feature = "tungstenite")]
        |error| error.downcast_ref().map(tungstenite::fault),
    ];
    FAULTS.iter().find_map(|known| known(error))
}

/// An error of another crate that knows what it proves; `None` where its type is not known.
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
fn evident<'e>(error: &'e (dyn Error + 'static)) -> Option<dynamic::Speaker<'e>> {
    use dynamic::Speaker;

    #[cfg(any(feature = "io", feature = "reqwest", feature = "tonic"))]
    fn known<E: crate::ProvesReachable>(error: &E) -> Speaker<'_> {
        Speaker { name: std::any::type_name::<E>, error }
    }
    type Known = for<'e> fn(&'e (dyn Error + 'static)) -> Option<Speaker<'e>>;
    const EVIDENT: &[Known] = &[
        #[cfg(feature = "io")]
        |error| error.downcast_ref::<std::io::Error>().map(known),
        #[cfg(feature = "reqwest")]
        |error| error.downcast_ref::<::reqwest::Error>().map(known),
        #[cfg(feature = "reqwest-middleware")]
        |error| error.downcast_ref::<::reqwest_middleware::Error>().map(known),
        #[cfg(feature = "tonic")]
        |error| error.downcast_ref::<::tonic::Status>().map(known),
    ];
    EVIDENT.iter().find_map(|known| known(error))
}
