//! Counts and gauges of all circuits, for whatever recorder the `metrics` crate is given.
//!
//! Circuits count for themselves; a [`Reporter`] hands on what they counted, on a timer or just before a scrape. So a
//! call never waits for a recorder, a cooldown that ends while nobody calls is seen to end, and a circuit that is open and
//! quiet stays visible.
//!
//! ```
//! use std::time::Duration;
//! use breaker_core::{Config, Registry, metrics::Reporter};
//!
//! let registry = Registry::new(Config::default());
//! // After the recorder was installed. Reporting ends when this is dropped.
//! let reporting = Reporter::new(&registry).every(Duration::from_secs(5));
//! # drop(reporting);
//! ```
//!
//! # The metrics
//!
//! | name | type | further labels | meaning |
//! |---|---|---|---|
//! | `circuit_breaker_calls_total` | counter | `evidence` | finished calls, by what they said of the remote system |
//! | `circuit_breaker_rejections_total` | counter | `reason` | calls that were not made |
//! | `circuit_breaker_transitions_total` | counter | `to`, `reason` | changes of state |
//! | `circuit_breaker_state_seconds_total` | counter | `state` | time spent in a state, in whole seconds |
//! | `circuit_breaker_stale_results_total` | counter | | results of an older era, which changed nothing |
//! | `circuit_breaker_failures_cleared_by_answers_total` | counter | | failures that an answer cleared from the streak |
//! | `circuit_breaker_state` | gauge | `state` | 1 for the present state, 0 for the others |
//! | `circuit_breaker_state_since_timestamp_seconds` | gauge | | when the present state began, in Unix time |
//! | `circuit_breaker_retry_after_seconds` | gauge | | the rest of the cooldown; 0 outside one, `+Inf` while held open |
//! | `circuit_breaker_streak` | gauge | | failures that count towards the threshold |
//! | `circuit_breaker_last_failure_info` | gauge | `operation`, `error` | 1 for the last failure |
//! | `circuit_breaker_circuits` | gauge | `state` | circuits of the registry; without the label `connection` |
//!
//! All but the last carry the label `connection`.
//!
//! # Bounded cardinality
//!
//! At most [`connections`](Reporter::connections) circuits have series of their own. Where there are more, those in trouble
//! come first, and what the rest counted goes to `connection="(other)"`, so that sums over all connections stay right.
//!
//! # Circuits that are gone
//!
//! The facade has no way to remove a series, so a recorder has to. While a circuit lives, every report touches all of its
//! series; once it is gone, its gauges are set to 0 a last time and nothing touches them any more. An exporter with an idle
//! timeout longer than the interval of reports then drops them:
//! `PrometheusBuilder::new().idle_timeout(MetricKindMask::ALL, Some(Duration::from_secs(60)))`. A circuit that comes
//! back looks its series up anew: it goes on where the series stands, or starts it again from 0, which Prometheus takes for
//! what it is. What a circuit had counted and not yet reported when it went is reported under `(other)`.

mod reporter;
mod series;
mod slots;

pub use reporter::{Reporter, Reporting};
