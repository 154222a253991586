//! Mistakes about what a guarded function returns.

use breaker_core::{Circuit, CircuitOpen, ProvesReachable, breaker};

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("no")]
#[reachable(never)]
struct WithoutRejection;

#[derive(Debug, thiserror::Error)]
#[error("no")]
struct WithoutMarks(#[from] CircuitOpen);

struct Api {
    circuit: Circuit,
}

impl Api {
    #[breaker(connection = self.circuit)]
    async fn number(&self) -> u32 {
        7
    }

    #[breaker(connection = self.circuit)]
    fn blocking_number(&self) -> u32 {
        7
    }

    #[breaker(connection = self.circuit)]
    async fn without_rejection(&self) -> Result<u32, WithoutRejection> {
        Ok(7)
    }

    #[breaker(connection = self.circuit)]
    fn blocking_without_rejection(&self) -> Result<u32, WithoutRejection> {
        Ok(7)
    }

    #[breaker(connection = self.circuit)]
    async fn without_marks(&self) -> Result<u32, WithoutMarks> {
        Ok(7)
    }

    #[breaker(connection = self.circuit)]
    fn blocking_without_marks(&self) -> Result<u32, WithoutMarks> {
        Ok(7)
    }

    #[breaker(connection = self.circuit)]
    async fn text(&self) -> Result<u32, String> {
        Ok(7)
    }

    #[breaker(connection = self.circuit)]
    async fn io(&self) -> std::io::Result<u32> {
        Ok(7)
    }

    #[breaker(connection = self.circuit)]
    async fn generic<E: std::error::Error>(&self) -> Result<u32, E> {
        Ok(7)
    }

    #[breaker(connection = self.circuit)]
    fn later(&self) -> impl Future<Output = Result<u32, WithoutMarks>> {
        async { Ok(7) }
    }

    #[breaker(connection = self.circuit)]
    fn boxed(&self) -> std::pin::Pin<Box<dyn Future<Output = Result<u32, WithoutRejection>>>> {
        Box::pin(async { Ok(7) })
    }

    #[breaker(connection = self.circuit)]
    fn neither(&self) -> impl std::fmt::Debug {
        7
    }

    #[breaker(connection = self.circuit)]
    fn future_of_a_number(&self) -> impl Future<Output = u8> {
        async { 7 }
    }

    #[breaker(connection = self.circuit)]
    fn stream_of_numbers(&self) -> impl futures::Stream<Item = u8> {
        futures::stream::iter([7])
    }

    #[breaker(connection = self.circuit)]
    fn box_of_a_number(&self) -> std::pin::Pin<Box<dyn Future<Output = u8>>> {
        Box::pin(async { 7 })
    }

    #[breaker(connection = self.circuit)]
    fn unknown(&self) -> Result<Missing, WithoutMarks> {
        Ok(7)
    }
}

struct Generic<E> {
    circuit: Circuit,
    error: E,
}

impl<E: std::error::Error + ProvesReachable> Generic<E> {
    #[breaker(connection = self.circuit)]
    async fn parameter_of_the_block(&self) -> Result<u32, E> {
        Ok(7)
    }
}

impl<E: ProvesReachable> Generic<E> {
    #[breaker(connection = self.circuit)]
    fn blocking_parameter(&self) -> Result<u32, E> {
        Ok(7)
    }
}

trait Client {
    type Error: ProvesReachable;
}

struct Wrapped<C> {
    circuit: Circuit,
    client: C,
}

impl<C: Client> Wrapped<C> {
    #[breaker(connection = self.circuit)]
    async fn error_of_a_parameter(&self) -> Result<u32, C::Error> {
        Ok(7)
    }
}

fn main() {}
