//! The change of a file's content, as a diff.

use resource_graph::{MASK, Resource, has_sensitive_parameter};
use runtime::{Change, Diff};
use similar::{ChangeTag, TextDiff};

use crate::printable::printable;
use crate::report::paint;

/// Returns whether the content that a change is about must not be shown.
pub fn hides_content(resource: &Resource, change: &Change) -> bool {
    change.diff.as_ref().is_some_and(|diff| diff.is_private) || has_sensitive_parameter(resource)
}

/// Returns the lines of a diff, indented, with three lines of context; a mask if they are `hidden`.
pub fn content_diff(diff: &Diff, hidden: bool, color: bool) -> String {
    if hidden {
        return format!("    content: {MASK}\n");
    }
    let (Some(before), Some(after)) = (text_of(diff.before.as_deref()), text_of(diff.after.as_deref())) else {
        return "    (binary or large content not shown)\n".to_owned();
    };
    let mut text = String::new();
    let changes = TextDiff::from_lines(before, after);
    for (i, group) in changes.grouped_ops(3).iter().enumerate() {
        if i > 0 {
            text += "    …\n";
        }
        for change in group.iter().flat_map(|op| changes.iter_changes(op)) {
            let (sign, code) = match change.tag() {
                ChangeTag::Delete => ('-', "31"),
                ChangeTag::Insert => ('+', "32"),
                ChangeTag::Equal => (' ', "2"),
            };
            let value = change.value();
            let line = value.strip_suffix('\n').unwrap_or(value);
            // Tabs align columns.
            let line = line.split('\t').map(printable).collect::<Vec<_>>().join("\t");
            text += &format!("    {}\n", paint(color, code, &format!("{sign}{line}")));
            if !value.ends_with('\n') {
                text += "    \\ no newline at the end\n";
            }
        }
    }
    text
}

/// Returns the content as a string, which is empty for a missing file, or `None` for binary content.
fn text_of(content: Option<&[u8]>) -> Option<&str> {
    content.map_or(Some(""), |c| std::str::from_utf8(c).ok().filter(|t| !t.contains('\0')))
}
