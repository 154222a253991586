//! The HTTP statuses that count as failures.

use std::borrow::Cow;

use super::ConfigError;

/// The HTTP statuses that count as failures, in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CountedStatuses {
    listed: Cow<'static, [u16]>,
    pub(crate) http_500: bool,
}

impl Default for CountedStatuses {
    fn default() -> Self {
        Self { listed: Cow::Borrowed(&[502, 503, 504]), http_500: false }
    }
}

impl CountedStatuses {
    pub(crate) fn list(&mut self, statuses: impl IntoIterator<Item = u16>) {
        let mut statuses: Vec<u16> = statuses.into_iter().collect();
        statuses.sort_unstable();
        self.listed = statuses.into();
    }

    pub(crate) fn listed(&self) -> &[u16] {
        &self.listed
    }

    pub(crate) fn contain(&self, status: u16) -> bool {
        self.listed.contains(&status) || (self.http_500 && status == 500)
    }

    /// Checks the list. `setting` is the name for an error.
    pub(super) fn check(&self, setting: &'static str) -> Result<(), ConfigError> {
        let refused = |value: &str, allowed| Err(ConfigError::new(setting, value, allowed));
        let listed = self.listed();
        if listed.is_empty() {
            return refused("[]", "at least one HTTP status");
        }
        if let Some(outside) = listed.iter().find(|status| !(100..=599).contains(*status)) {
            return refused(&outside.to_string(), "HTTP statuses from 100 to 599");
        }
        if let Some(success) = listed.iter().find(|status| (200..=299).contains(*status)) {
            return refused(&success.to_string(), "without a 2xx, which is a success");
        }
        if let Some((twice, _)) = listed.iter().zip(&listed[1..]).find(|(one, next)| one == next) {
            return refused(&format!("{twice} twice"), "a list that names each HTTP status once");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_500_is_added_to_the_list_and_does_not_replace_it() {
        let mut counted = CountedStatuses::default();
        assert!(!counted.contain(500));
        counted.http_500 = true;
        assert_eq!(
            [500, 501, 502, 503, 504, 505].map(|status| counted.contain(status)),
            [true, false, true, true, true, false]
        );
        counted.list([429]);
        assert_eq!([429, 500, 503].map(|status| counted.contain(status)), [true, true, false]);
    }
}
