//! What happens to the diagnostics of all stages before they are shown.

use mcl_diagnostics::{Code, Diagnostic, Files, LintLevel, Severity};
use rustc_hash::FxHashSet;

/// Applies the levels of lints, moves what concerns a program out of embedded modules, and sorts.
pub fn finish_diagnostics(
    files: &Files,
    diagnostics: &mut Vec<Diagnostic>,
    level_of: impl Fn(Code) -> Option<LintLevel>,
) {
    diagnostics.retain_mut(|diagnostic| {
        if diagnostic.severity == Severity::Error {
            return true;
        }
        match level_of(diagnostic.code) {
            Some(LintLevel::Deny) => diagnostic.severity = Severity::Error,
            Some(LintLevel::Allow) => return false,
            None if diagnostic.code.is_pedantic() => return false,
            Some(LintLevel::Warn) | None => {}
        }
        true
    });
    // One mistake of a program may be reported at many locations of an embedded module.
    let mut blamed = FxHashSet::default();
    diagnostics.retain_mut(|d| !d.blame_program(files) || blamed.insert((d.code.name(), d.span, d.message.clone())));
    mcl_diagnostics::sort(diagnostics);
}
