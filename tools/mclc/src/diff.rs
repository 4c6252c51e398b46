//! Changes of files as unified diffs.

use std::path::Path;

use similar::TextDiff;

/// Returns a unified diff of a file.
pub fn unified_diff(path: &Path, before: &str, after: &str, colors: bool) -> String {
    let name = path.display().to_string();
    let text = TextDiff::from_lines(before, after).unified_diff().header(&name, &name).to_string();
    if !colors {
        return text;
    }
    let paint = |line: &str| {
        let color = match line.as_bytes().first() {
            _ if line.starts_with("--- ") || line.starts_with("+++ ") => "1",
            Some(b'-') => "31",
            Some(b'+') => "32",
            Some(b'@') => "36",
            _ => return line.to_owned(),
        };
        format!("\x1b[{color}m{}\x1b[0m\n", line.trim_end_matches('\n'))
    };
    text.split_inclusive('\n').map(paint).collect()
}
