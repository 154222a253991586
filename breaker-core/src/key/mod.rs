//! Keys of connections, as text.

mod builder;
mod inline;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use builder::Builder;
use inline::{Inline, Numbers, Plain};

/// The key under which a [`Registry`](crate::Registry) stores the circuit of a connection.
///
/// A key is text: `42` and `"42"` are one key. Short keys are stored on the stack.
///
/// Pairs and triples are joined with `:`. A `:` or `\` inside a part is escaped with `\`, and a part that is itself a pair
/// or triple is enclosed in `\(` and `\)`. So two different pairs or triples never share a circuit, however they are
/// nested. A text is the key that it spells, so `"crm:7"` is the key of `("crm", 7)`. A [`Circuit`](crate::Circuit) as a part
/// counts as the text of its key.
///
/// ```
/// use breaker_core::Key;
///
/// assert_eq!(Key::from(42), "42");
/// assert_eq!(Key::from(("crm", 7)), "crm:7");
/// assert_eq!(Key::from(("a:b", "c")), r"a\:b:c");
/// assert_eq!(Key::from((("a", "b"), "c")), r"\(a:b\):c");
/// ```
#[derive(Clone)]
pub struct Key<'a>(Text<'a>);

/// The text, with its shape as a field of each variant, where it needs no extra memory.
#[derive(Clone)]
enum Text<'a> {
    Borrowed(&'a str, Shape),
    Inline(Inline),
    Shared(Arc<str>, Shape),
}

/// How a key is written as a part of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A text. It may contain separators of its own, which have to be escaped.
    Single,
    /// A number, which contains none.
    Number,
    /// A pair or triple, whose separators and escapes are complete.
    Joined,
}

impl Key<'_> {
    /// Makes a key from the `Display` text of a value, for identifiers such as a UUID.
    ///
    /// ```
    /// let tenant = std::net::Ipv4Addr::LOCALHOST;
    /// assert_eq!(breaker_core::Key::display(tenant), "127.0.0.1");
    /// ```
    #[must_use]
    pub fn display(value: impl fmt::Display) -> Key<'static> {
        let mut builder = Builder::new(Shape::Single);
        builder.push_display(&value);
        builder.finish()
    }

    /// The key as text.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Borrowed(text, _) => text,
            Text::Inline(text) => text.as_str(),
            Text::Shared(text, _) => text,
        }
    }

    /// A key that borrows its text from this one.
    pub(crate) fn reborrowed(&self) -> Key<'_> {
        Key(Text::Borrowed(self.as_str(), self.shape()))
    }

    #[inline]
    fn shape(&self) -> Shape {
        match &self.0 {
            Text::Borrowed(_, shape) | Text::Shared(_, shape) => *shape,
            Text::Inline(text) => text.shape,
        }
    }

    /// The bytes of the text, without a check for UTF-8.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.0 {
            Text::Borrowed(text, _) => text.as_bytes(),
            Text::Inline(text) => text.bytes(),
            Text::Shared(text, _) => text.as_bytes(),
        }
    }

    /// Converts to a key that borrows nothing.
    #[must_use]
    pub fn into_owned(self) -> Key<'static> {
        Key(match self.0 {
            Text::Borrowed(text, shape) => Text::Shared(text.into(), shape),
            Text::Inline(text) => Text::Inline(text),
            Text::Shared(text, shape) => Text::Shared(text, shape),
        })
    }

    pub(crate) fn into_shared(self) -> Arc<str> {
        match self.0 {
            Text::Shared(text, _) => text,
            _ => self.as_str().into(),
        }
    }

    /// Makes a key of two parts, each escaped so that different parts make different keys.
    #[inline]
    pub(crate) fn pair<'a>(first: impl FnOnce() -> Key<'a>, second: impl FnOnce() -> Key<'a>) -> Key<'static> {
        let first = match Plain::of(first()) {
            Ok(first) => first,
            Err(first) => return Builder::joined(&[first, second()]),
        };
        let second = match Plain::of(second()) {
            Ok(second) => second,
            Err(second) => return Builder::joined(&[first.into(), second]),
        };
        if !inline::fit(&[first, second]) {
            return Builder::joined(&[first.into(), second.into()]);
        }
        Key::of_plain([first, second])
    }

    /// Makes a key of three parts.
    #[inline]
    pub(crate) fn triple<'a>(
        first: impl FnOnce() -> Key<'a>,
        second: impl FnOnce() -> Key<'a>,
        third: impl FnOnce() -> Key<'a>,
    ) -> Key<'static> {
        let first = match Plain::of(first()) {
            Ok(first) => first,
            Err(first) => return Builder::joined(&[first, second(), third()]),
        };
        let second = match Plain::of(second()) {
            Ok(second) => second,
            Err(second) => return Builder::joined(&[first.into(), second, third()]),
        };
        let third = match Plain::of(third()) {
            Ok(third) => third,
            Err(third) => return Builder::joined(&[first.into(), second.into(), third]),
        };
        if !inline::fit(&[first, second, third]) {
            return Builder::joined(&[first.into(), second.into(), third.into()]);
        }
        Key::of_plain([first, second, third])
    }

    #[inline]
    fn of_plain<const N: usize>(parts: [Plain<'_>; N]) -> Key<'static> {
        if parts.iter().any(Plain::is_long_number) {
            Self::of_long(parts)
        } else {
            Self::written(parts, Numbers::Short)
        }
    }

    // Not inlined, because short numbers need less code.
    #[inline(never)]
    fn of_long<const N: usize>(parts: [Plain<'_>; N]) -> Key<'static> {
        Self::written(parts, Numbers::Long)
    }

    #[inline]
    fn written<const N: usize>(parts: [Plain<'_>; N], numbers: Numbers) -> Key<'static> {
        let mut inline = Inline::empty(Shape::Joined);
        inline.put_all(parts, numbers);
        Key(Text::Inline(inline))
    }
}

impl<'a> From<&'a str> for Key<'a> {
    #[inline]
    fn from(text: &'a str) -> Self {
        Key(Text::Borrowed(text, Shape::Single))
    }
}

impl<'a> From<&'a String> for Key<'a> {
    #[inline]
    fn from(text: &'a String) -> Self {
        Key(Text::Borrowed(text, Shape::Single))
    }
}

impl From<String> for Key<'_> {
    fn from(text: String) -> Self {
        Key(Text::Shared(text.into(), Shape::Single))
    }
}

impl From<Arc<str>> for Key<'_> {
    fn from(text: Arc<str>) -> Self {
        Key(Text::Shared(text, Shape::Single))
    }
}

impl<'a> From<Cow<'a, str>> for Key<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        match text {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        }
    }
}

