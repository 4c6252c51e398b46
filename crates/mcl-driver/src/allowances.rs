//! Comments that allow lints (spec 11 §5): `# mclc: allow(W0101)` above a statement, an entry or an element, or after code
//! on its line; `# mclc: allow-file(W0101)` above the first statement of a file.

use std::ops::Range;

use cranelift_entity::EntityRef;
use mcl_diagnostics::{
    Change, Code, Diagnostic, FileId, Files, Fix, LintNameError, LintSelector, Severity, SourceFile, Span, Stage,
};
use mcl_lexer::{Comment, TokenIdx, TokenKind, Tokens, lex};
use rustc_hash::FxHashMap;

/// What a directive starts with, after the `#` and whitespace.
const MARKER: &str = "mclc:";

/// A lint that a comment allows.
struct Allowance {
    selector: LintSelector,
    /// Where the name of the lint is.
    name: Span,
    /// The comment, if it allows no other lint.
    comment: Option<Span>,
    /// Where it applies, in bytes of the file.
    range: Range<u32>,
    is_used: bool,
}

/// Removes the lints that comments allow, and adds what is wrong with such comments. Whether an allowance has an effect is
/// known only if all stages have run, which `is_complete` says, and if none has found an error.
pub fn apply_allowances(files: &Files, diagnostics: &mut Vec<Diagnostic>, is_complete: bool) {
    let mut allowances = Vec::new();
    let mut invalid = Vec::new();
    for (id, file) in &files.files {
        if file.name.ends_with(".mcl") && file.text.contains(MARKER) && !file.is_embedded() {
            read_file(id, file, &mut allowances, &mut invalid);
        }
    }
    if !allowances.is_empty() {
        remove_allowed(diagnostics, &mut allowances);
        let has_errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        if is_complete && !has_errors {
            diagnostics.extend(allowances.iter().filter(|allowance| !allowance.is_used).map(without_effect));
        }
    }
    diagnostics.extend(invalid);
}

/// Removes the lints that are allowed, and marks the allowances that have an effect. Both are traversed in source order, so
/// that a lint is compared only with the allowances around it, and with each of these only until one has an effect.
fn remove_allowed(diagnostics: &mut Vec<Diagnostic>, allowances: &mut [Allowance]) {
    let location = |diagnostic: &Diagnostic| {
        let span = diagnostic.span.filter(|_| diagnostic.code.is_lint() && diagnostic.severity != Severity::Error);
        span.map(|span| (span.file, span.start))
    };
    let mut lints: Vec<_> =
        diagnostics.iter().enumerate().filter_map(|(index, lint)| Some((location(lint)?, index, lint.code))).collect();
    lints.sort_unstable_by_key(|(location, index, _)| (*location, *index));
    allowances.sort_by_key(|allowance| (allowance.name.file, allowance.range.start));
    let mut is_allowed = vec![false; diagnostics.len()];
    let (mut next, mut around): (usize, Vec<Around>) = (0, Vec::new());
    for ((file, start), index, code) in lints {
        while let Some(later) = allowances.get(next).filter(|at| (at.name.file, at.range.start) <= (file, start)) {
            if around.iter().all(|around| around.selector != later.selector) {
                around.push(Around { selector: later.selector.clone(), unused: Vec::new(), used_until: None });
            }
            let same = around.iter_mut().find(|around| around.selector == later.selector);
            same.into_iter().for_each(|around| around.unused.push(next));
            next += 1;
        }
        for Around { unused, used_until, .. } in around.iter_mut().filter(|around| around.selector.matches(code)) {
            for at in unused.drain(..) {
                let allowance = &mut allowances[at];
                if (allowance.name.file, allowance.range.end) > (file, start) {
                    allowance.is_used = true;
                    *used_until = (*used_until).max(Some((file, allowance.range.end)));
                }
            }
            is_allowed[index] |= used_until.is_some_and(|end| end > (file, start));
        }
    }
    let mut is_allowed = is_allowed.into_iter();
    diagnostics.retain(|_| !is_allowed.next().unwrap_or(false));
}

/// The allowances of the same lints that begin before a lint.
struct Around {
    selector: LintSelector,
    /// The positions of those that had no effect yet.
    unused: Vec<usize>,
    /// Where the last of the others ends.
    used_until: Option<(FileId, u32)>,
}

