//! Lowering: the typed program becomes the function-graph program that the runtime executes (spec 04 §§1, 6.2).
//!
//! The input has names and types but no instances: classes, modules and functions are defined once, however often they
//! are used. Lowering makes the instances. It goes through the statements from the top level (`stmt`), keeps a frame for
//! each instance of a scope (`frames`), and adds nodes for the expressions that are used (`expr`, `definition`) to
//! the template under construction (`builder`), so that
//!
//! - a variable is one node per instance of its scope, however often it is used, and none if it is unused;
//! - classes are expanded where they are included; a function becomes one template for each set of types it is used at,
//!   and calls refer to it, so the program stays as large as its source;
//! - branches, loop bodies and function values are templates that capture what they use from around them.
//!
//! Meanwhile, `emit` computes everything that is already known: pure calls of constants, conditions, loops over short
//! constant lists, calls of small functions. A failing call is kept: it must fail at run time, and only if its value is
//! needed; on the left of `<|>`, the fallback replaces it. [`Options::fold`] turns all of this off, for comparison.
//!
//! [`check`] only finds what is wrong with a program, and keeps nothing of what it lowers.
//!
//! The crate does no I/O and evaluates nothing impure. It knows resource kinds only by name.

mod builder;
mod builtin;
mod call;
mod check;
mod compact;
mod concat;
mod definition;
mod dependencies;
mod emit;
mod error;
mod expansion;
mod expr;
mod frames;
mod known_failures;
mod lower;
mod marks;
mod pool;
mod refused;
mod resource;
mod sensitive_commands;
mod stmt;
mod visit;
mod warnings;

use std::sync::Arc;

use mcl_artifact::MAX_TYPE_NESTING;
use mcl_artifact::program::Program;
use mcl_diagnostics::{Code, Diagnostic, Stage};
use mcl_modules::Loaded;
use mcl_types::Typed;
use mcl_value::Str;

pub use crate::check::check;

use crate::emit::Emitter;
use crate::error::{Inconsistency, LowerError};
use crate::lower::Lowering;
use crate::pool::Tables;
use crate::warnings::Warnings;

/// How to lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Compute at compile time what is known then.
    pub fold: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { fold: true }
    }
}

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
/// inconsistent typed program (which can only come from a file), E0804 for a type that is too deep for an artifact.
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
    if lowering.emitter.pool.too_deep {
        let message = format!("a type is nested more than {MAX_TYPE_NESTING} levels deep");
        let error = Diagnostic::error(Code::E0804, Stage::Graph, message)
            .help("a list that contains another list nests one level deeper; use fewer levels, or a map");
        errors.push(match lowering.too_deep {
            Some(span) => error.at_with(span, "this value, or one that it is computed from, has such a type"),
            None => error,
        });
    }
    errors.extend(result.err().map(Diagnostic::from));
    if !errors.is_empty() {
        return Err(errors);
    }
    let warnings = Warnings::of(&mut lowering).into_diagnostics();
    Ok((lowering.emitter, warnings))
}
