//! Keys whose text is not known to be short, or has to be escaped.

use std::fmt::{self, Write as _};

use super::inline::Inline;
use super::{Key, Shape, Text};

/// Collects text in the key itself and moves it to the heap when it no longer fits.
pub(super) enum Builder {
    Inline(Inline),
    Heap(String, Shape),
}

impl Builder {
    pub(super) fn new(shape: Shape) -> Self {
        Self::Inline(Inline::empty(shape))
    }

    /// Makes a key of several parts, each escaped or enclosed so that different parts make different keys.
    #[cold]
    pub(super) fn joined(parts: &[Key<'_>]) -> Key<'static> {
        let mut builder = Self::new(Shape::Joined);
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                builder.push(":");
            }
            builder.push_part(part);
        }
        builder.finish()
    }

    fn push(&mut self, text: &str) {
        match self {
            Self::Heap(heap, _) => heap.push_str(text),
            Self::Inline(inline) => {
                if !inline.push(text) {
                    *self = Self::Heap([inline.as_str(), text].concat(), inline.shape);
                }
            }
        }
    }

    /// Writes a part of a key. No escaped text contains the brackets of a nested pair.
    fn push_part(&mut self, part: &Key<'_>) {
        match part.shape() {
            Shape::Single | Shape::Number => self.push_escaped(part.as_str()),
            Shape::Joined => self.push_nested(part.as_str()),
        }
    }

    fn push_nested(&mut self, key: &str) {
        self.push(r"\(");
        self.push(key);
        self.push(r"\)");
    }

    /// Writes a text, with an escape before each separator.
    fn push_escaped(&mut self, part: &str) {
        for piece in part.split_inclusive([':', '\\']) {
            match piece.strip_suffix([':', '\\']) {
                Some(plain) => {
                    self.push(plain);
                    self.push("\\");
                    self.push(&piece[plain.len()..]);
                }
                None => self.push(piece),
            }
        }
    }

    pub(super) fn push_display(&mut self, value: &dyn fmt::Display) {
        // Writing here cannot fail. If a `Display` implementation returns an error, the text written so far is kept.
        let _ = write!(self, "{value}");
    }

    pub(super) fn finish(self) -> Key<'static> {
        Key(match self {
            Self::Inline(inline) => Text::Inline(inline),
            Self::Heap(heap, shape) => Text::Shared(heap.into(), shape),
        })
    }
}

impl fmt::Write for Builder {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}
