//! The signature of the function or class whose arguments are being written (spec 11 §3.5).

use std::ops::Range;
use std::path::Path;

use mcl_diagnostics::FileId;
use mcl_lexer::{TokenIdx, TokenKind, Tokens};
use mcl_parser::ast::Stmt;
use mcl_types::DefId;

use crate::analysis::Analysis;
use crate::comments;
use crate::completion::definitions_behind;
use crate::hover::function;
use crate::index::{DefinedKind, Symbol};
use crate::navigation::statement_span;
use crate::program::Program;
use crate::scopes::{scope_at, visible};
use crate::types::signature;

/// A signature, and the argument that is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHelp {
    /// The signature: `site($name str, $port int)`.
    pub label: String,
    /// As Markdown; empty for none.
    pub documentation: String,
    /// The bytes of each parameter in the label.
    pub parameters: Vec<Range<u32>>,
    /// The parameter that is being written; the last one takes all further arguments.
    pub active: usize,
}

impl Analysis {
    /// Returns the signature of the call around a byte offset.
    #[must_use]
    pub fn signature_help(&self, path: &Path, offset: u32) -> Option<SignatureHelp> {
        let source = self.source(path)?;
        let tokens = self.tokens(path)?;
        let (open, argument) = enclosing_call(&tokens, offset)?;
        let (first, name) = callee(&source.text, &tokens, open)?;
        let is_class = first.previous().is_some_and(|before| tokens[before] == TokenKind::Include);
        let (program, file) = self.program_of(path)?;
        let (label, documentation) = describe(program, file, offset, &name, is_class)?;
        let parameters = parameters(&label);
        let active = argument.min(parameters.len().saturating_sub(1));
        Some(SignatureHelp { label, documentation, parameters, active })
    }
}

/// Returns the parenthesis that is open at an offset, and the number of commas since then at its level.
fn enclosing_call(tokens: &Tokens, offset: u32) -> Option<(TokenIdx, usize)> {
    let is_in_comment = |start: u32, end: u32| start < offset && offset <= end;
    if tokens.comments.iter().any(|comment| is_in_comment(comment.start, comment.end)) {
        return None;
    }
    let (mut depth, mut commas) = (0u32, 0);
    let mut token = tokens.first_from(offset);
    while let Some(previous) = token.previous() {
        token = previous;
        let kind = tokens[token];
        if kind.is_closer() {
            depth += 1;
        } else if kind.is_opener() {
            if depth == 0 {
                return (kind == TokenKind::OpenParen).then_some((token, commas));
            }
            depth -= 1;
        } else if kind == TokenKind::Comma && depth == 0 {
            commas += 1;
        }
    }
    None
}

/// Returns the name before a parenthesis, and its first token. A definition is not a call.
fn callee(text: &str, tokens: &Tokens, open: TokenIdx) -> Option<(TokenIdx, String)> {
    let mut first = open.previous()?;
    if tokens[first] != TokenKind::Identifier {
        return None;
    }
    while let Some(dot) = first.previous()
        && tokens[dot] == TokenKind::Dot
        && let Some(word) = dot.previous()
        && tokens[word] == TokenKind::Identifier
    {
        first = word;
    }
    let before = first.previous().map(|before| tokens[before]);
    if matches!(before, Some(TokenKind::Class | TokenKind::Func)) {
        return None;
    }
    let last = open.previous()?;
    let name = text.get(tokens.start(first) as usize..tokens.end(last) as usize)?;
    Some((first, name.to_owned()))
}

/// Finds a callee by its name: the text around may not parse.
fn describe(program: &Program, file: FileId, offset: u32, name: &str, is_class: bool) -> Option<(String, String)> {
    let scope = scope_at(program, file, offset)?;
    let names = visible(program, scope);
    let Some((alias, member)) = name.split_once('.') else {
        let own = names.iter().find_map(|visible| match visible.defined.kind {
            DefinedKind::Function(def) if !is_class && *visible.defined.name == *name => Some(def),
            DefinedKind::Class(def) if is_class && *visible.defined.name == *name => Some(def),
            _ => None,
        });
        return own.map(|def| of_definition(program, def)).or_else(|| built_in(name).filter(|_| !is_class));
    };
    let aliases = names.iter().filter(|visible| *visible.defined.name == *alias);
    let found = aliases.filter_map(|visible| match visible.defined.kind {
        DefinedKind::Alias(stmt) => Some((visible.defined, stmt)),
        _ => None,
    });
    let (defined, stmt) = found.into_iter().next()?;
    if let Stmt::Import(import) = program.scoped().ast_of(defined.scope).stmt(stmt)
        && !is_class
        && let Some(found) = built_in(&format!("{}.{member}", import.module))
    {
        return Some(found);
    }
    let members = definitions_behind(program, file, defined, stmt);
    let def = members.into_iter().find(|(name, _)| name == member)?.1;
    Some(of_definition(program, def))
}

fn built_in(name: &str) -> Option<(String, String)> {
    let of = mcl_functions::function(name)?;
    let (label, documentation) = function(of);
    let label = label.lines().next()?;
    Some((
        label.strip_prefix(of.name).map_or(label.to_owned(), |rest| format!("{}{rest}", of.short_name())),
        documentation,
    ))
}

fn of_definition(program: &Program, def: DefId) -> (String, String) {
    let label = signature(program, def);
    let label = label.strip_prefix("func ").or(label.strip_prefix("class ")).unwrap_or(&label).to_owned();
    let span = program.scoped().def_span(def);
    let defined = program.index().defined(&Symbol::Defined(span.file, span.start));
    let statement = defined.map_or(span, |defined| statement_span(program, defined));
    let text = program.file(statement.file).map_or("", |file| &file.text);
    (label, comments::above(text, statement.start).map(|(_, comment)| comment).unwrap_or_default())
}

/// Returns the parameters of a signature: what is between the commas of its first parentheses.
fn parameters(label: &str) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut depth = 0u32;
    let mut start = 0;
    for (at, c) in label.char_indices() {
        match c {
            '(' | '{' | '[' => {
                depth += 1;
                if depth == 1 {
                    start = at + 1;
                }
            }
            ',' if depth == 1 => {
                found.push(start..at);
                start = at + 1;
            }
            ')' | '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    found.push(start..at);
                    break;
                }
            }
            _ => {}
        }
    }
    let trimmed = found.into_iter().map(|range| {
        let spaces = label[range.clone()].len() - label[range.clone()].trim_start().len();
        (range.start + spaces) as u32..range.end as u32
    });
    trimmed.filter(|range| !range.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn parameters_are_between_commas() {
        let check = |label: &str, expected: &[&str]| {
            let found = parameters(label);
            let found: Vec<&str> = found.iter().map(|r| &label[r.start as usize..r.end as usize]).collect();
            assert_eq!(found, expected, "{label}");
        };
        check(
            "printf(format str, a map{str: int}, f func(int, int) int) str",
            &["format str", "a map{str: int}", "f func(int, int) int"],
        );
        check("now() int", &[]);
        check("site", &[]);
    }
}
