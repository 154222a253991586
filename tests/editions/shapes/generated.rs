//! Functions that `macro_rules!` macros produce, with their groups and their hygiene.

use breaker_core::{breaker, Circuit};

use crate::{fragile, ready, CallError};

struct Api {
    circuit: Circuit,
}

macro_rules! method {
    ($name:ident($($argument:ident: $ty:ty),*) -> $result:ty $body:block) => {
        #[breaker(connection = self.circuit)]
        async fn $name(&self, $($argument: $ty),*) -> $result $body
    };
}

macro_rules! whole {
    ($item:item) => {
        #[breaker(connection = "shapes-whole")]
        $item
    };
}

macro_rules! with_expression {
    ($connection:expr, $fallback:expr) => {
        #[breaker(connection = $connection, fallback = $fallback)]
        fn with_expression(circuit: &Circuit) -> Result<usize, CallError> {
            let hygienic = circuit.connection().len();
            Ok(hygienic)
        }
    };
}

macro_rules! hygienic {
    ($name:ident) => {
        #[breaker(connection = *circuit)]
        async fn $name(circuit: &Circuit, value: String) -> Result<String, CallError> {
            let _ = circuit;
            Ok(value)
        }
    };
}

impl Api {
    method!(generated(number: u32, text: &str) -> Result<usize, CallError> { Ok(text.len() + number as usize) });
}

whole! {
    fn whole(circuit: &Circuit) -> Result<u32, CallError> {
        let _ = circuit;
        Ok(1)
    }
}

with_expression!("shapes-generated", |_| Ok(9));
hygienic!(hygienic_function);

#[test]
fn generated_functions_run() {
    let circuit = fragile();
    assert_eq!(ready(Api { circuit: circuit.clone() }.generated(1, "ab")).unwrap(), 3);
    assert_eq!(whole(&circuit).unwrap(), 1);
    assert_eq!(with_expression(&circuit).unwrap(), "shop".len());
    assert_eq!(ready(hygienic_function(&circuit, "a".to_owned())).unwrap(), "a");
}

/// The methods are the caller's, and so is their `self`; in the attribute it is the macro's.
macro_rules! integration {
    ($name:ident { $($items:item)* } $method:item) => {
        #[breaker(connection = self.circuit, fallback = |_| Ok([self.circuit.connection().len()][0]))]
        impl $name { $($items)* }

        impl $name {
            #[breaker(connection = self.circuit)]
            $method
        }
    };
}

struct Integration {
    circuit: Circuit,
}

integration! {
    Integration {
        async fn of_block(&self) -> Result<usize, CallError> {
            Err(CallError::Failed)
        }
    }
    fn alone(&self) -> Result<usize, CallError> {
        Ok(2)
    }
}

#[test]
fn the_self_of_a_macro_is_that_of_the_method() {
    let integration = Integration { circuit: fragile() };
    assert_eq!(integration.alone().unwrap(), 2);
    assert!(ready(integration.of_block()).is_err());
    assert_eq!(ready(integration.of_block()).unwrap(), "shop".len());
}

/// What a macro's users need not depend on themselves.
pub mod reexported {
    pub use breaker_core::*;
}

/// As a crate would export it: `$crate` is resolved where the macro stands.
macro_rules! guarded_by_the_macros_crate {
    ($name:ident, $async:ident $fn:ident) => {
        #[breaker(connection = "shapes-crate", crate = $crate::generated::reexported)]
        $async $fn $name() -> Result<u32, CallError> {
            Ok(1)
        }
    };
    ($name:ident) => {
        #[breaker(connection = "shapes-crate", crate = $crate::generated::reexported, fallback = |_| Ok(2))]
        fn $name() -> Result<u32, CallError> {
            Ok(1)
        }
    };
}

guarded_by_the_macros_crate!(in_its_crate, async fn);
guarded_by_the_macros_crate!(in_its_crate_at_once);

#[test]
fn the_path_of_a_macros_own_crate_is_kept() {
    assert_eq!(ready(in_its_crate()).unwrap(), 1);
    assert_eq!(in_its_crate_at_once().unwrap(), 1);
}
