//! Expressions in the arguments of the attribute.

use std::cell::RefCell;
use std::convert::TryFrom;
use std::sync::{Arc, Mutex};

use breaker_core::{breaker, Circuit, CircuitOpen, Connection, Key, Registry};

use crate::{fragile, held_open, is_open, is_send, ready, CallError};

struct Api {
    circuit: Circuit,
    circuits: Vec<Circuit>,
    chosen: Option<Circuit>,
    locked: Mutex<Circuit>,
    registry: Arc<Registry>,
}

fn api(circuit: Circuit) -> Api {
    Api {
        circuits: vec![circuit.clone()],
        chosen: Some(circuit.clone()),
        locked: Mutex::new(circuit.clone()),
        registry: Arc::new(Registry::new(Default::default())),
        circuit,
    }
}

/// A connection that borrows.
struct Named<'n>(&'n str, u64);

impl Connection for Named<'_> {
    fn key(&self) -> Key<'_> {
        Key::from((self.0, self.1))
    }
}

impl Api {
    const NAME: &'static str = "shapes-expressions";

    #[breaker(connection = self.circuits[0])]
    async fn by_index(&self) -> Result<u32, CallError> {
        Ok(1)
    }

    #[breaker(connection = match &self.chosen { Some(circuit) => circuit.clone(), None => self.circuit.clone() })]
    async fn by_match(&self) -> Result<u32, CallError> {
        Ok(1)
    }

    #[breaker(connection = if let Some(circuit) = &self.chosen { circuit } else { &self.circuit })]
    fn by_choice(&self) -> Result<u32, CallError> {
        Ok(1)
    }

    /// The lock is released before the body begins.
    #[breaker(connection = *self.locked.lock().unwrap())]
    async fn by_lock(&self) -> Result<u32, CallError> {
        assert!(self.locked.try_lock().is_ok());
        std::future::ready(()).await;
        Ok(1)
    }

    #[breaker(connection = Arc::new(self.circuit.clone()),)]
    async fn by_pointer(&self) -> Result<u32, CallError> {
        Ok(1)
    }

    #[breaker(connection = Self::NAME, registry = self.registry)]
    async fn by_constant(&self) -> Result<u32, CallError> {
        Ok(1)
    }

    #[breaker(connection = format!("{}-{}", Self::NAME, id), registry = *self.registry)]
    async fn by_format(&self, id: u32) -> Result<u32, CallError> {
        let _ = id;
        Ok(1)
    }

    #[breaker(connection = Named(name, id), registry = &*self.registry)]
    fn by_value(&self, name: &str, id: u64) -> Result<u32, CallError> {
        Ok(1)
    }

    #[breaker(connection = { let id: u64 = id.parse()?; ("shop", id) }, registry = self.registry)]
    async fn by_question_mark(&self, id: &str) -> Result<u32, CallError> {
        Ok(1)
    }

    #[breaker(connection = (|| &self.circuit)())]
    fn by_call(&self) -> Result<u32, CallError> {
        Ok(1)
    }
}

#[breaker(connection = connection)]
async fn of_any<C: Connection>(connection: C) -> Result<C, CallError> {
    Ok(connection)
}

#[breaker(connection = connection)]
fn of_an_object(connection: &dyn Connection) -> Result<String, CallError> {
    Ok(connection.key().to_string())
}

#[breaker(connection = connection)]
async fn of_an_argument(connection: impl Connection) -> Result<u32, CallError> {
    Ok(1)
}

#[test]
fn any_expression_names_a_connection() {
    let open = api(held_open());
    for rejected in vec![
        ready(open.by_index()),
        ready(open.by_match()),
        open.by_choice(),
        ready(is_send(open.by_lock())),
        ready(open.by_pointer()),
        open.by_call(),
    ] {
        assert!(matches!(rejected, Err(CallError::Rejected(_))));
    }
    let closed = api(fragile());
    assert_eq!(ready(closed.by_lock()).unwrap(), 1);
    ready(closed.by_constant()).unwrap();
    ready(closed.by_format(7)).unwrap();
    closed.by_value("shop", 7).unwrap();
    ready(closed.by_question_mark("8")).unwrap();
    assert!(matches!(ready(closed.by_question_mark("x")), Err(CallError::Failed)));
    assert_eq!(closed.registry.len(), 4);
    assert_eq!(ready(of_any("shop")).unwrap(), "shop");
    assert_eq!(of_an_object(&7_u64).unwrap(), "7");
    assert_eq!(ready(of_an_argument(String::from("shop"))).unwrap(), 1);
}

