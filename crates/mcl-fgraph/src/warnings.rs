//! The warnings of a lowered program, or of a part of it.

use mcl_diagnostics::{Diagnostic, Files, Span};
use rustc_hash::FxHashSet;

use crate::declared::{Declarations, DeclaredNames, NameLints};
use crate::known_failures;
use crate::lower::Lowering;
use crate::resource::unimplemented_warning;

/// The warnings of each kind, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    /// The kinds of resources that are not implemented, each with its first use.
    unimplemented: Vec<(&'static str, Span)>,
    /// Values that resource kinds refuse, one warning for each location.
    refused: Vec<Diagnostic>,
    /// Calls that always fail, one warning for each location.
    failures: Vec<Diagnostic>,
    /// What concerns several resources is known when all are.
    declared: DeclaredNames,
}

impl Warnings {
    /// Takes the warnings of what was lowered.
    pub(crate) fn of(lowering: &mut Lowering<'_>) -> Warnings {
        Warnings {
            unimplemented: lowering.unimplemented.iter().map(|(kind, span)| (*kind, *span)).collect(),
            refused: std::mem::take(&mut lowering.refused.warnings),
            failures: known_failures::warnings(&mut lowering.emitter),
            declared: std::mem::take(&mut lowering.declared),
        }
    }

    /// Joins the warnings of the parts of a program, in the order of its statements. What several parts found is kept once.
    pub(crate) fn joined(parts: Vec<Warnings>) -> Warnings {
        let mut joined = Warnings::default();
        joined.declared.reserve(parts.iter().map(|part| &part.declared));
        for Warnings { unimplemented, refused, failures, declared } in parts {
            joined.unimplemented.extend(unimplemented);
            joined.refused.extend(refused);
            joined.failures.extend(failures);
            joined.declared.extend(declared);
        }
        let mut kinds = FxHashSet::default();
        joined.unimplemented.retain(|(kind, _)| kinds.insert(*kind));
        for warnings in [&mut joined.refused, &mut joined.failures] {
            let mut spans = FxHashSet::default();
            warnings.retain(|warning| spans.insert((warning.code.name(), warning.span)));
        }
        joined
    }

    /// Returns the warnings.
    pub(crate) fn into_diagnostics(mut self, files: &Files) -> Vec<Diagnostic> {
        let lints = std::mem::take(&mut self.declared).lints(files);
        self.with_lints(lints)
    }

    /// Returns the warnings, and what the program declares.
    pub(crate) fn into_diagnostics_and_declarations(mut self, files: &Files) -> (Vec<Diagnostic>, Declarations) {
        let declared = std::mem::take(&mut self.declared);
        let lints = declared.lints(files);
        let declarations = Declarations::new(declared, &lints);
        (self.with_lints(lints), declarations)
    }

    fn with_lints(self, lints: NameLints) -> Vec<Diagnostic> {
        let unimplemented = self.unimplemented.into_iter().map(|(kind, span)| unimplemented_warning(kind, span));
        unimplemented.chain(self.refused).chain(self.failures).chain(lints.found).collect()
    }
}
