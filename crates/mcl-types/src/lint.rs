//! Lints about names and constants of a program without errors in its names (spec 11 §2.4).
//!
//! What a file defines at its top level is for those that import it: it is unused only in a program that does more than define.

mod braces;
mod constant;
mod shadowing;
mod unused;
mod unused_types;

pub use unused_types::unused_type_errors;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use mcl_modules::Loaded;
use mcl_parser::ast::StmtId;
use rustc_hash::FxHashSet;

use crate::scoped::{ModuleId, ScopeId, Scoped};

/// The import statements that make a name visible which is used.
pub(crate) type UsedImports = FxHashSet<(ScopeId, StmtId)>;

/// A program whose names are known.
struct Names<'a> {
    scoped: &'a Scoped,
    loaded: &'a Loaded,
}

/// Returns the lints of all files but those that are embedded in the compiler.
pub(crate) fn lints(scoped: &Scoped, loaded: &Loaded, used_imports: &UsedImports) -> Vec<Diagnostic> {
    let names = Names { scoped, loaded };
    let (mut unused, mut others) = (Vec::new(), Vec::new());
    let ((), meant) = rayon::join(
        || {
            let is_library = names.is_library();
            names.unused_definitions(is_library, &mut unused);
            names.unused_imports(is_library, used_imports, &mut unused);
        },
        || {
            names.shadowing(&mut others);
            names.constant_comparisons(&mut others);
            names.empty_loops(&mut others);
            names.missing_braces(&mut others)
        },
    );
    if !meant.is_empty() {
        // What a string was to insert is not unused.
        let meant: FxHashSet<Span> = meant.into_iter().map(|def| names.name_span(def, "$")).collect();
        unused.retain(|found| !found.span.is_some_and(|span| meant.contains(&span)));
    }
    unused.append(&mut others);
    unused
}

impl Names<'_> {
    /// Whether a module is one of the user's files.
    fn is_own(&self, module: ModuleId) -> bool {
        self.loaded.files.get(self.scoped.ast(module).file).is_some_and(|file| !file.is_embedded())
    }

    fn text(&self, span: Span) -> &str {
        self.loaded.files.text(span)
    }
}

fn lint(code: Code, message: String) -> Diagnostic {
    Diagnostic::warning(code, Stage::Scope, message)
}
