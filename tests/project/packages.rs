//! Badges, licences, and the workflow that other projects copy.

use std::fs;

use crate::read;

#[test]
fn badges_agree_with_the_manifest() {
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

/// The names and versions of dependencies in a manifest. Each version has three parts.
fn versions(manifest: &str) -> impl Iterator<Item = (&str, String)> {
    let lines = manifest.lines().filter_map(|line| {
        let (name, rest) = line.split_once(" = ")?;
        let version = rest.strip_prefix('"').or_else(|| rest.split_once("version = \"").map(|(_, version)| version))?;
        Some((name, version.split('"').next()?.trim_start_matches('=')))
    });
    lines.map(|(name, version)| (name, version.to_owned() + &".0".repeat(2 - version.matches('.').count().min(2))))
}

#[test]
fn the_oldest_versions_are_those_that_are_tested() {
    let (core, table) = (read("breaker-core/Cargo.toml"), read("docs/ecosystem.md"));
    let dependencies = core.split_once("\n[dependencies]\n").unwrap().1.split_once("\n[").unwrap().0;
    let tested = read("checks/versions/Cargo.toml");
    let tested: Vec<_> = versions(&tested).collect();
    let optional = |name: &str| dependencies.lines().any(|line| line.starts_with(name) && line.contains("optional"));
    // Not part of any result that is judged.
    let without_row = ["async-trait", "breaker-macros", "inventory"];
    let mut found = 0;
    for (name, oldest) in versions(dependencies).filter(|(name, _)| optional(name) && !without_row.contains(name)) {
        found += 1;
        assert!(tested.contains(&(name, oldest.clone())), "checks/versions does not test {name} {oldest}");
        let named = format!("`{name}`");
        let row = table.lines().find(|line| line.contains(&named) && line.ends_with(&format!("| {oldest} |")));
        assert!(row.is_some(), "docs/ecosystem.md has no row for {name} {oldest}");
    }
    assert!(found > 15, "only {found} dependencies found");
}

/// Runs the check of the copyable workflow on a file that it must accept and on one that it must refuse.
#[test]
fn the_workflow_finds_a_skip_without_an_explanation() {
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
    // Without awk there is nothing to check.
    assert!(matches!(complains(explained), Some(false) | None));
    assert!(matches!(complains(bare), Some(true) | None));
}