fn without_effect(allowance: &Allowance) -> Diagnostic {
    let what = match &allowance.selector {
        LintSelector::All => "any lint".to_owned(),
        LintSelector::Prefix(prefix) => format!("a lint `{prefix}…`"),
        LintSelector::One(code) => format!("`{}`", code.name()),
    };
    Diagnostic::warning(Code::W0206, Stage::Lex, "allowance without effect")
        .at_with(allowance.name, format!("nothing here gives {what}"))
        .help("remove it, so that a later mistake of this kind is reported")
        .fixes(allowance.comment.map(|comment| Fix::safe("remove the comment", Change::RemoveComment(comment))))
}

/// Reads the directives in the comments of a file.
fn read_file(id: FileId, file: &SourceFile, allowances: &mut Vec<Allowance>, invalid: &mut Vec<Diagnostic>) {
    let text: &str = &file.text;
    let tokens = lex(text);
    let mut extents: Option<Extents> = None;
    for comment in &tokens.comments {
        let Some(range) = directive_range(text, comment) else { continue };
        let mut names = Vec::new();
        let parsed = match parse(id, text, range.clone(), &mut names) {
            Ok(parsed) => parsed,
            Err(error) => {
                invalid.push(error);
                continue;
            }
        };
        let range = match parsed {
            Directive::AllowFile if comment.next_token == TokenIdx::FIRST => 0..file.text.len() as u32,
            Directive::AllowFile => {
                let error = error(id, range, "`allow-file` below the first statement");
                invalid.push(error.help("write it above the first statement of the file"));
                continue;
            }
            Directive::Allow if is_after_code(text, comment) => line_of(file, comment.start),
            Directive::Allow => {
                let extents = extents.get_or_insert_with(|| Extents::of(id, text, &tokens));
                extents.below(&tokens, comment.next_token)
            }
        };
        let comment = Span::new(id, comment.start, comment.end);
        let comment = (names.len() == 1).then_some(comment);
        for (name, span) in names {
            match name.parse::<LintSelector>() {
                Ok(selector) => {
                    allowances.push(Allowance { selector, name: span, comment, range: range.clone(), is_used: false });
                }
                Err(unknown) => invalid.push(invalid_name(&unknown, span)),
            }
        }
    }
}

/// Returns the bytes of a directive in a comment, without its marker.
fn directive_range(text: &str, comment: &Comment) -> Option<Range<u32>> {
    let content = text.get(comment.start as usize + 1..comment.end as usize)?;
    let rest = content.trim_start().strip_prefix(MARKER)?;
    let end = comment.start as usize + 1 + content.trim_end().len();
    let start = (comment.end as usize - rest.trim_start().len()).min(end);
    Some(start as u32..end as u32)
}

/// A directive, without its lints.
enum Directive {
    Allow,
    AllowFile,
}

/// Parses a directive, and adds the names in its parentheses with their spans.
fn parse<'t>(
    id: FileId,
    text: &'t str,
    range: Range<u32>,
    names: &mut Vec<(&'t str, Span)>,
) -> Result<Directive, Diagnostic> {
    const FORM: &str = "write `# mclc: allow(W0101)` or `# mclc: allow-file(W0101)`";
    let content = text.get(range.start as usize..range.end as usize).unwrap_or_default();
    let word_length =
        content.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(content.len());
    let (name, rest) = content.split_at(word_length);
    let word = match name {
        "allow" => Directive::Allow,
        "allow-file" => Directive::AllowFile,
        "" => return Err(error(id, range, "expected a directive").help(FORM)),
        _ => {
            let end = range.start + word_length as u32;
            let error = error(id, range.start..end, &format!("unknown directive `{name}`"));
            let nearest = mcl_diagnostics::nearest(name, ["allow", "allow-file"]);
            return Err(error.help(nearest.map_or(FORM.to_owned(), |nearest| format!("did you mean `{nearest}`?"))));
        }
    };
    let rest = rest.trim_start();
    let list = rest.strip_prefix('(').and_then(|list| list.split_once(')'));
    let Some((list, _reason)) = list else {
        return Err(error(id, range, &format!("expected lints in parentheses after `{name}`")).help(FORM));
    };
    let mut start = range.end - rest.len() as u32 + 1;
    for part in list.split(',') {
        let name = part.trim();
        let at = start + (part.len() - part.trim_start().len()) as u32;
        names.push((name, Span::new(id, at, at + name.len() as u32)));
        start += part.len() as u32 + 1;
    }
    Ok(word)
}

