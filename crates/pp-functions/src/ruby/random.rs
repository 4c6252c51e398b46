//! Ruby's generator of random numbers: the Mersenne Twister MT19937, seeded with a large integer.
//!
//! Programs rely on its numbers, because `fqdn_rand` must give the same result on every run.

const STATE: usize = 624;
const SHIFT: usize = 397;

/// A generator.
pub(crate) struct MersenneTwister {
    state: [u32; STATE],
    next: usize,
}

impl MersenneTwister {
    /// Creates the generator of `Random.new(seed)` for an integer, which is given by its 32-bit words, the least first.
    pub(crate) fn new(seed: &[u32]) -> MersenneTwister {
        let length = seed.iter().rposition(|&word| word != 0).map_or(1, |last| last + 1);
        let mut key = seed.get(..length).unwrap_or(&[0]);
        // Ruby takes a most significant word of one for the guard that it adds to numbers with leading zeros.
        if let [rest @ .., 1] = key
            && !rest.is_empty()
        {
            key = rest;
        }
        match key {
            [word] => MersenneTwister::from_word(*word),
            _ => MersenneTwister::from_key(key),
        }
    }

    fn from_word(seed: u32) -> MersenneTwister {
        let mut state = [0; STATE];
        state[0] = seed;
        for at in 1..STATE {
            let before = state[at - 1];
            state[at] = 1_812_433_253_u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(at as u32);
        }
        MersenneTwister { state, next: STATE }
    }

    fn from_key(key: &[u32]) -> MersenneTwister {
        let MersenneTwister { mut state, .. } = MersenneTwister::from_word(19_650_218);
        let mut at = 1;
        for index in (0..key.len()).cycle().take(STATE.max(key.len())) {
            let before = state[at - 1];
            state[at] = (state[at] ^ (before ^ (before >> 30)).wrapping_mul(1_664_525))
                .wrapping_add(key[index])
                .wrapping_add(index as u32);
            at = next_index(at, &mut state);
        }
        for _ in 1..STATE {
            let before = state[at - 1];
            state[at] = (state[at] ^ (before ^ (before >> 30)).wrapping_mul(1_566_083_941)).wrapping_sub(at as u32);
            at = next_index(at, &mut state);
        }
        state[0] = 0x8000_0000;
        MersenneTwister { state, next: STATE }
    }

    fn next_u32(&mut self) -> u32 {
        if self.next == STATE {
            self.generate();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    fn generate(&mut self) {
        for at in 0..STATE {
            let mixed = (self.state[at] & 0x8000_0000) | (self.state[(at + 1) % STATE] & 0x7fff_ffff);
            let twisted = (mixed >> 1) ^ if mixed & 1 == 0 { 0 } else { 0x9908_b0df };
            self.state[at] = self.state[(at + SHIFT) % STATE] ^ twisted;
        }
        self.next = 0;
    }

    /// Returns a number from zero up to and including a limit, as `Random#rand(limit + 1)` does.
    pub(crate) fn up_to(&mut self, limit: u64) -> u64 {
        let mask = u64::MAX.checked_shr(limit.leading_zeros()).unwrap_or(0);
        'draw: loop {
            let mut number = 0;
            for shift in [32, 0] {
                if mask >> shift & 0xffff_ffff != 0 {
                    number = (number | u64::from(self.next_u32()) << shift) & mask;
                    if number > limit {
                        continue 'draw;
                    }
                }
            }
            return number;
        }
    }
}

/// Returns the index after `at`, wrapping around from the end as the initialization does.
fn next_index(at: usize, state: &mut [u32; STATE]) -> usize {
    if at + 1 < STATE {
        return at + 1;
    }
    state[0] = state[STATE - 1];
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of Ruby 3.1: `Random.new(seed).rand(limit + 1)`.
    fn check(seed: u128, limit: u64, expected: &[u64]) {
        let words: Vec<u32> = (0..4).map(|word| (seed >> (32 * word)) as u32).collect();
        let mut generator = MersenneTwister::new(&words);
        let numbers: Vec<u64> = expected.iter().map(|_| generator.up_to(limit)).collect();
        assert_eq!(numbers, expected, "seed {seed}");
    }

    #[test]
    fn draws_the_numbers_of_ruby() {
        check(0, 99, &[44, 47, 64, 67]);
        check(42, 5, &[3, 4, 2, 4]);
        check(4_294_967_296, 99, &[44, 47, 64, 67]);
        check(4_294_967_297, 99, &[37, 12, 72, 9]);
        check(170_141_183_460_469_231_744_032_982_617_118_673_618, 999_999, &[866_490, 742_335, 543_345, 513_050]);
    }

    #[test]
    fn draws_more_than_one_word() {
        check(12345, 4_294_967_295, &[3_992_670_690, 3_823_185_381, 1_358_822_685, 561_383_553]);
        check(12345, 4_294_967_296, &[3_823_185_381, 170_765_737, 3_549_516_158, 1_983_958_385]);
        check(98_765_432_109_876_543_210, 1 << 62, &[4_564_222_147_724_734_037, 3_003_217_394_347_158_633]);
        check(7, 0, &[0, 0, 0, 0]);
    }
}
