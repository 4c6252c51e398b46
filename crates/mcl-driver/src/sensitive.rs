//! Whether artifacts of a program must be readable by their owner only.

use mcl_diagnostics::Files;
use mcl_lexer::{TokenKind, lex};
use resource_graph::all_kinds;

/// Returns whether the program may hold sensitive values: it imports `secret`, or it sets a parameter that is sensitive by
/// its kind. Every artifact contains the sources, so this is decided by their tokens, the same for all stages.
#[must_use]
pub fn may_hold_sensitive_values(files: &Files) -> bool {
    let parameters: Vec<&str> = all_kinds()
        .iter()
        .flat_map(|kind| kind.fields)
        .filter(|field| field.sensitive)
        .map(|field| field.name)
        .collect();
    files.files.values().any(|file| has_sensitive_token(&file.text, &parameters))
}

fn has_sensitive_token(text: &str, parameters: &[&str]) -> bool {
    let tokens = lex(text);
    let source = |token| tokens.text(text, token);
    let mut previous = None;
    for token in tokens.indices() {
        let kind = tokens.kind(token);
        let found = match (previous, kind) {
            (Some((TokenKind::Import, _)), Some(TokenKind::String)) => source(token) == "\"secret\"",
            (Some((TokenKind::Identifier, name)), Some(TokenKind::Rocket)) => parameters.contains(&source(name)),
            _ => false,
        };
        if found {
            return true;
        }
        previous = kind.map(|kind| (kind, token));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(program: &str, expected: bool) {
        let mut files = Files::default();
        files.add("main.mcl", program);
        assert_eq!(may_hold_sensitive_values(&files), expected);
    }

    #[test]
    fn programs_that_mark_values_or_set_sensitive_parameters_are_recognized() {
        check("import \"secret\"\n", true);
        check("import \"secret\" as s\n", true);
        check("http:server \"s\" { token => \"x\", }", true);
        check("import \"strings\"\n$secret = \"secret\"\n", false);
        check("file \"/token\" { content => \"token\", }", false);
    }
}
