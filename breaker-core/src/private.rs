//! What the macros' expansions name. Not for use by hand: it changes without notice.

mod admission;
pub mod judging;
#[doc(hidden)]
pub mod marks;
mod rejecting;
mod returned;
mod running;

pub use std::result::Result::{Err, Ok};

pub use self::admission::{Global, admit, hold, hold_owned};
pub use self::judging::{failures, successes};
pub use self::rejecting::{CarriesRejection, reject};
pub use self::returned::Returned;
pub use self::running::{run, run_async};
#[cfg(feature = "http")]
pub use crate::adapters::http::ByStatus;
pub use crate::guard::{Call, Held};
pub use crate::outcome::{ByType, Evident, Judge, Outcome};
pub use crate::rules::Rules;
pub use crate::site::Site;
pub use crate::transport::Fault;
