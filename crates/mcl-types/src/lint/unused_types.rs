//! W0223: type errors in what nothing uses. The program is valid all the same: only what is used is typed (spec 02 §2.6).

use mcl_diagnostics::{Code, Diagnostic, Severity, Span};
use mcl_modules::Loaded;

use crate::infer::reachable::{reachable_from, reachable_with};
use crate::infer::{Inference, Part, Usage};
use crate::lint::Names;
use crate::scoped::{DefId, DefKind, InstanceKind, ScopeId, ScopeKind, Scoped, Target};

/// Errors that a use may not have: there, a type that stays undetermined may be known, and so may the text of a format.
const UNCERTAIN: [Code; 6] = [Code::E0706, Code::E0715, Code::E0717, Code::E0718, Code::E0719, Code::E0720];

/// Returns a warning for each type error in the definitions that a program without errors does not use, in all files but those
/// that are embedded in the compiler. What `is_used` says of a definition counts as use.
#[must_use]
pub fn unused_type_errors(
    scoped: &Scoped,
    loaded: &Loaded,
    is_used: impl Fn(&Scoped, DefId) -> bool,
) -> Vec<Diagnostic> {
    let names = Names { scoped, loaded };
    let reachable = reachable_with(scoped, scoped.defs.keys().filter(|def| is_used(scoped, *def)));
    let unused: Vec<Unused> = scoped
        .defs
        .iter()
        .filter(|(id, def)| !reachable.contains(*id) && !def.erroneous && names.is_own(scoped.scope(def.scope).module))
        .filter_map(|(id, def)| {
            let (what, sigil, stmt) = match def.kind {
                DefKind::Bind { stmt } => ("variable", "$", stmt),
                DefKind::Func { stmt, .. } => ("function", "", stmt),
                DefKind::Class { stmt, .. } => ("class", "", stmt),
                DefKind::Param { .. } | DefKind::Error => return None,
            };
            Some(Unused { def: id, scope: def.scope, what, sigil, span: scoped.ast_of(def.scope).stmt_span(stmt) })
        })
        .collect();
    if unused.is_empty() {
        return Vec::new();
    }
    let mut found = errors(scoped, &unused);
    found.retain(|error| !UNCERTAIN.contains(&error.code));
    let outermost = outermost(unused);
    found.into_iter().filter_map(|error| warning(scoped, &outermost, error)).collect()
}

/// A definition that nothing uses.
struct Unused {
    def: DefId,
    scope: ScopeId,
    what: &'static str,
    sigil: &'static str,
    /// The statement.
    span: Span,
}

/// Types the definitions, with what they need, and returns the errors.
fn errors(scoped: &Scoped, unused: &[Unused]) -> Vec<Diagnostic> {
    // Includes with a name of their own are typed with the definitions.
    let of_includes = scoped.instances.values().filter_map(|instance| match instance.kind {
        InstanceKind::Class(resolution) => match scoped.reference(resolution).target {
            Target::Def(class) => Some(class),
            Target::Function(_) | Target::Variable(_) => None,
        },
        InstanceKind::Module(_) | InstanceKind::Error => None,
    });
    let roots = unused.iter().map(|unused| unused.def).chain(of_includes);
    let usage = Usage::of_unused(scoped, reachable_from(scoped, roots));
    let mut part = Part::whole(scoped);
    let is_at_top = |scope: ScopeId| matches!(scoped.scope(scope).kind, ScopeKind::Module | ScopeKind::Class(_));
    if unused.iter().all(|unused| is_at_top(unused.scope)) {
        part.body = 0..0;
    }
    let mut inference = Inference::new(scoped, &usage, part);
    inference.infer_program();
    inference.finish().1
}

/// Returns the definitions that no other one contains, by their places.
fn outermost(mut unused: Vec<Unused>) -> Vec<Unused> {
    unused.sort_by_key(|unused| (unused.span.file, unused.span.start, std::cmp::Reverse(unused.span.end)));
    unused.dedup_by(|later, earlier| later.span.file == earlier.span.file && later.span.end <= earlier.span.end);
    unused
}

/// Makes an error a warning about the definition that contains it, if there is one. The definitions are in the order of their places,
/// and none contains another one.
fn warning(scoped: &Scoped, unused: &[Unused], error: Diagnostic) -> Option<Diagnostic> {
    let place = error.span?;
    let next = unused.partition_point(|unused| (unused.span.file, unused.span.start) <= (place.file, place.start));
    let around = unused[..next].last()?;
    if around.span.file != place.file || place.end > around.span.end {
        return None;
    }
    let name = format!("{} `{}{}`", around.what, around.sigil, scoped.def_name(around.def));
    Some(Diagnostic {
        code: Code::W0223,
        severity: Severity::Warning,
        message: format!("type error in {name}, which nothing uses: {}", error.message),
        covers: None,
        ..error
    })
}
