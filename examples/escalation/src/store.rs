//! Storage of the data that must survive a crash: connections that need attention, and unsent escalations.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Result, TransactionBehavior, params};

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS connections (
        key    TEXT PRIMARY KEY,
        status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'needs attention'))
    ) STRICT;
    CREATE TABLE IF NOT EXISTS escalations (
        id         INTEGER PRIMARY KEY AUTOINCREMENT,
        connection TEXT NOT NULL REFERENCES connections (key),
        reason     TEXT NOT NULL,
        sent       INTEGER NOT NULL DEFAULT FALSE
    ) STRICT;
    -- The database itself refuses a second escalation of a connection that needs attention already.
    CREATE TRIGGER IF NOT EXISTS one_escalation_for_each_opening BEFORE INSERT ON escalations
    WHEN (SELECT status FROM connections WHERE key = NEW.connection) IS NOT 'active'
    BEGIN SELECT RAISE(ABORT, 'escalated already'); END;
";

/// The connections and escalations in a SQLite file.
pub struct Store(Mutex<Connection>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Active,
    NeedsAttention,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escalation {
    /// The same each time the escalation is sent, so that the ticket system recognises a repetition.
    pub id: i64,
    pub connection: String,
    pub reason: String,
}

impl Store {
    pub fn open(file: &Path) -> Result<Self> {
        let connection = Connection::open(file)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // Makes a commit durable before it returns.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self(Mutex::new(connection)))
    }

    /// Adds a connection. A connection that exists already is not changed.
    pub fn add(&self, key: &str) -> Result<()> {
        self.file().execute("INSERT OR IGNORE INTO connections (key) VALUES (?1)", [key])?;
        Ok(())
    }

    /// Marks the connection of an opened circuit and records its escalation in one transaction. Returns `false` and
    /// records nothing if the connection is marked already.
    pub fn record_opening(&self, key: &str, reason: &str) -> Result<bool> {
        let mut file = self.file();
        let transaction = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let is_new = transaction
            .query_row("SELECT 1 FROM connections WHERE key = ?1 AND status = 'active'", [key], |_| Ok(()))
            .optional()?
            .is_some();
        if is_new {
            transaction
                .execute("INSERT INTO escalations (connection, reason) VALUES (?1, ?2)", params![key, reason])?;
            transaction.execute("UPDATE connections SET status = 'needs attention' WHERE key = ?1", [key])?;
        }
        transaction.commit()?;
        Ok(is_new)
    }

    /// Clears the mark of a connection that was reconnected.
    pub fn mark_active(&self, key: &str) -> Result<()> {
        self.file().execute("UPDATE connections SET status = 'active' WHERE key = ?1", [key])?;
        Ok(())
    }

    /// Returns the connections that jobs may call.
    pub fn active(&self) -> Result<Vec<String>> {
        let file = self.file();
        let mut rows = file.prepare("SELECT key FROM connections WHERE status = 'active' ORDER BY key")?;
        rows.query_map([], |row| row.get(0))?.collect()
    }

    pub fn status(&self, key: &str) -> Result<Option<Status>> {
        let read = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        let status = self.file().query_row("SELECT status FROM connections WHERE key = ?1", [key], read).optional()?;
        Ok(status.map(|status| if status == "active" { Status::Active } else { Status::NeedsAttention }))
    }

    /// Returns the escalations that are not recorded as sent.
    pub fn unsent(&self) -> Result<Vec<Escalation>> {
        let file = self.file();
        let mut rows = file.prepare("SELECT id, connection, reason FROM escalations WHERE NOT sent ORDER BY id")?;
        let read =
            |row: &rusqlite::Row<'_>| Ok(Escalation { id: row.get(0)?, connection: row.get(1)?, reason: row.get(2)? });
        rows.query_map([], read)?.collect()
    }

    pub fn mark_sent(&self, id: i64) -> Result<()> {
        self.file().execute("UPDATE escalations SET sent = TRUE WHERE id = ?1", [id])?;
        Ok(())
    }

    fn file(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
