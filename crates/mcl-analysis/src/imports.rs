//! Where an import belongs.

use mcl_lexer::{TokenKind, lex};

/// Returns where a module is imported, and the line to insert: after the last import of the top level, or else after the comment
/// at the head of the file.
pub(crate) fn insertion(text: &str, module: &str) -> (u32, String) {
    let tokens = lex(text);
    let (mut depth, mut last) = (0usize, None);
    for token in tokens.indices() {
        match tokens[token] {
            TokenKind::Import if depth == 0 => last = Some(tokens.start(token) as usize),
            kind if kind.is_opener() => depth += 1,
            kind if kind.is_closer() => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let at = match last {
        Some(at) => text[at..].find('\n').map_or(text.len(), |end| at + end + 1),
        None => after_head_comment(text),
    };
    let starts_line = at == 0 || text[..at].ends_with('\n');
    (at as u32, format!("{}import \"{module}\"\n", if starts_line { "" } else { "\n" }))
}

/// Returns the byte after the comment at the start of a file, and the empty line that follows it.
fn after_head_comment(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if bare.starts_with('#') {
            at += line.len();
            continue;
        }
        if bare.is_empty() && at > 0 {
            at += line.len();
        }
        break;
    }
    at
}
