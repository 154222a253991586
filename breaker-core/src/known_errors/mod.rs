//! Errors of other crates whose types are known: one file for each crate, behind its feature, and the table of them.

#[cfg(feature = "h2")]
mod h2;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "hyper")]
mod hyper;
#[cfg(feature = "hyper-util")]
mod hyper_util;
pub(crate) mod io;
#[cfg(any(feature = "reqwest", feature = "reqwest-0-12"))]
pub(crate) mod reqwest;
#[cfg(feature = "rustls")]
mod rustls;
#[cfg(feature = "serde_json")]
mod serde_json;
#[cfg(feature = "tokio")]
mod tokio;
#[cfg(feature = "tonic")]
pub(crate) mod tonic;
#[cfg(feature = "tungstenite")]
mod tungstenite;

use std::error::Error;

use crate::evidence::Fault;

/// The transport fault of an error whose type is known.
///
/// A file of this folder never walks a chain of errors itself: it names the error to ask, and `transport` walks on from
/// there. So the walk knows all files, and no file knows the walk.
#[derive(Clone, Copy)]
pub(crate) enum Classification<'e> {
    /// The error itself decides.
    Known(Fault),
    /// An error inside decides: `conclude` receives the fault found from `source` on.
    #[cfg_attr(
        not(any(feature = "h2", feature = "hyper", feature = "reqwest", feature = "tungstenite")),
        expect(dead_code, reason = "only errors of these crates wrap others")
    )]
    AskSource { source: Option<&'e (dyn Error + 'static)>, conclude: fn(Option<Fault>) -> Fault },
}

/// Returns the fault of an error of a known type, or `None` where the type is unknown or leaves the decision to its chain.
pub(crate) fn classify<'e>(error: &'e (dyn Error + 'static)) -> Option<Classification<'e>> {
    /// Downcasts to one type and classifies it.
    type Classifier = for<'e> fn(&'e (dyn Error + 'static)) -> Option<Classification<'e>>;
    const CLASSIFIERS: &[Classifier] = &[
        |error| error.downcast_ref().and_then(io::classify),
        #[cfg(feature = "reqwest-0-12")]
        |error| error.downcast_ref().map(reqwest::v0_12::classify),
        #[cfg(feature = "reqwest")]
        |error| error.downcast_ref().map(reqwest::v0_13::classify),
        #[cfg(feature = "hyper")]
        |error| error.downcast_ref().map(hyper::classify),
        #[cfg(feature = "hyper-util")]
        |error| error.downcast_ref().map(hyper_util::classify),
        #[cfg(feature = "h2")]
        |error| error.downcast_ref().map(h2::classify),
        #[cfg(feature = "rustls")]
        |error| error.downcast_ref().map(rustls::classify),
        #[cfg(feature = "tokio")]
        |error| error.downcast_ref().map(tokio::classify),
        #[cfg(feature = "tonic")]
        |error| error.downcast_ref().and_then(tonic::classify),
        #[cfg(feature = "tonic")]
        |error| error.downcast_ref().map(tonic::classify_timeout),
        #[cfg(feature = "tonic")]
        |error| error.downcast_ref().map(tonic::classify_connect),
        #[cfg(feature = "tungstenite")]
        |error| error.downcast_ref().map(tungstenite::classify),
    ];
    CLASSIFIERS.iter().find_map(|classify| classify(error))
}
