//! Writes the tables of `COMPARISON.md` from the measurements. `report.sh` starts this program.
//!
//!     report DIRECTORY               prints the tables
//!     report DIRECTORY --write FILE  also replaces the tables in FILE, each between its two comments

mod budgets;
mod input;
mod tables;

use std::fs;
use std::path::Path;

use input::Measured;

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let directory = arguments.first().expect("the first argument is the directory of the measurements");
    let measured = Measured::read(Path::new(directory));
    let blocks = [
        ("machine", tables::machine(&measured)),
        ("budgets", budgets::table(&measured)),
        ("closed", tables::closed(&measured)),
        ("looked up", tables::looked_up(&measured)),
        ("a million keys", tables::million(&measured)),
        ("other paths", tables::other_paths(&measured)),
        ("failures and rejections", tables::beside_rivals(&measured)),
        ("bytes", tables::bytes(&measured)),
        ("compile time", tables::compile_time(&measured)),
        ("behaviour", measured.semantics.clone()),
    ];
    for (name, block) in &blocks {
        println!("\n== {name}\n\n{}", block.trim_end());
    }
    if let [_, flag, file] = &arguments[..] {
        assert_eq!(flag, "--write", "`--write` is the only flag");
        let mut text = fs::read_to_string(file).expect("the file can be read");
        for (name, block) in &blocks {
            text = with_block(&text, name, block);
        }
        fs::write(file, text).expect("the file can be written");
    }
}

/// Returns the text with a new block between the comments that name it.
fn with_block(text: &str, name: &str, block: &str) -> String {
    let (start, end) = (format!("<!-- measured: {name} -->\n"), "<!-- end -->");
    let (before, rest) = text.split_once(&start).unwrap_or_else(|| panic!("the start of {name} is missing"));
    let (_, after) = rest.split_once(end).unwrap_or_else(|| panic!("the end of {name} is missing"));
    format!("{before}{start}{}\n{end}{after}", block.trim_end())
}
