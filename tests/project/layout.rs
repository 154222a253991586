//! Layout of the sources: which module of a crate imports from which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::{read, root};

/// The floors of breaker-core, lowest first. A module imports from lower floors only.
const FLOORS: [&[&str]; 11] = [
    &["panics"],
    &["key", "clock", "state", "sync", "ordered_delivery", "fleet"],
    &["event", "rejection"],
    &["evidence"],
    &["config", "known_errors"],
    &["machine", "transport"],
    &["judge", "telemetry"],
    &["circuit"],
    &["call", "registry"],
    &["macro_support", "integrations"],
    &["testing"],
];

/// The only import within a floor: expansions name some types of the integrations.
const WITHIN_A_FLOOR: (&str, &str) = ("macro_support", "integrations");

/// Modules without a floor: documentation, and models that only the tests compile.
const WITHOUT_FLOOR: [&str; 2] = ["guide", "loom_tests"];

/// Exported macros, which Rust places at the root of the crate.
const MACROS: [&str; 1] = ["__register_marked"];

/// The imports of a crate: from each top-level module to the names at the root of the crate that it imports from.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn imports(source: &Path) -> Imports {
    let mut all = Imports::new();
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() || (path.extension().is_some_and(|kind| kind == "rs") && module != "lib") {
            let imports = all.entry(module.clone()).or_default();
            collect(&path, 1, imports);
            imports.remove(&module);
        }
    }
    all
}

/// Collects the imports of a file or folder. `depth` is the number of `super` that lead from it to the root of the crate.
fn collect(path: &Path, depth: usize, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap().path();
            let is_submodule = entry.is_dir() || entry.file_stem().is_some_and(|name| name != "mod");
            collect(&entry, depth + usize::from(is_submodule), found);
        }
    } else if path.extension().is_some_and(|kind| kind == "rs") {
        let code = code_of(&fs::read_to_string(path).unwrap());
        found.extend(names_after(&code, "crate::"));
        found.extend(names_after(&code, &"super::".repeat(depth)));
    }
}

/// A source text without comments and without its module of tests.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("#[cfg(") && line.contains("test") && lines.peek() == Some(&"mod tests {") {
            break;
        }
        if !line.trim_start().starts_with("//") {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

/// The names that follow a prefix: one name, or each name of a group in braces.
fn names_after(code: &str, prefix: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        // A longer path ends with the prefix, or a macro names the crate from outside.
        if code[..at].ends_with([':', '$', '_']) || code[..at].ends_with(char::is_alphanumeric) {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let name_at = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned();
        let Some(group) = rest.strip_prefix('{') else {
            names.insert(name_at(rest));
            continue;
        };
        let mut braces = 1;
        let mut starts_name = true;
        for (at, c) in group.char_indices() {
            match c {
                '{' => braces += 1,
                '}' => braces -= 1,
                ',' if braces == 1 => starts_name = true,
                c if starts_name && !c.is_whitespace() => {
                    names.insert(name_at(&group[at..]));
                    starts_name = false;
                }
                _ => {}
            }
            if braces == 0 {
                break;
            }
        }
    }
    names.remove("super");
    names
}

/// The module that an item at the root of breaker-core is re-exported from.
fn origin<'n>(lib: &'n str, name: &'n str) -> &'n str {
    let exports = lib.split("pub use ").skip(1).filter_map(|export| export.split(';').next()?.split_once("::"));
    let is_item = |items: &str| items.split(|c: char| !c.is_alphanumeric() && c != '_').any(|item| item == name);
    let mut origins = exports.filter(|(module, items)| *module != "breaker_macros" && is_item(items));
    origins.next().map_or(name, |(module, _)| module)
}

/// Each import of breaker-core that its floors forbid.
fn forbidden(imports: &Imports, lib: &str) -> Vec<String> {
    let floor = |module: &str| FLOORS.iter().position(|floor| floor.contains(&module));
    let mut wrong = Vec::new();
    for (module, imported) in imports.iter().filter(|(module, _)| !WITHOUT_FLOOR.contains(&module.as_str())) {
        let Some(own) = floor(module) else {
            wrong.push(format!("`{module}` has no floor"));
            continue;
        };
        for name in imported.iter().filter(|name| !MACROS.contains(&name.as_str())) {
            let other = origin(lib, name);
            if other == module || (module.as_str(), other) == WITHIN_A_FLOOR {
                continue;
            }
            match floor(other) {
                Some(floor) if floor < own => {}
                Some(_) => wrong.push(format!("`{module}` imports from `{other}`, which is not on a lower floor")),
                None => wrong.push(format!("`{module}` imports `{other}`, which has no floor")),
            }
        }
    }
    wrong
}

#[test]
fn modules_of_the_core_import_from_lower_floors_only() {
    let imports = imports(&root().join("breaker-core/src"));
    assert!(imports.values().map(BTreeSet::len).sum::<usize>() > 50, "hardly any imports found: {imports:?}");
    for module in FLOORS.into_iter().flatten() {
        assert!(imports.contains_key(*module), "`{module}` has a floor and does not exist");
    }
    let wrong = forbidden(&imports, &read("breaker-core/src/lib.rs"));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_import_from_the_own_floor_or_above_is_found() {
    let lib = "pub use breaker_macros::ProvesReachable;\npub use registry::{Registry, RegistryBuilder};";
    let wrong = |module: &str, name: &str| {
        let imported = BTreeSet::from([name.to_owned()]);
        !forbidden(&Imports::from([(module.to_owned(), imported)]), lib).is_empty()
    };
    assert!(wrong("clock", "key"), "within a floor");
    assert!(wrong("integrations", "macro_support"), "within a floor");
    assert!(wrong("circuit", "registry"), "from above");
    assert!(wrong("circuit", "Registry"), "from above, by a re-export");
    assert!(wrong("circuit", "Unknown"));
    assert!(wrong("helpers", "clock"), "a module without a floor");
    assert!(!wrong("macro_support", "integrations"));
    assert!(!wrong("registry", "circuit"));
}

/// The modules that a module reaches by imports.
fn reachable<'i>(imports: &'i Imports, from: &str) -> BTreeSet<&'i str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = vec![from];
    while let Some(module) = next.pop() {
        for other in imports.get(module).into_iter().flatten() {
            if reached.insert(other.as_str()) {
                next.push(other);
            }
        }
    }
    reached
}

#[test]
fn at_most_two_modules_of_the_other_crates_form_a_circle() {
    for package in ["breaker-macros", "breaker-redis"] {
        let imports = imports(&root().join(package).join("src"));
        assert!(imports.values().any(|imported| !imported.is_empty()), "{package}: no imports found");
        for module in imports.keys() {
            let circle: Vec<_> = reachable(&imports, module)
                .into_iter()
                .filter(|other| reachable(&imports, other).contains(module.as_str()))
                .collect();
            assert!(circle.len() <= 2, "{package}: the modules {circle:?} import each other in a circle");
        }
    }
}

#[test]
fn imports_are_found_in_every_form() {
    let text = "\
use crate::clock::Time;
// use crate::comment::Item;
use crate::{config::{Config, Settings}, event::Event};
use super::super::sync::lock;
use super::sibling;
macro_rules! of_the_user { () => { $crate::outside::item() }; }
fn code() { crate::registry::global(); }
#[cfg(test)]
mod tests {
    use crate::testing::TestBed;
}
";
    let code = code_of(text);
    let names = |prefix: &str| names_after(&code, prefix).into_iter().collect::<Vec<_>>();
    assert_eq!(names("crate::"), ["clock", "config", "event", "registry"]);
    assert_eq!(names("super::super::"), ["sync"]);
}
