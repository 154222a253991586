//! The integration code of a CRM: the circuit of the connection guards every outbound call.

use std::sync::Arc;
use std::time::Duration;

use breaker_core::{CircuitOpen, ProvesReachable, breaker};
use reqwest::{Response, StatusCode};

use crate::connection::SystemConnection;

#[derive(Debug, thiserror::Error, ProvesReachable)]
pub(crate) enum CrmError {
    /// The shop answers an unknown contact with a plain 404.
    #[error("no contact {0}")]
    #[reachable(status = 404)]
    ContactNotFound(u64),
    /// Evidence by the status: a 503 counts against the circuit, a 403 does not.
    #[error("the shop answered with status {0}")]
    Status(#[reachable(status)] u16),
    #[error("the request failed")]
    Http(#[from] reqwest::Error),
    #[error(transparent)]
    Rejected(#[from] CircuitOpen),
}

pub(crate) struct Crm {
    connection: Arc<SystemConnection>,
    http: reqwest::Client,
}

impl Crm {
    pub(crate) fn new(connection: Arc<SystemConnection>, timeout: Duration) -> reqwest::Result<Self> {
        let http = reqwest::Client::builder().timeout(timeout).pool_max_idle_per_host(1).build()?;
        Ok(Self { connection, http })
    }

    /// Checks the credentials.
    #[breaker(connection = self.connection)]
    pub(crate) async fn verify(&self) -> Result<(), CrmError> {
        self.get("/verify").await?;
        Ok(())
    }

    /// Returns the size of the whole export, which is read chunk by chunk.
    #[breaker(connection = self.connection)]
    pub(crate) async fn stream_bulk_export(&self) -> Result<usize, CrmError> {
        let mut response = self.get("/bulk-export").await?;
        let mut bytes = 0;
        while let Some(chunk) = response.chunk().await? {
            bytes += chunk.len();
        }
        Ok(bytes)
    }

    /// Returns whether there is anything to export.
    #[breaker(connection = self.connection)]
    pub(crate) async fn probe_bulk_export(&self) -> Result<bool, CrmError> {
        let size = self.stream_bulk_export().await?;
        Ok(size > 0)
    }

    #[breaker(connection = self.connection)]
    pub(crate) async fn fetch_page_range(&self, first: u32, last: u32) -> Result<Vec<String>, CrmError> {
        let mut pages = Vec::new();
        for page in first..=last {
            pages.push(self.get(&format!("/pages/{page}")).await?.text().await?);
        }
        Ok(pages)
    }

    #[breaker(connection = self.connection)]
    pub(crate) async fn pull_consent(&self, contact: u64) -> Result<String, CrmError> {
        match self.get(&format!("/contacts/{contact}/consent")).await {
            Err(CrmError::Status(404)) => Err(CrmError::ContactNotFound(contact)),
            Err(error) => Err(error),
            Ok(response) => Ok(response.text().await?),
        }
    }

    /// Inbound: the shop calls this service, so the method is not guarded.
    pub(crate) async fn handle_webhook(&self, topic: &str) -> bool {
        tokio::task::yield_now().await;
        !topic.is_empty()
    }

    async fn get(&self, path: &str) -> Result<Response, CrmError> {
        let response = self.http.get(self.connection.url(path)).send().await?;
        match response.status() {
            StatusCode::OK => Ok(response),
            other => Err(CrmError::Status(other.as_u16())),
        }
    }
}
