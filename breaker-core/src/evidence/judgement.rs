//! What a finished call says, and how it is known.

use super::Evidence;

/// The name of a type, as a function, which is half as large as the name and remembered by each circuit.
pub(crate) type TypeName = fn() -> &'static str;

/// The evidence of one finished call, with what is worth remembering of it.
#[derive(Clone, Copy, Debug)]
pub struct Judgement {
    pub(crate) evidence: Evidence,
    /// The type of the error, where there is one.
    pub(crate) error: Option<TypeName>,
    /// Whether the call was dropped before it finished.
    pub(crate) dropped: bool,
}

impl Judgement {
    /// A value was returned.
    pub(crate) const ANSWERED: Self = Self::of(Evidence::Answered);
    /// The call panicked.
    pub(crate) const PANICKED: Self = Self { error: Some(|| "panic"), ..Self::of(Evidence::Failed) };

    pub(crate) const fn of(evidence: Evidence) -> Self {
        Self { evidence, error: None, dropped: false }
    }

    /// An error of type `E` was returned.
    pub(crate) fn of_error<E: ?Sized>(evidence: Evidence) -> Self {
        Self { error: Some(std::any::type_name::<E>), ..Self::of(evidence) }
    }

    /// The call was dropped before it finished.
    pub(crate) fn dropped(evidence: Evidence) -> Self {
        Self { dropped: true, ..Self::of(evidence) }
    }

    /// Whether it is an error that proves reachability.
    pub(crate) fn is_marked(&self) -> bool {
        self.evidence == Evidence::Answered && self.error.is_some()
    }

    pub(crate) fn is_plain_success(&self) -> bool {
        self.evidence == Evidence::Answered && self.error.is_none()
    }
}
