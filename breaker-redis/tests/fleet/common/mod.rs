//! Shared parts of the tests: a real server, and processes that make calls.
#![allow(dead_code, reason = "each test takes what it needs")]

/// Prints a line even where the test harness captures output: figures, and skipped tests.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout().lock(), $($text)*);
    }};
}
#[allow(unused_imports, reason = "each test takes what it needs")]
pub(crate) use say;

pub(crate) mod process;
pub(crate) mod proxy;
pub(crate) mod server;
pub(crate) mod worker;

use std::time::{Duration, Instant, SystemTime};

pub(crate) const SECOND: Duration = Duration::from_secs(1);

pub(crate) fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Microseconds of the wall clock, which all processes on this machine share.
pub(crate) fn wall() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    u64::try_from(since.as_micros()).unwrap()
}

/// Waits until a condition holds. Returns how long that took.
pub(crate) fn until(what: &str, within: Duration, mut is_so: impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < within, "{what}: not within {within:?}");
        std::thread::sleep(ms(1));
    }
    start.elapsed()
}

/// Returns the value below which this share of the values is. Sorts the values.
pub(crate) fn quantile(values: &mut [u64], share: f64) -> u64 {
    values.sort_unstable();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "small")]
    let position = ((values.len() - 1) as f64 * share) as usize;
    values[position]
}
