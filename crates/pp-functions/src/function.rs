//! What the tables hold, and how a function is called.
//!
//! Functions come in two conventions, as in Puppet. A *typed* function has signatures, and the first one that takes the
//! arguments is used; its index reaches the implementation, because the signature decides what some functions do. A *counted*
//! function only has its arguments counted, and gets an empty string in place of `undef`.

use std::sync::OnceLock;

use pp_types::{
    Alias, Aliases, Error, ErrorKind, Signature, Type, Value, describe_signatures, interpolate, parse_type,
};

use crate::host::{Block, Host, Interrupt};

/// A call of a function whose arguments match.
pub struct Call<'a> {
    /// The evaluator.
    pub host: &'a mut dyn Host,
    /// The arguments.
    pub arguments: &'a [Value],
    /// The lambda.
    pub block: Option<&'a Block>,
    /// The index of the signature that takes the arguments; zero if the arguments are only counted.
    pub signature: usize,
}

/// An implementation.
pub type Implementation = fn(&mut Call<'_>) -> Result<Value, Interrupt>;

/// Whether a function can be called.
#[derive(Clone, Copy, Debug)]
pub enum Availability {
    /// It can.
    Native(Implementation),
    /// Only in Puppet itself, for this reason.
    Unavailable(&'static str),
}

/// How arguments are checked and passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// Against signatures in the form of [`Signature::parse`], tried in this order.
    Typed {
        /// The signatures.
        signatures: &'static [&'static str],
        /// Names that the signatures use, and the types that they stand for.
        aliases: &'static [(&'static str, &'static str)],
    },
    /// By their number: the older interface of functions, which also turns `undef` into `''`, versions, times, regular
    /// expressions and binary data into strings, and ignores a lambda (spec 07 §10.2).
    Counted {
        /// The least number.
        min: usize,
        /// The greatest number.
        max: Option<usize>,
    },
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// The name.
    pub name: &'static str,
    /// How arguments are checked and passed.
    pub convention: Convention,
    /// What it does, in Markdown for users.
    pub documentation: &'static str,
    /// The implementation.
    pub availability: Availability,
    /// The signatures, parsed when the function is first called.
    parsed: OnceLock<Result<Vec<Signature>, Error>>,
}

impl Function {
    const fn new(
        name: &'static str,
        convention: Convention,
        documentation: &'static str,
        availability: Availability,
    ) -> Function {
        Function { name, convention, documentation, availability, parsed: OnceLock::new() }
    }

    /// Creates a function with signatures.
    pub(crate) const fn typed(
        name: &'static str,
        signatures: &'static [&'static str],
        documentation: &'static str,
        implementation: Implementation,
    ) -> Function {
        let convention = Convention::Typed { signatures, aliases: &[] };
        Function::new(name, convention, documentation, Availability::Native(implementation))
    }

    /// Creates a function with signatures that use names of their own.
    pub(crate) const fn with_aliases(
        name: &'static str,
        aliases: &'static [(&'static str, &'static str)],
        signatures: &'static [&'static str],
        documentation: &'static str,
        implementation: Implementation,
    ) -> Function {
        let convention = Convention::Typed { signatures, aliases };
        Function::new(name, convention, documentation, Availability::Native(implementation))
    }

    /// Creates a function of the older interface.
    pub(crate) const fn counted(
        name: &'static str,
        min: usize,
        max: Option<usize>,
        documentation: &'static str,
        implementation: Implementation,
    ) -> Function {
        Function::new(name, Convention::Counted { min, max }, documentation, Availability::Native(implementation))
    }

    /// Creates a function that works only in Puppet itself; the reason completes "`name` is not available: …".
    pub(crate) const fn unavailable(
        name: &'static str,
        convention: Convention,
        documentation: &'static str,
        reason: &'static str,
    ) -> Function {
        Function::new(name, convention, documentation, Availability::Unavailable(reason))
    }

    /// Returns the signatures; none if arguments are only counted.
    ///
    /// # Errors
    /// A signature of the table that cannot be read.
    pub fn signatures(&self) -> Result<&[Signature], Error> {
        let parsed = self.parsed.get_or_init(|| match self.convention {
            Convention::Typed { signatures, aliases } => parse_signatures(signatures, aliases),
            Convention::Counted { .. } => Ok(Vec::new()),
        });
        parsed.as_deref().map_err(Clone::clone)
    }
}

