//! Edits of a text.

/// A replacement of bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextEdit {
    /// What is replaced.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// What it becomes.
    pub text: String,
}

/// Applies edits, which are sorted and do not overlap.
#[must_use]
pub fn apply_edits(text: &str, edits: &[TextEdit]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for TextEdit { start, end, text: new } in edits {
        result.push_str(text.get(done..*start as usize).unwrap_or_default());
        result.push_str(new);
        done = *end as usize;
    }
    result.push_str(text.get(done..).unwrap_or_default());
    result
}

/// Adds edits to others, unless one of them changes what another does. Returns whether they were added.
pub fn join_edits(edits: &mut Vec<TextEdit>, more: &[TextEdit]) -> bool {
    let touches = |a: &TextEdit, b: &TextEdit| a.start < b.end && b.start < a.end || a.start == b.start;
    // Two fixes may need the same import.
    let new: Vec<&TextEdit> = more.iter().filter(|edit| !edits.contains(edit)).collect();
    if new.iter().any(|edit| edits.iter().any(|other| touches(edit, other))) {
        return false;
    }
    edits.extend(new.into_iter().cloned());
    edits.sort();
    true
}

#[cfg(test)]
mod tests {
    use super::{TextEdit, apply_edits, join_edits};

    fn edit(start: u32, end: u32, text: &str) -> TextEdit {
        TextEdit { start, end, text: text.to_owned() }
    }

    #[test]
    fn edits_that_overlap_are_not_joined() {
        let mut edits = vec![edit(2, 4, "x")];
        assert!(!join_edits(&mut edits, &[edit(3, 5, "y")]));
        assert!(!join_edits(&mut edits, &[edit(0, 1, "y"), edit(2, 2, "z")]));
        assert!(join_edits(&mut edits, &[edit(4, 4, "y"), edit(0, 1, "")]));
        assert!(join_edits(&mut edits, &[edit(4, 4, "y")]));
        assert_eq!(apply_edits("abcdef", &edits), "bxyef");
    }
}
