//! One compilation of 600 functions, each with one token of its attribute changed: the item survives, and one mistake causes
//! one error.
//!
//! It compiles a package of its own, which takes minutes from nothing: `cargo test --test one_token -- --ignored --nocapture`.
//! `ONE_TOKEN_SEED=7` makes other changes.

#[path = "common/chance.rs"]
mod chance;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

use chance::Chance;

const ATTRIBUTES: usize = 600;

/// Attributes of each argument, each with an item of a shape.
const TEMPLATES: &[(&str, &str)] = &[
    ("connection = conn . circuit", "pub async fn call(conn: &Conn) -> Answer { Ok(conn.id) }"),
    ("connection = ( \"shop\" , conn . id ) , probe = false", "pub fn call(conn: &Conn) -> Answer { Ok(conn.id) }"),
    (
        "connection = pick ( conn . id ) ? , registry = Registry :: global ( )",
        "pub async fn call(conn: &Conn) -> Answer { Ok(conn.id) }",
    ),
    (
        "connection = conn . circuit , fallback = | open | Ok ( len ( & open ) )",
        "pub async fn call(conn: &Conn) -> Answer { Ok(conn.id) }",
    ),
    ("connection = conn . circuit , fallback = instead", "pub fn call(conn: &Conn) -> Answer { Ok(conn.id) }"),
    (
        "connection = conn . circuit , is_failure = | error : & CallError | error . is_fault ( )",
        "pub fn call(conn: &Conn) -> impl Future<Output = Answer> + use<> { let id = conn.id; async move { Ok(id) } }",
    ),
    (
        "connection = conn . circuit , is_success = | id | * id > 3",
        "pub fn call(conn: &Conn) -> Pin<Box<dyn Future<Output = Answer> + Send + '_>> { Box::pin(async { Ok(conn.id) }) }",
    ),
    (
        "connection = conn . circuit , timeout = \"5s\" , operation = \"stock\"",
        "pub async fn call(conn: &Conn) -> Answer { Ok(conn.id) }",
    ),
    (
        "connection = \"rates\" , crate = breaker_core , probe = true",
        "pub fn call(conn: &Conn) -> impl Stream<Item = Answer> + use<> { stream::iter([Ok(conn.id)]) }",
    ),
    (
        "connection = conn . circuit , settles = first_item",
        "pub fn call(conn: &Conn) -> Pin<Box<dyn Stream<Item = Answer> + Send>> { Box::pin(stream::iter([Ok(conn.id)])) }",
    ),
    (
        "connection = { let circuit = & conn . circuit ; circuit . clone ( ) } , is_failure = CallError :: is_fault",
        "pub fn call(conn: &Conn) -> Answer { Ok(conn.id) }",
    ),
];

const PRELUDE: &str = r#"#![allow(warnings)]
use std::pin::Pin;
use breaker_core::{Circuit, CircuitOpen, ProvesReachable, Registry, TimedOut, breaker};
use futures::{Stream, stream};
pub struct Conn { pub id: u64, pub circuit: Circuit }
pub type Answer = Result<u64, CallError>;
#[derive(Debug, thiserror::Error, ProvesReachable)]
pub enum CallError {
    #[error("no such record")] #[reachable(status = 404)] NotFound,
    #[error(transparent)] Rejected(#[from] CircuitOpen),
    #[error(transparent)] TimedOut(#[from] TimedOut),
}
impl CallError { pub fn is_fault(&self) -> bool { true } }
pub fn pick(id: u64) -> Result<Circuit, CallError> { Err(CallError::NotFound) }
pub fn len(open: &CircuitOpen) -> u64 { 1 }
pub fn instead(open: CircuitOpen) -> Answer { Ok(1) }
"#;

