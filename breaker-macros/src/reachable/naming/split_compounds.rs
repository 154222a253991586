//! Words that are written together: `SERVICEUNAVAILABLE`, `connectionrefused`, `Timedout`.

use super::vocabulary;

/// The least number of letters that a word of the table, or one of the user's own, is looked for with.
const SHORTEST: usize = 3;

/// Shorter words of the table, which are common enough to be worth it.
const SHORT: &[&str] = &["no", "is", "in", "of", "to", "on", "at", "up", "by"];

/// Words of the table that stand in other words by chance: the end of `number`, `zone not found`.
const BY_CHANCE: &[&str] = &["ber", "der", "pem", "notfound", "enotfound", "rst", "ping", "pipe", "hex"];

/// Takes apart the words of an identifier without capitals inside, which show where no word begins.
pub(crate) fn split(identifier: &str, words: Vec<String>) -> Vec<String> {
    let identifier = identifier.strip_prefix("r#").unwrap_or(identifier);
    let mut others = identifier.chars().skip(1);
    if others.clone().any(char::is_lowercase) && others.any(char::is_uppercase) {
        return words;
    }
    words.into_iter().flat_map(|word| parts(&word).unwrap_or_else(|| vec![word])).collect()
}

/// How the letters up to some place are written best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    /// The letters that belong to no word of the table. They stand together, for one word of the user's own.
    strange: usize,
    words: usize,
    /// Where the last word begins.
    start: usize,
    /// Whether that is the strange one.
    last_is_strange: bool,
}

fn parts(word: &str) -> Option<Vec<String>> {
    if !word.bytes().all(|letter| letter.is_ascii_lowercase()) || vocabulary::is_listed(word) {
        return None;
    }
    // For each place the best way up to there, without a strange word and with one.
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
    (found.len() > 1).then_some(found)
}

/// Whether a part is a word of the user's own rather than of the table; `None` where it is neither.
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
    fn words_without_a_border_are_found() {
        for (identifier, words) in [
            ("SERVICEUNAVAILABLE", "service unavailable"),
            ("connectionrefused", "connection refused"),
            ("Hostnotfound", "host not found"),
            ("SHOPUNREACHABLE", "shop unreachable"),
            ("r#stackoverflow", "stack overflow"),
            // Whatever stands in the table stays whole, and so does what is nothing but strange.
            ("TIMEDOUT", "timedout"),
            ("internet", "internet"),
            ("VOUCHERS", "vouchers"),
            ("PIPELINE", "pipeline"),
            ("NUMBER", "number"),
            // Here the capitals tell already.
            ("UserHasnotpaid", "user hasnotpaid"),
        ] {
            let spelled = identifier.strip_prefix("r#").unwrap_or(identifier);
            let apart = split(identifier, super::super::split_words::split(spelled));
            assert_eq!(apart.join(" "), words, "{identifier}");
        }
    }
}
