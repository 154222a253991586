//! The table of a type's marks, for a snapshot test that makes each new mark show in review.

use std::fmt;
use std::ops::Deref;

use super::Evidence;

/// The marks of an error type, one for each variant in the order of the source.
///
/// ```
/// use breaker_core::{ProvesReachable, marks};
///
/// #[derive(Debug, ProvesReachable)]
/// enum ContactError {
///     #[reachable(status = 404)]
///     NotFound,
///     #[reachable(status = 400, because = "the ledger answers a closed account with 400")]
///     AccountClosed,
///     #[reachable(unknown)]
///     NotSent,
///     Http,
/// }
/// # impl std::fmt::Display for ContactError {
/// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("") }
/// # }
/// # impl std::error::Error for ContactError {}
///
/// let table = "\
/// NotFound       Answered  404
/// AccountClosed  Answered  400  the ledger answers a closed account with 400
/// NotSent        Unknown
/// Http           Failed
/// ";
/// assert_eq!(marks::<ContactError>().to_string(), table);
/// ```
#[must_use]
pub fn marks<E: Marked + ?Sized>() -> Marks {
    Marks(E::marks())
}

/// A type whose marks were written with `#[derive(ProvesReachable)]`; the derive implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no table of marks",
    note = "the table is made by `#[derive(ProvesReachable)]`; a `ProvesReachable` written by hand has none"
)]
pub trait Marked {
    #[doc(hidden)]
    fn marks() -> Vec<Mark>;

    /// Never called: the types that marked errors carry are checked with its body.
    #[doc(hidden)]
    fn carried();
}

/// What one variant, or a struct, was declared to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mark {
    /// The name of the variant, or of the struct.
    pub name: &'static str,
    /// What its values prove. `None` where each value decides: by a `#[reachable(status)]` field, or `transparent`.
    pub evidence: Option<Evidence>,
    /// The statuses that the mark names.
    pub status: &'static [u16],
    /// The text of `because`.
    pub reason: Option<&'static str>,
}

/// The table made by [`marks`]: a slice of [`Mark`]s whose `Display` has one line for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks(Vec<Mark>);

impl Deref for Marks {
    type Target = [Mark];

    fn deref(&self) -> &[Mark] {
        &self.0
    }
}

impl IntoIterator for Marks {
    type Item = Mark;
    type IntoIter = std::vec::IntoIter<Mark>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.iter().map(|mark| mark.name.len()).max().unwrap_or(0);
        for mark in self.iter() {
            let mut line = format!("{:width$}  {:8}", mark.name, Says(mark.evidence).word());
            if !mark.status.is_empty() {
                let statuses: Vec<String> = mark.status.iter().map(u16::to_string).collect();
                line = format!("{line}  {}", statuses.join(", "));
            }
            if let Some(reason) = mark.reason {
                line = format!("{line}  {reason}");
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

struct Says(Option<Evidence>);

impl Says {
    const fn word(&self) -> &'static str {
        match self.0 {
            Some(Evidence::Answered) => "Answered",
            Some(Evidence::Failed) => "Failed",
            Some(Evidence::Unknown) => "Unknown",
            None => "by value",
        }
    }
}
