//! Lints about the entries of one resource: what is missing for it to do what it seems to say, and what is superfluous.

use mcl_diagnostics::{Change, Code, Diagnostic, Fix, Span, Stage};
use mcl_parser::ast::{Ast, Entry, EntryKind, Expr, ExprId, Resource};
use resource_graph::{META_FIELDS, ResourceKind};

use crate::lower::Lowering;

/// What keeps an `exec` from running each time.
const GUARDS: [&str; 7] = ["creates", "ifcmd", "nifcmd", "ifequals", "ifequals_stdout", "watchcmd", "watchfiles"];

impl Lowering<'_> {
    /// `statement` is the span of the resource.
    pub(crate) fn lint_resource(&mut self, ast: &Ast, resource: &Resource, kind: &ResourceKind, statement: Span) {
        let has = |names: &[&str]| {
            resource.entries.iter().any(|entry| match &entry.kind {
                EntryKind::Field { name, .. } => names.contains(&ast.name(*name)),
                EntryKind::Edge { .. } | EntryKind::Meta { .. } => false,
            })
        };
        let head = resource.kind_span(ast).to(ast.expr_span(resource.name));
        if kind.name == "file"
            && has(&["content", "source"])
            && !has(&["state"])
            && !self.refused.is_receiver(kind, &self.frames.typed.scoped)
        {
            let entry = "state => $const.res.file.state.exists";
            let add = Fix::guess(
                format!("add `{entry},`"),
                Change::AddEntry { resource: statement, entry: entry.to_owned() },
            );
            let warning = lint(Code::W0213, "file with content but without `state`");
            self.refused.add_lint(
                warning
                    .at_with(head, "is never created if it is missing")
                    .help(format!("add `{entry},` to have it created"))
                    .fix(add),
            );
        }
        // Whether a guard is needed depends on the command.
        if kind.name == "exec" && !has(&GUARDS) {
            let warning = lint(Code::W0220, "command without a guard").at_with(head, "runs each time");
            let help = "say when it has nothing to do: `creates`, `ifcmd` or `nifcmd`";
            self.refused.add_lint(warning.help(help));
        }
        if kind.name == "exec" && !has(&["shell"]) {
            let found = resource.entries.iter().find_map(|entry| shell_syntax(ast, entry));
            if let Some(warning) = found {
                let entry = "shell => \"/bin/sh\"";
                let change = Change::AddEntry { resource: statement, entry: entry.to_owned() };
                self.refused.add_lint(warning.fix(Fix::guess(format!("add `{entry},`"), change)));
            }
        }
        for entry in resource.entries.iter().filter(|entry| entry.condition.is_none()) {
            if let Some(warning) = given_default(ast, kind, entry) {
                self.refused.add_lint(warning);
            }
        }
    }
}

/// Words that a shell does not pass to a command.
const SHELL_WORDS: [&str; 11] = ["&&", "||", "|", ";", "&", ">", ">>", "<", "2>", "2>&1", "2>/dev/null"];

/// Reports a command that only a shell would understand.
fn shell_syntax(ast: &Ast, entry: &Entry) -> Option<Diagnostic> {
    let EntryKind::Field { name, value } = &entry.kind else { return None };
    let text = match ast.expr(*value) {
        Expr::Str(text) if ast.name(*name) == "cmd" => ast.string(*text),
        _ => return None,
    };
    // A quoted word can be anything, for a program that is given a script.
    let words = text.split_ascii_whitespace().take_while(|word| !word.contains(['\'', '"']));
    let word = words.skip(1).find(|word| SHELL_WORDS.contains(word))?;
    let warning = lint(Code::W0222, format!("`{word}` in a command that no shell reads"));
    let warning = warning.at_with(ast.expr_span(*value), format!("`{word}` is an argument of the program"));
    Some(warning.help("add `shell => \"/bin/sh\",` to have a shell run it"))
}

/// Reports an entry that says what would hold without it.
fn given_default(ast: &Ast, kind: &ResourceKind, entry: &Entry) -> Option<Diagnostic> {
    let (name, value, default) = match &entry.kind {
        EntryKind::Field { name, value } => {
            // To say what state a resource is in is never superfluous.
            let field = kind.field(ast.name(*name)).filter(|field| !field.optional && field.name != "state")?;
            (field.name.to_owned(), *value, field.default)
        }
        EntryKind::Meta { property, value } => {
            let field = META_FIELDS.iter().find(|field| field.name == ast.name(*property))?;
            (format!("Meta:{}", field.name), *value, field.default)
        }
        EntryKind::Edge { .. } => return None,
    };
    is_literal(ast, value, default).then(|| {
        lint(Code::W0214, format!("`{name}` is set to its default"))
            .at_with(ast.expr_span(value), "has this value anyway")
            .help("remove the entry")
            .fix(Fix::safe("remove the entry", Change::Remove(entry.span(ast))))
    })
}

/// Whether an expression is a literal that is written so in the schema.
fn is_literal(ast: &Ast, value: ExprId, written: &str) -> bool {
    match ast.expr(value) {
        Expr::Bool(value) => written == if *value { "true" } else { "false" },
        Expr::Int(value) => written.parse() == Ok(*value),
        // Escapes only make it longer.
        Expr::Str(value) => {
            let value = ast.string(*value);
            written.len() >= value.len() + 2 && written == format!("{value:?}")
        }
        Expr::List(items) => items.is_empty() && written == "[]",
        Expr::Map(pairs) => pairs.is_empty() && written == "{}",
        _ => false,
    }
}

fn lint(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::warning(code, Stage::Graph, message)
}
