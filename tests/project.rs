//! What the project says of itself is true: links lead somewhere, badges say what the manifests say.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

fn markdown() -> Vec<PathBuf> {
    let folders = [root(), root().join("docs"), root().join("breaker-macros"), root().join("breaker-redis")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    files.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|kind| kind == "md")).collect()
}

/// The relative targets of the links in a text: of inline links, `](target)`, and of definitions, `[label]: target`.
fn relative_links(text: &str) -> impl Iterator<Item = &str> {
    let inline = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
    let inline = inline.map(|rest| rest.split([')', ' ']).next().unwrap_or_default());
    inline.chain(definitions(text).map(|(_, target)| target)).filter(|target| {
        let of_rustdoc = target.starts_with("macro@") || target.starts_with("derive@");
        !target.is_empty() && !target.starts_with('#') && !target.contains("://") && !of_rustdoc
    })
}

/// The definitions of links, `[label]: target`.
fn definitions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "))
}

#[test]
fn every_relative_link_leads_somewhere() {
    let mut missing = Vec::new();
    let mut links = 0;
    for file in markdown() {
        let text = fs::read_to_string(&file).unwrap();
        for link in relative_links(&text) {
            links += 1;
            let path = link.split('#').next().unwrap_or_default();
            if !file.parent().unwrap().join(path).exists() {
                missing.push(format!("{}: {link}", file.display()));
            }
        }
    }
    assert!(links > 50, "only {links} links found");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The anchor of a heading, as web pages of a repository and rustdoc make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Guides whose links are still inline.
const INLINE_LINKS: [&str; 2] = ["fleet.md", "reliability.md"];

// Red when a guide is missing on docs.rs, or a link in it leads to another place there than in the repository.
#[test]
fn guides_and_their_links_are_on_docs_rs() {
    let modules = read("breaker-core/src/guide.rs");
    let on_docs_rs: HashMap<_, _> = definitions(&modules).collect();
    let mut wrong = Vec::new();
    let mut links = 0;
    for guide in
        fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap())
    {
        let Some(name) = guide.strip_suffix(".md") else { continue };
        if !modules.contains(&format!("    {}: \"{guide}\"", name.replace('-', "_"))) {
            wrong.push(format!("{guide} has no module"));
        }
        let text = read(format!("docs/{guide}"));
        for (label, target) in definitions(&text) {
            links += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let expected = match file.strip_suffix(".md") {
                Some(other) => format!("crate::guide::{}", other.replace('-', "_")),
                None => "crate::guide#files-of-the-repository".to_owned(),
            };
            let expected = if heading.is_empty() { expected } else { format!("{expected}#{heading}") };
            if on_docs_rs.get(label) != Some(&expected.as_str()) {
                wrong.push(format!("{guide}: guide.rs has no `[{label}]: {expected}`"));
            }
            let is_heading = |line: &str| line.starts_with('#') && anchor(line.trim_matches(['#', ' '])) == heading;
            if !heading.is_empty() && !read(format!("docs/{file}")).lines().any(is_heading) {
                wrong.push(format!("{guide}: {file} has no heading for #{heading}"));
            }
        }
        if !INLINE_LINKS.contains(&guide.as_str()) {
            let inline = relative_links(&text).filter(|link| text.contains(&format!("]({link})")));
            wrong.extend(inline.map(|link| format!("{guide}: {link} needs a definition at the end of the guide")));
        }
    }
    assert!(links > 20, "only {links} links found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn badges_say_what_the_manifest_says() {
    let manifest = read("Cargo.toml");
    let value = |name: &str| {
        let line = manifest.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name}"));
        line.split('"').nth(1).unwrap().to_owned()
    };
    assert!(read("docs/badges/rust.svg").contains(&format!("rust: {}+", value("rust-version"))));
    assert!(read("docs/badges/licence.svg").contains(&format!("licence: {}", value("license"))));
    assert!(manifest.contains("unsafe_code = \"forbid\""));
}

#[test]
fn all_packages_carry_their_licences() {
    for package in ["breaker-core", "breaker-macros", "breaker-redis"] {
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert_eq!(read(format!("{package}/{licence}")), read(licence));
        }
    }
}

