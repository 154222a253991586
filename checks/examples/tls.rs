//! A fleet over TLS, as in `docs/fleet.md`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    rustls::crypto::ring::default_provider().install_default().expect("no other provider is installed");
    let _fleet = breaker_redis::Fleet::builder("rediss://billing:password@redis.internal/").start()?;
    // .. the program, in which the fleet is kept
    Ok(())
}
