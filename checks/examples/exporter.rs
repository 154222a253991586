//! The exporter of `docs/operating.md`, as it is written there.

use std::time::Duration;

use breaker_core::{Registry, metrics::Reporter};
use metrics_exporter_prometheus::PrometheusBuilder;
use metrics_util::MetricKindMask;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Listens on port 9000.
    PrometheusBuilder::new().idle_timeout(MetricKindMask::ALL, Some(Duration::from_secs(60))).install()?;
    let _reporting = Reporter::new(Registry::global()).every(Duration::from_secs(5)); // until it is dropped
    // .. the program
    Ok(())
}
