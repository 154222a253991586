//! Splitting of words without separators: `SERVICEUNAVAILABLE`, `connectionrefused`, `Timedout`.

use super::vocabulary;

/// The smallest number of letters of a word from the vocabulary, or of an unknown word.
const SHORTEST: usize = 3;

/// Shorter words of the vocabulary that are frequent enough.
const SHORT: &[&str] = &["no", "is", "in", "of", "to", "on", "at", "up", "by"];

/// Words of the vocabulary that occur in other words by chance: the end of `number`, `zone not found`.
const BY_CHANCE: &[&str] = &["ber", "der", "pem", "notfound", "enotfound", "rst", "ping", "pipe", "hex"];

/// Splits the words of an identifier without inner capitals.
pub(crate) fn split(identifier: &str, words: Vec<String>) -> Vec<String> {
    let identifier = identifier.strip_prefix("r#").unwrap_or(identifier);
    let mut others = identifier.chars().skip(1);
    if others.clone().any(char::is_lowercase) && others.any(char::is_uppercase) {
        return words;
    }
    words.into_iter().flat_map(|word| parts(&word).unwrap_or_else(|| vec![word])).collect()
}

/// The best way to split the letters up to a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    /// The letters outside the words that are in the vocabulary. They are adjacent, because they form one unknown word.
    strange: usize,
    words: usize,
    /// The start of the final word.
    start: usize,
    /// Whether the final word is the unknown one.
    last_is_strange: bool,
}

fn parts(word: &str) -> Option<Vec<String>> {
    if !word.bytes().all(|letter| letter.is_ascii_lowercase()) || vocabulary::is_listed(word) {
        return None;
    }
    // For each position, the best way to split up to there, without and with an unknown word.
    let mut ways: Vec<[Option<Way>; 2]> = vec![[None; 2]; word.len() + 1];
    ways[0][0] = Some(Way { strange: 0, words: 0, start: 0, last_is_strange: false });
    for end in 1..=word.len() {
        for start in 0..end {
            let Some(last_is_strange) = is_strange(&word[start..end]) else { continue };
            for (had_strange, way) in ways[start].into_iter().enumerate() {
                let Some(way) = way else { continue };
                if last_is_strange && had_strange == 1 {
                    continue;
                }
                let strange = if last_is_strange { end - start } else { way.strange };
                let next = Way { strange, words: way.words + 1, start, last_is_strange };
                let best = &mut ways[end][had_strange.max(usize::from(last_is_strange))];
                if best.is_none_or(|other| next < other) {
                    *best = Some(next);
                }
            }
        }
    }
    let mut has_strange = usize::from(ways[word.len()][0].is_none());
    let mut found = Vec::new();
    let mut end = word.len();
    while end > 0 {
        let way = ways[end][has_strange]?;
        found.push(word[way.start..end].to_owned());
        has_strange -= usize::from(way.last_is_strange);
        end = way.start;
    }
    found.reverse();
    // A short word beside letters without a meaning is there by chance: `for` in `format`, `in` in `inadequate`.
    let has_long_word = found.iter().any(|part| part.len() > SHORTEST && vocabulary::is_listed(part));
    (found.len() > 1 && (has_long_word || found.iter().all(|part| vocabulary::is_listed(part)))).then_some(found)
}

/// Whether a part is an unknown word rather than one of the vocabulary; `None` where it is neither.
fn is_strange(part: &str) -> Option<bool> {
    match (vocabulary::is_listed(part), part.len() >= SHORTEST) {
        (true, long_enough) => ((long_enough || SHORT.contains(&part)) && !BY_CHANCE.contains(&part)).then_some(false),
        (false, long_enough) => long_enough.then_some(true),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_without_a_boundary_are_found() {
        for (identifier, words) in [
            ("SERVICEUNAVAILABLE", "service unavailable"),
            ("connectionrefused", "connection refused"),
            ("Hostnotfound", "host not found"),
            ("SHOPUNREACHABLE", "shop unreachable"),
            ("r#stackoverflow", "stack overflow"),
            // A word from the vocabulary stays whole, and so does a word that is entirely unknown.
            ("TIMEDOUT", "timedout"),
            ("internet", "internet"),
            ("VOUCHERS", "vouchers"),
            ("PIPELINE", "pipeline"),
            ("NUMBER", "number"),
            // Capitals separate these words already.
            ("UserHasnotpaid", "user hasnotpaid"),
        ] {
            let spelled = identifier.strip_prefix("r#").unwrap_or(identifier);
            let apart = split(identifier, super::super::split_words::split(spelled));
            assert_eq!(apart.join(" "), words, "{identifier}");
        }
    }
}
