//! "Did you mean": the nearest of a set of names.

/// The candidate that a person most probably meant when writing `wrong`, if one is near enough: one edit for every three
/// characters of the wrong name (a transposition is one edit, a change of case alone is always near). Among equally near
/// ones the first in byte order wins, so the answer does not depend on the order of the candidates.
#[must_use]
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (wrong.chars().count() / 3).max(1);
    let folded = wrong.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| *candidate != wrong && candidate.len().abs_diff(wrong.len()) <= 4 * limit)
        .filter_map(|candidate| {
            let same_but_case = candidate.to_lowercase() == folded;
            let distance = if same_but_case { 0 } else { strsim::osa_distance(wrong, candidate) };
            // Two short names with nothing in common are "one edit" apart: $a is not a slip for $b.
            let unrelated = distance >= wrong.chars().count().max(candidate.chars().count());
            (distance <= limit && !unrelated).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_the_name() {
        assert_eq!(nearest("contnet", ["mode", "content", "context"]), Some("content"));
        assert_eq!(nearest("hostnam", ["hostname"]), Some("hostname"));
        assert_eq!(nearest("State", ["state", "stat"]), Some("state"));
    }

    #[test]
    fn strangers_are_not_suggested() {
        assert_eq!(nearest("x", ["y", "z"]), None);
        assert_eq!(nearest("wheels", ["content", "mode"]), None);
        assert_eq!(nearest("same", ["same"]), None);
    }

    #[test]
    fn ties_do_not_depend_on_the_order() {
        assert_eq!(nearest("bat", ["cat", "bar"]), Some("bar"));
        assert_eq!(nearest("bat", ["bar", "cat"]), Some("bar"));
    }
}
