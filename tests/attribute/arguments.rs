//! Arguments of `#[breaker(...)]`.

use crate::common::{CallError, breaking_at, ready};
use breaker_core::{Circuit, CircuitOpen, Config, Registry, State, breaker};

#[test]
fn the_connection_is_looked_up_in_the_given_registry() {
    struct Api {
        registry: Registry,
    }
    impl Api {
        #[breaker(connection = ("shop", shop), registry = self.registry)]
        fn fetch(&self, shop: u64) -> Result<(), CallError> {
            Err(CallError::Failed)
        }
    }
    let api = Api { registry: Registry::new(breaking_at(1)) };
    api.fetch(7).unwrap_err();
    assert_eq!(api.registry.get(&("shop", 7)).map(|circuit| circuit.state()), Some(State::Open));
    assert!(matches!(api.fetch(7), Err(CallError::Rejected(_))));
    assert!(matches!(api.fetch(8), Err(CallError::Failed)));
}

#[test]
fn the_default_registry_is_the_global_one() {
    #[breaker(connection = "attribute-arguments-global")]
    fn fetch() -> Result<(), CallError> {
        Err(CallError::Failed)
    }
    fetch().unwrap_err();
    assert_eq!(Registry::global().get("attribute-arguments-global").unwrap().snapshot().failed, 1);
}

#[test]
fn is_failure_replaces_the_evidence_of_the_type() {
    #[breaker(connection = circuit, is_failure = |error| matches!(error, CallError::Answered))]
    fn call(circuit: &Circuit, error: CallError) -> Result<(), CallError> {
        Err(error)
    }
    let circuit = Circuit::new("shop", breaking_at(9));
    call(&circuit, CallError::Answered).unwrap_err();
    call(&circuit, CallError::Failed).unwrap_err();
    let seen = circuit.snapshot();
    assert_eq!((seen.failed, seen.unknown, seen.marked_answers), (1, 1, 0));
}

#[test]
fn is_failure_needs_no_marks() {
    // `fmt::Error` implements neither `ProvesReachable` nor `From<CircuitOpen>`, so there is a fallback.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature of `is_failure`")]
    fn always(_: &std::fmt::Error) -> bool {
        true
    }
    #[breaker(connection = circuit, is_failure = always, fallback = |_| Ok(()))]
    fn call(circuit: &Circuit) -> Result<(), std::fmt::Error> {
        Err(std::fmt::Error)
    }
    let circuit = Circuit::new("shop", breaking_at(1));
    assert!(call(&circuit).is_err());
    assert!(call(&circuit).is_ok(), "rejected, so the fallback answers");
}

#[test]
fn is_success_makes_a_value_a_failure() {
    #[breaker(connection = circuit, is_success = |value| *value < 500)]
    async fn call(circuit: &Circuit, status: u16) -> Result<u16, CallError> {
        Ok(status)
    }
    let circuit = Circuit::new("shop", breaking_at(2));
    for status in [503, 503] {
        assert_eq!(ready(call(&circuit, status)).unwrap(), status, "the value is passed on unchanged");
    }
    assert_eq!(circuit.state(), State::Open);
}

#[test]
fn a_fallback_replaces_only_a_rejection() {
    #[breaker(connection = circuit, fallback = |open: CircuitOpen| Ok(format!("instead of {}", open.connection())))]
    fn call(circuit: &Circuit, result: Result<String, CallError>) -> Result<String, CallError> {
        result
    }
    let circuit = Circuit::new("shop", breaking_at(1));
    assert!(matches!(call(&circuit, Err(CallError::Answered)), Err(CallError::Answered)), "a marked error passes");
    assert!(matches!(call(&circuit, Err(CallError::Failed)), Err(CallError::Failed)), "so does a failure");
    assert_eq!(call(&circuit, Ok(String::new())).unwrap(), "instead of shop");
}

