//! `line`: lines that a text file must, or must not, contain (spec 05 §6.14).

use std::path::{Path, PathBuf};

use resource_graph::Resource;
use safe_fs::NewAttributes;

use crate::text_file::{self, Edit, expand_home, with_mode};
use crate::{Context, Effects, Failure, Params, Provider, Scope, Watch};

struct Line {
    file: PathBuf,
    edit: LineEdit,
}

/// Consecutive lines that a file must, or must not, contain.
pub(crate) struct LineEdit {
    pub(crate) content: Vec<u8>,
    pub(crate) exists: bool,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Line::read(&resources[0])?))
}

impl Line {
    fn read(resource: &Resource) -> Result<Line, Failure> {
        let params = Params::new(resource);
        let content = params.opt_bytes("content")?.map_or(&[][..], |s| s.as_bytes());
        let content = if params.bool("trim")? { content.trim_ascii() } else { content };
        Ok(Line {
            file: expand_home(params.str("file")?)?,
            edit: LineEdit { content: content.to_vec(), exists: params.str("state")? == "exists" },
        })
    }
}

impl Provider for Line {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        self.edit.check_apply(cx, &self.file, &with_mode(0o600))
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::Path(self.file.clone(), Scope::Entry)]
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Line::read(&resources[0])?;
        Ok(())
    }
}

impl LineEdit {
    /// Brings the file into its state. A new file gets the attributes.
    pub(crate) fn check_apply(&self, cx: &mut Context<'_>, file: &Path, new: &NewAttributes) -> Result<(), Failure> {
        // A trailing newline terminates the last line and does not start another one.
        let content = self.content.strip_suffix(b"\n").unwrap_or(&self.content);
        if content.is_empty() {
            return Ok(());
        }
        let wanted: Vec<&[u8]> = content.split(|b| *b == b'\n').map(without_cr).collect();
        let decide = |before: Option<&[u8]>| {
            let old = before.unwrap_or_default();
            let found = occurrences(old, &wanted);
            if found.is_empty() != self.exists {
                return Ok(None);
            }
            Ok(Some(if self.exists {
                let text = format!("add {} to {}", lines(&wanted), file.display());
                Edit { text, after: Some(append(old, content)), is_private: false }
            } else {
                let text = format!("remove {} from {}", lines(&wanted), file.display());
                Edit { text, after: Some(without(old, &found)), is_private: false }
            }))
        };
        text_file::edit(cx, file, new, decide).map(drop)
    }
}

fn lines(wanted: &[&[u8]]) -> String {
    match wanted.len() {
        1 => "a line".to_owned(),
        n => format!("{n} lines"),
    }
}

fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the byte ranges of the non-overlapping occurrences of the lines, from first to last.
fn occurrences(text: &[u8], wanted: &[&[u8]]) -> Vec<std::ops::Range<usize>> {
    let mut starts = vec![0];
    starts.extend(text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1));
    if *starts.last().unwrap_or(&0) != text.len() {
        starts.push(text.len());
    }
    // Line `i`, with its line end, is the range from `starts[i]` to `starts[i + 1]`.
    let line = |i: usize| {
        let line = &text[starts[i]..starts[i + 1]];
        without_cr(line.strip_suffix(b"\n").unwrap_or(line))
    };
    let count = starts.len() - 1;
    let mut found = Vec::new();
    let mut at = 0;
    while at + wanted.len() <= count {
        if (0..wanted.len()).all(|i| line(at + i) == wanted[i]) {
            found.push(starts[at]..starts[at + wanted.len()]);
            at += wanted.len();
        } else {
            at += 1;
        }
    }
    found
}

fn append(text: &[u8], content: &[u8]) -> Vec<u8> {
    let mut after = text.to_vec();
    if !after.is_empty() && !after.ends_with(b"\n") {
        after.push(b'\n');
    }
    after.extend_from_slice(content);
    after.push(b'\n');
    after
}

fn without(text: &[u8], ranges: &[std::ops::Range<usize>]) -> Vec<u8> {
    let mut after = Vec::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        after.extend_from_slice(&text[at..range.start]);
        at = range.end;
    }
    after.extend_from_slice(&text[at..]);
    after
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::provider_test::{ProviderTest, resource};

    #[track_caller]
    fn check(before: &str, state: &str, content: &str, after: &str) {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("f");
        fs::write(&file, before).unwrap();
        let line =
            resource("line", "l").with("file", file.to_str().unwrap()).with("state", state).with("content", content);
        let mut test = ProviderTest::new(&line);
        if before == after {
            test.assert_unchanged();
        } else {
            test.assert_converges();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), after);
    }

    #[test]
    fn a_line_is_added_once_and_on_a_line_of_its_own() {
        check("a\n", "exists", "b", "a\nb\n");
        check("a", "exists", "b", "a\nb\n");
        check("", "exists", "b\n", "b\n");
        check("a\nb\nc\n", "exists", "b", "a\nb\nc\n");
        check("a\r\nb\r\n", "exists", "b", "a\r\nb\r\n");
        check("ab\n", "exists", "b", "ab\nb\n");
    }

    #[test]
    fn every_occurrence_is_removed_and_the_rest_stays_as_it_is() {
        check("a\nb\nc\nb\n", "absent", "b", "a\nc\n");
        check("a\r\nb", "absent", "b", "a\r\n");
        check("x\nx\nx\n", "absent", "x\nx", "x\n");
        check("a\nb\n", "absent", "a\nc", "a\nb\n");
        check("a\n", "absent", "", "a\n");
    }

    #[test]
    fn blocks_match_whole_lines_only() {
        check("1\n2\n3\n", "exists", "2\n3", "1\n2\n3\n");
        check("1\n2\n33\n", "exists", "2\n3", "1\n2\n33\n2\n3\n");
    }

    #[test]
    fn a_missing_file_has_no_lines() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("f");
        let line = |state: &str| {
            resource("line", "l")
                .with("file", file.to_str().unwrap())
                .with("state", state)
                .with("content", " a ")
                .with("trim", true)
        };
        ProviderTest::new(&line("absent")).assert_unchanged();
        ProviderTest::new(&line("exists")).assert_converges();
        assert_eq!(fs::read_to_string(&file).unwrap(), "a\n");
    }
}
