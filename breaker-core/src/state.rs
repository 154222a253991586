//! The three states of a circuit, and the macro that defines enums with a text for each variant.

use std::fmt;

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
