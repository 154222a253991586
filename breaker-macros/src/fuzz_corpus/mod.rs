//! Tests with the corpus of the fuzzer and with mutations of it: whatever the tokens, a macro returns code or an error
//! and never panics or hangs.

mod entry;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

type Macro = fn(&str) -> Option<TokenStream>;

const MACROS: [(&str, Macro); 2] = [("attribute", entry::attribute), ("derive", entry::derive)];

/// The number of mutated texts for each macro. `FUZZ_STEPS=1000000 cargo test -p breaker-macros corpus` makes more.
const STEPS: usize = 4_000;

fn seeds(name: &str) -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(name);
    let mut seeds: Vec<_> = fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap()))
        .collect();
    seeds.sort();
    seeds
}

#[test]
fn every_corpus_text_expands_to_code_or_an_error() {
    for (name, expand) in MACROS {
        let seeds = seeds(name);
        assert!(seeds.len() >= 10, "the corpus of {name} is gone");
        for (path, text) in seeds {
            let output = expand(&text).unwrap_or_else(|| panic!("{path} does not lex"));
            assert!(!output.is_empty(), "{path} gives nothing");
            // A body is passed on as it is, so that the compiler reports a mistake in it.
            let item = text.split_once("\n---\n").map_or(&*text, |(_, item)| item);
            if syn::parse_str::<syn::File>(item).is_ok() {
                let parsed = syn::parse2::<syn::File>(output.clone());
                assert!(parsed.is_ok(), "{path} gives what is no Rust: {output}");
            }
        }
    }
}

#[test]
fn truncated_texts_expand_to_code_or_an_error() {
    let steps = std::env::var("FUZZ_STEPS").map_or(STEPS, |steps| steps.parse().unwrap());
    for (name, expand) in MACROS {
        let seeds = seeds(name);
        let words: Vec<TokenTree> = seeds.iter().filter_map(|(_, text)| lex(text)).flatten().flat_map(flat).collect();
        let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
        for step in 0..steps {
            let (path, text) = &seeds[step % seeds.len()];
            let mutated = mutate(text, &words, &mut chance);
            let expanded = catch_unwind(AssertUnwindSafe(|| expand(&mutated)));
            assert!(expanded.is_ok(), "`{name}` panics on this, mutated from {path}:\n{mutated}");
        }
    }
}

fn lex(text: &str) -> Option<TokenStream> {
    text.replace("\n---\n", "\n").parse().ok()
}

/// The tokens inside a token, without the delimiters of groups.
fn flat(token: TokenTree) -> Vec<TokenTree> {
    match token {
        TokenTree::Group(group) => {
            let mut tokens: Vec<_> = group.stream().into_iter().flat_map(flat).collect();
            tokens.push(TokenTree::Group(group));
            tokens
        }
        token => vec![token],
    }
}

/// Mutates a text in a few places.
fn mutate(text: &str, words: &[TokenTree], chance: &mut Chance) -> String {
    let parts: Vec<String> = text
        .split("\n---\n")
        .map(|part| {
            let mut tokens: TokenStream = part.parse().unwrap();
            for _ in 0..chance.below(4) {
                tokens = change(tokens, words, chance);
            }
            tokens.to_string()
        })
        .collect();
    parts.join("\n---\n")
}

/// Removes, doubles, swaps or replaces one token, or changes the delimiters or the content of a group.
fn change(tokens: TokenStream, words: &[TokenTree], chance: &mut Chance) -> TokenStream {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    if tokens.is_empty() {
        tokens.push(words[chance.below(words.len())].clone());
        return tokens.into_iter().collect();
    }
    let here = chance.below(tokens.len());
    if let (TokenTree::Group(group), 1..) = (&tokens[here], chance.below(4)) {
        let inside = change(group.stream(), words, chance);
        tokens[here] = Group::new(group.delimiter(), inside).into();
        return tokens.into_iter().collect();
    }
    match chance.below(6) {
        0 => drop(tokens.remove(here)),
        1 => tokens.insert(here, tokens[here].clone()),
        2 => {
            let there = chance.below(tokens.len());
            tokens.swap(here, there);
        }
        3 => tokens.truncate(here),
        4 => {
            let delimiters = [Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket];
            let rest = tokens.split_off(here).into_iter().collect();
            tokens.push(Group::new(delimiters[chance.below(3)], rest).into());
        }
        _ => tokens[here] = words[chance.below(words.len())].clone(),
    }
    tokens.into_iter().collect()
}

/// The same numbers in each run, so that failures are repeatable.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}
