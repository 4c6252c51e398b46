//! Lowering of a whole program.

use std::sync::Arc;

use mcl_artifact::MAX_TYPE_NESTING;
use mcl_artifact::program::Program;
use mcl_diagnostics::{Code, Diagnostic, Stage};
use mcl_modules::Loaded;
use mcl_types::Typed;
use mcl_value::Str;

use crate::emit::Emitter;
use crate::error::{Inconsistency, LowerError};
use crate::lower::Lowering;
use crate::options::Options;
use crate::pool::{MAX_TYPE_PARTS, Tables, TypeLimit};
use crate::warnings::Warnings;
use crate::{compact, expansion, sensitive_commands};

/// A lowered program.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// W0201 for calls that always fail, W0202 for resource kinds that are not implemented, W0203 for sensitive values in
    /// commands.
    pub warnings: Vec<Diagnostic>,
}

/// Lowers a typed program that has no errors. Sources, module directories and deployed files come from `loaded`.
///
/// # Errors
/// E0801 for meta parameters that are set twice, E0802 for a program that expands to too many statements, E0803 for an
/// inconsistent typed program (which can only come from a file), E0804 for types that are too deep or too large for an
/// artifact.
pub fn lower(typed: Typed, loaded: &Loaded, options: Options) -> Result<Lowered, Vec<Diagnostic>> {
    let (Emitter { pool, templates, .. }, mut warnings) = emit(typed, loaded, options)?;
    let Tables { strings, types, constants, functions } = pool.into_tables();
    let files = loaded.files.clone();
    let deploy =
        Arc::new(loaded.deploy.iter().map(|(path, content)| (path.clone(), Str::from(&content[..]))).collect());
    let mut program = Program { files, strings, types, constants, functions, templates, deploy };
    compact::compact(&mut program);
    // The output is valid if the input is consistent.
    match mcl_artifact::validate(&program) {
        Ok(()) => {
            warnings.extend(sensitive_commands::warnings(&program));
            Ok(Lowered { program, warnings })
        }
        Err(_) => Err(vec![LowerError::from(Inconsistency::InvalidProgram).into()]),
    }
}

/// Lowers all statements. The typed program and the frames are dropped at the end, before the tables are completed.
fn emit(mut typed: Typed, loaded: &Loaded, options: Options) -> Result<(Emitter, Vec<Diagnostic>), Vec<Diagnostic>> {
    let types = std::mem::take(&mut typed.types);
    let mut lowering = Lowering::new(&typed, types, loaded, options);
    let result = expansion::check(&typed.scoped).and_then(|()| lowering.run());
    let mut errors = std::mem::take(&mut lowering.errors);
    if let Some(limit) = lowering.emitter.pool.exceeded {
        let (message, help) = match limit {
            TypeLimit::Nesting => (
                format!("a type is nested more than {MAX_TYPE_NESTING} levels deep"),
                "a list that contains another list nests one level deeper; use fewer levels, or a map",
            ),
            TypeLimit::Parts => (
                format!("the types of the program have more than {MAX_TYPE_PARTS} parts"),
                "a struct that contains another one twice has twice as many parts; use a list or a map",
            ),
        };
        let error = Diagnostic::error(Code::E0804, Stage::Graph, message).help(help);
        errors.push(match lowering.type_exceeds {
            Some(span) => error.at_with(span, "this value, or one that it is computed from, has such a type"),
            None => error,
        });
    }
    errors.extend(result.err().map(Diagnostic::from));
    if !errors.is_empty() {
        return Err(errors);
    }
    let warnings = Warnings::of(&mut lowering).into_diagnostics(&loaded.files);
    Ok((lowering.emitter, warnings))
}
