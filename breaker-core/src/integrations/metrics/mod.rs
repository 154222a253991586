//! Counts and gauges of all circuits, for any recorder of the `metrics` crate (feature `metrics`).
//!
//! Circuits count for themselves, and a [`Reporter`] passes the counts to the recorder, on a timer or just before a scrape.
//! So a call never waits for a recorder, a cooldown that ends without calls is reported as over, and an open circuit stays
//! visible while it receives no calls.
//!
//! ```
//! use std::time::Duration;
//! use breaker_core::{Config, Registry, metrics::Reporter};
//!
//! let registry = Registry::new(Config::default());
//! // Start it after the recorder was installed. Reporting ends when the handle is dropped.
//! let reporting = Reporter::new(&registry).every(Duration::from_secs(5));
//! # drop(reporting);
//! ```
//!
//! # The metrics
//!
//! | name | type | further labels | meaning |
//! |---|---|---|---|
//! | `circuit_breaker_calls_total` | counter | `evidence` | finished calls, by their evidence |
//! | `circuit_breaker_rejections_total` | counter | `reason` | rejected calls |
//! | `circuit_breaker_transitions_total` | counter | `to`, `reason` | changes of state |
//! | `circuit_breaker_state_seconds_total` | counter | `state` | time spent in a state, in whole seconds |
//! | `circuit_breaker_stale_results_total` | counter | | results of an older era, which were ignored |
//! | `circuit_breaker_failures_cleared_by_answers_total` | counter | | failures that an answer cleared from the streak |
//! | `circuit_breaker_state` | gauge | `state` | 1 for the current state, 0 for the others |
//! | `circuit_breaker_state_since_timestamp_seconds` | gauge | | when the current state began, in Unix time; with a clock of your own, in the time of that clock |
//! | `circuit_breaker_retry_after_seconds` | gauge | | the remaining cooldown; 0 outside one, `+Inf` while held open |
//! | `circuit_breaker_streak` | gauge | | failures that count towards the threshold |
//! | `circuit_breaker_last_failure_info` | gauge | `operation`, `error` | 1 for the last failure |
//! | `circuit_breaker_circuits` | gauge | `state` | circuits of the registry; without the label `connection` |
//!
//! All but the last carry the label `connection`.
//!
//! # Bounded cardinality
//!
//! At most [`connections`](Reporter::connections) circuits have series of their own. Where there are more, degraded circuits
//! come first. The counts of the others are added to `connection="(other)"`, so that sums over all connections stay right.
//!
//! # Evicted circuits
//!
//! The `metrics` facade cannot remove a series, so the recorder has to. While a circuit exists, every report touches all of
//! its series. After it was evicted, its gauges are set to 0 once more and not touched again. An exporter with an idle
//! timeout longer than the interval of reports then drops them:
//! `PrometheusBuilder::new().idle_timeout(MetricKindMask::ALL, Some(Duration::from_secs(60)))`. If the circuit is created
//! again, its counters continue from their last value, or from 0 where the recorder dropped them, which Prometheus handles
//! as a counter reset. Counts that an evicted circuit had not reported yet are reported under `(other)`.

mod reporter;
mod series;
mod slots;

pub use reporter::{Reporter, Reporting};
