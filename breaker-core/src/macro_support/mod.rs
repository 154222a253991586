//! What the macros' expansions name. Not for use by hand: it changes without notice.

mod admission;
mod fallback;
#[cfg(feature = "http")]
mod http;
pub mod judges;
pub mod kinds;
#[doc(hidden)]
pub mod marks;
mod on_rejection;
#[cfg(feature = "dynamic")]
pub mod register;
mod returned;
mod run;
#[cfg(feature = "stream")]
mod stream;
#[cfg(feature = "tokio")]
mod timeout;

pub use std::boxed::Box;
pub use std::result::Result::{Err, Ok};
pub use std::time::Duration;

pub use self::admission::{GivesRegistry, Global, admit, admit_as, hold, hold_owned, own};
pub use self::fallback::{call_or_fallback, is_rejected, let_in, rejection_of, with_fallback};
pub use self::judges::{failures, judged_by, successes};
pub use self::on_rejection::{NeverAsked, by_fallback};
pub use self::returned::Returned;
pub use self::run::{
    answers_at_once, guarded, make, make_as, pin, reject_as, result_of, result_of_body, run_as, run_async, wrap,
};
#[cfg(feature = "tokio")]
pub use self::timeout::{run_in_time, timed_call, with_limit};
pub use crate::call::Call;
pub use crate::circuit::{CallSite, HeldCircuit};
pub use crate::config::Config;
pub use crate::evidence::Fault;
#[cfg(feature = "http")]
pub use crate::judge::ByStatus;
pub use crate::judge::{ByType, CarriesRejection, Judge, JudgedByType, OnRejection, Outcome, PassOn};
#[cfg(feature = "tokio")]
pub use crate::judge::{CarriesTimeout, TimedJudge};

/// Enters a marked type into the list that is searched inside dynamic errors.
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

/// Without the feature `dynamic` nobody searches.
#[cfg(not(feature = "dynamic"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __register_marked {
    ($error:ident) => {};
}

pub use crate::__register_marked as register_marked;
