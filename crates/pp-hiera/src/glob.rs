//! Patterns of paths: `*`, `?`, `[…]`, `{a,b}` and `**/` (spec 07 §10.4).

use crate::files::{DataFiles, join};

/// Maximum number of patterns that braces make.
const MAX_PATTERNS: usize = 1_000;
/// Maximum number of directories inside each other that `**` descends.
const MAX_DEPTH: usize = 64;
/// Maximum number of entries that are looked at for one pattern.
const MAX_ENTRIES: usize = 100_000;

/// Returns the paths of the files that a pattern matches, sorted.
pub(crate) fn expand(files: &dyn DataFiles, pattern: &str) -> Vec<String> {
    let mut found = Vec::new();
    for pattern in braces(pattern) {
        let (root, rest) = match pattern.strip_prefix('/') {
            Some(rest) => ("/", rest.to_owned()),
            None => ("", pattern.clone()),
        };
        let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        let mut walk = Walk { files, found: Vec::new(), budget: MAX_ENTRIES };
        walk.descend(root, &parts, 0);
        walk.found.sort_unstable();
        found.append(&mut walk.found);
    }
    found
}

/// Expands the alternatives in braces.
fn braces(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut pending = vec![pattern.to_owned()];
    while let Some(next) = pending.pop() {
        let Some((start, end, commas)) = first_braces(&next) else {
            done.push(next);
            continue;
        };
        if done.len() + pending.len() > MAX_PATTERNS {
            break;
        }
        let mut from = start + 1;
        let mut alternatives = Vec::new();
        for comma in commas.into_iter().chain([end]) {
            alternatives.push(format!("{}{}{}", &next[..start], &next[from..comma], &next[end + 1..]));
            from = comma + 1;
        }
        pending.extend(alternatives.into_iter().rev());
    }
    done
}

/// Returns the range of the first braces, and the commas directly in them.
fn first_braces(pattern: &str) -> Option<(usize, usize, Vec<usize>)> {
    let start = pattern.find('{')?;
    let (mut depth, mut commas) = (0, Vec::new());
    for (at, c) in pattern[start..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some((start, start + at, commas)),
            '}' => depth -= 1,
            ',' if depth == 1 => commas.push(start + at),
            _ => {}
        }
    }
    None
}

struct Walk<'a> {
    files: &'a dyn DataFiles,
    found: Vec<String>,
    budget: usize,
}

impl Walk<'_> {
    fn descend(&mut self, directory: &str, parts: &[&str], depth: usize) {
        let Some((part, rest)) = parts.split_first() else { return };
        if depth > MAX_DEPTH {
            return;
        }
        if *part == "**" && !rest.is_empty() {
            self.descend(directory, rest, depth + 1);
        } else if !part.contains(['*', '?', '[', '\\']) {
            let path = join(directory, part);
            if !rest.is_empty() {
                self.descend(&path, rest, depth + 1);
            } else if matches!(self.files.read(&path), Ok(Some(_)) | Err(_)) {
                self.found.push(path);
            }
            return;
        }
        let pattern: Vec<char> = part.chars().collect();
        for entry in self.files.list(if directory.is_empty() { "." } else { directory }) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            let is_hidden = entry.name.starts_with('.') && !part.starts_with('.');
            if is_hidden {
                continue;
            }
            let path = join(directory, &entry.name);
            if *part == "**" && !rest.is_empty() {
                if entry.is_directory {
                    self.descend(&path, parts, depth + 1);
                }
            } else if matches(&pattern, &entry.name.chars().collect::<Vec<_>>()) {
                if rest.is_empty() && !entry.is_directory {
                    self.found.push(path);
                } else if entry.is_directory {
                    self.descend(&path, rest, depth + 1);
                }
            }
        }
    }
}

/// Whether a name matches a pattern without slashes. A `*` that fails is tried again one character further, so that the time is
/// at most the product of both lengths.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some('*') => {
                star = Some((p + 1, n));
                p += 1;
                continue;
            }
            Some('?') => Some(p + 1),
            Some('[') => class(&pattern[p..], name[n])
                .map_or((name[n] == '[').then_some(p + 1), |(is_match, length)| is_match.then_some(p + length)),
            Some('\\') if pattern.get(p + 1) == Some(&name[n]) => Some(p + 2),
            Some(c) if *c == name[n] => Some(p + 1),
            _ => None,
        };
        match (step, star) {
            (Some(next), _) => {
                p = next;
                n += 1;
            }
            (None, Some((after, from))) => {
                star = Some((after, from + 1));
                (p, n) = (after, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Matches `[a-c]`, `[^x]`; returns the result and the length of the class. `None` if it is not closed.
fn class(pattern: &[char], c: char) -> Option<(bool, usize)> {
    let is_negated = matches!(pattern.get(1), Some('^' | '!'));
    let start = if is_negated { 2 } else { 1 };
    let end = start + 1 + pattern.get(start + 1..)?.iter().position(|c| *c == ']')?;
    let members = &pattern[start..end];
    let mut at = 0;
    let mut is_member = false;
    while at < members.len() {
        match members[at..] {
            [low, '-', high, ..] => {
                is_member |= (low..=high).contains(&c);
                at += 3;
            }
            [only, ..] => {
                is_member |= only == c;
                at += 1;
            }
            [] => break,
        }
    }
    Some((is_member != is_negated, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_written_out_in_order() {
        assert_eq!(braces("a/{b,c{d,e}}.x"), ["a/b.x", "a/cd.x", "a/ce.x"]);
        assert_eq!(braces("{a"), ["{a"]);
        assert!(braces(&"{a,b}".repeat(30)).len() <= MAX_PATTERNS + 1);
    }

    #[test]
    fn patterns_match_names() {
        let is_match = |pattern: &str, name: &str| {
            matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        assert!(is_match("*.yaml", "a.yaml") && is_match("?.y", "a.y") && is_match("[a-c]x", "bx"));
        assert!(is_match("a*b*c", "aXbYbZc") && is_match("\\*", "*"));
        assert!(!is_match("*.yaml", "a.yml") && !is_match("[^a]", "a") && !is_match("?", ""));
        assert!(!is_match(&"*a".repeat(50), &"b".repeat(10_000)));
    }
}
