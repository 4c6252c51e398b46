//! Suggestions for misspelled names.

/// Returns the candidate that is most similar to a misspelled name, if one is similar enough: within one edit per three
/// characters of the name and at most 16, where a transposition is one edit. Candidates that differ only in case always
/// qualify. Of equally similar candidates the first in byte order is returned, so the result does not depend on their order.
#[must_use]
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut distance = BoundedDistance::new(wrong);
    let folded = wrong.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| *candidate != wrong)
        .filter_map(|candidate| {
            let edits = if is_folded(candidate, &folded) { Some(0) } else { distance.to(candidate) };
            edits.map(|edits| (edits, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Whether `folded` is a text in lower case.
fn is_folded(text: &str, folded: &str) -> bool {
    if text.is_ascii() {
        return text.bytes().map(|byte| byte.to_ascii_lowercase()).eq(folded.bytes());
    }
    text.to_lowercase() == folded
}

/// Nobody who means a name makes more mistakes in it.
const MAX_EDITS: usize = 16;

/// The distance of texts from a misspelled name, as far as they are near: insertions, deletions, replacements, and
/// transpositions of neighbours (optimal string alignment). Only the cells of the table near its diagonal are computed, and
/// only the rows up to the one where all of these exceed the limit.
struct BoundedDistance {
    wrong: Vec<char>,
    limit: usize,
    candidate: Vec<char>,
    /// The last three rows of the table.
    rows: [Vec<usize>; 3],
}

impl BoundedDistance {
    fn new(wrong: &str) -> BoundedDistance {
        let wrong: Vec<char> = wrong.chars().collect();
        let limit = (wrong.len() / 3).clamp(1, MAX_EDITS);
        BoundedDistance { wrong, limit, candidate: Vec::new(), rows: Default::default() }
    }

    /// Returns the distance, if it is within the limit and the texts have something in common: two short names without a
    /// common character are one edit apart, but `$a` is not a misspelled `$b`.
    fn to(&mut self, candidate: &str) -> Option<usize> {
        let BoundedDistance { wrong, limit, candidate: b, rows: [before_last, last, row] } = self;
        let limit = *limit;
        // A character has at most four bytes.
        if candidate.len() > 4 * (wrong.len() + limit) {
            return None;
        }
        b.clear();
        b.extend(candidate.chars());
        if b.len().abs_diff(wrong.len()) > limit {
            return None;
        }
        let (above, width) = (limit + 1, b.len() + 1);
        for row in [&mut *before_last, &mut *last, &mut *row] {
            row.clear();
            row.resize(width, above);
        }
        (0..width.min(above)).for_each(|column| last[column] = column);
        for i in 1..=wrong.len() {
            let (first, end) = (i.saturating_sub(limit).max(1), (i + limit).min(b.len()));
            row[first - 1] = if first == 1 { i.min(above) } else { above };
            let mut least = row[first - 1];
            for j in first..=end {
                let replaced = last[j - 1] + usize::from(wrong[i - 1] != b[j - 1]);
                let mut edits = replaced.min(row[j - 1] + 1).min(last[j] + 1);
                if i > 1 && j > 1 && wrong[i - 1] == b[j - 2] && wrong[i - 2] == b[j - 1] {
                    edits = edits.min(before_last[j - 2] + 1);
                }
                row[j] = edits.min(above);
                least = least.min(row[j]);
            }
            if least > limit {
                return None;
            }
            // What is beyond the band was computed for an earlier row.
            if let Some(beyond) = row.get_mut(end + 1) {
                *beyond = above;
            }
            std::mem::swap(before_last, last);
            std::mem::swap(last, row);
        }
        let edits = last[b.len()];
        (edits <= limit && edits < wrong.len().max(b.len())).then_some(edits)
    }
}

#[cfg(test)]
mod tests {
    use super::{BoundedDistance, MAX_EDITS, nearest};

    #[test]
    fn the_distance_of_near_texts_is_that_of_optimal_string_alignment() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let (mut near, mut far) = (0, 0);
        for _ in 0..4_000 {
            let length = random(40) as usize;
            let wrong: Vec<char> = (0..length).map(|_| ['a', 'b', 'ä'][random(3) as usize]).collect();
            let mut text = wrong.clone();
            for _ in 0..random(6) {
                let at = random(text.len() as u32 + 1) as usize;
                match random(4) {
                    0 => text.insert(at, 'c'),
                    1 if at < text.len() => drop(text.remove(at)),
                    2 if at < text.len() => text[at] = 'b',
                    _ if at + 1 < text.len() => text.swap(at, at + 1),
                    _ => {}
                }
            }
            let (wrong, text): (String, String) = (wrong.iter().collect(), text.iter().collect());
            let expected = strsim::osa_distance(&wrong, &text);
            let limit = (wrong.chars().count() / 3).clamp(1, MAX_EDITS);
            let is_related = expected < wrong.chars().count().max(text.chars().count());
            let expected = (expected <= limit && is_related).then_some(expected);
            *(if expected.is_some() { &mut near } else { &mut far }) += 1;
            assert_eq!(BoundedDistance::new(&wrong).to(&text), expected, "{wrong:?} {text:?}");
        }
        assert!(near > 1_000 && far > 200, "{near} {far}");
    }

    #[test]
    fn a_long_name_is_corrected_within_a_few_edits() {
        let name = "x".repeat(10_000);
        assert_eq!(nearest(&format!("{name}y"), [name.as_str(), &"y".repeat(10_000)]), Some(name.as_str()));
        assert_eq!(nearest(&format!("{name}{}", "y".repeat(MAX_EDITS + 1)), [name.as_str()]), None);
    }

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
