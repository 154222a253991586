//! Keys as caches compare them.

use std::sync::atomic::{AtomicU64, Ordering};

/// A key of up to 16 bytes, or the hash of a longer one, with the number of its registry.
///
/// Equal short keys are the same. Equal long ones may differ, because they are hashes.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub(super) struct CacheKey {
    /// Mixed with the secrets of the registry.
    words: [u64; 2],
    /// The length in the lowest byte, and the number of the registry.
    tag: u64,
}

impl PartialEq for CacheKey {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // Different keys rarely have the same last bytes, and often the same first ones and length.
        self.words[1] == other.words[1] && self.words[0] == other.words[0] && self.tag == other.tag
    }
}

/// What the keys of one registry are mixed with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Secrets {
    words: [u64; 2],
    /// The number of the registry.
    tag: u64,
}

/// The length of the longest short key.
pub(super) const SHORT: usize = 16;
/// The tag of a long key, which no length is equal to.
const LONG: u64 = 0xff;

impl Secrets {
    pub(super) fn new(words: [u64; 2]) -> Self {
        static LATEST: AtomicU64 = AtomicU64::new(0);
        Self { words, tag: (LATEST.fetch_add(1, Ordering::Relaxed) + 1) << 8 }
    }

    /// Returns `None` for a key that is longer than [`SHORT`].
    #[inline]
    pub(super) fn short_key(self, key: &[u8]) -> Option<CacheKey> {
        // The first and the last bytes. Together they are all, because they overlap or meet in the middle.
        let len = key.len();
        let [first, last] = if len > SHORT {
            return None;
        } else if len >= 8 {
            [&key[..8], &key[len - 8..]].map(|half| half.try_into().map_or(0, u64::from_le_bytes))
        } else if len >= 4 {
            [&key[..4], &key[len - 4..]].map(|half| half.try_into().map_or(0, u32::from_le_bytes).into())
        } else if len > 0 {
            [u64::from(key[0]), (u64::from(key[len / 2]) << 8) | u64::from(key[len - 1])]
        } else {
            [0; 2]
        };
        Some(CacheKey { words: [first ^ self.words[0], last ^ self.words[1]], tag: key.len() as u64 | self.tag })
    }

    /// The key of a hash.
    pub(super) fn long_key(self, hash: u64) -> CacheKey {
        CacheKey { words: [hash ^ self.words[0], self.words[1]], tag: LONG | self.tag }
    }
}

impl CacheKey {
    /// The hash of the key in the map of its registry. Without the secrets, keys of the same hash cannot be found. Few keys have
    /// the same words and different lengths, so the length is not hashed.
    #[expect(clippy::cast_possible_truncation, reason = "the low half is meant")]
    #[inline]
    pub(super) fn hash(self) -> u64 {
        let product = u128::from(self.words[0]) * u128::from(self.words[1]);
        // The bits in the middle of a product depend on most bits of its factors.
        (product ^ (product >> 64)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_short_key_matters() {
        // Fails if a range of lengths skips a byte. Other tests do not notice that, because two keys that differ in one
        // byte almost never have the same hash.
        let secrets = Secrets::new([3, 5]);
        let short = |key: &[u8]| secrets.short_key(key);
        let text: Vec<_> = (b'a'..=b'z').collect();
        for len in 0..=16 {
            let key = &text[..len];
            assert_eq!(short(&text.clone()[..len]), short(key));
            assert!(len == 0 || short(&vec![0; len]) != short(&vec![0; len - 1]));
            for index in 0..len {
                let mut other = key.to_vec();
                other[index] = b'-';
                assert_ne!(short(&other), short(key), "byte {index} of {len}");
            }
        }
        assert_eq!(short(&text[..17]), None);
        assert_ne!(Secrets::new([3, 5]).short_key(b"a"), short(b"a"), "the key of another registry");
    }
}
