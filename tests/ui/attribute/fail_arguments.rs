//! Mistakes in the arguments, each at the argument.

use breaker_core::{Circuit, CircuitOpen, Registry, breaker};

type Answer = Result<u32, CircuitOpen>;

#[breaker]
fn without_connection() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", conection = "b")]
fn unknown_argument() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", connection = "b", operation)]
fn twice_and_without_value() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", probe = "no", fallback = )]
fn wrong_values() -> Answer {
    Ok(1)
}

#[breaker(connection = "a" registry = Registry::global())]
fn without_comma() -> Answer {
    Ok(1)
}

#[breaker(connection("a"))]
fn in_parentheses() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", skip)]
fn skips_alone() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", blocking)]
fn blocks_alone() -> Answer {
    Ok(1)
}

struct NoConnection {
    id: u64,
}

#[breaker(connection = api.id_of(3).id)]
fn wrong_connection(api: &NoConnection) -> Answer {
    Ok(1)
}

#[breaker(connection = *api)]
async fn not_a_connection(api: &NoConnection) -> Answer {
    Ok(1)
}

#[breaker(connection = "a", registry = 7)]
async fn not_a_registry() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", operation = 7)]
async fn not_a_name() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", fallback = |_| "seven")]
async fn a_fallback_that_does_not_fit() -> Answer {
    Ok(1)
}

fn seven(_: CircuitOpen) -> u32 {
    7
}

#[breaker(connection = "a", fallback = seven)]
fn a_named_fallback_that_does_not_fit() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", is_failure = |error: &u8| true)]
fn a_classifier_of_something_else() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", is_success = |value: &String| true)]
async fn a_classifier_of_another_value() -> Answer {
    Ok(1)
}

fn of_text(_: &str) -> bool {
    true
}

#[breaker(connection = "a", is_failure = of_text)]
async fn a_named_classifier_of_something_else() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", is_success = |value| value.is_empty())]
async fn a_classifier_that_asks_too_much() -> Answer {
    Ok(1)
}

type Later = std::pin::Pin<Box<dyn Future<Output = Answer>>>;

#[breaker(connection = "a", fallback = |_| Box::pin(async { Ok(7) }))]
fn a_fallback_behind_an_alias() -> Later {
    Box::pin(async { Ok(1) })
}

#[breaker(connection = "a", timeout = 5)]
async fn a_time_without_quotes() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", timeout = "5")]
async fn a_time_without_unit() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", timeout = "0s")]
async fn no_time_at_all() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", timeout = "5seconds")]
async fn an_unknown_unit() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", timeout = "soon")]
async fn no_time() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", timeout = "5s")]
fn limits_no_future() -> Answer {
    Ok(1)
}

#[breaker(connection = "a", timeout = "5s")]
async fn cannot_carry_a_timeout() -> Result<u32, CircuitOpen> {
    Ok(1)
}

#[breaker(connection = "a", timeout = std::time::Duration::from_secs(5))]
async fn a_time_that_is_no_literal() -> Answer {
    Ok(1)
}

#[breaker("a")]
fn without_a_name() -> Answer {
    Ok(1)
}

struct Shop(Circuit);

impl Shop {
    #[breaker(self.0)]
    fn without_a_name(&self) -> Answer {
        Ok(1)
    }

    #[breaker(connection = self.0, fallback = Ok(7), is_failure = matches!(error, CircuitOpen { .. }))]
    fn no_functions(&self) -> Answer {
        Ok(1)
    }

    #[breaker(connection = self.0, retry = 3)]
    fn nothing_near(&self) -> Answer {
        Ok(1)
    }
}

#[breaker(connection = self.0, blockng)]
impl Shop {
    fn plain(&self) -> Answer {
        Ok(1)
    }
}

fn main() {
    let _: Circuit;
}
