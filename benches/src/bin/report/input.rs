//! Input of the report: the measurements that the other programs print, one line for each case, separated by tabs.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// What a table shows for a figure that was not measured.
pub const NOT_MEASURED: &str = "-";

/// All measurements.
pub struct Measured {
    /// For each case: instructions, instructions above the bare call, allocations, clock reads.
    pub instructions: Lines,
    /// For each case: nanoseconds per call, millions of calls per second with one thread and with two, their ratio, rounds.
    pub throughput: Lines,
    /// Bytes or nanoseconds for each name. Two numbers are the least and the most.
    pub memory: Lines,
    /// Seconds for each name.
    pub compile_time: Lines,
    /// The finished table of the scenarios.
    pub semantics: String,
    /// The description of the machine, one property in each line.
    pub machine: String,
    /// The lock file with the measured versions.
    pub lock: String,
}

/// Lines of fields. The first field is the name of a line.
pub struct Lines {
    pub names: Vec<String>,
    fields: HashMap<String, Vec<String>>,
}

impl Measured {
    pub fn read(directory: &Path) -> Self {
        let file = |name: &str| fs::read_to_string(directory.join(name)).unwrap_or_default();
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock");
        Self {
            instructions: Lines::of(&file("instructions")),
            throughput: Lines::of(&file("throughput")),
            memory: Lines::of(&file("memory")),
            compile_time: Lines::of(&file("compile-time")),
            semantics: file("semantics"),
            machine: file("machine"),
            lock: fs::read_to_string(lock).unwrap_or_default(),
        }
    }

    /// Returns the measured version of a crate.
    pub fn version(&self, name: &str) -> &str {
        let wanted = format!("name = \"{name}\"\nversion = \"");
        let version = self.lock.split_once(&wanted).and_then(|(_, rest)| rest.split_once('"'));
        version.map_or("?", |(version, _)| version)
    }
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut lines = Self { names: Vec::new(), fields: HashMap::new() };
        for line in text.lines() {
            let mut fields = line.split('\t').map(str::to_owned);
            let Some(name) = fields.next() else { continue };
            lines.names.push(name.clone());
            lines.fields.insert(name, fields.collect());
        }
        lines
    }

    /// Returns a field as it was printed, or `-` if it was not measured.
    pub fn text(&self, name: &str, field: usize) -> &str {
        self.fields.get(name).and_then(|fields| fields.get(field)).map_or(NOT_MEASURED, String::as_str)
    }

    /// Returns a field as a number.
    pub fn number(&self, name: &str, field: usize) -> Option<f64> {
        self.text(name, field).parse().ok()
    }

    /// Returns the most of a line, which is its last number.
    pub fn most(&self, name: &str) -> Option<f64> {
        self.fields.get(name)?.last()?.parse().ok()
    }

    /// Returns the least and the most of a line as text, or only one number if they are equal.
    pub fn range(&self, name: &str) -> String {
        match self.fields.get(name).map(Vec::as_slice) {
            Some([least, most]) if least != most => format!("{least} to {most}"),
            Some([number, ..]) => number.clone(),
            _ => NOT_MEASURED.to_owned(),
        }
    }
}
