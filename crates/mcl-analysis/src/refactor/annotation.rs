//! Writing the type of a variable or parameter.

use crate::edits::{TextEdit, apply_edits};
use crate::index::{DefinedKind, Symbol};
use crate::inlay::is_type_written;
use crate::parses::parses;
use crate::refactor::code::Code;
use crate::refactor::refactoring::{Refactoring, RefactoringKind};
use crate::types::type_text;

/// Adds the inferred type after the name of a definition at the cursor.
pub(super) fn add_type(code: &Code<'_>) -> Option<Refactoring> {
    let name = code.program.index().at(code.file, code.selection.start).filter(|name| name.is_definition)?;
    let Symbol::Defined(..) = name.symbol else { return None };
    let (DefinedKind::Bind(def) | DefinedKind::Parameter(def)) = code.program.index().defined(&name.symbol)?.kind
    else {
        return None;
    };
    if is_type_written(code.program, def) {
        return None;
    }
    // A part that is not known has no notation.
    let ty = type_text(code.program, code.program.typed().def(def)).filter(|ty| !ty.contains('?'))?;
    let edits = vec![TextEdit { start: name.range.end, end: name.range.end, text: format!(" {ty}") }];
    // The variables of loops have no types.
    if !parses(&apply_edits(&code.text, &edits)) {
        return None;
    }
    Some(code.change(format!("add the type `{ty}`"), RefactoringKind::Rewrite, edits))
}
