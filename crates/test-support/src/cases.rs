//! Randomised tests that make a failing case smaller before they show it.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, PoisonError};

use crate::random::{Rng, for_each_seed_in_parallel};

/// Held while a case is made smaller: the panics of its attempts are not shown.
static SHRINKING: Mutex<()> = Mutex::new(());

/// Makes a random case for each [seed](crate::seeds), on all processors, and checks it. A case that fails is replaced by one of
/// the cases that `smaller` makes of it as long as one of those fails, too; the last one is shown.
pub fn for_each_case<C: Debug>(
    runs: u64,
    generate: impl Fn(&mut Rng) -> C + Sync,
    smaller: impl Fn(&C) -> Vec<C> + Sync,
    check: impl Fn(&C) + Sync,
) {
    for_each_seed_in_parallel(runs, |random| {
        let case = generate(random);
        let fails = |case: &C| catch_unwind(AssertUnwindSafe(|| check(case))).is_err();
        if !fails(&case) {
            return;
        }
        let shrinking = SHRINKING.lock().unwrap_or_else(PoisonError::into_inner);
        let hook = take_hook();
        set_hook(Box::new(|_| {}));
        let smallest = smallest(case, &smaller, fails);
        set_hook(hook);
        drop(shrinking);
        eprintln!("the smallest case that fails:\n{smallest:#?}");
        check(&smallest);
        panic!("the case failed only before");
    });
}

fn smallest<C>(mut case: C, smaller: &impl Fn(&C) -> Vec<C>, fails: impl Fn(&C) -> bool) -> C {
    while let Some(next) = smaller(&case).into_iter().find(|next| fails(next)) {
        case = next;
    }
    case
}

/// Returns the lists that lack a part of `items`: first a half, then less and less, down to single items.
pub fn shorter<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    let mut lists = Vec::new();
    let mut length = items.len().div_ceil(2);
    while length > 0 && !items.is_empty() {
        for start in (0..items.len()).step_by(length) {
            let end = (start + length).min(items.len());
            lists.push([&items[..start], &items[end..]].concat());
        }
        length = if length == 1 { 0 } else { length.div_ceil(2) };
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_case_is_made_as_small_as_possible() {
        let case: Vec<u32> = (0..40).collect();
        let found = smallest(case, &|case: &Vec<u32>| shorter(case), |case| case.contains(&7) && case.contains(&31));
        assert_eq!(found, [7, 31]);
    }

    #[test]
    fn list_is_cut_by_halves_and_by_items() {
        assert_eq!(shorter(&[1, 2, 3]), [vec![3], vec![1, 2], vec![2, 3], vec![1, 3], vec![1, 2]]);
        assert_eq!(shorter::<u32>(&[]), [[0; 0]; 0]);
    }
}
