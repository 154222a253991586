//! The job that synchronises one shop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use breaker_core::{Connection as _, Evidence, ProvesReachable, Registry};
use futures::future::join_all;

use crate::connection::{Status, SystemConnection};
use crate::crm::{Crm, CrmError};
use crate::shop::Shop;
use crate::timeline::Timeline;
use crate::{COOLDOWN, pause};

pub(crate) struct Job {
    pub(crate) shop: Shop,
    pub(crate) connection: Arc<SystemConnection>,
    pub(crate) crm: Crm,
    pub(crate) counts: Counts,
    timeline: Timeline,
}

/// The number of the job's calls by result.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) succeeded: AtomicU64,
    /// Errors that prove an answer of the shop.
    pub(crate) marked: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) rejected: AtomicU64,
}

impl Job {
    pub(crate) fn new(
        shop: Shop,
        connection: Arc<SystemConnection>,
        timeline: Timeline,
        timeout: Duration,
    ) -> reqwest::Result<Self> {
        let crm = Crm::new(connection.clone(), timeout)?;
        Ok(Self { shop, connection, crm, counts: Counts::default(), timeline })
    }

    /// Synchronises the shop in an endless loop, also while its calls fail.
    pub(crate) async fn sync(&self) {
        for contact in 1.. {
            self.count("verify", &self.crm.verify().await);
            self.count("probe_bulk_export", &self.crm.probe_bulk_export().await);
            self.count("fetch_page_range", &self.crm.fetch_page_range(1, 3).await);
            for contact in 10 * contact..10 * contact + 3 {
                self.count("pull_consent", &self.crm.pull_consent(contact).await);
            }
            pause(40).await;
        }
    }

    /// Waits for the end of the cooldown and then makes this many calls at once, in addition to those of the job.
    pub(crate) async fn call_after_cooldown(&self, callers: usize) {
        while Registry::global().circuit(&*self.connection).snapshot().retry_after.is_some() {
            tokio::time::sleep(COOLDOWN / 400).await;
        }
        let calls = join_all((0..callers).map(|_| self.crm.verify())).await;
        for call in &calls {
            self.count("verify", call);
        }
    }

    pub(crate) async fn wait_for_status(&self, status: Status) {
        while self.connection.status() != status {
            pause(1).await;
        }
    }

    fn count<T>(&self, operation: &str, result: &Result<T, CrmError>) {
        let counter = match result {
            Ok(_) => &self.counts.succeeded,
            Err(CrmError::Rejected(_)) => &self.counts.rejected,
            Err(error) if error.evidence() == Evidence::Answered => &self.counts.marked,
            Err(error) => {
                self.timeline.event(&self.connection.key(), &format!("{operation} failed: {error}"));
                &self.counts.failed
            }
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}
