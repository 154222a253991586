//! Methods with every receiver.

use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use breaker_core::{breaker, Circuit};

use crate::{held_open, is_send, ready, CallError};

struct Api {
    circuit: Circuit,
    items: Vec<String>,
    count: u32,
}

fn api() -> Api {
    Api { circuit: held_open(), items: vec!["first".to_owned()], count: 1 }
}

impl Api {
    #[breaker(connection = self.circuit)]
    async fn by_reference(&self) -> Result<usize, CallError> {
        Ok(self.items.len())
    }

    #[breaker(connection = self.circuit)]
    async fn by_exclusive_reference(&mut self) -> Result<&mut String, CallError> {
        self.count += 1;
        Ok(&mut self.items[0])
    }

    #[breaker(connection = self.circuit)]
    async fn by_value(self) -> Result<Vec<String>, CallError> {
        Ok(self.items)
    }

    #[breaker(connection = self.circuit)]
    async fn by_mutable_value(mut self) -> Result<Vec<String>, CallError> {
        self.items.push("last".to_owned());
        Ok(self.items)
    }

    #[breaker(connection = self.circuit)]
    async fn by_arc(self: Arc<Self>) -> Result<u32, CallError> {
        Ok(self.count)
    }

    #[breaker(connection = self.circuit)]
    async fn by_rc(self: Rc<Self>) -> Result<u32, CallError> {
        Ok(self.count)
    }

    #[breaker(connection = self.circuit)]
    async fn by_box(mut self: Box<Self>) -> Result<u32, CallError> {
        self.count += 1;
        Ok(self.count)
    }

    #[breaker(connection = self.circuit)]
    async fn by_pin(mut self: Pin<&mut Self>) -> Result<u32, CallError> {
        self.count += 1;
        Ok(self.count)
    }

    #[breaker(connection = self.circuit)]
    async fn by_typed_reference(self: &Self) -> Result<u32, CallError> {
        Ok(self.count)
    }

    #[breaker(connection = self.circuit)]
    async fn by_arc_reference(self: &Arc<Self>) -> Result<u32, CallError> {
        Ok(self.count)
    }

    #[breaker(connection = self.circuit)]
    fn blocking_by_reference(&self) -> Result<&str, CallError> {
        Ok(&self.items[0])
    }

    #[breaker(connection = self.circuit)]
    fn blocking_by_exclusive_reference(&mut self) -> Result<&mut String, CallError> {
        self.count += 1;
        Ok(&mut self.items[0])
    }

    #[breaker(connection = self.circuit)]
    fn blocking_by_value(mut self) -> Result<Vec<String>, CallError> {
        self.items.push("last".to_owned());
        Ok(self.items)
    }

    #[breaker(connection = self.circuit)]
    fn blocking_by_arc(self: Arc<Self>) -> Result<u32, CallError> {
        Ok(self.count)
    }

    #[breaker(connection = self.circuit)]
    fn blocking_by_pin(mut self: Pin<&mut Self>) -> Result<u32, CallError> {
        self.count += 1;
        Ok(self.count)
    }
}

#[test]
fn every_receiver_is_guarded() {
    assert!(ready(is_send(api().by_reference())).is_err());
    assert!(ready(is_send(api().by_exclusive_reference())).is_err());
    assert!(ready(is_send(api().by_value())).is_err());
    assert!(ready(api().by_mutable_value()).is_err());
    assert!(ready(is_send(Arc::new(api()).by_arc())).is_err());
    assert!(ready(Rc::new(api()).by_rc()).is_err());
    assert!(ready(Box::new(api()).by_box()).is_err());
    assert!(ready(Pin::new(&mut api()).by_pin()).is_err());
    assert!(ready(api().by_typed_reference()).is_err());
    assert!(ready(Arc::new(api()).by_arc_reference()).is_err());
    assert!(api().blocking_by_reference().is_err());
    assert!(api().blocking_by_exclusive_reference().is_err());
    assert!(api().blocking_by_value().is_err());
    assert!(Arc::new(api()).blocking_by_arc().is_err());
    assert!(Pin::new(&mut api()).blocking_by_pin().is_err());
}

#[test]
fn every_receiver_reaches_the_body() {
    let closed = || {
        let api = api();
        api.circuit.reset();
        api
    };
    assert_eq!(ready(closed().by_reference()).unwrap(), 1);
    ready(closed().by_exclusive_reference()).unwrap().push('!');
    assert_eq!(ready(closed().by_mutable_value()).unwrap().len(), 2);
    assert_eq!(ready(Box::new(closed()).by_box()).unwrap(), 2);
    assert_eq!(ready(Pin::new(&mut closed()).by_pin()).unwrap(), 2);
    assert_eq!(closed().blocking_by_reference().unwrap(), "first");
    closed().blocking_by_exclusive_reference().unwrap().push('!');
    assert_eq!(closed().blocking_by_value().unwrap().len(), 2);
}
