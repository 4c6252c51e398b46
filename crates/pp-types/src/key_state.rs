//! Hashing of keys that somebody else chooses.

use std::hash::BuildHasher;
use std::sync::LazyLock;

use foldhash::fast::{FoldHasher, RandomState};

/// Makes hashers whose seed is new in each process, so that nobody can choose keys with the same hash: a table of n such keys
/// would take time that grows with the square of n.
///
/// For tables in order of insertion: nothing may depend on the hashes themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyState;

static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::default);

impl BuildHasher for KeyState {
    type Hasher = FoldHasher<'static>;

    fn build_hasher(&self) -> FoldHasher<'static> {
        SEED.build_hasher()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rustc_hash::FxBuildHasher;

    use super::*;
    use crate::value::Value;

    /// The inverse of the factor of `FxHasher`, modulo 2^64.
    const INVERSE: u64 = {
        let factor: u64 = 0xf135_7aea_2e62_a9c5;
        let mut inverse: u64 = 1;
        let mut round = 0;
        while round < 6 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)));
            round += 1;
        }
        inverse
    };

    fn buckets(state: &impl BuildHasher, keys: &[Value]) -> usize {
        keys.iter().map(|key| state.hash_one(key) & 0xffff).collect::<HashSet<u64>>().len()
    }

    #[test]
    fn chosen_integers_are_in_different_buckets() {
        // What the hash of an integer is before the integer is added to it.
        let before = FxBuildHasher.hash_one(Value::Integer(0)).rotate_right(26).wrapping_mul(INVERSE);
        let chosen = |n: u64| Value::Integer((n << 14).wrapping_mul(INVERSE).wrapping_sub(before).cast_signed());
        let keys: Vec<Value> = (0..1_000).map(chosen).collect();
        assert_eq!(buckets(&FxBuildHasher, &keys), 1, "these keys collide where the hash has no seed");
        assert!(buckets(crate::Hash::default().hasher(), &keys) > 900);
    }

    #[test]
    fn hashes_with_different_values_are_in_different_buckets() {
        let hash = |n: i64| Value::hash([("a".into(), Value::Integer(n))].into_iter().collect());
        let keys: Vec<Value> = (0..1_000).map(hash).collect();
        assert!(buckets(&KeyState, &keys) > 900);
    }
}
