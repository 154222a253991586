//! The blocks of code in the README and in the guides: whatever a reader pastes is checked. Rust is compiled by `cargo test
//! --doc`; these tests check that the commands above it add the crates and features that it uses, that commands and files of
//! settings are right, and that no block is left out.

use std::collections::BTreeSet;

use crate::{read, root};

/// A fenced block.
struct Block {
    place: String,
    language: String,
    content: String,
}

/// The pages that readers copy from. `CONTRIBUTING.md` has no blocks.
fn pages() -> Vec<String> {
    let guides = std::fs::read_dir(root().join("docs"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let mut pages: Vec<_> = guides
        .filter(|name| std::path::Path::new(name).extension().is_some_and(|extension| extension == "md"))
        .map(|name| format!("docs/{name}"))
        .collect();
    pages.extend(["README.md", "breaker-redis/README.md", "breaker-macros/README.md"].map(str::to_owned));
    pages.sort();
    pages
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_inside = false;
    for (number, line) in read(page).lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            if !is_inside {
                let place = format!("{page}:{}", number + 1);
                blocks.push(Block { place, language: language.to_owned(), content: String::new() });
            }
            is_inside = !is_inside;
        } else if is_inside {
            let content = &mut blocks.last_mut().unwrap().content;
            content.push_str(line);
            content.push('\n');
        }
    }
    assert!(!is_inside, "{page} has a block without an end");
    blocks
}

fn all_blocks() -> Vec<Block> {
    pages().iter().flat_map(|page| blocks(page)).collect()
}

/// Blocks that `cargo test --doc` does not compile, each with the file that is compiled and contains it.
const COMPILED_ELSEWHERE: &[(&str, &str)] = &[
    // The exporter is a dependency of the package of checks only.
    ("docs/operating.md", "checks/examples/exporter.rs"),
    // `ring` needs a C compiler, and the rest of the workspace none.
    ("docs/fleet.md", "checks/examples/tls.rs"),
];

// Fails if a block is neither compiled nor checked by another test of this file.
#[test]
fn every_block_is_compiled_or_checked() {
    const COMPILED: &[&str] =
        &["rust", "rust,no_run", "rust,test_harness", "rust,test_harness,no_run", "rust,compile_fail"];
    const CHECKED: &[&str] = &["console", "toml", "text"];
    let mut unchecked = Vec::new();
    for Block { place, language, content } in all_blocks() {
        let known = COMPILED.contains(&&*language) || CHECKED.contains(&&*language);
        let elsewhere =
            COMPILED_ELSEWHERE.iter().any(|(page, file)| place.starts_with(page) && contains(&read(file), &content));
        if !(known || language == "rust,ignore" && elsewhere) {
            unchecked.push(format!("{place} is `{language}`"));
        }
    }
    assert!(unchecked.is_empty(), "{unchecked:#?}");
}

/// Whether each line of the block is in the file, in this order and one after the other, however it is indented.
fn contains(file: &str, block: &str) -> bool {
    let lines = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let (file, block) = (lines(file), lines(block));
    file.windows(block.len()).any(|window| window == block)
}

/// The crates and the features of `breaker-core` that the commands of a page add.
fn added(page: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut crates, mut features) = (BTreeSet::new(), BTreeSet::new());
    for line in blocks(page).iter().filter(|block| block.language == "console").flat_map(|block| block.content.lines())
    {
        let Some(arguments) = line.split('#').next().unwrap().trim().strip_prefix("cargo add ") else { continue };
        let mut words = arguments.split_whitespace();
        let mut last = String::new();
        while let Some(word) = words.next() {
            match word {
                "--features" => {
                    let turned_on = words.next().unwrap().split(',').map(str::to_owned);
                    if last == "breaker-core" {
                        features.extend(turned_on);
                    }
                }
                "--path" => drop(words.next()),
                "--dev" | "--no-default-features" => {}
                name => {
                    assert!(!name.starts_with('-'), "{page}: {name} is unknown to this test");
                    name.split('@').next().unwrap().clone_into(&mut last);
                    crates.insert(last.clone());
                }
            }
        }
    }
    (crates, features)
}

/// The names of the crates whose paths occur in Rust code.
fn used(code: &str, known: &BTreeSet<String>) -> BTreeSet<String> {
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
    let code: Vec<&str> = code.lines().map(|line| line.split("//").next().unwrap()).collect();
    let code = without_trees(&code.join("\n"));
    known
        .iter()
        .filter(|name| {
            let path = format!("{}::", name.replace('-', "_"));
            code.match_indices(&path).any(|(at, _)| {
                let before = code[..at].chars().next_back();
                !before.is_some_and(|before| is_of_name(before) || before == ':')
            })
        })
        .cloned()
        .collect()
}

/// Removes what `use a::{b::C, d}` imports, whose paths begin in `a`.
fn without_trees(code: &str) -> String {
    let mut parts = code.split("::{");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(';').unwrap_or(0);
        rest.push_str("::{");
        rest.push_str(&part[end..]);
    }
    rest
}

