//! Integrations with other crates: HTTP, gRPC, tower, settings, and the errors of transports.

mod bodies;
mod connections;
mod grpc;
mod http;
mod middleware;
mod remote;
mod reqwest_versions;
mod settings;
mod tower;
mod transport;
mod wrapped;
