//! Law 6: a rejection is never evidence, at any depth of an error. It is recognised by its type alone.

use std::error::Error;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use breaker_core::{Circuit, CircuitOpen, Config, Evidence, ProvesReachable, marks};

type Alias = CircuitOpen;

/// Has the same name as the real type, and is unrelated to it.
mod namesake {
    #[derive(Debug, thiserror::Error)]
    #[error("no rejection")]
    pub(crate) struct CircuitOpen;
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum ShopError {
    #[error(transparent)]
    Transparent(#[from] CircuitOpen),
    #[error("hidden")]
    Hidden { at: u64, why: Alias },
    #[error("boxed")]
    Boxed(Box<CircuitOpen>),
    #[error("shared")]
    Shared(Arc<CircuitOpen>, Rc<u8>),
    #[error("perhaps")]
    Perhaps(Option<Box<CircuitOpen>>),
    #[error("wrapped")]
    Wrapped(Wrapper),
    #[error(transparent)]
    Dynamic(Box<dyn Error + Send + Sync>),
    #[error(transparent)]
    Local(Box<dyn Error>),
    #[error("namesake")]
    Namesake(namesake::CircuitOpen),
    #[error("all")]
    All(Vec<Inner>),
    #[error("tuple")]
    Tuple((u8, (Inner, u8)), (u8, u16)),
    #[error("array")]
    Array([Inner; 1]),
    #[error("failure")]
    Failure(Result<u8, CircuitOpen>),
    #[error("value")]
    Value(Result<CircuitOpen, u8>),
    #[error("both")]
    Both(Option<Result<CircuitOpen, CircuitOpen>>),
    #[error("perhaps dynamic")]
    PerhapsDynamic(Option<Box<dyn Error>>),
    #[error("all dynamic")]
    AllDynamic(Vec<Box<dyn Error + Send + Sync>>, (u8, Option<Arc<dyn Error>>)),
    #[error("marked")]
    #[reachable]
    Marked(#[source] Box<dyn Error + Send + Sync>),
}

/// Hides its source and proves nothing itself.
#[derive(Debug)]
struct Wrapper(CircuitOpen);

impl fmt::Display for Wrapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("wrapper")
    }
}

impl Error for Wrapper {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("inner")]
#[reachable(never)]
struct Inner(CircuitOpen);

fn rejection() -> CircuitOpen {
    let circuit = Circuit::new("shop-7", Config::default());
    circuit.hold_open();
    circuit.try_acquire().unwrap_err()
}

#[test]
fn a_rejection_is_recognised_by_its_type() {
    for error in [
        ShopError::Transparent(rejection()),
        ShopError::Hidden { at: 7, why: rejection() },
        ShopError::Boxed(Box::new(rejection())),
        ShopError::Shared(Arc::new(rejection()), Rc::new(7)),
        ShopError::Perhaps(Some(Box::new(rejection()))),
        ShopError::Wrapped(Wrapper(rejection())),
        ShopError::Dynamic(Box::new(rejection())),
        ShopError::Dynamic(Box::new(Wrapper(rejection()))),
        ShopError::Local(Box::new(rejection())),
        ShopError::All(vec![Inner(rejection())]),
        ShopError::Tuple((1, (Inner(rejection()), 2)), (3, 4)),
        ShopError::Array([Inner(rejection())]),
        ShopError::Failure(Err(rejection())),
        ShopError::Value(Ok(rejection())),
        ShopError::Both(Some(Err(rejection()))),
        ShopError::PerhapsDynamic(Some(Box::new(rejection()))),
        ShopError::AllDynamic(vec!["a".into(), Box::new(Wrapper(rejection()))], (1, None)),
        ShopError::AllDynamic(Vec::new(), (1, Some(Arc::new(rejection())))),
    ] {
        assert_eq!(error.evidence(), Evidence::Unknown, "{error:?}");
    }
}

#[test]
fn only_the_type_of_a_rejection_is_recognised() {
    for error in [
        ShopError::Perhaps(None),
        ShopError::Dynamic("a".into()),
        ShopError::Local("a".into()),
        ShopError::Namesake(namesake::CircuitOpen),
        ShopError::All(Vec::new()),
        ShopError::Failure(Ok(1)),
        ShopError::Value(Err(1)),
        ShopError::Both(None),
        ShopError::PerhapsDynamic(None),
        ShopError::AllDynamic(vec!["a".into()], (1, Some(Arc::from(Box::<dyn Error>::from("b"))))),
    ] {
        assert_eq!(error.evidence(), Evidence::Failed, "{error:?}");
    }
}

/// The type does not reveal the content of a `Box<dyn Error>`. The value does, and it takes precedence over the mark.
#[test]
fn a_rejection_under_a_mark_is_not_an_answer() {
    assert_eq!(ShopError::Marked("a".into()).evidence(), Evidence::Answered);
    assert_eq!(ShopError::Marked(Box::new(rejection())).evidence(), Evidence::Unknown);
}

#[derive(Debug)]
#[expect(dead_code, reason = "it proves nothing, so its fields are never read")]
enum Borrowing<'a, E> {
    Lent(&'a CircuitOpen, &'a str),
    Held(E),
}

impl<E: fmt::Debug> fmt::Display for Borrowing<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("borrowing")
    }
}

impl<E: fmt::Debug> Error for Borrowing<'_, E> {}

/// A type that is not `'static` is examined by its type, and one with a parameter by the bounds of the parameter.
#[test]
fn types_with_lifetimes_and_parameters_are_examined() {
    #[derive(Debug, ProvesReachable)]
    enum Outer<'a, E: ProvesReachable> {
        #[reachable]
        Gone,
        Lent(&'a CircuitOpen, &'a str),
        Held(E),
        Other(Borrowing<'a, E>),
    }
    impl<E: ProvesReachable> fmt::Display for Outer<'_, E> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("outer")
        }
    }
    impl<E: ProvesReachable> Error for Outer<'_, E> {}

    let (open, text) = (rejection(), String::from("a"));
    let outer = |error: Outer<'_, Inner>| error.evidence();
    assert_eq!(outer(Outer::Gone), Evidence::Answered);
    assert_eq!(outer(Outer::Lent(&open, &text)), Evidence::Unknown);
    assert_eq!(outer(Outer::Held(Inner(rejection()))), Evidence::Unknown);
    assert_eq!(outer(Outer::Other(Borrowing::Lent(&open, &text))), Evidence::Failed);
    assert_eq!(outer(Outer::Other(Borrowing::Held(Inner(rejection())))), Evidence::Failed);
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
enum Opaque<E: Error + 'static> {
    #[error("gone")]
    #[reachable]
    Gone,
    #[error("failed")]
    Failed(#[source] E),
}

/// The type of the field is unknown, so the chain of sources decides.
#[test]
fn sources_are_examined() {
    assert_eq!(Opaque::<CircuitOpen>::Gone.evidence(), Evidence::Answered);
    assert_eq!(Opaque::Failed(fmt::Error).evidence(), Evidence::Failed);
    assert_eq!(Opaque::Failed(rejection()).evidence(), Evidence::Unknown);
    assert_eq!(Opaque::Failed(Wrapper(rejection())).evidence(), Evidence::Unknown);
}

#[test]
fn the_table_of_marks_contains_rejections() {
    let unknown: Vec<&str> = marks::<ShopError>()
        .iter()
        .filter(|mark| mark.evidence == Some(Evidence::Unknown))
        .map(|mark| mark.name)
        .collect();
    assert_eq!(unknown, ["Transparent", "Hidden", "Boxed", "Shared", "Perhaps"]);
}