/// The crates that any snippet may use: the dependencies of the tests.
fn known_crates() -> BTreeSet<String> {
    let manifests = ["Cargo.toml", "breaker-core/Cargo.toml", "breaker-redis/Cargo.toml", "checks/Cargo.toml"];
    let mut crates: BTreeSet<String> = ["breaker-core", "breaker-redis"].map(str::to_owned).into();
    for manifest in manifests {
        let manifest: toml::Table = toml::from_str(&read(manifest)).unwrap();
        let sections =
            ["dependencies", "dev-dependencies"].iter().filter_map(|section| manifest.get(*section)?.as_table());
        crates.extend(sections.flat_map(|section| section.keys().cloned()));
    }
    crates
}

// Fails if somebody who follows a page from its top has code that does not compile for want of a crate.
#[test]
fn every_crate_of_a_snippet_is_added_by_its_page() {
    let known = known_crates();
    let mut missing = Vec::new();
    let mut uses = 0;
    for page in pages() {
        let (mut added, _) = added(&page);
        // A guide for an addition to another one names it.
        if page.ends_with("breaker-macros/README.md") {
            added.insert("breaker-core".to_owned());
        }
        for Block { place, language, content } in blocks(&page) {
            if language.starts_with("rust") {
                let named = used(&content, &known);
                uses += named.len();
                missing.extend(
                    named.difference(&added).map(|name| format!("{place} uses {name}, which the page does not add")),
                );
            }
        }
    }
    assert!(uses > 100, "only {uses} uses of crates found");
    assert!(missing.is_empty(), "{missing:#?}");
}

// Fails if a page needs a feature of `breaker-core` that its commands do not add. `guide.rs` says which ones its snippets need.
#[test]
fn every_feature_that_a_page_needs_is_added_by_it() {
    let guides = read("breaker-core/src/guide.rs");
    let list = guides.split_once("\nguides! {").unwrap().1;
    let mut missing = Vec::new();
    for entry in list.split(';').filter(|entry| entry.contains(".md\"")) {
        let (page, condition) = entry.split_once(".md\"").unwrap();
        let page = format!("docs/{}.md", page.rsplit('"').next().unwrap());
        let (_, added) = added(&page);
        for feature in condition.split("feature = \"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            // Features that others turn on: `default` has `macros`.
            let is_on = feature == "macros" || added.contains(feature);
            if !is_on {
                missing.push(format!("{page} needs `{feature}`"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

// Fails if a command names a feature, a crate, an example, a script or a manifest that does not exist.
#[test]
fn every_command_names_what_exists() {
    let manifest: toml::Table = toml::from_str(&read("breaker-core/Cargo.toml")).unwrap();
    let features: Vec<&String> = manifest["features"].as_table().unwrap().keys().collect();
    let locks = ["Cargo.lock", "checks/Cargo.lock"].map(read).concat();
    let is_known = |name: &str| locks.contains(&format!("name = \"{name}\"\n"));
    let mut wrong = Vec::new();
    for page in pages() {
        let (crates, added) = added(&page);
        wrong.extend(crates.iter().filter(|name| !is_known(name)).map(|name| format!("{page}: the crate {name}")));
        wrong.extend(
            added.iter().filter(|name| !features.contains(name)).map(|name| format!("{page}: the feature {name}")),
        );
        for Block { place, content, .. } in blocks(&page).into_iter().filter(|block| block.language == "console") {
            for line in content.lines() {
                let words: Vec<&str> = line.split('#').next().unwrap().split_whitespace().collect();
                let after = |flag: &str| words.iter().position(|word| *word == flag).map(|at| words[at + 1]);
                let is_example = |name: &str| {
                    ["examples", "breaker-redis/examples"].iter().any(|folder| {
                        let path = root().join(folder).join(name);
                        path.join("main.rs").exists() || path.with_extension("rs").exists()
                    })
                };
                wrong
                    .extend(after("--example").filter(|name| !is_example(name)).map(|name| format!("{place}: {name}")));
                wrong.extend(
                    after("--manifest-path")
                        .filter(|path| !root().join(path).exists())
                        .map(|path| format!("{place}: {path}")),
                );
                let command = words.iter().find(|word| !word.contains('='));
                match command {
                    Some(&"cargo") | None => {}
                    Some(script) if root().join(script).exists() => {}
                    Some(command) => wrong.push(format!("{place}: {command}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_toml_block_is_toml_and_clippy_finds_every_sending_function() {
    let tables: Vec<toml::Table> = all_blocks()
        .iter()
        .filter(|block| block.language == "toml")
        .map(|block| toml::from_str(&block.content).unwrap_or_else(|error| panic!("{}: {error}", block.place)))
        .collect();
    let methods = tables.iter().find_map(|table| table.get("disallowed-methods")).unwrap().as_array().unwrap();
    let paths: Vec<_> = methods.iter().map(|method| method["path"].as_str().unwrap()).collect();
    for client in ["reqwest", "reqwest::blocking"] {
        for function in ["get", "Client::execute", "RequestBuilder::send"] {
            assert!(paths.contains(&&*format!("{client}::{function}")), "{client}::{function} passes");
        }
    }
}
