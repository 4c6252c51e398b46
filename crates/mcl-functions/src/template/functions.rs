//! The functions that templates can call by name: built-in ones, and those of mcl (spec 03 §9.6).

use std::sync::LazyLock;

use mcl_value::{FuncType, Type, Value};
use rustc_hash::FxHashMap;

use super::builtins;
use super::data::{Data, GoType};
use crate::{CallContext, Function, FunctionError, Implementation, Plain, Purity, all_functions};

/// A function of mcl, as templates see it.
pub(super) struct Callable {
    pub(super) ty: FuncType,
    plain: Plain,
    /// Whether its result is the same on every machine.
    pure: bool,
}

/// Simple functions without unknowns, by their names with `_` for `.` and `/`.
static CALLABLES: LazyLock<FxHashMap<String, Callable>> = LazyLock::new(|| {
    let callable = |function: &'static Function| {
        let Implementation::Plain(plain) = function.implementation else { return None };
        let ty = function.declared_type().filter(|ty| function.simple && !ty.has_unknowns())?;
        let name = function.name.replace(['.', '/'], "_");
        let name = if function.name.contains('.') { name } else { format!("_{name}") };
        Some((name, Callable { ty, plain, pure: function.purity == Purity::Pure }))
    };
    all_functions().filter_map(callable).collect()
});

/// Whether there is a function of that name.
pub(super) fn exists(name: &str) -> bool {
    builtins::arity(name).is_some() || CALLABLES.contains_key(name)
}

/// The mcl function of that name.
pub(super) fn callable(name: &str) -> Option<&'static Callable> {
    CALLABLES.get(name)
}

impl Callable {
    pub(super) fn call(&self, cx: &CallContext<'_>, args: &[Data]) -> Result<Data, FunctionError> {
        // Without a deploy the compiler is at work, and its machine is not the one that counts.
        if !self.pure && cx.deploy.is_none() {
            return Err(FunctionError::fatal("the result is only known where the program runs"));
        }
        let args: Option<Vec<Value>> = args.iter().map(to_value).collect();
        let args = args.ok_or_else(|| FunctionError::fatal("can't use this value as an argument"))?;
        let context = CallContext { ty: &self.ty, deploy: cx.deploy, module_dir: cx.module_dir };
        let result = (self.plain)(&context, &args)?;
        super::data::convert(&result, &self.ty.result)
            .ok_or_else(|| FunctionError::fatal("can't use a function as data"))
    }
}

/// The Go type of a parameter; lists of strings are the only lists.
pub(super) fn parameter_type(ty: &Type) -> GoType {
    match ty {
        Type::Bool => GoType::Bool,
        Type::Str => GoType::String,
        Type::Int => GoType::Int64,
        Type::Float => GoType::Float64,
        Type::List(element) => GoType::Slice(std::sync::Arc::new(parameter_type(element))),
        Type::Map(types) => GoType::Map(std::sync::Arc::new((parameter_type(&types.0), parameter_type(&types.1)))),
        Type::Struct(_) | Type::Func(_) | Type::Variant | Type::Nil | Type::Var(_) => GoType::Any,
    }
}

/// An argument that has been checked against its parameter.
fn to_value(data: &Data) -> Option<Value> {
    Some(match data {
        Data::Bool(value) => Value::Bool(*value),
        Data::Str(text) => Value::Str(text.clone()),
        Data::Int(n) | Data::Native(n) => Value::Int(*n),
        Data::Byte(n) => Value::Int(i64::from(*n)),
        Data::Float(x) => Value::Float(*x),
        Data::List(list) => Value::List(list.items.iter().map(to_value).collect::<Option<_>>()?),
        Data::Map(map) => {
            let pairs = map.entries.iter().map(|(k, v)| Some((to_value(k)?, to_value(v)?)));
            Value::map(pairs.collect::<Option<Vec<_>>>()?)
        }
        Data::Nil | Data::Record(_) => return None,
    })
}
