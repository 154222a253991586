//! Mistakes that are reported once, although the compiler or the block could repeat them.

use breaker_core::{Circuit, CircuitOpen, breaker};

struct Shop {
    circuit: Circuit,
}

impl Shop {
    #[breaker(connection = self.circuit)]
    fn numbers(&self) -> impl Iterator<Item = u32> {
        [7].into_iter()
    }
}

struct Ledger(Circuit);

#[breaker(connection = self.0)]
impl Ledger {
    #[breaker(skip, probe = false)]
    async fn left_out(&self) -> Result<u32, CircuitOpen> {
        Ok(7)
    }
}

#[breaker(connection = "a")]
fn drops_its_future() -> impl Future<Output = Result<u32, CircuitOpen>> {
    async { Ok(1) };
}

#[breaker(connection = self.0)]
impl Ledger {
    fn drops_its_stream(&self) -> impl futures::Stream<Item = Result<u32, CircuitOpen>> {
        futures::stream::iter([Ok(1)]);
    }
}

fn main() {}
