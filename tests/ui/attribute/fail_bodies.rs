//! Mistakes in a body: reported by the compiler, once, at the user's token.

use breaker_core::{Circuit, CircuitOpen, breaker};

type Answer<T> = Result<T, CircuitOpen>;

#[breaker(connection = *circuit)]
async fn wrong_tail(circuit: &Circuit) -> Answer<u32> {
    Ok("one")
}

#[breaker(connection = *circuit)]
fn wrong_tail_at_once(circuit: &Circuit) -> Answer<u32> {
    Ok("one")
}

#[breaker(connection = *circuit)]
async fn wrong_return(circuit: &Circuit) -> Answer<u32> {
    if circuit.connection().is_empty() {
        return Err("empty");
    }
    Ok(1)
}

#[breaker(connection = *circuit)]
async fn no_conversion(circuit: &Circuit) -> Answer<u32> {
    let number: u32 = "1".parse()?;
    Ok(number)
}

#[breaker(connection = *circuit)]
async fn no_tail(circuit: &Circuit) -> Answer<u32> {
    let _ = circuit;
}

#[breaker(connection = *circuit)]
async fn unknown_name(circuit: &Circuit) -> Answer<u32> {
    Ok(missing)
}

#[breaker(connection = *circuit)]
async fn dangling(circuit: &Circuit) -> Answer<&'static str> {
    let local = String::new();
    Ok(local.as_str())
}

#[breaker(connection = *circuit)]
fn moved_twice(circuit: &Circuit, text: String) -> Answer<String> {
    drop(text);
    Ok(text)
}

#[breaker(connection = *circuit)]
async fn not_mutable(circuit: &Circuit, text: String) -> Answer<String> {
    text.push('!');
    Ok(text)
}

#[breaker(connection = *circuit)]
fn borrowed_twice(circuit: &Circuit, text: &mut String) -> Answer<u32> {
    let (one, other) = (&mut *text, &mut *text);
    one.push('!');
    other.push('!');
    Ok(1)
}

#[breaker(connection = *circuit)]
async fn assigned(circuit: &Circuit, number: u32) -> Answer<u32> {
    number = 2;
    Ok(number)
}

#[breaker(connection = *circuit)]
async fn moved_later(circuit: &Circuit, text: String) -> Answer<String> {
    drop(text);
    Ok(text)
}

#[breaker(connection = *circuit)]
fn handed_out(circuit: &Circuit) -> impl Future<Output = Answer<u32>> {
    async { Ok::<u64, CircuitOpen>(1) }
}

#[breaker(connection = *circuit, fallback = |_| Ok(text))]
fn uses_what_the_body_took(circuit: &Circuit, text: String) -> impl Future<Output = Answer<String>> {
    async move { Ok(text) }
}

#[breaker(connection = *circuit, is_failure = |error| error.connection() == text)]
async fn judges_by_what_the_body_takes(circuit: &Circuit, text: String) -> Answer<String> {
    Ok(text)
}

fn main() {}
