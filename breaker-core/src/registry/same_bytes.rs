//! The comparison of keys.

/// Whether two byte strings are equal. Short ones are compared inline, because a call of `memcmp` costs more than the
/// comparison.
#[inline]
pub(super) fn same_bytes(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    // The first and the last bytes are compared. Together they cover all, because they overlap or meet in the middle.
    match one.len() {
        17.. => one == other,
        9.. => one.first_chunk::<8>() == other.first_chunk() && one.last_chunk::<8>() == other.last_chunk(),
        4.. => one.first_chunk::<4>() == other.first_chunk() && one.last_chunk::<4>() == other.last_chunk(),
        1.. => one[0] == other[0] && one[one.len() / 2] == other[one.len() / 2] && one.last() == other.last(),
        0 => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_key_matters() {
        // Fails if a range of lengths skips a byte. Other tests do not notice that, because two keys that differ in one
        // byte almost never have the same hash.
        let text: Vec<_> = (b'a'..=b'z').chain(b'A'..=b'N').collect();
        for len in 0..=text.len() {
            let key = &text[..len];
            assert!(same_bytes(key, &text.clone()[..len]));
            assert!(!same_bytes(key, &text[..len.saturating_sub(1)]) || len == 0);
            for index in 0..len {
                let mut other = key.to_vec();
                other[index] = b'-';
                assert!(!same_bytes(key, &other), "byte {index} of {len}");
            }
        }
    }
}
