//! The judgement of a finished call.

use super::Evidence;

/// The name of a type, as a function pointer, which is half as large as the name. Every circuit stores some.
pub(crate) type TypeName = fn() -> &'static str;

/// The evidence of one finished call, with its error type.
#[derive(Clone, Copy, Debug)]
pub struct Judgement {
    pub(crate) evidence: Evidence,
    /// The type of the error, if there was one.
    pub(crate) error: Option<TypeName>,
    /// Whether the call was dropped before it finished.
    pub(crate) dropped: bool,
}

impl Judgement {
    /// The judgement of a returned value.
    pub(crate) const ANSWERED: Self = Self::of(Evidence::Answered);
    /// The judgement of a panic.
    pub(crate) const PANICKED: Self = Self { error: Some(|| "panic"), ..Self::of(Evidence::Failed) };

    pub(crate) const fn of(evidence: Evidence) -> Self {
        Self { evidence, error: None, dropped: false }
    }

    /// The judgement of a returned error of type `E`.
    pub(crate) fn of_error<E: ?Sized>(evidence: Evidence) -> Self {
        Self { error: Some(std::any::type_name::<E>), ..Self::of(evidence) }
    }

    /// The judgement of a call that was dropped before it finished.
    pub(crate) fn dropped(evidence: Evidence) -> Self {
        Self { dropped: true, ..Self::of(evidence) }
    }

    /// Whether the call returned an error that proves an answer.
    pub(crate) fn is_marked(&self) -> bool {
        self.evidence == Evidence::Answered && self.error.is_some()
    }

    pub(crate) fn is_plain_success(&self) -> bool {
        self.evidence == Evidence::Answered && self.error.is_none()
    }
}
