//! Services whose responses have no HTTP status, under the layer for tower: the error names what to write.

use breaker_core::tower::BreakerLayer;
use breaker_core::{Circuit, Config, Key};
use tower::util::BoxCloneService;
use tower::{Layer, Service, ServiceBuilder, ServiceExt, service_fn};

async fn query(query: String) -> Result<Vec<String>, std::io::Error> {
    Ok(vec![query])
}

fn circuit() -> Circuit {
    Circuit::new("database", Config::default())
}

async fn one_request() {
    let service = BreakerLayer::of(circuit()).layer(service_fn(query));
    let _ = service.oneshot("select 1".to_owned()).await;
}

async fn a_call() {
    let layer = BreakerLayer::new(|query: &String| Key::from(query));
    let mut service = ServiceBuilder::new().layer(layer).service(service_fn(query));
    let _ = service.call("select 1".to_owned()).await;
}

fn boxed() {
    let service = BreakerLayer::of(circuit()).layer(service_fn(query));
    let _ = BoxCloneService::new(service);
}

async fn judged() {
    let service = BreakerLayer::of(circuit()).errors_only().layer(service_fn(query));
    let _ = service.oneshot("select 1".to_owned()).await;
}

fn main() {}