fn error(id: FileId, range: Range<u32>, message: &str) -> Diagnostic {
    Diagnostic::warning(Code::W0207, Stage::Lex, message).at(Span::new(id, range.start, range.end))
}

fn invalid_name(unknown: &LintNameError, span: Span) -> Diagnostic {
    let message = match unknown {
        LintNameError::NotALint(code) => format!("`{code}` is not a lint"),
        LintNameError::Unknown { name, .. } if name.is_empty() => "expected the code of a lint".to_owned(),
        LintNameError::Unknown { name, .. } => format!("unknown lint `{name}`"),
    };
    let help = match unknown {
        LintNameError::NotALint(_) => "errors cannot be allowed".to_owned(),
        LintNameError::Unknown { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
        LintNameError::Unknown { nearest: None, .. } => "`mclc explain` lists all codes".to_owned(),
    };
    let fix = match unknown {
        LintNameError::Unknown { nearest: Some(nearest), .. } => Some(Fix::replace_with(span, nearest.as_str())),
        LintNameError::Unknown { nearest: None, .. } | LintNameError::NotALint(_) => None,
    };
    Diagnostic::warning(Code::W0207, Stage::Lex, message).at(span).help(help).fixes(fix)
}

/// Returns whether there is code before a comment on its line.
fn is_after_code(text: &str, comment: &Comment) -> bool {
    let before = &text[..comment.start as usize];
    let line = before.rfind('\n').map_or(before, |newline| &before[newline + 1..]);
    !line.trim().is_empty()
}

fn line_of(file: &SourceFile, offset: u32) -> Range<u32> {
    let line = file.line_range(file.line_of(offset));
    line.start as u32..line.end as u32
}

/// Where statements, entries and elements end.
struct Extents {
    /// The ends of statements, by their starts: of several with one start, the outermost.
    statements: FxHashMap<u32, u32>,
    /// For each token, where the entry or element ends that it starts.
    elements: Vec<u32>,
}

impl Extents {
    fn of(id: FileId, text: &str, tokens: &Tokens) -> Extents {
        let mut statements: FxHashMap<u32, u32> = FxHashMap::default();
        for range in mcl_parser::parse(id, text, tokens).ast.stmt_ranges.values() {
            let end = statements.entry(range.start).or_default();
            *end = range.end.max(*end);
        }
        // From the end, so that the brackets around a token and the comma after it are known.
        let last = tokens.start(tokens.end_idx());
        let mut ends = vec![last];
        let mut elements = Vec::with_capacity(tokens.len());
        for token in tokens.indices().rev() {
            let kind = tokens[token];
            if kind.is_closer() {
                ends.push(tokens.start(token));
            } else if kind.is_opener() && ends.len() > 1 {
                ends.pop();
            } else if kind == TokenKind::Comma
                && let Some(end) = ends.last_mut()
            {
                *end = tokens.start(token);
            }
            elements.push(ends.last().copied().unwrap_or(last));
        }
        elements.reverse();
        Extents { statements, elements }
    }

    /// Returns the bytes of the statement that starts with a token, or else of the entry or element.
    fn below(&self, tokens: &Tokens, first: TokenIdx) -> Range<u32> {
        let start = tokens.start(first);
        let element = || self.elements.get(first.index()).copied().unwrap_or(start);
        start..self.statements.get(&start).copied().unwrap_or_else(element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what remains of a lint at each division in a text, and what is reported about the comments.
    fn check(text: &str, expected: &[&str]) {
        let mut files = Files::default();
        let id = files.add("main.mcl", text);
        let lint = |(at, found): (usize, &str)| {
            let (start, end) = (at as u32, (at + found.len()) as u32);
            Diagnostic::warning(Code::W0201, Stage::Graph, "lint").at(Span::new(id, start, end))
        };
        let mut diagnostics: Vec<Diagnostic> = text.match_indices("1 / 0").map(lint).collect();
        apply_allowances(&files, &mut diagnostics, true);
        mcl_diagnostics::sort(&mut diagnostics);
        let found: Vec<String> = diagnostics
            .iter()
            .map(|d| {
                let at = files.line_col(id, d.span.map_or(0, |span| span.start));
                format!("{}:{} {} {}", at.line, at.col, d.code.name(), d.message)
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn an_allowance_covers_what_is_below_it() {
        check("# mclc: allow(W0201)\n$a = 1 / 0\n$b = 1 / 0\n", &["3:6 W0201 lint"]);
        check("# mclc: allow(W0201)\n# why\n\nif true {\n\t$a = 1 / 0\n\t$b = [\n\t\t1 / 0,\n\t]\n}\n", &[]);
        check("$a = [\n\t# mclc: allow(W02)\n\t(1 / 0 +\n\t1 / 0),\n\t1 / 0,\n]\n", &["5:2 W0201 lint"]);
        check("f \"x\" {\n\t#mclc:allow(all)\n\ta => [1, 1 / 0],\n\tb => 1 / 0,\n}\n", &["4:7 W0201 lint"]);
        check("$a = [\n\t# mclc: allow(W0201)\n\t1 / 0\n]\n$b = 1 / 0\n", &["5:6 W0201 lint"]);
    }

    #[test]
    fn an_allowance_after_code_covers_its_line() {
        check("$a = 1 / 0 # mclc: allow(W0201)\n$b = 1 / 0\n", &["2:6 W0201 lint"]);
        check("$a = 1 / 0 # mclc: allow(W0201)", &[]);
    }

    #[test]
    fn an_allowance_for_the_file_stands_at_its_top() {
        check(
            "#!/x\n\n# mclc: allow-file(W0101, W0201)\n$a = 1 / 0\n$b = 1 / 0\n",
            &["3:20 W0206 allowance without effect"],
        );
        check(
            "$a = 1 / 0\n# mclc: allow-file(W0201)\n",
            &["2:9 W0207 `allow-file` below the first statement", "1:6 W0201 lint"],
        );
    }

    #[test]
    fn what_allows_nothing_is_reported() {
        check("# mclc: allow(W0201)\n", &["1:15 W0206 allowance without effect"]);
        check("# mclc: allow(W01, all)\n$a = 1 / 0\n", &["1:15 W0206 allowance without effect"]);
        check("# see mclc: allow(W0201)\n# mclcs: allow(W0201)\n$a = \"# mclc: allow(W0101)\"\n", &[]);
    }

    #[test]
    fn each_allowance_around_a_lint_has_an_effect() {
        check(
            "# mclc: allow-file(W0201)\n# mclc: allow-file(W0201)\n# mclc: allow(W02)\n$a = 1\n\
             # mclc: allow(W0201)\n$b = 1 / 0\n# mclc: allow(W0201, all)\n$c = [\n\t1 / 0, # mclc: allow(W02)\n]\n\
             $d = 1 / 0\n",
            &["3:15 W0206 allowance without effect"],
        );
    }

    #[test]
    fn a_wrong_directive_is_reported_where_it_is_wrong() {
        check("# mclc: alow(W0201)\n", &["1:9 W0207 unknown directive `alow`"]);
        check("# mclc:\n", &["1:8 W0207 expected a directive"]);
        check("# mclc: ö\n", &["1:9 W0207 expected a directive"]);
        check("# mclc: allow W0201\n", &["1:9 W0207 expected lints in parentheses after `allow`"]);
        check("# mclc: allow(W0201\n", &["1:9 W0207 expected lints in parentheses after `allow`"]);
        check("# mclc: allow ( )\n", &["1:17 W0207 expected the code of a lint"]);
        check(
            "# mclc: allow(E0601, W0999,W0201)\n$a = 1 / 0\n",
            &["1:15 W0207 `E0601` is not a lint", "1:22 W0207 unknown lint `W0999`"],
        );
    }

    #[test]
    fn broken_programs_say_nothing_about_allowances_without_effect() {
        let mut files = Files::default();
        let id = files.add("main.mcl", "# mclc: allow(W0201)\n$a = \n");
        let error = Diagnostic::error(Code::E0201, Stage::Parse, "error").at(Span::new(id, 26, 27));
        let mut diagnostics = vec![error.clone()];
        apply_allowances(&files, &mut diagnostics, true);
        assert_eq!(diagnostics, [error]);
    }
}
