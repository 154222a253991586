//! The error for an invalid setting.

use std::borrow::Cow;

/// An invalid setting, with its value and the allowed range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{setting}` is {value}, but must be {allowed}")]
pub struct ConfigError {
    setting: Cow<'static, str>,
    value: String,
    allowed: String,
}

impl ConfigError {
    pub(crate) fn new(
        setting: impl Into<Cow<'static, str>>,
        value: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Self {
        Self { setting: setting.into(), value: value.into(), allowed: allowed.into() }
    }

    /// The name of the setting: a method of a builder, with the argument where the method has several
    /// (`failure_rate.ratio`), or an environment variable.
    #[must_use]
    pub fn setting(&self) -> &str {
        &self.setting
    }

    /// The given value.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The allowed values, as the end of the sentence "must be ...".
    #[must_use]
    pub fn allowed(&self) -> &str {
        &self.allowed
    }
}
