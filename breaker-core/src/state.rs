//! The three states of a circuit, and what all texts of this crate share: enums with a text for each variant, and names on
//! one line.

use std::borrow::Cow;
use std::fmt;

/// Escapes what would break the line of a text, reorder it, or end a name in it: control characters, separators of lines,
/// invisible characters, those that change the direction of text, and the backtick in which names are quoted. Keys often contain input of others, which must not forge lines of a log.
pub(crate) fn one_line(name: &str) -> Cow<'_, str> {
    let is_plain = |c: char| {
        let changes_direction = matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
        );
        let is_invisible = matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        !c.is_control() && !changes_direction && !is_invisible && c != '`'
    };
    if name.chars().all(is_plain) {
        return name.into();
    }
    let mut line = String::with_capacity(name.len() + 16);
    for c in name.chars() {
        if is_plain(c) {
            line.push(c);
        } else if c == '`' {
            line.push_str("\\`");
        } else {
            line.extend(c.escape_default());
        }
    }
    line.into()
}

/// Defines an enum without fields, the text of each variant, and the list of all variants, which a new variant therefore
/// cannot be missing from.
macro_rules! enum_with_texts {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $variant:ident => $text:literal,)* }

        $(#[$as_str_doc:meta])*
        pub fn as_str;
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All variants, in the order of their discriminants.
            #[cfg(feature = "metrics")]
            pub(crate) const ALL: &[Self] = &[$(Self::$variant),*];

            $(#[$as_str_doc])*
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

pub(crate) use enum_with_texts;

enum_with_texts! {
    /// The state of a circuit.
    pub enum State {
        /// Calls pass, and failures are counted.
        Closed => "closed",
        /// Calls are rejected at once until the cooldown is over.
        Open => "open",
        /// The cooldown is over: a probe decides, and all other calls are rejected at once.
        HalfOpen => "half-open",
    }

    /// Returns the state as text: `closed`, `open` or `half-open`.
    pub fn as_str;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_its_line() {
        for name in ["", "shop-7", r"crm:7\:b", "Grüße, 日本語", "नमस्ते", "e\u{301}"] {
            assert!(matches!(one_line(name), Cow::Borrowed(same) if same == name));
        }
        assert_eq!(one_line("a\nb\r\tc\u{1b}[31m\0\u{7f}\u{85}"), r"a\nb\r\tc\u{1b}[31m\u{0}\u{7f}\u{85}");
        assert_eq!(one_line("\u{2028}\u{202e}7-pohs\u{2066}"), r"\u{2028}\u{202e}7-pohs\u{2066}");
        assert_eq!(one_line("a\u{200b}b\u{feff}`: open"), r"a\u{200b}b\u{feff}\`: open");
    }
}
