//! The table of marks of an error type, for snapshot tests.

use std::fmt;
use std::ops::Deref;

use super::Evidence;

/// Returns the marks of an error type, one for each variant in source order.
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
///
/// # Panics
///
/// If a marked error carries a type that the derive refuses by its path, such as `reqwest::Error`, but could not see behind an
/// alias or a renamed import. The text names the variant and the type. So a snapshot test of the table fails for such a
/// mark, whatever features are on and whatever version of the crate is used.
#[must_use]
pub fn marks<E: Marked + ?Sized>() -> Marks {
    Marks(E::marks())
}

/// A type whose marks come from `#[derive(ProvesReachable)]`, which implements this trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no table of marks",
    note = "`#[derive(ProvesReachable)]` makes the table; an implementation by hand has no table"
)]
pub trait Marked {
    #[doc(hidden)]
    fn marks() -> Vec<Mark>;

    /// Never called. The types that marked errors carry are checked in its body.
    #[doc(hidden)]
    fn carried();
}

/// The declared evidence of one variant or struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mark {
    /// The name of the variant, or of the struct.
    pub name: &'static str,
    /// The evidence of its values; `None` where each value decides, by a `#[reachable(status)]` field or `transparent`.
    pub evidence: Option<Evidence>,
    /// The statuses that the mark names.
    pub status: &'static [u16],
    /// The text of `because`.
    pub reason: Option<&'static str>,
}

/// The table from [`marks`]: a slice of [`Mark`]s whose `Display` has one line for each.
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
            let mut line = format!("{:width$}  {:8}", mark.name, EvidenceWord(mark.evidence).word());
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

struct EvidenceWord(Option<Evidence>);

impl EvidenceWord {
    const fn word(&self) -> &'static str {
        match self.0 {
            Some(Evidence::Answered) => "Answered",
            Some(Evidence::Failed) => "Failed",
            Some(Evidence::Unknown) => "Unknown",
            None => "by value",
        }
    }
}
