//! Text of a key that is stored in the key itself.

use super::{Key, Shape, Text};

/// Large enough for every integer of up to 128 bits and for most short pairs.
pub(super) const CAPACITY: usize = 44;

/// Text that is short enough to need no allocation.
#[derive(Clone, Copy)]
pub(super) struct Inline {
    bytes: [u8; CAPACITY],
    /// At most `CAPACITY`.
    len: u8,
    pub(super) shape: Shape,
}

impl Inline {
    #[inline]
    pub(super) fn empty(shape: Shape) -> Self {
        Self { bytes: [0; CAPACITY], len: 0, shape }
    }

    #[inline]
    pub(super) fn of_number(is_negative: bool, magnitude: u64) -> Self {
        Digits::of(is_negative, magnitude).into()
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    pub(super) fn as_str(&self) -> &str {
        // Only whole `str`s are copied in, so the conversion cannot fail. An empty key would do no harm.
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }

    /// Appends a text. Returns `false` if it does not fit.
    pub(super) fn push(&mut self, text: &str) -> bool {
        let start = usize::from(self.len);
        let Some(room) = self.bytes.get_mut(start..start + text.len()) else { return false };
        room.copy_from_slice(text.as_bytes());
        self.end_at(start + text.len());
        true
    }

    /// Writes parts of which [`fit`] returned `true`, with a separator between them.
    #[inline]
    pub(super) fn put_all<const N: usize>(&mut self, parts: [Plain<'_>; N], numbers: Numbers) {
        let mut end = 0;
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                self.put(end, b":");
                end += 1;
            }
            end = self.put_part(end, part, numbers);
        }
        self.end_at(end);
    }

    #[inline]
    fn end_at(&mut self, end: usize) {
        // It is at most `CAPACITY`, because the parts fit.
        self.len = end.to_le_bytes()[0];
    }

    /// Writes a part and returns its end. What follows a number is overwritten by the next part, or never read.
    #[inline]
    fn put_part(&mut self, start: usize, part: Plain<'_>, numbers: Numbers) -> usize {
        match part {
            Plain::Text(text) => {
                self.put(start, text.as_bytes());
                start + text.len()
            }
            Plain::Number(Digits { words: [first, second, third], len }) => {
                self.put(start, &first.to_le_bytes());
                if numbers == Numbers::Long && len > 8 {
                    self.put(start + 8, &second.to_le_bytes());
                    self.put(start + 16, &third.to_le_bytes());
                }
                start + usize::from(len)
            }
        }
    }

    #[inline]
    fn put(&mut self, start: usize, text: &[u8]) {
        if let Some(room) = self.bytes.get_mut(start..start + text.len()) {
            copy(text, room);
        }
    }
}

/// The numbers among the parts of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// None has more than eight digits.
    Short,
    Long,
}

