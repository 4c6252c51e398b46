//! How the rows of the function tables are written.

use mcl_value::Value;

use crate::{CallSite, EngineFunction, Function, FunctionError, Implementation, Plain, Purity, Signature, Stream};

/// What an implementation returns.
pub(crate) type Outcome = Result<Value, FunctionError>;

/// A value as an outcome.
#[allow(clippy::unnecessary_wraps)]
pub(crate) fn ok(value: impl Into<Value>) -> Outcome {
    Ok(value.into())
}

/// A catchable failure.
pub(crate) fn catchable(message: impl Into<String>) -> Outcome {
    Err(FunctionError::catchable(message))
}

/// A fatal failure.
pub(crate) fn fatal(message: impl Into<String>) -> Outcome {
    Err(FunctionError::fatal(message))
}

/// A simple, pure, inlinable function: what most are.
pub(crate) const fn pure(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    Function {
        name,
        doc,
        signature: Signature::Fixed(signature),
        choices: &[],
        simple: true,
        purity: Purity::Pure,
        inlinable: true,
        implementation: Implementation::Plain(plain),
    }
}

/// A pure function of the full interface: it prints its short name, and templates cannot call it.
pub(crate) const fn full(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    Function { simple: false, ..pure(name, signature, doc, plain) }
}

/// A function whose result is constant on one machine.
pub(crate) const fn host(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    Function { purity: Purity::Host, inlinable: false, ..pure(name, signature, doc, plain) }
}

/// A function that changes by itself.
pub(crate) const fn streaming(
    name: &'static str,
    signature: &'static str,
    doc: &'static str,
    make: fn() -> Box<dyn Stream>,
) -> Function {
    Function {
        name,
        doc,
        signature: Signature::Fixed(signature),
        choices: &[],
        simple: false,
        purity: Purity::Impure,
        inlinable: false,
        implementation: Implementation::Streaming(make),
    }
}

/// A pure function whose type is made at the call site.
pub(crate) const fn call_site(name: &'static str, site: CallSite, doc: &'static str, plain: Plain) -> Function {
    Function { signature: Signature::CallSite(site), ..full(name, "", doc, plain) }
}

/// A function that the engine expands.
pub(crate) const fn engine(
    name: &'static str,
    signature: Signature,
    doc: &'static str,
    function: EngineFunction,
) -> Function {
    Function {
        name,
        doc,
        signature,
        choices: &[],
        simple: false,
        purity: Purity::Pure,
        inlinable: false,
        implementation: Implementation::Engine(function),
    }
}

impl Function {
    pub(crate) const fn choices(self, choices: &'static [&'static str]) -> Function {
        Function { choices, ..self }
    }

    pub(crate) const fn impure(self) -> Function {
        Function { purity: Purity::Impure, ..self }
    }

    pub(crate) const fn computed_by(self, make: fn() -> Box<dyn Stream>) -> Function {
        Function { implementation: Implementation::Streaming(make), inlinable: false, purity: Purity::Impure, ..self }
    }

    pub(crate) const fn on_host(self) -> Function {
        Function { purity: Purity::Host, ..self }
    }

    pub(crate) const fn not_inlinable(self) -> Function {
        Function { inlinable: false, ..self }
    }
}
