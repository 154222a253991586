//! What the macros' expansions name. Not for use by hand: it changes without notice.

mod admission;
#[cfg(feature = "dynamic")]
pub mod dynamic;
mod fallback;
pub mod judging;
pub mod kinds;
#[doc(hidden)]
pub mod marks;
mod rejecting;
mod returned;
mod running;
#[cfg(feature = "tokio")]
mod timing;

pub use std::boxed::Box;
pub use std::result::Result::{Err, Ok};
pub use std::time::Duration;

pub use self::admission::{GivesRegistry, Global, admit, admit_as, hold, hold_owned, own};
pub use self::fallback::{call_or_fallback, is_rejected, let_in, rejection_of, with_fallback};
pub use self::judging::{failures, judged_by, successes};
pub use self::rejecting::{NeverAsked, by_fallback};
pub use self::returned::Returned;
pub use self::running::{
    answers_at_once, guarded, make, make_as, pin, reject_as, result_of, result_of_body, run_as, run_async, wrap,
};
#[cfg(feature = "tokio")]
pub use self::timing::{run_in_time, timed_call, with_limit};
#[cfg(feature = "http")]
pub use crate::adapters::http::ByStatus;
#[cfg(feature = "tokio")]
pub use crate::adapters::tokio::{CarriesTimeout, TimedJudge};
pub use crate::guard::{Call, Held};
pub use crate::outcome::{ByType, CarriesRejection, Evident, Instead, Judge, Outcome, PassOn};
pub use crate::rules::Rules;
pub use crate::site::Site;
pub use crate::transport::Fault;

/// Enters a marked type into the list that is searched inside dynamic errors.
#[cfg(feature = "dynamic")]
#[doc(hidden)]
#[macro_export]
macro_rules! __register_marked {
    ($error:ident) => {
        $crate::__private::dynamic::inventory::submit! {
            $crate::__private::dynamic::MarkedType(|| {
                use $crate::__private::dynamic::finders::*;
                (&$crate::__private::dynamic::Probe::<$error>::new()).finders()
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
