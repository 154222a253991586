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
