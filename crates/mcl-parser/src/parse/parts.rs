//! Large files are parsed in parts, at the same time.
//!
//! A part starts with a statement of the top level. No statement starts with a token that continues another one, so a file
//! whose parts all follow the grammar is the sequence of their statements, and the tree is the same however the file is
//! divided: nodes and names are numbered in the order of the source.

use std::ops::Range;

use cranelift_entity::PrimaryMap;
use mcl_diagnostics::{Diagnostic, FileId};
use mcl_lexer::{TokenIdx, TokenKind, Tokens};
use rayon::prelude::*;

use crate::ast::shift::Shift;
use crate::ast::{Ast, Name};
use crate::builder::Builder;
use crate::lint::lint;
use crate::segment::parse_segment;
use crate::string_index::StringIndex;
use crate::string_table::StringTable;
use crate::terminals::{NO_EDITS, Position};
use crate::token_set::STATEMENT_START;

/// A part has at least this many tokens.
const MIN_TOKENS: usize = 10_000;

/// Beside the first part, a file has at most this many for each other thread. What only the parser of a part needs is dropped
/// with it, and a thread that is done early takes the next part. The trees of these parts are added to that of the first one,
/// which is therefore the share of a whole thread: what it has is not copied.
const PARTS_PER_THREAD: usize = 4;

/// Parses a file in parts; returns the tree and the lints. Returns `None` for a small file, and for one that has errors or
/// cannot be divided.
pub fn parse_in_parts(file: FileId, text: &str, tokens: &Tokens) -> Option<(Ast, Vec<Diagnostic>)> {
    let threads = rayon::current_num_threads();
    let parts = if threads > 1 && tokens.len() >= 2 * MIN_TOKENS { parts(tokens, threads) } else { return None };
    let parse = |part: &Range<TokenIdx>| {
        let mut builder = Builder::new(file, text, tokens);
        // The trees of the other parts are added to that of the first one.
        let end_of_tables = if part.start == TokenIdx::FIRST { tokens.end_idx() } else { part.end };
        builder.reserve((end_of_tables - part.start) as usize);
        let end = parse_segment(&mut builder, NO_EDITS, Position::before(part.start), part.end).ok()?;
        let lints = if builder.errors.is_empty() { lint(&mut builder, part.clone()) } else { return None };
        (end.token == part.end).then(|| (builder.into_tree(), lints))
    };
    let parsed = parts.par_iter().map(parse).collect::<Option<Vec<_>>>()?;
    let (trees, lints): (Vec<_>, Vec<_>) = parsed.into_iter().unzip();
    Some((joined(trees)?, lints.into_iter().flatten().collect()))
}

/// Divides a file at statements of the top level, for several threads.
fn parts(tokens: &Tokens, threads: usize) -> Vec<Range<TokenIdx>> {
    let first = tokens.len().div_ceil(threads).max(MIN_TOKENS);
    let other = (first / PARTS_PER_THREAD).max(MIN_TOKENS) as u32;
    let (mut parts, mut start, mut size) = (Vec::new(), TokenIdx::FIRST, first as u32);
    let mut depth = 0u32;
    for token in tokens.indices() {
        let kind = tokens[token];
        let is_start = depth == 0 && STATEMENT_START.contains(kind) && kind != TokenKind::Else;
        if is_start && token - start >= size && tokens.newline_before(token) {
            parts.push(start..token);
            (start, size) = (token, other);
        }
        if kind.is_opener() {
            depth += 1;
        } else if kind.is_closer() {
            depth = depth.saturating_sub(1);
        }
    }
    parts.push(start..tokens.end_idx());
    parts
}

