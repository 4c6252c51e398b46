//! The texts of rejected arguments of constructors.

use std::sync::{Arc, OnceLock};

use crate::error::{Error, ErrorKind};
use crate::parse::parse_type;
use crate::signature::{Signature, describe_signatures};
use crate::types::{Alias, Type};
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

fn find(declared: &[Arc<Alias>], name: &str) -> Option<Type> {
    declared.iter().find(|alias| &*alias.name == name).cloned().map(Type::Alias)
}

fn declare(aliases: &[(&str, &str)]) -> Result<Vec<Arc<Alias>>, Error> {
    let declared: Vec<Arc<Alias>> =
        aliases.iter().map(|&(name, _)| Arc::new(Alias { name: name.into(), resolved: OnceLock::new() })).collect();
    for (alias, (_, definition)) in declared.iter().zip(aliases) {
        let ty = parse_type(definition, &|name| find(&declared, name))?;
        alias.resolved.get_or_init(|| ty);
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
