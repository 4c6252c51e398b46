//! Suggestions for misspelled names.

/// Returns the candidate that is most similar to a misspelled name, if one is similar enough: within one edit per three
/// characters of the name, where a transposition is one edit. Candidates that differ only in case always qualify. Of equally
/// similar candidates the first in byte order is returned, so the result does not depend on their order.
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
            // Two short names without a common character are one edit apart: `$a` is not a misspelled `$b`.
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
    fn a_misspelled_name_is_corrected() {
        assert_eq!(nearest("contnet", ["mode", "content", "context"]), Some("content"));
        assert_eq!(nearest("hostnam", ["hostname"]), Some("hostname"));
        assert_eq!(nearest("State", ["state", "stat"]), Some("state"));
    }

    #[test]
    fn unrelated_names_are_not_suggested() {
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
