//! The functions and resource kinds that have a documentation for users.

use std::collections::BTreeSet;

use mcl_functions::{Function, all_functions};
use resource_graph::{ResourceKind, all_kinds};

/// Returns the functions that programs can call. The others implement syntax.
pub fn functions(wanted: impl Fn(&Function) -> bool) -> Vec<&'static Function> {
    let public = |f: &Function| !f.name.rsplit('.').next().unwrap_or(f.name).starts_with('_');
    all_functions().filter(|f| public(f) && wanted(f)).collect()
}

/// Returns the resource kinds that programs can use.
pub fn kinds(wanted: impl Fn(&ResourceKind) -> bool) -> Vec<&'static ResourceKind> {
    all_kinds().iter().filter(|kind| kind.is_public() && wanted(kind)).collect()
}

/// Returns the first sentence of a documentation text.
pub fn first_sentence(doc: &str) -> &str {
    doc.split_inclusive(". ").next().unwrap_or(doc).trim_end()
}

/// Returns all names that can be asked for, each with a short description.
pub fn names() -> Vec<(String, String)> {
    let functions = functions(|_| true);
    let modules: BTreeSet<&str> = functions.iter().filter_map(|f| Some(f.name.rsplit_once('.')?.0)).collect();
    let modules = modules.into_iter().map(|module| (module.to_owned(), "a module of functions".to_owned()));
    let functions = functions.iter().map(|f| (f.name.to_owned(), first_sentence(f.doc).to_owned()));
    let kinds = kinds(|_| true).into_iter().map(|kind| (kind.name.to_owned(), first_sentence(kind.doc).to_owned()));
    let meta = [("meta".to_owned(), "the meta parameters of all resources".to_owned())];
    functions.chain(modules).chain(kinds).chain(meta).collect()
}
