//! Support code for the expansions of the macros. It is not meant for direct use and changes without notice.

mod admission;
mod fallback;
pub mod hidden;
#[cfg(feature = "stream")]
mod hidden_stream;
#[cfg(feature = "http")]
mod http;
pub mod judges;
pub mod kinds;
#[doc(hidden)]
pub mod marks;
mod on_rejection;
#[cfg(feature = "dynamic")]
pub mod register;
#[cfg(all(feature = "http-body", feature = "reqwest"))]
mod response_to_the_end;
mod returned;
mod run;
#[cfg(feature = "stream")]
mod stream;
#[cfg(feature = "stream")]
mod stream_in_result;
#[cfg(feature = "tokio")]
mod timeout;
pub mod to_the_end;

pub use std::boxed::Box;
pub use std::result::Result::{Err, Ok};
pub use std::time::Duration;

pub use self::admission::{GivesRegistry, Global, HoldAny, Outliving, admit_as, hold, hold_owned, into_circuit};
pub use self::fallback::{admitted, call_or_fallback, is_rejected, rejection_of, with_fallback};
pub use self::hidden::{complete, complete_body, complete_judge, completed, completion, hidden_body, run_hidden};
pub use self::judges::{failures, judged_by, successes};
pub use self::on_rejection::{InlinedFallback, by_fallback};
pub use self::returned::Returned;
pub use self::run::{
    guarded, make, make_as, pin, reject_as, reject_parameter_as, result_of, result_of_body, returns_immediately,
    run_as, run_async, settles_kind, settles_value, wrap,
};
#[cfg(feature = "tokio")]
pub use self::timeout::{run_in_time, timed_call, with_limit};
pub use crate::call::Call;
pub use crate::circuit::{At, CallSite, CircuitAt, HeldCircuit};
pub use crate::config::Config;
pub use crate::evidence::Fault;
#[cfg(feature = "http")]
pub use crate::judge::ByStatus;
pub use crate::judge::{ByType, CarriesRejection, Judge, JudgedByType, OnRejection, Outcome, PassOn};
#[cfg(feature = "tokio")]
pub use crate::judge::{CarriesTimeout, TimedJudge};

/// Registers a marked type, so that it is found inside boxed errors and those of `anyhow` and `eyre`.
#[cfg(feature = "dynamic")]
#[doc(hidden)]
#[macro_export]
macro_rules! __register_marked {
    ($error:ident) => {
        $crate::__private::register::inventory::submit! {
            $crate::__private::register::MarkedType(|| {
                use $crate::__private::register::downcasts::*;
                (&$crate::__private::register::Probe::<$error>::new()).downcasts()
            })
        }
    };
}

/// Without the feature `dynamic`, no list is searched, so nothing is registered.
#[cfg(not(feature = "dynamic"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __register_marked {
    ($error:ident) => {};
}

pub use crate::__register_marked as register_marked;
