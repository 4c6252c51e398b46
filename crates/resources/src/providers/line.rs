//! `line`: lines that a text file must, or must not, contain (spec 05 §6.14).

use std::ops::Range;
use std::path::{Path, PathBuf};

use regex::bytes::Regex;
use resource_graph::Resource;
use safe_fs::NewAttributes;

use crate::home::expand_home;
use crate::text_file::{self, Edit, with_mode};
use crate::{Context, Effects, Failure, Params, Provider, Scope, Watch};

struct Line {
    file: PathBuf,
    edit: LineEdit,
}

/// Consecutive lines that a file must, or must not, contain.
pub(crate) struct LineEdit {
    pub(crate) content: Vec<u8>,
    pub(crate) exists: bool,
    /// Which lines are replaced or removed instead of those with the content.
    pub(crate) pattern: Option<Pattern>,
    /// Which line a new one follows.
    pub(crate) after: Option<Pattern>,
}

/// The range of a line with its end, and the line without.
type FoundLine<'t> = (Range<usize>, &'t [u8]);

/// Lines that match a regular expression.
pub(crate) struct Pattern {
    regex: Regex,
    /// Whether several lines may match.
    multiple: bool,
    /// Whether a line that matches is replaced.
    replace: bool,
    /// Whether a line is added if none matches.
    append: bool,
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
            edit: LineEdit {
                content: content.to_vec(),
                exists: params.str("state")? == "exists",
                pattern: pattern(params, "match")?,
                after: pattern(params, "after")?,
            },
        })
    }
}

fn pattern(params: Params<'_>, field: &str) -> Result<Option<Pattern>, Failure> {
    let text = params.str(field)?;
    if text.is_empty() {
        return Ok(None);
    }
    let regex = Regex::new(text).map_err(|error| Failure::Invalid(format!("invalid `{field}`: {error}")))?;
    Ok(Some(Pattern {
        regex,
        multiple: params.bool("multiple")?,
        replace: params.opt_bool("replace")?.unwrap_or(true),
        append: params.opt_bool("append")?.unwrap_or(true),
    }))
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
        if let Some(pattern) = &self.pattern {
            // Each line keeps its own end.
            let content = without_cr(content);
            let decide = |before: Option<&[u8]>| self.edit_matching(pattern, before.unwrap_or_default(), content, file);
            return text_file::edit(cx, file, new, decide).map(drop);
        }
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
                Edit { text, after: Some(self.with_added(old, content, file)?), is_private: false }
            } else {
                let text = format!("remove {} from {}", lines(&wanted), file.display());
                Edit { text, after: Some(without(old, &found)), is_private: false }
            }))
        };
        text_file::edit(cx, file, new, decide).map(drop)
    }
}

impl Pattern {
    /// Returns the lines that match, without their ends, and their ranges.
    ///
    /// # Errors
    /// Several lines match, and only one may.
    fn lines<'t>(&self, old: &'t [u8], file: &Path) -> Result<Vec<FoundLine<'t>>, Failure> {
        let matching = self.matching(old);
        if matching.len() > 1 && !self.multiple {
            return Err(Failure::Refused(format!(
                "{} lines of {} match `{}`; set `multiple => true` to change them all",
                matching.len(),
                file.display(),
                self.regex
            )));
        }
        Ok(matching)
    }

    fn matching<'t>(&self, old: &'t [u8]) -> Vec<FoundLine<'t>> {
        let mut matching = Vec::new();
        let mut at = 0;
        for line in old.split_inclusive(|byte| *byte == b'\n') {
            let text = without_cr(line.strip_suffix(b"\n").unwrap_or(line));
            if self.regex.is_match(text) {
                matching.push((at..at + line.len(), text));
            }
            at += line.len();
        }
        matching
    }
}

impl LineEdit {
    /// Returns a text with a new line, or new lines: after the line that is to come before, else at the end.
    fn with_added(&self, old: &[u8], content: &[u8], file: &Path) -> Result<Vec<u8>, Failure> {
        let before = match &self.after {
            // Where a line could have been replaced, the first place is right.
            Some(pattern) if self.pattern.is_some() => pattern.matching(old).into_iter().take(1).collect(),
            Some(pattern) => pattern.lines(old, file)?,
            None => Vec::new(),
        };
        if before.is_empty() {
            return Ok(append(old, content));
        }
        let mut text = Vec::with_capacity(old.len() + content.len());
        let mut at = 0;
        for (range, _) in before {
            text.extend_from_slice(&old[at..range.end]);
            push_line(&mut text, content);
            at = range.end;
        }
        text.extend_from_slice(&old[at..]);
        Ok(text)
    }