#[test]
fn a_fallback_may_be_a_path_and_may_await_return_and_use_the_arguments() {
    #[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "the signature of `fallback`")]
    fn cached(open: CircuitOpen) -> Result<String, CallError> {
        Ok(open.operation().unwrap_or_default().to_owned())
    }
    #[breaker(connection = circuit, fallback = cached)]
    async fn by_path(circuit: &Circuit) -> Result<String, CallError> {
        Ok(String::new())
    }
    async fn other(name: String) -> Result<String, CallError> {
        std::future::ready(Ok(name)).await
    }
    #[breaker(connection = circuit, fallback = |_| {
        if name.is_empty() {
            return Err(CallError::Answered);
        }
        Ok(other(name).await? + "!")
    })]
    async fn inlined(circuit: &Circuit, name: String) -> Result<String, CallError> {
        Ok(name)
    }
    let circuit = Circuit::new("shop", Config::default());
    circuit.hold_open();
    assert_eq!(ready(by_path(&circuit)).unwrap(), "by_path");
    assert_eq!(ready(inlined(&circuit, "b".into())).unwrap(), "b!");
    assert!(matches!(ready(inlined(&circuit, String::new())), Err(CallError::Answered)));
}

#[test]
fn an_operation_names_rejections() {
    const NAME: &str = "renamed";
    #[breaker(connection = circuit)]
    fn r#plain(circuit: &Circuit) -> Result<(), CircuitOpen> {
        let _ = circuit;
        Ok(())
    }
    #[breaker(connection = circuit, operation = NAME)]
    fn named(circuit: &Circuit) -> Result<(), CircuitOpen> {
        let _ = circuit;
        Ok(())
    }
    let circuit = Circuit::new("shop", Config::default());
    circuit.hold_open();
    assert_eq!(r#plain(&circuit).unwrap_err().operation(), Some("plain"));
    assert_eq!(named(&circuit).unwrap_err().operation(), Some("renamed"));
}

#[test]
fn an_operation_without_probe_is_never_the_probe() {
    #[breaker(connection = circuit, probe = false)]
    fn pay(circuit: &Circuit, result: Result<(), CallError>) -> Result<(), CallError> {
        result
    }
    #[breaker(connection = circuit, probe = true)]
    fn verify(circuit: &Circuit) -> Result<(), CallError> {
        Ok(())
    }
    let clock = breaker_core::testing::ManualClock::new();
    let circuit = Circuit::with_clock("shop", breaking_at(1), clock.clone());
    pay(&circuit, Err(CallError::Failed)).unwrap_err();
    clock.advance(Config::default().cooldown());
    assert_eq!(circuit.state(), State::HalfOpen);
    assert!(matches!(pay(&circuit, Ok(())), Err(CallError::Rejected(_))));
    verify(&circuit).unwrap();
    pay(&circuit, Ok(())).unwrap();
}

mod reexported {
    pub(crate) mod deep {
        pub(crate) use breaker_core::*;
    }
}

#[test]
fn the_crate_may_have_another_path() {
    #[breaker(connection = circuit, crate = self::reexported::deep)]
    fn call(circuit: &Circuit) -> Result<(), CallError> {
        let _ = circuit;
        Ok(())
    }
    call(&Circuit::new("shop", Config::default())).unwrap();
}

#[test]
fn the_connection_is_evaluated_once_before_the_body_in_the_scope_of_the_function() {
    async fn find(circuit: &Circuit, there: bool) -> Result<Circuit, CallError> {
        std::future::ready(if there { Ok(circuit.clone()) } else { Err(CallError::Answered) }).await
    }
    #[breaker(connection = {
        *evaluated += 1;
        find(circuit, there).await?
    })]
    async fn call(circuit: &Circuit, there: bool, evaluated: &mut u32) -> Result<u32, CallError> {
        let _ = there;
        Ok(*evaluated)
    }
    let circuit = Circuit::new("shop", Config::default());
    let mut evaluated = 0;
    assert_eq!(ready(call(&circuit, true, &mut evaluated)).unwrap(), 1);
    assert!(matches!(ready(call(&circuit, false, &mut evaluated)), Err(CallError::Answered)));
    assert_eq!(evaluated, 2);
}
