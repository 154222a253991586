//! Error types that are known without registration: the list that all rules about pointers and contexts share.

/// Calls a macro with the known types. Each is `Send + Sync`.
macro_rules! for_known_types {
    ($macro:ident) => {
        $macro! {
            crate::rejection::CircuitOpen;
            std::io::Error;
            #[cfg(feature = "reqwest-0-12")]
            ::reqwest_0_12::Error;
            #[cfg(feature = "reqwest")]
            ::reqwest::Error;
            #[cfg(feature = "reqwest-middleware")]
            ::reqwest_middleware::Error;
            #[cfg(feature = "hyper")]
            ::hyper::Error;
            #[cfg(feature = "hyper-util")]
            ::hyper_util::client::legacy::Error;
            #[cfg(feature = "h2")]
            ::h2::Error;
            #[cfg(feature = "rustls")]
            ::rustls::Error;
            #[cfg(feature = "tokio")]
            ::tokio::time::error::Elapsed;
            #[cfg(feature = "tonic")]
            ::tonic::Status;
            #[cfg(feature = "tonic")]
            ::tonic::TimeoutExpired;
            #[cfg(feature = "tonic")]
            ::tonic::ConnectError;
            #[cfg(feature = "tungstenite")]
            ::tungstenite::Error;
        }
    };
}

pub(super) use for_known_types;