/// Copies bytes to a place of the same length. Short ones are copied inline, because a call of `memcpy` costs more than the
/// copy.
#[inline]
fn copy(from: &[u8], to: &mut [u8]) {
    // The first and the last bytes are copied. Together they cover all, because they overlap or meet in the middle.
    match from.len() {
        0 => {}
        1 => copy_ends::<1>(from, to),
        2..=3 => copy_ends::<2>(from, to),
        4..=7 => copy_ends::<4>(from, to),
        8..=16 => copy_ends::<8>(from, to),
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

/// A part of a key whose text needs no escape.
#[derive(Clone, Copy)]
pub(super) enum Plain<'a> {
    Text(&'a str),
    Number(Digits),
}

impl<'a> Plain<'a> {
    /// Returns the key itself if it has to be escaped or enclosed, or may have to.
    // Inlined, so that the compiler sees which kind of key the part is. It then needs no memory for the part: a key that is
    // passed to a function by reference, even rarely, has to be in memory always.
    #[expect(clippy::inline_always, reason = "every call by a pair makes its key again")]
    #[inline(always)]
    pub(super) fn of(part: Key<'a>) -> Result<Self, Key<'a>> {
        match part.0 {
            Text::Borrowed(text, Shape::Single) if !has_separator(text.as_bytes()) => Ok(Self::Text(text)),
            Text::Inline(Inline { bytes, len, shape: Shape::Number }) => {
                let word = |index: usize| bytes[8 * index..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
                Ok(Self::Number(Digits { words: [word(0), word(1), word(2)], len }))
            }
            Text::Borrowed(text, shape) => Err(Key(Text::Borrowed(text, shape))),
            Text::Inline(text) => Err(Key(Text::Inline(text))),
            Text::Shared(text, shape) => Err(Key(Text::Shared(text, shape))),
        }
    }

    /// Whether this is a number of more than eight digits.
    #[inline]
    pub(super) fn is_long_number(&self) -> bool {
        matches!(self, Self::Number(Digits { len: 9.., .. }))
    }

    /// The bytes that are written for this part.
    #[inline]
    fn room(self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Number(Digits { len: 0..=8, .. }) => 8,
            Self::Number(_) => 24,
        }
    }
}

impl<'a> From<Plain<'a>> for Key<'a> {
    #[inline]
    fn from(part: Plain<'a>) -> Self {
        Key(match part {
            Plain::Text(text) => Text::Borrowed(text, Shape::Single),
            Plain::Number(digits) => Text::Inline(digits.into()),
        })
    }
}

/// Whether a key of these parts fits into an [`Inline`].
#[inline]
pub(super) fn fit<const N: usize>(parts: &[Plain<'_>; N]) -> bool {
    parts.iter().map(|part| part.room()).fold(N - 1, usize::saturating_add) <= CAPACITY
}

/// Whether a text contains a separator or an escape. Short ones are searched inline without a loop.
#[inline]
fn has_separator(text: &[u8]) -> bool {
    // The first and the last bytes are searched, as in `copy`.
    match text.len() {
        0 => false,
        1 => have_separator::<1>(text),
        2..=3 => have_separator::<2>(text),
        4..=7 => have_separator::<4>(text),
        8..=16 => have_separator::<8>(text),
        _ => text.iter().any(|byte| matches!(byte, b':' | b'\\')),
    }
}

#[inline]
fn have_separator<const N: usize>(text: &[u8]) -> bool {
    let found = |chunk: Option<&[u8; N]>| {
        let mut word = [0; 8];
        if let Some(chunk) = chunk {
            word[..N].copy_from_slice(chunk);
        }
        let word = u64::from_le_bytes(word);
        zeros(word ^ of_bytes(b':')) | zeros(word ^ of_bytes(b'\\'))
    };
    found(text.first_chunk()) | found(text.last_chunk()) != 0
}

/// A word of eight equal bytes.
const fn of_bytes(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Is zero if none of the eight bytes is zero.
#[inline]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(of_bytes(0x01)) & !word & of_bytes(0x80)
}

/// The decimal digits of a number, made without `Display`, because every call makes its key again.
#[derive(Clone, Copy)]
pub(super) struct Digits {
    /// The text, the first byte in the lowest one of the first word.
    words: [u64; 3],
    len: u8,
}

impl From<Digits> for Inline {
    #[inline]
    fn from(Digits { words, len }: Digits) -> Self {
        let mut number = Self::empty(Shape::Number);
        for (room, word) in number.bytes.chunks_exact_mut(8).zip(words) {
            room.copy_from_slice(&word.to_le_bytes());
        }
        Self { len, ..number }
    }
}

/// The least number that has more than eight digits.
const NINE_DIGITS: u64 = 100_000_000;

impl Digits {
    #[inline]
    fn of(is_negative: bool, magnitude: u64) -> Self {
        if is_negative || magnitude >= NINE_DIGITS {
            return Self::of_long_number(is_negative, magnitude);
        }
        let (first, len) = if magnitude < 10 { (magnitude | u64::from(b'0'), 1) } else { up_to_eight(magnitude) };
        Self { words: [first, 0, 0], len }
    }

    #[inline(never)]
    fn of_long_number(is_negative: bool, magnitude: u64) -> Self {
        let groups =
            [magnitude / NINE_DIGITS / NINE_DIGITS, magnitude / NINE_DIGITS % NINE_DIGITS, magnitude % NINE_DIGITS];
        let mut text = [b'0'; 32];
        for (room, group) in text[1..].chunks_exact_mut(8).zip(groups) {
            room.copy_from_slice(&(eight(group) | of_bytes(b'0')).to_le_bytes());
        }
        // A sign and 24 digits, of which at least the first four are zeros.
        let zeros = text[1..24].iter().take_while(|digit| **digit == b'0').count();
        let start = if is_negative { zeros } else { zeros + 1 };
        if is_negative {
            text[zeros] = b'-';
        }
        text.copy_within(start..25, 0);
        let word = |index: usize| text[8 * index..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        Self { words: [word(0), word(1), word(2)], len: (25 - start).to_le_bytes()[0] }
    }
}

/// The digits of a number that has at most eight, and how many they are.
#[inline]
fn up_to_eight(number: u64) -> (u64, u8) {
    let digits = eight(number);
    // The last digit is always written.
    let zeros = (digits | (1 << 56)).trailing_zeros() / 8;
    ((digits | of_bytes(b'0')) >> (8 * zeros), 8 - zeros.to_le_bytes()[0])
}

/// The values of eight digits, the first one in the lowest byte. Divides all of them at the same time: by a hundred with
/// `10_486 >> 20`, which is exact below 10,000, and by ten with `103 >> 10`, which is exact below 100.
#[inline]
fn eight(number: u64) -> u64 {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - 10 * tens) << 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_are_written_like_their_display() {
        let powers = (0..20).map(|digits| 10_u64.pow(digits));
        let around = |number: u64| (0..200).map(move |offset| number.wrapping_add(offset).wrapping_sub(100));
        let numbers = powers.flat_map(around).chain((0..20_000).map(|index| index * 4_999 + 7)).chain([u64::MAX]);
        for number in numbers {
            assert_eq!(Inline::of_number(false, number).as_str(), number.to_string());
            assert_eq!(Inline::of_number(true, number).as_str(), format!("-{number}"));
        }
    }

    #[test]
    fn every_byte_of_a_part_is_searched_and_copied() {
        // Fails if a range of lengths skips a byte.
        for len in 0..=CAPACITY {
            let text = "ß;9[]".repeat(CAPACITY)[..].bytes().take(len).collect::<Vec<_>>();
            assert!(!has_separator(&text));
            let mut copied = vec![0; len];
            copy(&text, &mut copied);
            assert_eq!(copied, text);
            for index in 0..len {
                for separator in *b":\\" {
                    let mut text = text.clone();
                    text[index] = separator;
                    assert!(has_separator(&text), "byte {index} of {len}");
                }
            }
        }
    }
}
