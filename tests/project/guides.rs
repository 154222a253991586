//! The guides: their links, in the repository and on docs.rs, and the names that they list completely.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use crate::{read, root};

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
fn every_relative_link_has_a_target() {
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

/// The anchor of a heading, as GitHub and rustdoc build it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

// Fails if a guide is missing on docs.rs, or if one of its links has another target there than in the repository.
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
        let inline = relative_links(&text).filter(|link| text.contains(&format!("]({link})")));
        wrong.extend(inline.map(|link| format!("{guide}: {link} needs a definition at the end of the guide")));
    }
    assert!(links > 20, "only {links} links found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The names in a part of a source file: what stands between `before` and `after` in each line from the line that
/// contains `start` up to a line that is `end`.
fn names_in(file: &str, [start, end]: [&str; 2], [before, after]: [&str; 2]) -> Vec<String> {
    let text = read(file);
    let lines = text.lines().skip_while(|line| !line.contains(start)).skip(1).take_while(|line| *line != end);
    let names = lines.filter_map(|line| line.split_once(before)?.1.split_once(after));
    names.map(|(name, _)| name.to_owned()).collect()
}

// Fails if a guide does not name a new setting, its variable, a new argument or a new reason.
#[test]
fn guides_name_every_setting_argument_and_reason() {
    let settings =
        names_in("breaker-core/src/config/mod.rs", ["pub(crate) struct Settings {", "}"], ["pub(crate) ", ":"]);
    let args = "breaker-macros/src/breaker/parse/args.rs";
    let known = names_in(args, ["const KNOWN", "];"], ["(\"", "\""]);
    let flags = names_in(args, ["fn read_one", "    }"], ["\"", "\" => flag("]);
    let parsed = names_in(args, ["fn read_one", "    }"], ["\"", "\" => once("]);
    let reasons = names_in("breaker-core/src/event/mod.rs", ["enum_with_texts! {", "}"], [" => \"", "\","]);
    assert!(settings.len() >= 13 && known.len() >= 9 && flags.len() >= 2 && reasons.len() >= 15);
    assert_eq!(parsed, known, "`read_one` and `KNOWN` differ");

    let variable = |setting: &String| format!("CIRCUIT_BREAKER_{}", setting.to_uppercase());
    let mut missing = Vec::new();
    let mut check = |file: &str, names: Vec<String>| {
        let text = read(file);
        missing.extend(names.into_iter().filter(|name| !text.contains(name)).map(|name| format!("{file}: {name}")));
    };
    let quoted = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    check("docs/settings.md", quoted(&settings));
    check("docs/settings.md", settings.iter().map(variable).collect());
    check(
        "breaker-core/src/config/env.rs",
        settings.iter().map(|setting| format!("\"{}", variable(setting))).collect(),
    );
    check("docs/operating.md", quoted(&reasons));
    check("fuzz/corpus/attribute/every_argument", known.iter().map(|name| format!("{name} = ")).collect());
    for names in [known, flags] {
        check("docs/attribute.md", names.clone());
        check("breaker-macros/src/lib.rs", names);
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
