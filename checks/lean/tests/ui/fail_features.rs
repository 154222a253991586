use breaker_core::{CircuitOpen, breaker};

type Answer = Result<u32, CircuitOpen>;

#[breaker(connection = "a", timeout = "5s")]
async fn timeout() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", timeout = "5s")]
fn timeout_of_a_future() -> impl Future<Output = Answer> {
    async { Ok(1) }
}

struct Shop;

#[breaker(connection = "a", timeout = "5s")]
impl Shop {
    async fn one(&self) -> Answer {
        Ok(1)
    }

    async fn two(&self) -> Answer {
        Ok(1)
    }
}

#[breaker(connection = "a")]
async fn dynamic() -> anyhow::Result<u32> {
    Ok(1)
}

#[breaker(connection = "a")]
fn stream() -> impl futures_core::Stream<Item = Answer> {
    numbers()
}

#[breaker(connection = "a")]
fn boxed_stream() -> std::pin::Pin<Box<dyn futures_core::Stream<Item = Answer>>> {
    Box::pin(numbers())
}

fn numbers() -> Numbers {
    Numbers
}

struct Numbers;

impl futures_core::Stream for Numbers {
    type Item = Answer;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Answer>> {
        std::task::Poll::Ready(None)
    }
}

fn main() {
    let _ = (timeout(), timeout_of_a_future(), Shop.one(), Shop.two());
}
