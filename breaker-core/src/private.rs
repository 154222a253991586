//! What the macros' expansions name. Not for use by hand: it changes without notice.

mod admission;
pub mod judging;
pub mod kinds;
#[doc(hidden)]
pub mod marks;
mod rejecting;
mod returned;
mod running;

pub use std::result::Result::{Err, Ok};

pub use self::admission::{Global, admit, admit_as, admit_later, hold, hold_owned, own};
pub use self::judging::{failures, judged_by, successes};
pub use self::rejecting::{by_fallback, reject};
pub use self::returned::Returned;
pub use self::running::{
    answers_at_once, make, make_as, pin, reject_as, result_of, result_of_body, run_as, run_async, wrap,
};
#[cfg(feature = "http")]
pub use crate::adapters::http::ByStatus;
pub use crate::guard::{Call, Held};
pub use crate::outcome::{ByType, CarriesRejection, Evident, Instead, Judge, Outcome, PassOn};
pub use crate::rules::Rules;
pub use crate::site::Site;
pub use crate::transport::Fault;
