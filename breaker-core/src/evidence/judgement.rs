//! The judgement of a finished call.

use super::Evidence;

/// The name of a type, as a function pointer, which is half as large as the name. Every circuit stores some.
pub(crate) type TypeName = fn() -> &'static str;

/// The evidence of one finished call, with its error type.
///
/// Two fields, because the compiler passes a struct of two in registers.
#[derive(Clone, Copy, Debug)]
pub struct Judgement {
    end: End,
    /// The type of the error, if there was one.
    pub(crate) error: Option<TypeName>,
}

/// How a call ended, and its evidence. A flat enum, so that it is one value for the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Answered,
    Failed,
    Unknown,
    /// The call was dropped before it finished, and ran too long.
    DroppedFailed,
    /// The call was dropped before it finished.
    DroppedUnknown,
}

impl Judgement {
    /// The judgement of a returned value.
    pub(crate) const ANSWERED: Self = Self::of(Evidence::Answered);
    /// The judgement of a panic.
    pub(crate) const PANICKED: Self = Self { error: Some(|| "panic"), ..Self::of(Evidence::Failed) };

    pub(crate) const fn of(evidence: Evidence) -> Self {
        let end = match evidence {
            Evidence::Answered => End::Answered,
            Evidence::Failed => End::Failed,
            Evidence::Unknown => End::Unknown,
        };
        Self { end, error: None }
    }

    /// The judgement of a returned error of type `E`.
    #[inline]
    pub(crate) fn of_error<E: ?Sized>(evidence: Evidence) -> Self {
        Self { error: Some(std::any::type_name::<E>), ..Self::of(evidence) }
    }

    /// The judgement of a returned error of the type with this name.
    #[cfg(feature = "dynamic")]
    pub(crate) fn of_named_error(evidence: Evidence, name: TypeName) -> Self {
        Self { error: Some(name), ..Self::of(evidence) }
    }

    /// The judgement of a call that was dropped before it finished.
    pub(crate) fn dropped(ran_too_long: bool) -> Self {
        Self { end: if ran_too_long { End::DroppedFailed } else { End::DroppedUnknown }, error: None }
    }

    #[inline]
    pub(crate) fn evidence(self) -> Evidence {
        match self.end {
            End::Answered => Evidence::Answered,
            End::Failed | End::DroppedFailed => Evidence::Failed,
            End::Unknown | End::DroppedUnknown => Evidence::Unknown,
        }
    }

    /// Whether the call was dropped before it finished.
    pub(crate) fn is_dropped(self) -> bool {
        matches!(self.end, End::DroppedFailed | End::DroppedUnknown)
    }

    /// Whether the call returned an error that proves an answer.
    #[inline]
    pub(crate) fn is_marked(self) -> bool {
        self.end == End::Answered && self.error.is_some()
    }

    #[inline]
    pub(crate) fn is_plain_success(self) -> bool {
        self.end == End::Answered && self.error.is_none()
    }
}