macro_rules! from_integers {
    ($($long:ty as $short:ty),*; $($unsigned:ty)*; $($signed:ty)*) => {
        $(impl From<$long> for Key<'_> {
            #[inline]
            fn from(number: $long) -> Self {
                <$short>::try_from(number).map_or_else(|_| Key::display(number), Key::from)
            }
        })*
        $(impl From<$unsigned> for Key<'_> {
            #[inline]
            fn from(number: $unsigned) -> Self {
                Key(Text::Inline(Inline::of_number(false, u64::from(number))))
            }
        })*
        $(impl From<$signed> for Key<'_> {
            #[inline]
            fn from(number: $signed) -> Self {
                Key(Text::Inline(Inline::of_number(number < 0, u64::from(number.unsigned_abs()))))
            }
        })*
    };
}

from_integers!(u128 as u64, usize as u64, i128 as i64, isize as i64; u8 u16 u32 u64; i8 i16 i32 i64);

impl<'a, A: Into<Key<'a>>, B: Into<Key<'a>>> From<(A, B)> for Key<'_> {
    #[inline]
    fn from((first, second): (A, B)) -> Self {
        Key::pair(|| first.into(), || second.into())
    }
}

impl<'a, A: Into<Key<'a>>, B: Into<Key<'a>>, C: Into<Key<'a>>> From<(A, B, C)> for Key<'_> {
    #[inline]
    fn from((first, second, third): (A, B, C)) -> Self {
        Key::triple(|| first.into(), || second.into(), || third.into())
    }
}

impl Deref for Key<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Key<'_> {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl PartialEq<Key<'_>> for Key<'_> {
    fn eq(&self, other: &Key<'_>) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Key<'_> {}

/// In the order of the text.
impl PartialOrd for Key<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialEq<str> for Key<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Key<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl Hash for Key<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::inline::CAPACITY;
    use super::*;

    #[test]
    fn a_number_and_its_text_are_the_same_key() {
        assert_eq!(Key::from(42_u64), Key::from("42"));
        assert_eq!(Key::from(i128::MIN), i128::MIN.to_string().as_str());
        for number in [0, 1, 9, 10, 99, 100, 12_345, u64::MAX - 1, u64::MAX] {
            assert_eq!(Key::from(number), number.to_string().as_str());
        }
        for number in [i64::MIN, -10, -9, -1, 0, 7, i64::MAX] {
            assert_eq!(Key::from(number), number.to_string().as_str());
        }
    }

    #[test]
    fn keys_are_in_the_order_of_their_text() {
        let mut keys = [Key::from(("b", 1)), Key::from("a"), Key::from(9), Key::from(10)];
        keys.sort();
        assert_eq!(keys, ["10", "9", "a", "b:1"]);
    }

    #[test]
    fn a_key_is_small() {
        assert_eq!(size_of::<Key<'_>>(), 48);
    }

    #[test]
    fn long_keys_are_stored_on_the_heap() {
        for len in [CAPACITY - 1, CAPACITY, CAPACITY + 1, 3 * CAPACITY] {
            let long = "ß".repeat(len);
            assert_eq!(Key::display(&long), long.as_str());
            assert_eq!(Key::from((long.as_str(), 7)).as_str(), format!("{long}:7"));
        }
    }
}
