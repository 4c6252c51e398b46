//! Lints about lines: whitespace, tabs, length, comments.

use mcl_diagnostics::Code;

use crate::context::{Context, Findings};
use crate::source_map::range;

/// Columns of a line, as `puppet-lint` counts them.
const MAX_COLUMNS: usize = 140;
/// The narrower limit that some prefer.
const NARROW_COLUMNS: usize = 80;

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let mut start = 0;
    for line in context.text.split_inclusive('\n') {
        check_line(context, findings, start, line.trim_end_matches('\n').trim_end_matches('\r'));
        start += line.len();
    }
    for comment in &context.map.comments {
        if context.slice(*comment).starts_with("/*") {
            findings.add(Code::W0307, *comment, "comment in `/* */`", "start each line of a comment with `#`");
        }
    }
    let last = context.last_character();
    if !context.text.is_empty() && !context.text.ends_with('\n') && !context.map.is_literal(last.start) {
        findings.add(Code::W0308, last, "no newline at the end of the file", "end the last line with a newline");
    }
}

fn check_line(context: &Context<'_>, findings: &mut Findings<'_>, start: usize, line: &str) {
    let end = start + line.len();
    let is_literal = |at: usize| context.map.is_literal(range(at, at).start);
    let text_end = start + line.trim_end_matches([' ', '\t']).len();
    if text_end < end && !is_literal(text_end) {
        let help = "remove the spaces at the end of the line";
        findings.add(Code::W0301, range(text_end, end), "trailing whitespace", help);
    }
    if let Some(at) = line.bytes().position(|byte| byte == b'\t').map(|at| start + at)
        && !is_literal(at)
    {
        findings.add(Code::W0302, range(at, at + 1), "tab character", "indent by two spaces");
    }
    let indent = line.len() - line.trim_start_matches(' ').len();
    if indent % 2 == 1
        && indent < line.len()
        && !is_literal(start)
        && !context.map.is_comment(range(start, start).start)
    {
        let message = format!("indentation by {indent} spaces");
        findings.add(Code::W0304, range(start, start + indent), message, "indent by a multiple of two spaces");
    }
    check_length(findings, start, line, Code::W0303, MAX_COLUMNS);
    check_length(findings, start, line, Code::W0340, NARROW_COLUMNS);
}

fn check_length(findings: &mut Findings<'_>, start: usize, line: &str, code: Code, limit: usize) {
    // A link cannot be broken.
    if line.len() <= limit || line.contains("://") {
        return;
    }
    if let Some((past, _)) = line.char_indices().nth(limit) {
        let message = format!("line of {} characters", line.chars().count());
        let help = format!("write at most {limit} characters per line");
        findings.add(code, range(start + past, start + line.len()), message, help);
    }
}
