//! Consistency of the repository: links, badges, names of tests, and the layout of the sources.

use std::fs;
use std::path::{Path, PathBuf};

mod clocks;
mod copies;
mod guides;
mod layout;
mod packages;
mod snippets;
mod test_names;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}
