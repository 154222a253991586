//! Items that the attribute does not support.

use breaker_core::{CircuitOpen, breaker};

#[breaker(connection = "a")]
struct Shop {
    circuit: u32,
}

#[breaker(connection = "a")]
pub enum Kind {
    One,
}

#[breaker(connection = "a")]
trait Api {
    async fn call(&self) -> Result<u32, CircuitOpen>;
}

trait Bodyless {
    #[breaker(connection = "a")]
    async fn call(&self) -> Result<u32, CircuitOpen>;
}

#[breaker(connection = "a")]
const fn constant() -> Result<u32, CircuitOpen> {
    Ok(1)
}

#[breaker(connection = "a")]
async fn returns_nothing() {}

#[breaker(connection = self.circuit)]
impl Shop {
    #[breaker(skip, fallback = |_| Ok(1))]
    async fn left_out(&self) -> Result<u32, CircuitOpen> {
        Ok(1)
    }

    async fn close(&self) {}

    #[breaker(blocking)]
    async fn blocks(&self) -> Result<u32, CircuitOpen> {
        Ok(1)
    }

    #[breaker(unknown = 1)]
    fn unknown(&self) -> Result<u32, CircuitOpen> {
        Ok(1)
    }

    async fn guarded(&self) -> Result<u32, CircuitOpen> {
        Ok(1)
    }
}

#[breaker(skip)]
impl Kind {
    #[breaker]
    fn one(&self) -> Result<u32, CircuitOpen> {
        Ok(1)
    }
}

#[breaker(fallback = |_| Ok(1))]
impl Kind {
    async fn without_connection(&self) -> Result<u32, CircuitOpen> {
        Ok(1)
    }
}

// None of the mistakes above causes a second error here.
fn main() {
    let shop = Shop { circuit: 1 };
    let _ = (shop.left_out(), shop.close(), shop.blocks(), shop.unknown(), shop.guarded());
    let _ = (Kind::One.one(), constant(), returns_nothing());
}
