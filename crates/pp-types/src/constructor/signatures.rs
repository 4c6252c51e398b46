//! The texts of rejected arguments of constructors.

use crate::alias::{Alias, Aliases};
use crate::error::{Error, ErrorKind};
use crate::parse::parse_type;
use crate::signature::{Signature, describe_signatures};
use crate::types::Type;
use crate::value::Value;

/// Returns the signatures, with the types that their names stand for.
fn parse(aliases: &[(&str, &str)], signatures: &[&str]) -> Result<Vec<Signature>, Error> {
    let declared = declare(aliases)?;
    let resolve = |name: &str| find(&declared, name);
    signatures.iter().map(|text| Signature::parse(text, &resolve)).collect()
}

/// Returns one of the aliases.
pub(super) fn named_type(aliases: &[(&str, &str)], name: &str) -> Result<Type, Error> {
    let declared = declare(aliases)?;
    parse_type(name, &|name| find(&declared, name))
}

fn find(declared: &[Alias], name: &str) -> Option<Type> {
    declared.iter().find(|alias| **alias.name() == *name).cloned().map(Type::Alias)
}

/// Declares aliases by their names and definitions, which may use all of them.
///
/// # Errors
/// A definition that is not a type.
fn declare(aliases: &[(&str, &str)]) -> Result<Vec<Alias>, Error> {
    let owner = Aliases::new();
    let declared: Vec<Alias> = aliases.iter().map(|&(name, _)| owner.declare(name)).collect();
    let within: Vec<Alias> = declared.iter().map(Alias::within_definition).collect();
    for (alias, (_, definition)) in declared.iter().zip(aliases) {
        alias.resolve(parse_type(definition, &|name| find(&within, name))?);
    }
    Ok(declared)
}

/// Returns whether one of the signatures takes the arguments.
pub(super) fn accepts(aliases: &[(&str, &str)], signatures: &[&str], arguments: &[Value]) -> bool {
    parse(aliases, signatures)
        .is_ok_and(|signatures| signatures.iter().any(|signature| signature.accepts(arguments, None)))
}

/// The error of arguments that no signature takes.
pub(super) fn rejected(function: &str, aliases: &[(&str, &str)], signatures: &[&str], arguments: &[Value]) -> Error {
    match parse(aliases, signatures) {
        Ok(signatures) => Error::new(ErrorKind::Arguments, describe_signatures(function, &signatures, arguments, None)),
        Err(error) => error,
    }
}
