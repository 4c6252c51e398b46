//! The functions of mcl that templates can call by name (spec 03 §9.6).

use std::cell::Cell;
use std::sync::LazyLock;

use go_template::{Data, GoType};
use mcl_value::{FuncType, Value};
use rustc_hash::FxHashMap;

use crate::template::data::{convert, parameter_type, to_value};
use crate::{CallContext, Function, FunctionError, Implementation, Origin, Plain, Purity, all_functions};

/// A function of mcl as templates see it.
struct Callable {
    ty: FuncType,
    parameters: Vec<GoType>,
    plain: Plain,
    name: &'static str,
    /// Whether the result is the same on every machine.
    pure: bool,
    origin: Origin,
}

/// The simple functions without type variables, by their names with `_` for `.` and `/`.
static CALLABLES: LazyLock<FxHashMap<String, Callable>> = LazyLock::new(|| {
    let callable = |function: &'static Function| {
        let Implementation::Plain(plain) = function.implementation else { return None };
        let ty = function.declared_type().filter(|ty| function.simple && !ty.has_unknowns())?;
        let name = function.name.replace(['.', '/'], "_");
        let name = if function.name.contains('.') { name } else { format!("_{name}") };
        let parameters = ty.args.iter().map(|arg| parameter_type(&arg.ty)).collect();
        Some((
            name,
            Callable {
                ty,
                parameters,
                plain,
                name: function.name,
                pure: function.purity == Purity::Pure,
                origin: function.origin,
            },
        ))
    };
    all_functions().filter_map(callable).collect()
});

/// The functions of mcl for one call of `golang.template`.
pub(super) struct Functions<'a>(pub(super) &'a CallContext<'a>);

impl go_template::Functions for Functions<'_> {
    type Error = FunctionError;

    fn parameters(&self, name: &str) -> Option<&[GoType]> {
        CALLABLES.get(name).map(|callable| &callable.parameters[..])
    }

    fn call(&self, name: &str, args: &[Data]) -> Result<Data, FunctionError> {
        let Some(callable) = CALLABLES.get(name) else {
            return Err(FunctionError::fatal(format!("function {name} not defined")));
        };
        // Without a deploy this is the compiler, whose machine does not count.
        if !callable.pure && self.0.deploy.is_none() {
            return Err(FunctionError::fatal("cannot be evaluated at compile time"));
        }
        let args: Option<Vec<Value>> = args.iter().map(to_value).collect();
        let args = args.ok_or_else(|| FunctionError::fatal("can't use this value as an argument"))?;
        let context = CallContext {
            ty: &callable.ty,
            deploy: self.0.deploy,
            module_dir: self.0.module_dir,
            answers: self.0.answers,
            sensitive: Cell::default(),
        };
        let result = match self.0.answers {
            Some(answers) if callable.origin == Origin::Machine => answers.call(callable.name, &callable.ty, &args)?,
            _ => (callable.plain)(&context, &args)?,
        };
        if context.sensitive.get() {
            self.0.mark_sensitive();
        }
        convert(&result, &callable.ty.result).ok_or_else(|| FunctionError::fatal("can't use a function as data"))
    }
}
