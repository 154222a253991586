//! Annotated `impl` blocks.

use breaker_core::{Circuit, CircuitOpen, breaker};

type Answer = Result<u32, CircuitOpen>;

struct Shop(Circuit);

#[breaker(connection = self.0)]
impl Shop {
    fn plain(&self) -> Answer {
        Ok(1)
    }

    async fn connect() -> Answer {
        Ok(1)
    }

    #[breaker(skip)]
    async fn left_out(&self) -> Answer {
        Ok(1)
    }
}

// Once, however many methods there are.
#[breaker(fallback = |_| Ok(1))]
impl Shop {
    async fn first(&self) -> Answer {
        Ok(1)
    }

    async fn second(&self) -> Answer {
        Ok(1)
    }
}

#[breaker(connection = self.0)]
impl Shop {
    async fn name(&self) -> String {
        String::new()
    }

    #[cfg_attr(all(), breaker(skipp))]
    async fn either_way(&self) -> Answer {
        Ok(1)
    }
}

macro_rules! methods {
    () => {
        async fn from_a_macro(&self) -> Answer {
            Ok(1)
        }
    };
}

#[breaker(connection = self.0)]
impl Shop {
    methods! {}

    #[cfg(any())]
    methods! {}

    async fn beside_a_macro(&self) -> Answer {
        Ok(1)
    }
}

#[breaker = "shop"]
fn by_value() -> Answer {
    Ok(1)
}

#[breaker("shop")]
fn without_a_name() -> Answer {
    Ok(1)
}

fn main() {
    let shop = Shop(Circuit::new("shop", Default::default()));
    let _ = (shop.plain(), Shop::connect(), shop.left_out(), shop.first(), shop.second(), shop.name());
    let _ = (shop.either_way(), by_value(), without_a_name());
}
