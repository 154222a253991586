//! Guides: how to use, configure, test and operate circuits.
//!
//! The text is that of the folder `docs` of the repository. Begin with [`attribute`], [`marks`] and [`settings`].
//!
//! # Files of the repository
//!
//! A link to a file that is not a guide, such as an example or a test, leads to this section. The file is in the repository,
//! at the path that the text of the link shows.

/// Link targets of the guides on docs.rs.
///
/// Each guide ends with the definitions of its links, such as `[marks]: marks.md`, which the repository's web pages follow.
/// Where a label has several definitions, Markdown uses the first. Rustdoc reads these before the text of the guide, so it
/// links to modules instead of files. `tests/project/guides.rs` compares both lists.
macro_rules! links {
    () => {
        "
[attribute]: crate::guide::attribute
[ecosystem]: crate::guide::ecosystem
[errors-of-other-crates]: crate::guide::errors_of_other_crates
[escalation]: crate::guide::escalation
[evidence-table]: crate::guide::evidence_table
[fleet]: crate::guide::fleet
[grpc]: crate::guide::grpc
[marks]: crate::guide::marks
[operating]: crate::guide::operating
[reliability]: crate::guide::reliability
[marks#errors-of-other-crates]: crate::guide::marks#errors-of-other-crates
[reliability#in-a-fleet]: crate::guide::reliability#in-a-fleet
[reqwest]: crate::guide::reqwest
[reqwest#statuses]: crate::guide::reqwest#statuses
[reqwest#the-error-alone]: crate::guide::reqwest#the-error-alone
[reqwest-middleware]: crate::guide::reqwest_middleware
[settings]: crate::guide::settings
[streams]: crate::guide::streams
[teams]: crate::guide::teams
[testing]: crate::guide::testing
[tower]: crate::guide::tower
[transport]: crate::guide::transport

[`benches/gate.sh`]: crate::guide#files-of-the-repository
[`breaker-core/src/loom_tests.rs`]: crate::guide#files-of-the-repository
[`breaker-macros/src/reachable/naming/vocabulary.rs`]: crate::guide#files-of-the-repository
[`breaker-redis/tests`]: crate::guide#files-of-the-repository
[`checks/features/changes.txt`]: crate::guide#files-of-the-repository
[`checks/lean`]: crate::guide#files-of-the-repository
[`ci/slow.txt`]: crate::guide#files-of-the-repository
[`docs/ci/breaker-checks.yml`]: crate::guide#files-of-the-repository
[`examples/dashboard`]: crate::guide#files-of-the-repository
[`examples/escalation/tests/escalation.rs`]: crate::guide#files-of-the-repository
[`examples/grafana/alerts.yml`]: crate::guide#files-of-the-repository
[`examples/grafana/circuits.json`]: crate::guide#files-of-the-repository
[`foreign_types.rs`]: crate::guide#files-of-the-repository
[`scripts/features.sh`]: crate::guide#files-of-the-repository
[`scripts/fleet.sh`]: crate::guide#files-of-the-repository
[`scripts/mutants.sh`]: crate::guide#files-of-the-repository
[`scripts/mutants.txt`]: crate::guide#files-of-the-repository
[`scripts/wasm.sh`]: crate::guide#files-of-the-repository
[`scripts/versions.sh`]: crate::guide#files-of-the-repository
[`tests/ecosystem`]: crate::guide#files-of-the-repository
[`tests/facts/durations.tsv`]: crate::guide#files-of-the-repository
[`tests/facts/error-names.tsv`]: crate::guide#files-of-the-repository
[`tests/facts/error-texts.tsv`]: crate::guide#files-of-the-repository
[`tests/facts/fresh-names.tsv`]: crate::guide#files-of-the-repository
[`tests/facts/more-error-names.tsv`]: crate::guide#files-of-the-repository
[`tests/fleet`]: crate::guide#files-of-the-repository
[`tests/laws`]: crate::guide#files-of-the-repository
[`tests/ui/marks`]: crate::guide#files-of-the-repository
[`tests/project/clocks.rs`]: crate::guide#files-of-the-repository
"
    };
}

/// Declares a module for each guide.
///
/// `if` names the features that the snippets of a guide need: `cargo test --doc` skips them where a feature is off. The
/// documentation always has the whole text.
macro_rules! guides {
    ($($name:ident: $page:literal $(if $condition:meta)?;)*) => {$(
        #[doc = links!()]
        #[cfg_attr(any(not(doctest), all($($condition)?)), doc = include_str!(concat!("../docs/", $page)))]
        pub mod $name {}
    )*};
}

guides! {
    attribute: "attribute.md" if feature = "macros";
    ecosystem: "ecosystem.md";
    errors_of_other_crates: "errors-of-other-crates.md"
        if all(feature = "hyper", feature = "io", feature = "rustls", feature = "serde_json", feature = "tokio");
    escalation: "escalation.md";
    evidence_table: "evidence-table.md";
    // Its snippets use `breaker-redis`, which compiles them.
    fleet: "fleet.md" if any();
    grpc: "grpc.md" if feature = "tonic";
    marks: "marks.md" if feature = "macros";
    operating: "operating.md";
    reliability: "reliability.md";
    reqwest: "reqwest.md" if feature = "reqwest";
    reqwest_middleware: "reqwest-middleware.md" if feature = "reqwest-middleware";
    settings: "settings.md" if feature = "serde";
    streams: "streams.md" if all(feature = "http-body", feature = "macros", feature = "reqwest");
    teams: "teams.md" if feature = "macros";
    testing: "testing.md" if feature = "testing";
    tower: "tower.md" if feature = "tower";
    transport: "transport.md" if feature = "macros";
}

/// The README, for `cargo test --doc` alone.
#[cfg(all(doctest, feature = "macros", feature = "testing", feature = "tokio"))]
#[doc = include_str!("../README.md")]
struct Readme;
