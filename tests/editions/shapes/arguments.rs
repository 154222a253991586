//! Argument patterns, generics and lifetimes.

use std::fmt::{Debug, Display};

use breaker_core::{breaker, Circuit};

use crate::{fragile, held_open, is_send, ready, CallError, Shared};

struct Page {
    number: u32,
    size: u32,
}

#[breaker(connection = *circuit)]
async fn patterns(
    circuit: &Circuit,
    (first, mut second): (u32, u32),
    Page { number, size: _ }: Page,
    [a, .., b]: [u32; 4],
    &reference: &u32,
    _: String,
    _unused: String,
    mut counter: u32,
) -> Result<u32, CallError> {
    second += 1;
    counter += first;
    Ok(counter + second + number + a + b + reference)
}

#[breaker(connection = *circuit)]
fn blocking_patterns(
    circuit: &Circuit,
    (first, mut second): (u32, u32),
    Page { number, size: _ }: Page,
    [a, .., b]: [u32; 4],
    &reference: &u32,
    _: String,
    mut counter: u32,
) -> Result<u32, CallError> {
    second += 1;
    counter += first;
    Ok(counter + second + number + a + b + reference)
}

#[breaker(connection = *circuit)]
async fn attributes_on_arguments(
    circuit: &Circuit,
    #[cfg(any())] absent: Absent,
    #[cfg(test)] present: String,
    #[allow(unused_variables)] unused: String,
) -> Result<String, CallError> {
    Ok(present)
}

#[breaker(connection = *circuit)]
async fn impl_trait(circuit: &Circuit, name: impl Into<String> + Send) -> Result<impl Display + Debug, CallError> {
    Ok(name.into())
}

#[breaker(connection = *circuit)]
fn blocking_impl_trait(circuit: &Circuit, name: impl Into<String>) -> Result<impl Display + Debug, CallError> {
    Ok(name.into())
}

#[breaker(connection = circuit)]
async fn generics<'a, T, E, const N: usize>(circuit: &'a Circuit, values: [T; N]) -> Result<(&'a str, T), E>
where
    T: Clone + Send,
    E: std::error::Error + breaker_core::ProvesReachable + From<breaker_core::CircuitOpen>,
{
    Ok((circuit.connection(), values[N - 1].clone()))
}

#[breaker(connection = *circuit)]
async fn elided<'a>(circuit: &Circuit, text: &'a str) -> Result<&'a str, CallError> {
    let _ = circuit;
    Ok(text.trim())
}

#[breaker(connection = *circuit)]
fn reborrows<'a>(circuit: &Circuit, buffer: &'a mut Vec<u8>) -> Result<&'a mut [u8], CallError> {
    buffer.push(1);
    Ok(&mut buffer[..1])
}

#[breaker(connection = *circuit)]
async fn reborrows_later<'a>(circuit: &Circuit, buffer: &'a mut Vec<u8>) -> Result<&'a mut [u8], CallError> {
    buffer.push(1);
    Ok(&mut buffer[..1])
}

#[breaker(connection = *shared.0)]
async fn behind_an_arc(shared: Shared, text: String) -> Result<String, CallError> {
    drop(shared);
    Ok(text)
}

#[breaker(connection = connection)]
async fn by_key(connection: &str) -> Result<usize, CallError> {
    Ok(connection.len())
}

#[breaker(connection = (tenant, shop))]
async fn by_pair(tenant: &str, shop: u64) -> Result<u64, CallError> {
    let _ = tenant;
    Ok(shop)
}

#[breaker(connection = *circuit)]
unsafe fn is_unsafe(circuit: &Circuit) -> Result<u32, CallError> {
    let _ = circuit;
    Ok(1)
}

#[allow(improper_ctypes_definitions)]
#[breaker(connection = "shop-of-c")]
extern "C" fn of_c() -> Result<(), CallError> {
    Ok(())
}

struct Request {
    conn: String,
    text: String,
    _rest: String,
}

