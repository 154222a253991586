//! Default settings.

use std::time::Duration;

use breaker_core::Config;

#[test]
fn defaults_are_five_failures_sixty_seconds_one_probe() {
    let config = Config::default();
    assert_eq!(config.failure_threshold(), 5);
    assert_eq!(config.cooldown(), Duration::from_mins(1));
    assert_eq!(config.half_open_probes(), 1);
}
