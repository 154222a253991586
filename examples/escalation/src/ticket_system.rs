//! A stand-in for a ticket system.

use std::path::Path;

use rusqlite::{Connection, Result, params};

use crate::store::Escalation;

/// A ticket system that recognises an escalation by its number, like an idempotency key.
pub struct TicketSystem(Connection);

impl TicketSystem {
    pub fn open(file: &Path) -> Result<Self> {
        let connection = Connection::open(file)?;
        connection
            .execute_batch("CREATE TABLE IF NOT EXISTS tickets (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")?;
        Ok(Self(connection))
    }

    /// Opens a ticket. If the ticket exists, nothing happens.
    pub fn send(&self, Escalation { id, connection, reason }: &Escalation) -> Result<()> {
        let text = format!("{connection} needs attention: {reason}");
        self.0.execute("INSERT OR IGNORE INTO tickets (id, text) VALUES (?1, ?2)", params![id, text])?;
        Ok(())
    }

    pub fn tickets(&self) -> Result<Vec<String>> {
        self.0.prepare("SELECT text FROM tickets ORDER BY id")?.query_map([], |row| row.get(0))?.collect()
    }
}