/// Removes, doubles or replaces one token that is not a delimiter, or swaps it with the next one.
fn changed(attribute: &str, chance: &mut Chance) -> String {
    let words: Vec<&str> =
        TEMPLATES.iter().flat_map(|(attribute, _)| attribute.split(' ')).filter(|word| !is_delimiter(word)).collect();
    let mut tokens: Vec<&str> = attribute.split(' ').collect();
    let places: Vec<usize> = (0..tokens.len()).filter(|at| !is_delimiter(tokens[*at])).collect();
    let at = places[chance.below(places.len())];
    match chance.below(4) {
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(at, tokens[at]),
        2 if tokens.get(at + 1).is_some_and(|next| !is_delimiter(next)) => tokens.swap(at, at + 1),
        _ => tokens[at] = words[chance.below(words.len())],
    }
    tokens.join(" ")
}

fn is_delimiter(token: &str) -> bool {
    matches!(token, "(" | ")" | "{" | "}")
}

/// The errors of each line, as `code message`.
fn errors_by_line(package: &Path) -> BTreeMap<u64, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--message-format=json", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .output()
        .unwrap();
    let mut errors: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let mut messages = 0;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        let message = &message["message"];
        if message["level"] != "error" {
            continue;
        }
        messages += 1;
        let spans = message["spans"].as_array().unwrap();
        let Some(line) =
            spans.iter().find(|span| span["is_primary"] == true).and_then(|span| span["line_start"].as_u64())
        else {
            continue;
        };
        errors.entry(line).or_default().push(message["message"].as_str().unwrap().to_owned());
    }
    assert!(messages > 100, "{}", String::from_utf8_lossy(&output.stderr));
    errors
}

#[test]
#[ignore = "it compiles a package of its own"]
fn one_changed_token_causes_one_error_and_the_item_survives() {
    let seed = env::var("ONE_TOKEN_SEED").map_or(0x9E37_79B9_7F4A_7C15, |seed| seed.parse().unwrap());
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let package = root.join("target/one-token");
    let mut chance = Chance(seed);
    let mut source = PRELUDE.to_owned();
    let mut lines = BTreeMap::new();
    for number in 0..ATTRIBUTES + TEMPLATES.len() {
        let (attribute, item) = TEMPLATES[number % TEMPLATES.len()];
        // The last ones are unchanged, and must compile.
        let attribute = if number < ATTRIBUTES { changed(attribute, &mut chance) } else { attribute.to_owned() };
        // One line each, so that a line is an item.
        let line = source.lines().count() as u64 + 1;
        writeln!(
            source,
            "mod m{number} {{ use super::*; #[breaker({attribute})] {item} }} pub use m{number}::call as c{number};"
        )
        .unwrap();
        lines.insert(line, attribute);
    }
    fs::create_dir_all(package.join("src")).unwrap();
    fs::write(package.join("src/lib.rs"), source).unwrap();
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    let manifest = format!(
        "[package]\nname = \"one-token\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         breaker-core = {{ path = {:?}, features = [\"stream\", \"tokio\"] }}\nthiserror = \"2\"\n\
         futures = {{ version = \"0.3\", default-features = false, features = [\"std\", \"async-await\"] }}\n",
        root.join("breaker-core")
    );
    fs::write(package.join("Cargo.toml"), manifest).unwrap();

    let errors = errors_by_line(&package);
    let lost = |error: &&String| error.contains("unresolved import") || error.contains("no `call`");
    let mut several = Vec::new();
    for (line, errors) in &errors {
        let attribute = lines.get(line).unwrap_or_else(|| panic!("line {line}: {errors:#?}"));
        assert!(!TEMPLATES.iter().any(|(template, _)| template == attribute), "`#[breaker({attribute})]`: {errors:#?}");
        assert!(!errors.iter().any(|error| lost(&error)), "`#[breaker({attribute})]` loses its item: {errors:#?}");
        if errors.len() > 1 {
            several.push((attribute, errors));
        }
    }
    println!("{} of {ATTRIBUTES} do not compile, {} of them with several errors", errors.len(), several.len());
    for (attribute, errors) in &several {
        println!("#[breaker({attribute})]\n    {}", errors.join("\n    "));
    }
    assert!(several.len() * 100 <= ATTRIBUTES * 5, "{} attributes with several errors", several.len());
}
