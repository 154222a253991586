use breaker_core::*;
#[derive(Debug, thiserror::Error, ProvesReachable)]
#[reachable(never)]
enum E {
    #[error("x")]
    X,
    #[error(transparent)]
    R(#[from] CircuitOpen),
}

#[breaker(connection = circuit)]
async fn resp(circuit: &Circuit, status: u16) -> Result<http::Response<()>, E> {
    Ok(http::Response::builder().status(status).body(()).unwrap())
}
#[breaker(connection = circuit)]
fn iter(circuit: &Circuit) -> Result<impl Iterator<Item = u8> + use<>, E> {
    Ok([1u8].into_iter())
}
#[breaker(connection = circuit)]
async fn aiter(circuit: &Circuit) -> Result<impl Iterator<Item = u8> + use<>, E> {
    Ok([1u8].into_iter())
}
#[breaker(connection = circuit)]
fn generic<T: Default>(circuit: &Circuit) -> Result<T, E> {
    Ok(T::default())
}
#[breaker(connection = circuit)]
async fn boxed<B: Default>(circuit: &Circuit, status: u16) -> Result<Option<Box<http::Response<B>>>, E> {
    if status == 0 {
        return Ok(None);
    }
    Ok(Some(Box::new(http::Response::builder().status(status).body(B::default()).unwrap())))
}
#[test]
fn x() {
    let _ = (resp, iter, aiter, generic::<u8>, boxed::<u8>);
}
