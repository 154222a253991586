//! The error of `eyre`.

use super::{first, outermost, report};
use crate::outcome::Evident;
use crate::report::Report;
use crate::rules::Rules;

impl Evident for ::eyre::Report {
    #[cold]
    fn report(&self, rules: Rules<'_>) -> Report {
        // A marked type may stand in a context, where only `eyre` finds it.
        let speaker = outermost(self.as_ref()).or_else(|| first(|finders| (finders.find_in_eyre)(self)));
        report::<Self>(self.as_ref(), speaker.as_ref(), rules)
    }
}
