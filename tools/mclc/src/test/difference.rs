//! The difference between an expected graph and the one that a test gives, with the places of its resources.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use similar::{ChangeTag, TextDiff};

/// How many equal lines surround a difference.
const CONTEXT: usize = 3;

/// Returns the difference of two texts, as lines that start with `-`, `+` or a space. Each part is preceded by the resource that
/// it is about, and its location. Empty for equal texts.
pub fn difference(expected: &str, found: &str, locations: &BTreeMap<String, String>) -> String {
    let diff = TextDiff::from_lines(expected, found);
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let mut out = String::new();
    for group in diff.grouped_ops(CONTEXT) {
        let changes: Vec<_> = group.iter().flat_map(|op| diff.iter_changes(op)).collect();
        let first = changes.iter().find(|change| change.tag() != ChangeTag::Equal);
        let subject = first.and_then(|change| match (change.new_index(), change.old_index()) {
            (Some(at), _) => subject(&new, at),
            (None, at) => subject(&old, at?),
        });
        if let Some(subject) = subject {
            let location = locations.get(subject).map(|location| format!(", {location}")).unwrap_or_default();
            let _ = writeln!(out, "@@ {subject}{location}");
        }
        for change in changes {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let _ = writeln!(out, "{sign} {}", change.value().trim_end_matches('\n'));
        }
    }
    out
}

/// Returns the resource that a line of a graph is about.
fn subject<'a>(lines: &[&'a str], at: usize) -> Option<&'a str> {
    let line = lines.get(..=at)?.iter().rev().find(|line| !line.starts_with(' '))?;
    // Of an edge, the resource that has to wait.
    let arrow = [" -> ", " => "].iter().find_map(|arrow| Some(line.split_once(arrow)?.1));
    Some(arrow.map_or(*line, |to| to.trim_end_matches("# automatic").trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_the_resource_and_its_location() {
        let locations = BTreeMap::from([("file[/a]".to_owned(), "main.mcl:3".to_owned())]);
        let expected = "file[/a]\n    state => \"exists\"\n    mode => \"0644\"\nnoop[n]\n";
        let found = "file[/a]\n    state => \"exists\"\n    mode => \"0600\"\nnoop[n]\n";
        let difference = super::difference(expected, found, &locations);
        let lines = "@@ file[/a], main.mcl:3\n  file[/a]\n      state => \"exists\"\n-     mode => \"0644\"\n\
             +     mode => \"0600\"\n  noop[n]\n";
        assert_eq!(difference, lines);
        assert_eq!(super::difference(found, found, &locations), "");
    }

    #[test]
    fn edges_are_about_the_resource_that_waits() {
        let locations = BTreeMap::from([("file[/b]".to_owned(), "main.mcl:9".to_owned())]);
        let difference = super::difference("", "file[/a] -> file[/b]  # automatic\n", &locations);
        assert_eq!(difference, "@@ file[/b], main.mcl:9\n+ file[/a] -> file[/b]  # automatic\n");
    }
}
