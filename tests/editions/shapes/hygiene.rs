//! Hygiene: user names do not collide with names of the expansion, and the expansion does not rely on names that the
//! user has shadowed.

/// Every name that an expansion could use without a path.
mod shadowed {
    #![allow(non_upper_case_globals, non_camel_case_types)]

    use breaker_core::breaker;

    mod std {}
    mod core {}
    mod breaker_core_of_mine {}
    struct Result;
    struct Option;
    struct Box;
    #[allow(non_snake_case)]
    fn Ok() {}
    #[allow(non_snake_case)]
    fn Err() {}
    const guard: u32 = 1;
    const open: u32 = 2;
    const judge: u32 = 3;
    const body: u32 = 4;
    const result: u32 = 5;
    const registry: u32 = 6;
    const connection: u32 = 7;
    const site: u32 = 8;

    type Answer = ::std::result::Result<u32, crate::CallError>;

    #[breaker(connection = *circuit)]
    async fn later(circuit: &::breaker_core::Circuit) -> Answer {
        let _ = circuit;
        ::std::result::Result::Ok(guard + open + judge + body + result + registry + connection + site)
    }

    #[breaker(connection = *circuit)]
    fn at_once(circuit: &::breaker_core::Circuit) -> Answer {
        let _ = circuit;
        ::std::result::Result::Ok(guard)
    }

    #[breaker(connection = *circuit)]
    fn future(circuit: &::breaker_core::Circuit) -> impl ::std::future::Future<Output = Answer> {
        let _ = circuit;
        async { ::std::result::Result::Ok(guard) }
    }

    #[test]
    fn shadowed_names_have_no_effect() {
        let circuit = crate::fragile();
        assert_eq!(crate::ready(later(&circuit)).unwrap(), 36);
        assert_eq!(at_once(&circuit).unwrap(), 1);
        assert_eq!(crate::ready(future(&circuit)).unwrap(), 1);
        let (_, _, _) = (Result, Option, Box);
        Ok();
        Err();
    }
}

/// Without a prelude.
#[no_implicit_prelude]
mod without_prelude {
    use ::breaker_core::breaker;

    #[breaker(connection = *circuit, is_success = |number| *number < 9)]
    async fn later(circuit: &::breaker_core::Circuit) -> ::std::result::Result<u32, crate::CallError> {
        let _ = circuit;
        ::std::result::Result::Ok(1)
    }

    #[breaker(connection = *circuit, fallback = |_| ::std::result::Result::Ok(2))]
    fn at_once(circuit: &::breaker_core::Circuit) -> ::std::result::Result<u32, crate::CallError> {
        let _ = circuit;
        ::std::result::Result::Ok(1)
    }

    #[test]
    fn no_prelude_is_needed() {
        let circuit = crate::fragile();
        ::std::assert!(crate::ready(later(&circuit)).is_ok());
        ::std::assert!(at_once(&circuit).is_ok());
    }
}
