//! Responses of `reqwest`, whose body is read as a part of the call (features `reqwest` and `http-body`).

use reqwest::{Body, Response, ResponseBuilderExt as _};

use super::PartOfCall;
use super::judges::GoesOn as _;
use crate::call::{Continues, StreamCall};
use crate::circuit::CircuitAt;
use crate::config::Config;
use crate::evidence::Judgement;
use crate::judge::{ByStatus, ByType, Judge};

/// Judges a response by its status, and an error by `J`. The call goes on in the body of the response.
#[derive(Clone, Copy, Debug)]
pub struct WithBody<J>(ByStatus<J>);

impl<J> WithBody<J> {
    pub(crate) fn new(errors: J) -> Self {
        Self(ByStatus(errors))
    }
}

impl<E, J: Judge<Result<Response, E>>> Judge<Result<Response, E>> for WithBody<J> {
    fn is_plain_success(&self, result: &Result<Response, E>) -> bool {
        self.0.is_plain_success(result)
    }

    fn judge(&self, result: &Result<Response, E>, config: &Config) -> Judgement {
        self.0.judge(result, config)
    }
}

impl<E, J> Continues<Result<Response, E>> for WithBody<J> {
    const POSSIBLE: bool = true;

    fn has_rest(&self, result: &Result<Response, E>) -> bool {
        result.is_ok()
    }

    fn continue_in(
        &self,
        result: Result<Response, E>,
        rest: StreamCall<CircuitAt>,
        answer: Judgement,
    ) -> Result<Response, E> {
        result.map(|response| attach(response, rest, answer))
    }
}

/// Lets the call end with the body of this response. All else in the response is unchanged.
fn attach(response: Response, rest: StreamCall<CircuitAt>, answer: Judgement) -> Response {
    // The conversion to a response of `http` drops the address, which the way back takes from an extension.
    let address = http::Response::builder().url(response.url().clone()).body(());
    let mut response = http::Response::<Body>::from(response);
    if let Ok(address) = address {
        response.extensions_mut().extend(address.into_parts().0.extensions);
    }
    let response = response.map(PartOfCall::<_, ByType>::detached).attach(rest, ByType, answer);
    response.map(Body::wrap).into()
}
