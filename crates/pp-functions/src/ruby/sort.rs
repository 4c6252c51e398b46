//! Sorting with a comparison that may fail and that a program may see.
//!
//! It compares the pairs that the merge sort in the C library compares, in its order: the first half is sorted before the
//! second, and equal elements keep their order. A program whose comparison fails gets the same message as in Puppet.

/// Sorts values; `is_after(a, b)` says whether `a` belongs after `b`.
///
/// # Errors
/// Those of the comparison.
pub fn merge_sort<T: Clone, E>(values: &mut [T], is_after: &mut dyn FnMut(&T, &T) -> Result<bool, E>) -> Result<(), E> {
    if values.len() < 2 {
        return Ok(());
    }
    let middle = values.len() / 2;
    merge_sort(&mut values[..middle], is_after)?;
    merge_sort(&mut values[middle..], is_after)?;
    let (left, right) = values.split_at(middle);
    let mut merged = Vec::with_capacity(values.len());
    let (mut from_left, mut from_right) = (0, 0);
    while from_left < left.len() && from_right < right.len() {
        if is_after(&left[from_left], &right[from_right])? {
            merged.push(right[from_right].clone());
            from_right += 1;
        } else {
            merged.push(left[from_left].clone());
            from_left += 1;
        }
    }
    merged.extend_from_slice(&left[from_left..]);
    merged.extend_from_slice(&right[from_right..]);
    values.clone_from_slice(&merged);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn equal_elements_keep_their_order() {
        let mut values = vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd'), (0, 'e')];
        let mut after = |a: &(i32, char), b: &(i32, char)| Ok::<_, Infallible>(a.0 > b.0);
        assert_eq!(merge_sort(&mut values, &mut after), Ok(()));
        assert_eq!(values, [(0, 'e'), (1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
    }

    #[test]
    fn a_failing_comparison_ends_the_sort() {
        let mut after = |a: &i32, b: &i32| Err::<bool, _>((*a, *b));
        assert_eq!(merge_sort(&mut [3, 1, 2], &mut after), Err((1, 2)));
    }
}
