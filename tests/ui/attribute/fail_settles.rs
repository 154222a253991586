//! Mistakes in the argument `settles`, each at its value.

use std::pin::Pin;

use breaker_core::{Circuit, CircuitOpen, breaker};
use futures::stream::{self, Iter, Stream};

type Item = Result<u32, CircuitOpen>;

#[breaker(connection = "a", settles = first_items)]
fn a_misspelled_value() -> impl Stream<Item = Item> {
    stream::empty()
}

#[breaker(connection = "a", settles = "end")]
fn a_text() -> impl Stream<Item = Item> {
    stream::empty()
}

#[breaker(connection = "a", settles)]
fn no_value() -> impl Stream<Item = Item> {
    stream::empty()
}

#[breaker(connection = "a", settles = first_item)]
async fn no_stream() -> Result<u32, CircuitOpen> {
    Ok(1)
}

#[breaker(connection = "a", settles = end, fallback = |_| Ok(1))]
async fn no_stream_but_a_fallback() -> Result<u32, CircuitOpen> {
    Ok(1)
}

#[breaker(connection = "a", settles = end)]
fn no_stream_at_once() -> Result<u32, CircuitOpen> {
    Ok(1)
}

#[breaker(connection = "a", settles = first_item)]
fn no_stream_in_a_future() -> impl Future<Output = Result<u32, CircuitOpen>> {
    async { Ok(1) }
}

#[breaker(connection = "a", settles = first_item)]
fn no_stream_in_a_box() -> Pin<Box<dyn Future<Output = Result<u32, CircuitOpen>>>> {
    Box::pin(async { Ok(1) })
}

#[breaker(connection = "a", settles = first_item)]
async fn a_hidden_value_that_is_no_stream() -> Result<impl Iterator<Item = u32>, CircuitOpen> {
    Ok([1].into_iter())
}

#[breaker(connection = "a", settles = first_item)]
async fn a_stream_of_a_named_type() -> Result<Iter<std::vec::IntoIter<Item>>, CircuitOpen> {
    Ok(stream::iter(vec![]))
}

struct Feeds(Circuit);

#[breaker(connection = self.0, settles = first_item)]
impl Feeds {
    async fn one(&self) -> Item {
        Ok(1)
    }
}

fn main() {}
