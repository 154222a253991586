//! A ticket system, simulated by a SQLite file.

use std::path::Path;

use rusqlite::{Connection, Result, params};

use crate::store::Escalation;

/// Recognises an escalation that was sent before by its number, which serves as an idempotency key.
pub struct TicketSystem(Connection);

impl TicketSystem {
    pub fn open(file: &Path) -> Result<Self> {
        let connection = Connection::open(file)?;
        connection
            .execute_batch("CREATE TABLE IF NOT EXISTS tickets (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")?;
        Ok(Self(connection))
    }

    /// Opens a ticket, unless one with this number exists.
    pub fn send(&self, Escalation { id, connection, reason }: &Escalation) -> Result<()> {
        let text = format!("{connection} needs attention: {reason}");
        self.0.execute("INSERT OR IGNORE INTO tickets (id, text) VALUES (?1, ?2)", params![id, text])?;
        Ok(())
    }

    pub fn tickets(&self) -> Result<Vec<String>> {
        self.0.prepare("SELECT text FROM tickets ORDER BY id")?.query_map([], |row| row.get(0))?.collect()
    }
}
