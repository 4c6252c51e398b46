//! What an author of an unknown name may have meant, as changes of the source.

use mcl_diagnostics::{Applicability, Change, Fix, Span};

use crate::scope::error::Hint;

impl Hint {
    /// Returns the changes of all uses of a name, the most likely first. `name` has its dots and no sigil.
    pub(crate) fn fixes(&self, name: &str, uses: &[Span]) -> Vec<Fix> {
        match self {
            Hint::Similar { name: near } => vec![replace(name, uses, near)],
            Hint::Elsewhere { names } => names.iter().map(|near| replace(name, uses, near)).collect(),
            Hint::OtherAlias { name: near, .. } | Hint::AliasOfInclude { name: near, .. } => {
                vec![replace(name, uses, near)]
            }
            Hint::SimilarAlias { alias } => {
                let member = name.split_once('.').map_or("", |(_, member)| member);
                vec![replace(name, uses, &format!("{alias}.{member}"))]
            }
            Hint::NotImported { module } => uses.first().map(|first| import(module, *first)).into_iter().collect(),
            Hint::OtherModules { names } => {
                let fix = |near: &String| {
                    let (module, _) = near.rsplit_once('.')?;
                    let file = uses.first()?.file;
                    // A module is known by the last part of its name.
                    let (_, short) = near.rsplit_once('/').unwrap_or(("", near));
                    let fix = replace(name, uses, short);
                    Some(fix.and(Change::Import { file, module: module.to_owned() }))
                };
                names.iter().filter_map(fix).collect()
            }
            Hint::CallVariable { name: variable } => vec![replace(name, uses, &format!("${variable}"))],
            Hint::CallFunction { .. } => {
                let sigils = uses.iter().filter_map(|use_span| sigil(name, *use_span)).map(Change::delete);
                vec![all("remove the `$`", sigils.collect())]
            }
            Hint::FieldOfVariable { variable, field } => vec![replace(name, uses, &format!("{variable}->{field}"))],
            Hint::WrapFunction { .. }
            | Hint::IsAlias { .. }
            | Hint::UnknownAlias { .. }
            | Hint::ReadVariable { .. }
            | Hint::ForeignFunction { .. }
            | Hint::MemberOfClass { .. }
            | Hint::ClassOfClass { .. }
            | Hint::NestedClass { .. }
            | Hint::Orphan { .. }
            | Hint::VariableOfClass { .. }
            | Hint::VariableOfBlock { .. }
            | Hint::FunctionScope
            | Hint::Constants { .. }
            | Hint::Method { .. }
            | Hint::Foreign { .. } => Vec::new(),
        }
    }
}

/// The import of a system module is all that its members need.
fn import(module: &str, first: Span) -> Fix {
    let change = Change::Import { file: first.file, module: module.to_owned() };
    Fix::safe(format!("import \"{module}\""), change)
}

/// Replaces the name in all of its uses.
fn replace(name: &str, uses: &[Span], near: &str) -> Fix {
    let bare = near.strip_prefix('$').unwrap_or(near);
    let changes = uses.iter().filter_map(|use_span| {
        let span = name_span(name, *use_span)?;
        // What had no sigil may need one.
        let adds_sigil = near.starts_with('$') && sigil(name, *use_span).is_none() && span.start == use_span.start;
        Some(Change::Replace { span, text: if adds_sigil { near } else { bare }.to_owned() })
    });
    all(&format!("replace with `{near}`"), changes.collect())
}

fn all(title: &str, changes: Vec<Change>) -> Fix {
    Fix { title: title.to_owned(), applicability: Applicability::Unsafe, changes }
}

/// Returns where the name is in a use of it: `name`, `$name` or `${name}`.
fn name_span(name: &str, use_span: Span) -> Option<Span> {
    let before = match (use_span.end - use_span.start).checked_sub(name.len() as u32)? {
        0 => 0,
        1 => 1,
        3 => 2,
        _ => return None,
    };
    let start = use_span.start + before;
    Some(Span { start, end: start + name.len() as u32, ..use_span })
}

/// Returns where the `$` is in a use `$name`.
fn sigil(name: &str, use_span: Span) -> Option<Span> {
    let has_sigil = use_span.end - use_span.start == name.len() as u32 + 1;
    has_sigil.then(|| Span { end: use_span.start + 1, ..use_span })
}
