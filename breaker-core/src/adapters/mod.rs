//! What is known about the types of other crates, each crate behind its feature. Nothing else in this crate knows of
//! them.

#[cfg(feature = "http")]
mod http;
#[cfg(feature = "hyper")]
mod hyper;
#[cfg(feature = "reqwest")]
mod reqwest;
#[cfg(feature = "serde_json")]
mod serde_json;
#[cfg(feature = "tokio")]
mod tokio;
#[cfg(feature = "tonic")]
mod tonic;
