//! Constructors for the rows of function tables.

use mcl_value::Value;

use crate::{
    CallSite, EngineFunction, Function, FunctionError, Implementation, Origin, Plain, Purity, Sensitivity, Signature,
    Stream,
};

/// The result of a call.
pub(crate) type Outcome = Result<Value, FunctionError>;

/// Returns a value.
#[allow(clippy::unnecessary_wraps)]
pub(crate) fn ok(value: impl Into<Value>) -> Outcome {
    Ok(value.into())
}

/// Returns a catchable error.
pub(crate) fn catchable(message: impl Into<String>) -> Outcome {
    Err(FunctionError::catchable(message))
}

/// Returns a fatal error.
pub(crate) fn fatal(message: impl Into<String>) -> Outcome {
    Err(FunctionError::fatal(message))
}

/// Declares a simple, pure, inlinable function, as most are.
pub(crate) const fn pure(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    Function {
        name,
        doc,
        example: "",
        signature: Signature::Fixed(signature),
        choices: &[],
        simple: true,
        purity: Purity::Pure,
        origin: Origin::Program,
        sensitivity: Sensitivity::OfArguments,
        inlinable: true,
        implementation: Implementation::Plain(plain),
    }
}

/// Declares a pure function with mgmt's full interface: vertices show its short name, and templates cannot call it.
pub(crate) const fn full(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    Function { simple: false, ..pure(name, signature, doc, plain) }
}

/// Declares a function whose result depends on the host, but does not change.
pub(crate) const fn host(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    Function { purity: Purity::Host, origin: Origin::Machine, inlinable: false, ..pure(name, signature, doc, plain) }
}

/// Declares a streaming function.
pub(crate) const fn streaming(
    name: &'static str,
    signature: &'static str,
    doc: &'static str,
    make: fn() -> Box<dyn Stream>,
) -> Function {
    Function {
        name,
        doc,
        example: "",
        signature: Signature::Fixed(signature),
        choices: &[],
        simple: false,
        purity: Purity::Impure,
        origin: Origin::Machine,
        sensitivity: Sensitivity::OfArguments,
        inlinable: false,
        implementation: Implementation::Streaming(make),
    }
}

/// Declares a pure function whose type depends on the call.
pub(crate) const fn call_site(name: &'static str, site: CallSite, doc: &'static str, plain: Plain) -> Function {
    Function { signature: Signature::CallSite(site), ..full(name, "", doc, plain) }
}

/// Declares a function that the function engine expands.
pub(crate) const fn engine(
    name: &'static str,
    signature: Signature,
    doc: &'static str,
    function: EngineFunction,
) -> Function {
    Function {
        name,
        doc,
        example: "",
        signature,
        choices: &[],
        simple: false,
        purity: Purity::Pure,
        origin: Origin::Program,
        sensitivity: Sensitivity::OfArguments,
        inlinable: false,
        implementation: Implementation::Engine(function),
    }
}

impl Function {
    pub(crate) const fn example(self, example: &'static str) -> Function {
        Function { example, ..self }
    }

    pub(crate) const fn choices(self, choices: &'static [&'static str]) -> Function {
        Function { choices, ..self }
    }

    pub(crate) const fn impure(self) -> Function {
        Function { purity: Purity::Impure, ..self }
    }

    pub(crate) const fn computed_by(self, make: fn() -> Box<dyn Stream>) -> Function {
        Function {
            implementation: Implementation::Streaming(make),
            inlinable: false,
            purity: Purity::Impure,
            origin: Origin::Machine,
            ..self
        }
    }

    pub(crate) const fn on_host(self) -> Function {
        Function { purity: Purity::Host, ..self }
    }

    pub(crate) const fn of_machine(self) -> Function {
        Function { origin: Origin::Machine, ..self }
    }

    pub(crate) const fn of_program(self) -> Function {
        Function { origin: Origin::Program, ..self }
    }

    pub(crate) const fn with_sensitivity(self, sensitivity: Sensitivity) -> Function {
        Function { sensitivity, ..self }
    }

    pub(crate) const fn not_inlinable(self) -> Function {
        Function { inlinable: false, ..self }
    }
}