#[breaker(connection = conn)]
async fn names_of_patterns_serve_the_connection(Request { conn, text, .. }: Request) -> Result<usize, CallError> {
    Ok(conn.len() + text.len())
}

#[breaker(connection = later, fallback = |_| Ok(a.len() + later.len()))]
fn names_of_patterns_serve_the_fallback((a, _): (String, u8), later: String) -> Result<usize, CallError> {
    Ok(a.len() + later.len() + 1)
}

#[breaker(connection = "shapes-by-reference")]
async fn by_reference(ref mut b: String, ref c: String, (ref mut d, _): (String, u8)) -> Result<usize, CallError> {
    b.push('b');
    d.push('d');
    Ok(b.len() + c.len() + d.len())
}

#[breaker(connection = "shapes-by-reference")]
fn by_reference_at_once(ref mut b: String, (ref mut d, _): (String, u8)) -> Result<usize, CallError> {
    b.push('b');
    d.push('d');
    Ok(b.len() + d.len())
}

#[breaker(connection = "shapes-lints-on-arguments")]
async fn lints_on_arguments(
    #[allow(unused_variables)] (a, _): (String, u8),
    #[allow(unused_mut)] mut b: String,
) -> Result<usize, CallError> {
    Ok(b.len())
}

#[test]
fn patterns_are_kept_in_the_signature() {
    let request = Request { conn: "shop".to_owned(), text: "a".to_owned(), _rest: String::new() };
    assert_eq!(ready(names_of_patterns_serve_the_connection(request)).unwrap(), 5);
    assert_eq!(names_of_patterns_serve_the_fallback(("a".to_owned(), 1), "b".to_owned()).unwrap(), 3);
    assert_eq!(ready(by_reference(String::new(), "c".to_owned(), (String::new(), 1))).unwrap(), 3);
    assert_eq!(by_reference_at_once(String::new(), (String::new(), 1)).unwrap(), 2);
    assert_eq!(ready(lints_on_arguments((String::new(), 1), "b".to_owned())).unwrap(), 1);
}

#[test]
fn arguments_reach_the_body() {
    let circuit = fragile();
    let page = || Page { number: 3, size: 9 };
    let call = patterns(&circuit, (1, 2), page(), [4, 0, 0, 5], &6, String::new(), String::new(), 7);
    assert_eq!(ready(is_send(call)).unwrap(), 29);
    assert_eq!(blocking_patterns(&circuit, (1, 2), page(), [4, 0, 0, 5], &6, String::new(), 7).unwrap(), 29);
    assert_eq!(ready(attributes_on_arguments(&circuit, "a".to_owned(), String::new())).unwrap(), "a");
    assert_eq!(ready(impl_trait(&circuit, "b")).unwrap().to_string(), "b");
    assert_eq!(blocking_impl_trait(&circuit, "b").unwrap().to_string(), "b");
    assert_eq!(ready(generics::<_, CallError, 2>(&circuit, [1, 2])).unwrap(), ("shop", 2));
    assert_eq!(ready(elided(&circuit, " c ")).unwrap(), "c");
    reborrows(&circuit, &mut Vec::new()).unwrap()[0] = 2;
    ready(reborrows_later(&circuit, &mut Vec::new())).unwrap()[0] = 2;
    assert_eq!(ready(behind_an_arc(Shared(circuit.into()), "d".to_owned())).unwrap(), "d");
    assert_eq!(ready(by_key("shapes-by-key")).unwrap(), 13);
    assert_eq!(ready(by_pair("shapes", 7)).unwrap(), 7);
    of_c().unwrap();
}

#[test]
fn the_rejection_comes_before_the_body() {
    let circuit = held_open();
    assert!(ready(elided(&circuit, "")).is_err());
    assert!(reborrows(&circuit, &mut Vec::new()).is_err());
    let mut buffer = Vec::new();
    assert!(ready(reborrows_later(&circuit, &mut buffer)).is_err());
    assert!(buffer.is_empty());
}