#[breaker(connection = *circuit, fallback = |_| panic!("no way out"))]
async fn falls_into_a_panic(circuit: &Circuit) -> Result<u32, CallError> {
    Ok(1)
}

#[breaker(connection = *circuit, fallback = Err)]
async fn falls_to_a_constructor(circuit: &Circuit) -> Result<u32, CircuitOpen> {
    Ok(1)
}

#[breaker(connection = *circuit, fallback = |open| Err(open)?)]
fn falls_by_question_mark(circuit: &Circuit) -> Result<u32, CallError> {
    Ok(1)
}

#[breaker(connection = *circuit, fallback = |open: CircuitOpen| -> Result<u32, CallError> { return Err(open.into()) })]
async fn falls_typed(circuit: &Circuit) -> Result<u32, CallError> {
    Ok(1)
}

#[breaker(connection = *circuit, fallback = |_| { values.push(9); Ok(values) })]
fn falls_to_an_argument<'v>(circuit: &Circuit, values: &'v mut Vec<u32>) -> Result<&'v mut Vec<u32>, CallError> {
    values.push(1);
    Ok(values)
}

#[breaker(connection = *circuit, fallback = |_| Ok("instead".to_owned()))]
async fn falls_to_a_hidden_type(circuit: &Circuit) -> Result<impl std::fmt::Display, CallError> {
    Ok("itself".to_owned())
}

#[test]
fn a_fallback_may_do_what_the_function_may() {
    let circuit = held_open();
    assert!(std::panic::catch_unwind(|| ready(falls_into_a_panic(&circuit))).is_err());
    assert!(ready(falls_to_a_constructor(&circuit)).is_err());
    assert!(falls_by_question_mark(&circuit).is_err());
    assert!(ready(falls_typed(&circuit)).is_err());
    assert_eq!(falls_to_an_argument(&circuit, &mut Vec::new()).unwrap(), &[9]);
    assert_eq!(ready(falls_to_a_hidden_type(&circuit)).unwrap().to_string(), "instead");
}

#[breaker(connection = *circuit, is_success = Option::is_some)]
async fn judged_by_a_path(circuit: &Circuit) -> Result<Option<u32>, CallError> {
    Ok(None)
}

#[breaker(connection = *circuit, is_success = |&(first, _)| first > 0)]
async fn judged_by_a_pattern(circuit: &Circuit) -> Result<(u32, u32), CallError> {
    Ok((0, 1))
}

#[breaker(connection = *circuit, is_failure = |(CallError::Answered | CallError::Failed | CallError::Rejected(_))| true)]
fn judged_by_alternatives(circuit: &Circuit) -> Result<u32, CallError> {
    Err(CallError::Answered)
}

/// The borrow ends with the judgement, in each edition.
#[breaker(connection = *circuit, is_success = |value| value.borrow().is_empty())]
fn judged_through_a_temporary(circuit: &Circuit) -> Result<RefCell<String>, CallError> {
    Ok(RefCell::new("full".to_owned()))
}

#[breaker(connection = *circuit, is_success = |value: &&str| *value == wanted)]
async fn judged_by_an_argument<'a>(circuit: &Circuit, wanted: &str, value: &'a str) -> Result<&'a str, CallError> {
    let _ = wanted;
    Ok(value)
}

#[breaker(connection = *circuit, is_success = { let most = u8::try_from(most).unwrap_or(0); move |value| *value <= most })]
fn judged_by_a_block(circuit: &Circuit, most: u32) -> Result<u8, CallError> {
    Ok(9)
}

#[test]
fn any_function_can_be_the_judge() {
    for call in [
        |circuit: &Circuit| drop(ready(judged_by_a_path(circuit))),
        |circuit: &Circuit| drop(ready(judged_by_a_pattern(circuit))),
        |circuit: &Circuit| drop(judged_by_alternatives(circuit)),
        |circuit: &Circuit| drop(judged_through_a_temporary(circuit)),
        |circuit: &Circuit| drop(ready(judged_by_an_argument(circuit, "a", "b"))),
        |circuit: &Circuit| drop(judged_by_a_block(circuit, 8)),
    ] {
        let circuit = fragile();
        call(&circuit);
        assert!(is_open(&circuit));
    }
}
