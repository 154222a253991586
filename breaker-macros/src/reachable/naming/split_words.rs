//! Splitting of an identifier into words.

/// Splits an identifier into lower-case words.
///
/// `HTTPTimeout` is `http timeout`, `TIMED_OUT` is `timed out`, `r#type` is `type`, `parseURLs` is `parse urls`.
/// A number of three digits or more, or a class of statuses, is a separate word (`Http503` is `http 503`), a shorter one belongs to the
/// letters before it (`utf8`, `h2`).
pub(crate) fn split(identifier: &str) -> Vec<String> {
    let identifier = identifier.strip_prefix("r#").unwrap_or(identifier);
    identifier
        .split('_')
        .flat_map(split_camel)
        .flat_map(|word| split_number(&word))
        .flat_map(|word| split_error(&word))
        .filter(|word| !word.is_empty())
        .collect()
}

fn split_camel(part: &str) -> Vec<String> {
    let chars: Vec<char> = part.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (at, &current) in chars.iter().enumerate() {
        if current.is_uppercase() && !word.is_empty() && starts_word(&chars, at) {
            words.push(std::mem::take(&mut word));
        }
        word.extend(current.to_lowercase());
    }
    words.push(word);
    words
}

/// Whether the capital at `at` begins a word instead of continuing an acronym.
fn starts_word(chars: &[char], at: usize) -> bool {
    if !chars[at - 1].is_uppercase() {
        // The class in `5XX` forms one word with its digit.
        return !(chars[at - 1].is_ascii_digit() && chars[at..].starts_with(&['X', 'X']));
    }
    let lower = |offset: usize| chars.get(at + offset).is_some_and(|next| next.is_lowercase());
    // The `s` of `URLs` or `IDsMissing` is a plural, not the second letter of a word.
    let plural = chars.get(at + 1) == Some(&'s') && !lower(2);
    lower(1) && !plural
}

fn split_number(word: &str) -> Vec<String> {
    let (stem, class) = match word.strip_suffix("xx") {
        Some(stem) => (stem, "xx"),
        None => (word, ""),
    };
    let letters = stem.trim_end_matches(|last: char| last.is_ascii_digit());
    let number = &word[letters.len()..];
    let is_class = number.len() == 1 + class.len() && !class.is_empty();
    if is_class || (class.is_empty() && number.len() >= 3) {
        vec![letters.to_owned(), number.to_owned()]
    } else {
        vec![word.to_owned()]
    }
}

/// `SYSTEMERROR` becomes `system error`, because upper-case names have no separators.
fn split_error(word: &str) -> Vec<String> {
    match word.strip_suffix("error") {
        Some(stem) => vec![stem.to_owned(), "error".to_owned()],
        None => vec![word.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn identifiers_of_every_style_split_into_words() {
        for (identifier, words) in [
            ("ConnectTimeout", "connect timeout"),
            ("HTTPTimeout", "http timeout"),
            ("IOError", "io error"),
            ("TLSHandshake", "tls handshake"),
            ("PartitionEOF", "partition eof"),
            ("TIMED_OUT", "timed out"),
            ("timed_out", "timed out"),
            ("Http503", "http 503"),
            ("Status404Body", "status 404 body"),
            ("InvalidUtf8", "invalid utf8"),
            ("H2NotNegotiated", "h2 not negotiated"),
            ("BadURLs", "bad urls"),
            ("IDsMissing", "ids missing"),
            ("r#type", "type"),
            ("_503", "503"),
            ("Error5xx", "error 5xx"),
            ("HTTP_5XX", "http 5xx"),
            ("SYSTEMERROR", "system error"),
        ] {
            assert_eq!(split(identifier).join(" "), words, "{identifier}");
        }
    }
}