/// Joins the trees of the parts of a file.
fn joined(mut trees: Vec<(Ast, StringIndex<Name>)>) -> Option<Ast> {
    let rest = trees.split_off(trees.len().min(1));
    let (mut whole, mut names) = trees.pop()?;
    let mut shifted = Vec::with_capacity(rest.len());
    let of_parts = || rest.iter().map(|(part, _)| &part.names);
    whole.names.reserve(of_parts().map(StringTable::len).sum(), of_parts().map(StringTable::byte_len).sum());
    let mut next = Shift {
        exprs: whole.exprs.len(),
        stmts: whole.stmts.len(),
        types: whole.types.len(),
        strings: whole.strings.len(),
        list_items: whole.list_items.len(),
        names: PrimaryMap::new(),
    };
    for (mut part, _) in rest {
        let part_names = std::mem::take(&mut part.names);
        let part_names = part_names.iter().map(|name| names.intern(&mut whole.names, name)).collect();
        let following = Shift {
            exprs: next.exprs + part.exprs.len(),
            stmts: next.stmts + part.stmts.len(),
            types: next.types + part.types.len(),
            strings: next.strings + part.strings.len(),
            list_items: next.list_items + part.list_items.len(),
            names: PrimaryMap::new(),
        };
        let shift = std::mem::replace(&mut next, following);
        shifted.push((part, Shift { names: part_names, ..shift }));
    }
    drop(names);
    shifted.par_iter_mut().for_each(|(part, shift)| shift.tree(part));
    whole.append(shifted.into_iter().map(|(part, _)| part).collect());
    Some(whole)
}

#[cfg(test)]
mod tests {
    use mcl_diagnostics::FileId;

    use super::{MIN_TOKENS, parse_in_parts, parts};
    use crate::parse;

    /// A program of several kinds of statements, with a lint in every repetition.
    fn large_program() -> String {
        let statement = |i: usize| {
            format!(
                "import \"m{i}\" as m{i}\nclass c{i}($a int, $b) {{\n\t$x = m{i}.f($a, [$b, \"s\"]) <|> struct{{f => \
                 {{\"k\" => 1,}}}}\n\tfor $i, $v in $x {{\n\t\ttest \"${{v}}\" {{\n\t\t\tf => $c ?: not $a,\n\t\t\tBefore \
                 => Test[\"t\"],\n\t\t}}\n\t}}\n}}\ninclude c{i}({i}, \"${{x}}\") as d{i}\nfunc f{i}($y []str) {{ if $y[0] == \
                 $z{i}->g {{ 1 }} else {{ 2 }} }}\n$z{i} map{{str: int}} = {{\"a\" => {i}}}\nTest[\"a\"].k -> Test[\"b\"].l\n"
            )
        };
        (0..500).map(statement).collect()
    }

    #[test]
    fn parts_give_the_tree_and_the_lints_of_the_whole() {
        let text = large_program();
        let tokens = mcl_lexer::lex(&text);
        let in_pool = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
            pool.install(|| (parse_in_parts(FileId::MAIN, &text, &tokens), parse(FileId::MAIN, &text, &tokens)))
        };
        let (none, whole) = in_pool(1);
        assert!(none.is_none() && tokens.len() > 3 * MIN_TOKENS);
        assert_eq!(whole.diagnostics.len(), 500);
        for threads in [2, 3] {
            let (parts, _) = in_pool(threads);
            let (ast, lints) = parts.expect("it is divided");
            assert!(ast == whole.ast && lints == whole.diagnostics, "{threads} threads");
        }
    }

    #[test]
    fn parts_begin_with_statements_of_the_top_level() {
        let text = large_program();
        let tokens = mcl_lexer::lex(&text);
        let parts = parts(&tokens, 2);
        let starts: Vec<&str> = parts.iter().map(|part| tokens.text(&text, part.start)).collect();
        assert!(starts.len() > 2 && parts[0].end - parts[0].start > 2 * (parts[1].end - parts[1].start));
        assert!(
            starts.iter().all(|start| ["import", "class", "include", "func", "$", "Test"].contains(start)),
            "{starts:?}"
        );
    }

    #[test]
    fn a_file_with_an_error_is_not_divided() {
        let text = large_program() + "$x =\n";
        let tokens = mcl_lexer::lex(&text);
        assert!(parse_in_parts(FileId::MAIN, &text, &tokens).is_none());
        assert!(parse(FileId::MAIN, &text, &tokens).diagnostics.iter().any(|found| found.code.name() == "E0220"));
    }
}
