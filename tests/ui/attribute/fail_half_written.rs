//! Signatures that are still being written: only the compiler reports them, and the block keeps its other methods.

use breaker_core::{Circuit, CircuitOpen, breaker};

type Answer = Result<u32, CircuitOpen>;

struct Shop(Circuit);

#[breaker(connection = self.0)]
impl Shop {
    #[breaker(skip)]
    async fn before(&self) -> Answer {
        Ok(1)
    }

    async fn parameter_without_type(&self, contact) -> Answer {
        Ok(1)
    }

    async fn parameter_with_a_colon(&self, contact: ) -> Answer {
        Ok(1)
    }

    async fn returns(&self) -> {
        Ok(1)
    }

    async fn without_body(&self) -> Answer;

    #[breaker(probe = false)]
    async fn after(&self) -> Answer {
        Ok(1)
    }
}

#[breaker(connection = *circuit)]
async fn function(circuit: &Circuit, contact) -> Answer {
    Ok(1)
}

#[breaker(connection = *circuit)]
async fn other_arrow(circuit: &Circuit): Answer {
    Ok(1)
}

fn main() {
    let shop = Shop(Circuit::new("shop", Default::default()));
    let _ = (shop.before(), shop.after());
}
