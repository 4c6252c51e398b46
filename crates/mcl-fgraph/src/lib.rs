//! Lowering: the typed program becomes the function-graph program that the runtime executes (spec 04 §§1, 6.2).
//!
//! The input has names and types but no instances: classes, modules and functions are defined once, whatever the number
//! of their uses. Lowering makes the instances. It walks the statements from the top level ([`lower`]'s `Lowering`),
//! keeps a frame for each instance of a scope (`frames`), and adds a node to the template under construction
//! (`builder`) for each expression that something asks for, so that
//!
//! - a bind is one node for each instance of its scope, however often it is used, and none if it is not;
//! - classes are expanded where they are included; a function becomes one template for each set of types it is used at,
//!   and calls refer to it, so code stays as large as the source;
//! - branches, loop bodies and function values are templates that capture what they use from around them.
//!
//! On the way (`emit`) everything that is known already is computed: pure calls of constants, conditions, loops over short
//! constant lists, calls of small functions. A failing call stays where it is: it must fail at run time, and only if its
//! value is asked for; but on the left of `<|>` it is replaced by the fallback. [`Options::fold`] turns all of this off,
//! to compare.
//!
//! The crate does no I/O and evaluates nothing impure. It knows the kinds of resources only by name.

mod builder;
mod builtin;
mod certain;
mod compact;
mod emit;
mod expansion;
mod expr;
mod frames;
mod lower;
mod pool;
mod stmt;
mod visit;

use mcl_artifact::{MAX_TYPE_NESTING, program::Program};
use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use mcl_modules::Loaded;
use mcl_types::Typed;

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

/// Why lowering cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The typed program contradicts itself. Never true of one that the earlier stages made without errors.
    Broken(&'static str),
    /// Classes expand to too many statements.
    TooLarge {
        /// One of them, or the one that expands to most of them.
        at: Span,
        /// How many there are at least; `None` if that was not known before they were made.
        statements: Option<u64>,
    },
}

/// A lowered program.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// W0201 for what is certain to fail when it runs.
    pub warnings: Vec<Diagnostic>,
}

/// Lowers a typed program that has no errors. Sources, module directories and deployed files come from `loaded`.
///
/// # Errors
/// E0801 for meta parameters that are set twice, E0802 for a program that expands without bound, E0803 for a typed
/// program that contradicts itself (one from a file), E0804 for a type that is too deep for an artifact.
pub fn lower(mut typed: Typed, loaded: &Loaded, options: Options) -> Result<Lowered, Vec<Diagnostic>> {
    let types = std::mem::take(&mut typed.types);
    let mut lowering = lower::Lowering::new(&typed, types, loaded, options);
    let stopped = expansion::check(&typed.scoped).and_then(|()| lowering.run());
    let mut errors = std::mem::take(&mut lowering.errors);
    if lowering.emitter.pool.too_deep {
        let message = format!("a type is nested more than {MAX_TYPE_NESTING} levels deep");
        let error = Diagnostic::error(Code::E0804, Stage::Graph, message)
            .help("lists in lists, made one from another, nest once for each step; use fewer steps, or a map");
        errors.push(match lowering.too_deep {
            Some(at) => error.at_with(at, "this has such a type, or is made from what has it"),
            None => error,
        });
    }
    if let Err(stop) = stopped {
        errors.push(report(&stop));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let warnings = certain::warnings(&mut lowering.emitter);
    let emit::Emitter { pool, templates, .. } = lowering.emitter;
    let (strings, types, constants, functions) = pool.into_tables();
    let (files, deploy) = (loaded.files.clone(), loaded.deploy.clone());
    let mut program = Program { files, strings, types, constants, functions, templates, deploy };
    compact::compact(&mut program);
    // Lowering keeps the invariants of a program as far as its input keeps its own.
    match mcl_artifact::validate(&program) {
        Ok(()) => Ok(Lowered { program, warnings }),
        Err(_) => Err(vec![report(&Stop::Broken("a place, a type or a call does not fit"))]),
    }
}

fn report(stop: &Stop) -> Diagnostic {
    match stop {
        Stop::TooLarge { at, statements } => {
            let label = match statements {
                Some(u64::MAX) => "this stands for most of them".to_owned(),
                Some(count) => format!("there are {count}, and this stands for most of them"),
                None => "one of them".to_owned(),
            };
            let message = "the program expands to more statements than any machine could apply";
            Diagnostic::error(Code::E0802, Stage::Graph, message)
                .at_with(*at, label)
                .help("classes that include other classes several times multiply; loop over a list instead")
        }
        Stop::Broken(what) => Diagnostic::error(
            Code::E0803,
            Stage::Graph,
            format!("the typed program contradicts itself: {what}"),
        )
        .help(
            "if the file was made by `mclc unify` of this release, this is an error of the compiler: please report it",
        ),
    }
}
