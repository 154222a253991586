//! Random numbers that are the same in each run.

/// A xorshift generator. Its failures are repeatable.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}
