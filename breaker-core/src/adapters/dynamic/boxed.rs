//! `Box<dyn Error + Send + Sync>`.

use std::error::Error;

use super::{outermost, report};
use crate::outcome::Evident;
use crate::report::Report;
use crate::rules::Rules;

impl Evident for Box<dyn Error + Send + Sync> {
    #[cold]
    fn report(&self, rules: Rules<'_>) -> Report {
        report::<Self>(&**self, None, outermost(&**self).as_ref(), rules)
    }
}

impl Evident for Box<dyn Error + Send> {
    #[cold]
    fn report(&self, rules: Rules<'_>) -> Report {
        report::<Self>(&**self, None, outermost(&**self).as_ref(), rules)
    }
}

impl Evident for Box<dyn Error> {
    #[cold]
    fn report(&self, rules: Rules<'_>) -> Report {
        report::<Self>(&**self, None, outermost(&**self).as_ref(), rules)
    }
}
