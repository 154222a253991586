//! The length of a cooldown.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::Duration;

use super::Era;
use crate::config::Settings;

/// The seed of the random extensions of a registry's cooldowns. By default it is random, so that the processes of a service,
/// which open their circuits of one connection together, do not probe together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JitterSeed {
    Random(u64),
    /// The choice of the user, which is the same in each process.
    Chosen(u64),
}

impl Default for JitterSeed {
    fn default() -> Self {
        // The only source of random numbers in the standard library. On targets without one, such as
        // `wasm32-unknown-unknown`, it returns a constant and does not panic.
        Self::Random(RandomState::new().hash_one(()))
    }
}

impl From<u64> for JitterSeed {
    fn from(seed: u64) -> Self {
        Self::Chosen(seed)
    }
}

impl JitterSeed {
    /// The seed in this process. A process that was forked has the random numbers of its parent, so they are combined with
    /// the number of the process.
    fn in_this_process(self) -> u64 {
        match self {
            Self::Random(seed) => seed.wrapping_add(u64::from(process_number())),
            Self::Chosen(seed) => seed,
        }
    }
}

/// Returns zero on targets without processes, where the standard library panics.
fn process_number() -> u32 {
    if cfg!(target_family = "wasm") { 0 } else { std::process::id() }
}

/// What the random extension of a cooldown depends on, beside the era.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jitter<'c> {
    pub(crate) seed: JitterSeed,
    pub(crate) connection: &'c str,
}

/// The cooldown after `reopened` reopenings in a row: first grown, then extended at random, never shortened.
pub(super) fn length(settings: &Settings, reopened: u32, jitter: Jitter<'_>, era: Era) -> Duration {
    let grown = match &settings.cooldown_growth {
        None => settings.cooldown,
        Some(growth) => {
            let exponent = i32::try_from(reopened).unwrap_or(i32::MAX);
            scaled(settings.cooldown, growth.factor.powi(exponent)).min(growth.max)
        }
    };
    if settings.cooldown_jitter > 0.0 {
        scaled(grown, settings.cooldown_jitter.mul_add(chance(jitter, era), 1.0)).max(grown)
    } else {
        grown
    }
}

/// The longest possible cooldown.
pub(super) fn longest(settings: &Settings) -> Duration {
    let grown = settings.cooldown_growth.as_ref().map_or(settings.cooldown, |growth| growth.max.max(settings.cooldown));
    scaled(grown, 1.0 + settings.cooldown_jitter)
}

/// Multiplies a duration by a factor of at least 1. An overflow yields `Duration::MAX`.
fn scaled(duration: Duration, factor: f64) -> Duration {
    if factor <= 1.0 {
        // Returns an exact setting unchanged, without a conversion to floating point.
        return duration;
    }
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

/// A pseudo-random number from 0 to 1, equal for equal seeds, connections and eras.
fn chance(Jitter { seed, connection }: Jitter<'_>, era: Era) -> f64 {
    let of_circuit = foldhash::quality::FixedState::with_seed(seed.in_this_process()).hash_one(connection);
    let hash = foldhash::quality::FixedState::with_seed(of_circuit).hash_one(era.0);
    // Four bytes of the hash are enough and convert to a float exactly.
    let [a, b, c, d, ..] = hash.to_ne_bytes();
    f64::from(u32::from_ne_bytes([a, b, c, d])) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    const SECOND: Duration = Duration::from_secs(1);
    const A: Jitter<'_> = Jitter { seed: JitterSeed::Chosen(7), connection: "a" };
    const B: Jitter<'_> = Jitter { connection: "b", ..A };

    #[test]
    fn a_forked_process_has_a_seed_of_its_own() {
        assert_eq!(JitterSeed::Random(7).in_this_process(), 7 + u64::from(std::process::id()));
        assert_eq!(JitterSeed::Chosen(7).in_this_process(), 7);
    }

    #[test]
    fn the_cooldown_grows_with_each_reopening_up_to_its_maximum() {
        let config = Config::builder().cooldown(SECOND).cooldown_growth(2.0, 10 * SECOND).build().unwrap();
        let grown = |reopened| length(config.settings(), reopened, A, Era(0));
        assert_eq!([0, 1, 2, 3, 4, 5].map(grown), [1, 2, 4, 8, 10, 10].map(Duration::from_secs));
        assert_eq!(grown(u32::MAX), 10 * SECOND);
    }

    #[test]
    fn jitter_only_lengthens_and_is_bounded_and_repeatable() {
        let config = Config::builder().cooldown(SECOND).cooldown_jitter(0.5).build().unwrap();
        let lengths: Vec<_> = (0..1_000).map(|era| length(config.settings(), 0, A, Era(era))).collect();
        assert!(lengths.iter().all(|length| (SECOND..=SECOND.mul_f64(1.5)).contains(length)));
        assert!(lengths.iter().any(|length| *length < SECOND.mul_f64(1.05)));
        assert!(lengths.iter().any(|length| *length > SECOND.mul_f64(1.45)));
        assert_eq!(lengths[3], length(config.settings(), 0, A, Era(3)));
        assert_ne!(lengths[3], length(config.settings(), 0, B, Era(3)));
        let other = Jitter { seed: JitterSeed::Chosen(8), ..A };
        assert_ne!(lengths[3], length(config.settings(), 0, other, Era(3)));
    }

    #[test]
    fn the_maximum_cooldown_is_not_exceeded_by_jitter() {
        let config = Config::builder().cooldown(Duration::MAX).cooldown_jitter(1.0).build().unwrap();
        assert_eq!(length(config.settings(), 3, A, Era(3)), Duration::MAX);
    }
}
