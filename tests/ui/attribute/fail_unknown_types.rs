//! Unresolved return types: only the compiler reports them, once.

use breaker_core::{Circuit, breaker};

struct Shop {
    circuit: Circuit,
}

impl Shop {
    #[breaker(connection = self.circuit)]
    async fn misspelt(&self) -> Result<u32, ShopEror> {
        Ok(7)
    }

    #[breaker(connection = self.circuit)]
    async fn without_error(&self) -> Result<u32> {
        Ok(7)
    }

    #[breaker(connection = self.circuit, fallback = |_| Ok(7))]
    async fn of_a_crate(&self) -> Result<u32, shop_client::Error> {
        Ok(7)
    }
}

fn main() {}
