//! Links of the guides, in the repository and on docs.rs.

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

/// Guides whose links are still inline.
const INLINE_LINKS: [&str; 1] = ["fleet.md"];

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
        if !INLINE_LINKS.contains(&guide.as_str()) {
            let inline = relative_links(&text).filter(|link| text.contains(&format!("]({link})")));
            wrong.extend(inline.map(|link| format!("{guide}: {link} needs a definition at the end of the guide")));
        }
    }
    assert!(links > 20, "only {links} links found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
