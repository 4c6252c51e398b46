//! What a word stands for: a function, a module, a kind, or any part of a name.

use mcl_diagnostics::nearest;
use mcl_functions::{Function, VARIABLES};
use mcl_modules::EMBEDDED_MODULES;
use resource_graph::{META_FIELDS, ResourceKind};

use crate::doc::kinds::{constant_name, constant_value};
use crate::documented::{first_sentence, functions, kinds};

/// What was found.
pub enum Found {
    Documents {
        functions: Vec<&'static Function>,
        kinds: Vec<&'static ResourceKind>,
        /// A module that is partly written in mcl.
        module: Option<&'static str>,
    },
    /// Names that contain the word, or else descriptions that do.
    Matches(Vec<Match>),
    Nothing {
        nearest: Option<&'static str>,
    },
}

/// Something that a word is found in.
pub struct Match {
    /// The heading under which it is listed.
    pub group: &'static str,
    pub name: String,
    pub description: String,
}

/// Finds what a word stands for.
pub fn find(word: &str) -> Found {
    let word = word.trim();
    let module = EMBEDDED_MODULES.iter().map(|module| module.name).find(|name| *name == word);
    let exact = functions(|f| f.name == word || f.module() == word);
    let exact_kinds = kinds(|kind| kind.name == word);
    if !exact.is_empty() || !exact_kinds.is_empty() || module.is_some() {
        return Found::Documents { functions: exact, kinds: exact_kinds, module };
    }
    let all = all();
    let lower = word.to_lowercase();
    // The name of a function without its module says which one is meant, if nothing else has it.
    let called = functions(|f| f.short_name() == lower);
    let by_name: Vec<Match> = all.into_iter().filter(|found| found.name.to_lowercase().contains(&lower)).collect();
    if let ([function], 1) = (&called[..], by_name.len()) {
        return Found::Documents { functions: vec![*function], kinds: Vec::new(), module: None };
    }
    if !lower.is_empty() && !by_name.is_empty() {
        return Found::Matches(by_name);
    }
    let by_description: Vec<Match> = self::all()
        .into_iter()
        .filter(|found| lower.len() > 2 && found.description.to_lowercase().contains(&lower))
        .collect();
    let names = || {
        let functions = functions(|_| true).into_iter().map(|f| f.name);
        functions.chain(kinds(|_| true).into_iter().map(|kind| kind.name)).chain(mcl_functions::module_names())
    };
    let short = || functions(|_| true).into_iter().map(Function::short_name);
    match nearest(word, names()) {
        Some(nearest) => Found::Nothing { nearest: Some(nearest) },
        None if !by_description.is_empty() => Found::Matches(by_description),
        None => Found::Nothing {
            nearest: nearest(word, short())
                .and_then(|short| functions(|f| f.short_name() == short).first().map(|function| function.name)),
        },
    }
}

/// Returns everything that has a name.
pub fn all() -> Vec<Match> {
    let entry = |group, name: String, description: &str| Match {
        group,
        name,
        description: first_sentence(description).to_owned(),
    };
    let mut all: Vec<Match> =
        functions(|_| true).into_iter().map(|f| entry("functions", f.name.to_owned(), f.doc)).collect();
    let kinds = kinds(|_| true);
    all.extend(kinds.iter().map(|kind| entry("resource kinds", kind.name.to_owned(), kind.doc)));
    for kind in &kinds {
        all.extend(
            kind.fields.iter().map(|field| entry("parameters", format!("{} {}", kind.name, field.name), field.doc)),
        );
    }
    all.extend(META_FIELDS.iter().map(|field| entry("meta parameters", format!("Meta:{}", field.name), field.doc)));
    for variable in VARIABLES {
        let module = if variable.module.is_empty() { String::new() } else { format!("{}.", variable.module) };
        all.push(entry("variables", format!("${module}{}", variable.name), variable.doc));
    }
    for kind in &kinds {
        let constants = kind.constants.iter();
        all.extend(
            constants.map(|constant| entry("constants", constant_name(kind, constant), &constant_value(constant))),
        );
    }
    all
}