    /// Returns the edit after which a line has the content, or no line matches.
    fn edit_matching(
        &self,
        pattern: &Pattern,
        old: &[u8],
        content: &[u8],
        file: &Path,
    ) -> Result<Option<Edit>, Failure> {
        let exists = self.exists;
        if exists && (content.is_empty() || !occurrences(old, &[content]).is_empty()) {
            return Ok(None);
        }
        let matching = pattern.lines(old, file)?;
        let is_left = if matching.is_empty() { !pattern.append } else { !pattern.replace };
        if exists && is_left {
            return Ok(None);
        }
        let ranges = || matching.iter().map(|(range, _)| range.clone()).collect::<Vec<_>>();
        let edit = |text: String, after| Some(Edit { text, after: Some(after), is_private: false });
        let count = if matching.len() == 1 { "a line".to_owned() } else { format!("{} lines", matching.len()) };
        Ok(match (exists, matching.is_empty()) {
            (false, true) => None,
            (false, false) => edit(format!("remove {count} from {}", file.display()), without(old, &ranges())),
            (true, true) => edit(format!("add a line to {}", file.display()), self.with_added(old, content, file)?),
            (true, false) => {
                let mut after = Vec::with_capacity(old.len() + content.len());
                let mut at = 0;
                for (range, text) in &matching {
                    after.extend_from_slice(&old[at..range.start]);
                    after.extend_from_slice(content);
                    // The end of the line stays.
                    at = range.start + text.len();
                }
                after.extend_from_slice(&old[at..]);
                edit(format!("replace {count} of {}", file.display()), after)
            }
        })
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

/// Returns the byte ranges of the non-overlapping occurrences of the lines, from first to last. Keeps nothing of other lines, of
/// which a user's file may have any number.
fn occurrences(text: &[u8], wanted: &[&[u8]]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match end_of_block(text, at, wanted) {
            Some(end) => {
                found.push(at..end);
                at = end;
            }
            None => at = end_of_line(text, at),
        }
    }
    found
}

/// Returns the end of a block of lines; `None` if another text starts there.
fn end_of_block(text: &[u8], start: usize, wanted: &[&[u8]]) -> Option<usize> {
    let mut at = start;
    for wanted in wanted {
        let end = end_of_line(text, at);
        let line = &text[at..end];
        if line.is_empty() || without_cr(line.strip_suffix(b"\n").unwrap_or(line)) != *wanted {
            return None;
        }
        at = end;
    }
    Some(at)
}

/// Returns the position after the line that starts at this one.
fn end_of_line(text: &[u8], start: usize) -> usize {
    text[start..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |length| start + length + 1)
}

fn append(text: &[u8], content: &[u8]) -> Vec<u8> {
    let mut after = text.to_vec();
    push_line(&mut after, content);
    after
}

/// Adds a line after the end of the one before.
fn push_line(text: &mut Vec<u8>, content: &[u8]) {
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend_from_slice(content);
    text.push(b'\n');
}

fn without(text: &[u8], ranges: &[Range<usize>]) -> Vec<u8> {
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

    /// Checks a resource with a pattern, which `multiple` follows after a space.
    #[track_caller]
    fn check_match(before: &str, state: &str, content: &str, pattern: &str, after: Result<&str, &str>) {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("f");
        fs::write(&file, before).unwrap();
        let (pattern, multiple) = pattern.strip_suffix(" multiple").map_or((pattern, false), |pattern| (pattern, true));
        let line = resource("line", "l").with("file", file.to_str().unwrap()).with("state", state);
        let line = line.with("content", content).with("match", pattern).with("multiple", multiple);
        let mut test = ProviderTest::new(&line);
        test.assert_content(&file, before, after);
    }

    #[test]
    fn a_line_that_matches_is_replaced() {
        check_match("#A=1\nB\n", "exists", "A=2", "^#?A=", Ok("A=2\nB\n"));
        check_match("B\r\n#A=1\r\n", "exists", "A=2\n", "^#?A=", Ok("B\r\nA=2\r\n"));
        check_match("B\nA=1", "exists", "X", "^A", Ok("B\nX"));
        check_match("B\n", "exists", "A=2", "^#?A=", Ok("B\nA=2\n"));
        check_match("#A=1\nA=2\n", "exists", "A=2", "^#?A=", Ok("#A=1\nA=2\n"));
        check_match("#A=1\nA=3\n", "exists", "A=2", "^#?A=", Err("2 lines of"));
        check_match("#A=1\nA=3\n", "exists", "A=2", "^#?A= multiple", Ok("A=2\nA=2\n"));
        check_match("A\n", "exists", "", "A", Ok("A\n"));
        check_match("A=1\r\nB\r\n", "exists", "A=2\r\n", "^A", Ok("A=2\r\nB\r\n"));
        check_match("B\n", "exists", "A=2\r", "^A", Ok("B\nA=2\n"));
    }

    #[test]
    fn a_line_that_matches_is_removed() {
        check_match("A=1\nB\n", "absent", "", "^A", Ok("B\n"));
        check_match("A=1\nB\nA=2\n", "absent", "", "^A", Err("2 lines of"));
        check_match("A=1\nB\nA=2\n", "absent", "x", "^A multiple", Ok("B\n"));
        check_match("B\n", "absent", "B", "^A", Ok("B\n"));
    }

    #[test]
    fn a_new_line_follows_the_one_that_matches() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("f");
        let line = |after: &str| {
            let line = resource("line", "l").with("file", file.to_str().unwrap()).with("state", "exists");
            line.with("content", "new").with("after", after)
        };
        let check = |line: &resource_graph::Resource, before: &str, after: &str| {
            fs::write(&file, before).unwrap();
            let mut test = ProviderTest::new(line);
            if before == after {
                test.assert_unchanged()
            } else {
                test.assert_converges()
            };
            assert_eq!(fs::read_to_string(&file).unwrap(), after);
        };
        check(&line("^a"), "a\nb\n", "a\nnew\nb\n");
        check(&line("^b"), "a\nb", "a\nb\nnew\n");
        check(&line("^x"), "a\nb\n", "a\nb\nnew\n");
        check(&line("."), "a\nnew\n", "a\nnew\n");
        check(&line(".").with("multiple", true), "a\nb\n", "a\nnew\nb\nnew\n");
        fs::write(&file, "a\nb\n").unwrap();
        assert!(ProviderTest::new(&line(".")).run(true).is_err());
        let matching = line("^a").with("match", "^n");
        check(&matching, "a\nb\na\n", "a\nnew\nb\na\n");
        check(&matching.clone().with("append", false), "a\nb\n", "a\nb\n");
        check(&matching.clone().with("replace", false), "a\nnow\n", "a\nnow\n");
        check(&matching.with("replace", false), "a\nb\n", "a\nnew\nb\n");
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
