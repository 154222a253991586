//! The measurements, as the other programs print them: one line for each case, separated by tabs.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// All measurements.
pub struct Measured {
    /// In the order of measurement; by case: instructions, instructions above the bare call, allocations, clock reads.
    pub instructions: Lines,
    /// By case: nanoseconds for each call, million calls a second of one thread and of two, their ratio, rounds.
    pub throughput: Lines,
    /// Bytes and nanoseconds by name; two numbers are the least and the most.
    pub memory: Lines,
    /// Seconds by name.
    pub compile_time: Lines,
    /// A finished table.
    pub semantics: String,
    /// Lines about the system.
    pub machine: String,
    /// The measured versions.
    pub lock: String,
}

/// The fields of each line, by the first field.
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

    /// The version of a measured crate.
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

    /// A field as printed; `-` where it was not measured.
    pub fn text(&self, name: &str, field: usize) -> &str {
        self.fields.get(name).and_then(|fields| fields.get(field)).map_or("-", String::as_str)
    }

    /// A field as a number.
    pub fn number(&self, name: &str, field: usize) -> Option<f64> {
        self.text(name, field).parse().ok()
    }

    /// The last number of a line with one or two.
    pub fn most(&self, name: &str) -> Option<f64> {
        self.fields.get(name)?.last()?.parse().ok()
    }

    /// A line of one or two numbers, as text.
    pub fn range(&self, name: &str) -> String {
        match self.fields.get(name).map(Vec::as_slice) {
            Some([least, most]) if least != most => format!("{least} to {most}"),
            Some([number, ..]) => number.clone(),
            _ => "-".to_owned(),
        }
    }
}
