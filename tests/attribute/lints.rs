//! An expansion triggers none of the lints that a team may forbid or deny.
#![forbid(
    unsafe_code,
    unused,
    warnings,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    closure_returning_async_block,
    explicit_outlives_requirements,
    if_let_rescope,
    impl_trait_redundant_captures,
    keyword_idents,
    let_underscore_drop,
    macro_use_extern_crate,
    meta_variable_misuse,
    missing_abi,
    missing_copy_implementations,
    missing_debug_implementations,
    redundant_lifetimes,
    single_use_lifetimes,
    tail_expr_drop_order,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unreachable_pub,
    unsafe_op_in_unsafe_fn,
    unstable_features,
    unused_extern_crates,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]
#![deny(
    // An `allow` under the `forbid` of a group, such as `unused`, is only a warning otherwise.
    forbidden_lint_groups,
    clippy::absolute_paths,
    clippy::allow_attributes,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::default_numeric_fallback,
    clippy::else_if_without_else,
    clippy::expect_used,
    clippy::get_unwrap,
    clippy::if_then_some_else_none,
    clippy::indexing_slicing,
    clippy::let_underscore_must_use,
    clippy::let_underscore_untyped,
    clippy::match_like_matches_macro,
    clippy::missing_assert_message,
    clippy::panic,
    clippy::pattern_type_mismatch,
    clippy::pub_use,
    clippy::ref_patterns,
    clippy::same_name_method,
    clippy::semicolon_inside_block,
    clippy::shadow_reuse,
    clippy::shadow_same,
    clippy::shadow_unrelated,
    clippy::std_instead_of_core,
    clippy::todo,
    clippy::undocumented_unsafe_blocks,
    clippy::unreachable,
    clippy::unwrap_in_result,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm
)]

use core::future::{Future, ready};
use core::pin::Pin;

use breaker_core::{Circuit, CircuitOpen, breaker};

#[derive(Debug)]
struct Api {
    circuit: Circuit,
}

#[breaker(connection = self.circuit, blocking)]
impl Api {
    async fn later(&self, number: u32, text: String) -> Result<u32, CircuitOpen> {
        ready(()).await;
        Ok(number.saturating_add(u32::from(text.is_empty())))
    }

    fn at_once(&self, number: u32, text: String) -> Result<u32, CircuitOpen> {
        drop(text);
        Ok(number)
    }

    fn future(&self, number: u32) -> impl Future<Output = Result<u32, CircuitOpen>> + Send + use<> {
        async move { Ok(number) }
    }

    fn boxed(&self, number: u32) -> Pin<Box<dyn Future<Output = Result<u32, CircuitOpen>> + Send + '_>> {
        Box::pin(async move { Ok(number) })
    }

    #[breaker(fallback = |_| Ok(9))]
    async fn with_fallback(&self, (first, _): (u32, u32), _: String) -> Result<u32, CircuitOpen> {
        ready(()).await;
        Ok(first)
    }

    fn a_block_alone(&self) -> impl Future<Output = Result<u32, CircuitOpen>> + Send + use<> {
        async { Ok(1) }
    }

    #[breaker(is_failure = |(Slow::Once | Slow::Always)| false, fallback = |_open| Ok(9))]
    fn patterns(&self) -> Result<u32, Slow> {
        Ok(1)
    }

    #[breaker(is_failure = { |_| false }, is_success = (|value| *value > 0), operation = { "slow" }, probe = false, timeout = "5s", fallback = |_| Ok(1))]
    async fn with_everything(&self, number: u32) -> Result<u32, Slow> {
        ready(()).await;
        Ok(number)
    }
}

#[derive(Clone, Copy, Debug)]
enum Slow {
    Once,
    Always,
}

impl From<breaker_core::TimedOut> for Slow {
    fn from(timed_out: breaker_core::TimedOut) -> Self {
        if timed_out.limit().is_zero() { Self::Always } else { Self::Once }
    }
}

#[test]
fn functions_under_all_lints_run() {
    let api = Api { circuit: Circuit::new("shop", breaker_core::Config::default()) };
    assert!(api.at_once(1, String::new()).is_ok(), "closed");
    drop((api.later(1, String::new()), api.future(1), api.boxed(1)));
    assert!(api.patterns().is_ok(), "closed");
    drop(api.a_block_alone());
    drop((api.with_fallback((1, 2), String::new()), api.with_everything(1)));
}