/// The check of the copyable workflow, on files that it should and should not complain of.
#[test]
fn the_workflow_finds_a_skip_that_nobody_explained() {
    let workflow = read("docs/ci/breaker-checks.yml");
    let script = workflow.split_once("awk '").unwrap().1.split_once("' $(git").unwrap().0;
    let complains = |source: &str| {
        let file = std::env::temp_dir().join(format!("breaker-skip-{}-{}.rs", std::process::id(), source.len()));
        fs::write(&file, source).unwrap();
        let Ok(output) = std::process::Command::new("awk").arg(script).arg(&file).output() else { return None };
        fs::remove_file(&file).unwrap();
        Some(!output.status.success())
    };
    let explained =
        "impl Crm {\n    /// Inbound: they call us.\n    #[breaker(skip)]\n    async fn webhook(&self) {}\n}\n";
    let bare = "impl Crm {\n    #[breaker(skip)]\n    async fn webhook(&self) {}\n}\n";
    // A machine without awk has nothing to check here.
    assert!(matches!(complains(explained), Some(false) | None));
    assert!(matches!(complains(bare), Some(true) | None));
}

/// A breakage of `scripts/mutants.txt`.
#[derive(Default)]
struct Breakage {
    name: String,
    file: String,
    test: String,
    old: String,
}

fn breakages() -> Vec<Breakage> {
    let mut all: Vec<Breakage> = Vec::new();
    for line in read("scripts/mutants.txt").lines() {
        if let Some(name) = line.strip_prefix("== ") {
            all.push(Breakage { name: name.to_owned(), ..Breakage::default() });
        }
        let Some(last) = all.last_mut() else { continue };
        if let Some(file) = line.strip_prefix("file: ") {
            file.clone_into(&mut last.file);
        } else if let Some(test) = line.strip_prefix("test: ") {
            test.clone_into(&mut last.test);
        } else if let Some(old) = line.strip_prefix('-') {
            last.old.push_str(old);
            last.old.push('\n');
        }
    }
    all
}

/// Whether there is a test of this name, as `FILE::NAME`; `loom` and `models` are those of the model checker.
fn has_test(name: &str) -> bool {
    let (file, function) = name.split_once("::").unwrap_or((name, ""));
    let candidates = match file {
        "loom" | "models" => vec!["breaker-core/src/models.rs".to_owned()],
        _ => ["tests", "breaker-redis/tests"]
            .iter()
            .flat_map(|folder| [format!("{folder}/{file}.rs"), format!("{folder}/{file}/main.rs")])
            .collect(),
    };
    let texts = candidates.iter().filter_map(|path| fs::read_to_string(root().join(path)).ok());
    let wanted = if function.is_empty() { String::new() } else { format!("fn {function}(") };
    texts.into_iter().any(|text| text.contains(&wanted))
}

// Red when the core is changed and a breakage can no longer be applied, which otherwise only a run of all of them shows.
#[test]
fn every_breakage_can_be_applied_and_is_in_the_list() {
    let list = read("CONTRIBUTING.md");
    let breakages = breakages();
    assert!(breakages.len() > 50, "only {} breakages found", breakages.len());
    for Breakage { name, file, test, old } in &breakages {
        assert_eq!(read(file).matches(old.trim_end_matches('\n')).count(), 1, "{name}: its text is not once in {file}");
        assert!(has_test(test), "{name}: there is no {test}");
        let file = file.trim_start_matches("breaker-core/src/");
        let row = format!("| `{name}` | `{file}` | `{test}` |");
        assert!(list.contains(&row), "CONTRIBUTING.md has no {row}");
    }
}

#[test]
fn every_test_that_is_named_for_a_promise_is_there() {
    let text = read("docs/reliability.md");
    let candidates = text.split('`').skip(1).step_by(2).filter(|name| {
        let is_word = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        name.split_once("::").is_some_and(|(file, test)| is_word(file) && is_word(test) && !test.is_empty())
            || name.starts_with("law_")
    });
    let mut found = 0;
    for name in candidates.filter(|name| !name.starts_with("mem::")) {
        found += 1;
        assert!(has_test(name), "there is no {name}");
    }
    assert!(found > 60, "only {found} tests found");
}
