//! Keys of connections, as text.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// Large enough for every integer of up to 128 bits and for most short pairs.
const INLINE: usize = 44;

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
}

/// A key of several parts, each escaped so that different parts make different keys.
pub(crate) struct Joined(Builder);

impl Joined {
    #[inline]
    pub(crate) fn of(first: &Key<'_>) -> Self {
        let mut builder = Builder::new(Shape::Joined);
        builder.push_part(first);
        Self(builder)
    }

    #[inline]
    pub(crate) fn and(&mut self, part: &Key<'_>) {
        self.0.push(":");
        self.0.push_part(part);
    }

    #[inline]
    pub(crate) fn finish(self) -> Key<'static> {
        self.0.finish()
    }
}

/// Text that is short enough to need no allocation.
#[derive(Clone, Copy)]
struct Inline {
    bytes: [u8; INLINE],
    start: u8,
    end: u8,
    shape: Shape,
}

impl Inline {
    /// Writes the decimal digits of a number without `Display`, because every call makes its key again.
    #[inline]
    fn of_number(is_negative: bool, magnitude: u64) -> Self {
        let mut bytes = [0; INLINE];
        // Starts with the last digit, so the number of digits need not be known: at most 20 and a sign.
        let mut start = INLINE;
        let mut rest = magnitude;
        loop {
            start -= 1;
            bytes[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if is_negative {
            start -= 1;
            bytes[start] = b'-';
        }
        Self { bytes, start: start.to_le_bytes()[0], end: INLINE.to_le_bytes()[0], shape: Shape::Number }
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        &self.bytes[usize::from(self.start)..usize::from(self.end)]
    }

    fn as_str(&self) -> &str {
        // Only whole `str`s are copied in, so the conversion cannot fail. An empty key would do no harm.
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

/// Collects text on the stack and moves it to the heap when it no longer fits.
enum Builder {
    Inline(Inline),
    Heap(String, Shape),
}

impl Builder {
    #[inline]
    fn new(shape: Shape) -> Self {
        Self::Inline(Inline { bytes: [0; INLINE], start: 0, end: 0, shape })
    }

    #[inline]
    fn push(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    /// Writes bytes of a text, without a check for UTF-8 while they fit on the stack.
    #[inline]
    fn push_bytes(&mut self, text: &[u8]) {
        if let Self::Inline(inline) = self {
            let start = usize::from(inline.end);
            let end = start + text.len();
            if let Some(room) = inline.bytes.get_mut(start..end) {
                copy_short(text, room);
                // `end` is at most `INLINE`.
                inline.end = u8::try_from(end).unwrap_or(u8::MAX);
                return;
            }
        }
        self.push_to_heap(text);
    }

    #[cold]
    fn push_to_heap(&mut self, text: &[u8]) {
        // Only whole `str`s are written, so the conversion cannot fail.
        let text = std::str::from_utf8(text).unwrap_or_default();
        match self {
            Self::Heap(heap, _) => heap.push_str(text),
            Self::Inline(inline) => *self = Self::Heap([inline.as_str(), text].concat(), inline.shape),
        }
    }

    /// Writes a part of a key. No escaped text contains the brackets of a nested pair.
    // Inlined, so that the compiler sees which kind of key the part is.
    #[expect(clippy::inline_always, reason = "every call by a pair makes its key again")]
    #[inline(always)]
    fn push_part(&mut self, part: &Key<'_>) {
        match part.shape() {
            Shape::Single => self.push_escaped(part.as_str()),
            Shape::Number => self.push_bytes(part.bytes()),
            Shape::Joined => self.push_nested(part.as_str()),
        }
    }

    #[cold]
    fn push_nested(&mut self, key: &str) {
        self.push(r"\(");
        self.push(key);
        self.push(r"\)");
    }

    /// Writes a text, with an escape before each separator.
    #[inline]
    fn push_escaped(&mut self, part: &str) {
        // Most parts contain no separator, and every call makes its key again, so these are copied whole.
        if !part.bytes().any(|byte| byte == b':' || byte == b'\\') {
            return self.push(part);
        }
        self.push_with_escapes(part);
    }

    #[cold]
    fn push_with_escapes(&mut self, part: &str) {
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

    fn push_display(&mut self, value: &dyn fmt::Display) {
        // Writing here cannot fail. If a `Display` implementation returns an error, the text written so far is kept.
        let _ = write!(self, "{value}");
    }

    #[inline]
    fn finish(self) -> Key<'static> {
        Key(match self {
            Self::Inline(inline) => Text::Inline(inline),
            Self::Heap(heap, shape) => Text::Shared(heap.into(), shape),
        })
    }
}

/// Copies bytes to a place of the same length. Short ones are copied inline, because a call of `memcpy` costs more than the
/// copy.
#[inline]
fn copy_short(from: &[u8], to: &mut [u8]) {
    // The first and the last bytes are copied. Together they cover all, because they overlap or meet in the middle.
    match from.len() {
        4..=8 => copy_ends::<4>(from, to),
        9..=16 => copy_ends::<8>(from, to),
        2..=3 => copy_ends::<2>(from, to),
        1 => copy_ends::<1>(from, to),
        _ => to.copy_from_slice(from),
    }
}

#[inline]
fn copy_ends<const N: usize>(from: &[u8], to: &mut [u8]) {
    if let (Some(first), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut()) {
        *to = *first;
    }
    if let (Some(last), Some(to)) = (from.last_chunk::<N>(), to.last_chunk_mut()) {
        *to = *last;
    }
}

impl fmt::Write for Builder {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
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
    ($($integer:ty)*; $($unsigned:ty)*; $($signed:ty)*) => {
        $(impl From<$integer> for Key<'_> {
            fn from(number: $integer) -> Self {
                Key::display(number)
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

from_integers!(u128 usize i128 isize; u8 u16 u32 u64; i8 i16 i32 i64);

impl<'a, A: Into<Key<'a>>, B: Into<Key<'a>>> From<(A, B)> for Key<'_> {
    #[inline]
    fn from((first, second): (A, B)) -> Self {
        let mut key = Joined::of(&first.into());
        key.and(&second.into());
        key.finish()
    }
}

impl<'a, A: Into<Key<'a>>, B: Into<Key<'a>>, C: Into<Key<'a>>> From<(A, B, C)> for Key<'_> {
    #[inline]
    fn from((first, second, third): (A, B, C)) -> Self {
        let mut key = Joined::of(&first.into());
        key.and(&second.into());
        key.and(&third.into());
        key.finish()
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
    fn texts_of_every_length_are_copied_whole() {
        // Fails if a range of lengths skips a byte.
        let text = "abcdefghijklmnopqrstuvwxyz";
        for len in 0..=text.len() {
            let part = &text[..len];
            assert_eq!(Key::from((part, part, 7)).as_str(), format!("{part}:{part}:7"));
        }
    }

    #[test]
    fn long_keys_are_stored_on_the_heap() {
        for len in [INLINE - 1, INLINE, INLINE + 1, 3 * INLINE] {
            let long = "ß".repeat(len);
            assert_eq!(Key::display(&long), long.as_str());
            assert_eq!(Key::from((long.as_str(), 7)).as_str(), format!("{long}:7"));
        }
    }
}