fn parse_signatures(signatures: &[&str], aliases: &[(&str, &str)]) -> Result<Vec<Signature>, Error> {
    let owner = Aliases::new();
    let declared: Vec<Alias> = aliases.iter().map(|&(name, _)| owner.declare(name)).collect();
    let within: Vec<Alias> = declared.iter().map(Alias::within_definition).collect();
    for (alias, (_, definition)) in declared.iter().zip(aliases) {
        alias.resolve(parse_type(definition, &|name| Some(named_in(&within, name)))?);
    }
    signatures.iter().map(|text| Signature::parse(text, &|name| Some(named_in(&declared, name)))).collect()
}

/// Returns the type with a name that is not built in: what is not an alias of the function either is an object type, such as
/// `Puppet::LookupContext`.
fn named_in(aliases: &[Alias], name: &str) -> Type {
    let alias = aliases.iter().find(|alias| **alias.name() == *name);
    alias.map_or_else(|| Type::Object(name.into()), |alias| Type::Alias(alias.clone()))
}

/// Checks the arguments, and calls the function.
///
/// # Errors
/// Arguments that no signature takes, and the errors of the function.
pub fn call(
    function: &'static Function,
    host: &mut dyn Host,
    arguments: &[Value],
    block: Option<&Block>,
) -> Result<Value, Interrupt> {
    match function.convention {
        Convention::Typed { .. } => {
            let signatures = function.signatures()?;
            let callable = block.map(|block| &*block.callable);
            let Some(signature) = signatures.iter().position(|signature| signature.accepts(arguments, callable)) else {
                let message = describe_signatures(function.name, signatures, arguments, callable);
                return Err(Error::new(ErrorKind::Arguments, message).into());
            };
            run(function, &mut Call { host, arguments, block, signature })
        }
        Convention::Counted { min, max } => {
            check_count(function.name, arguments.len(), min, max)?;
            if arguments.iter().all(|argument| for_older_functions(argument).is_none()) {
                return run(function, &mut Call { host, arguments, block, signature: 0 });
            }
            let converted = |argument: &Value| for_older_functions(argument).unwrap_or_else(|| argument.clone());
            let arguments: Vec<Value> = arguments.iter().map(converted).collect();
            run(function, &mut Call { host, arguments: &arguments, block, signature: 0 })
        }
    }
}

/// Returns an argument as functions of the older interface get it; `None` if that is the argument itself. What containers hold
/// is not looked at: it would cost time in every call, for values that data hardly ever has.
fn for_older_functions(argument: &Value) -> Option<Value> {
    match argument {
        Value::Undef => Some(Value::string("")),
        Value::Timestamp(_)
        | Value::Timespan(_)
        | Value::SemVer(_)
        | Value::SemVerRange(_)
        | Value::Regexp(_)
        | Value::Binary(_) => Some(Value::string(interpolate(argument))),
        _ => None,
    }
}

fn run(function: &Function, call: &mut Call<'_>) -> Result<Value, Interrupt> {
    match function.availability {
        Availability::Native(implementation) => implementation(call),
        Availability::Unavailable(reason) => {
            let message = format!("Function {}() is not available: {reason}", function.name);
            Err(Error::new(ErrorKind::Unavailable, message).into())
        }
    }
}

fn check_count(name: &str, count: usize, min: usize, max: Option<usize>) -> Result<(), Error> {
    if count >= min && max.is_none_or(|max| count <= max) {
        return Ok(());
    }
    let expected = if max == Some(min) { min.to_string() } else { format!("minimum {min}") };
    Err(Error::new(ErrorKind::Arguments, format!("{name}(): Wrong number of arguments given ({count} for {expected})")))
}
