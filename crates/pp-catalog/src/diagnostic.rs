//! Errors and warnings as diagnostics.

use mcl_diagnostics::{Code, Diagnostic, Stage, nearest};
use pp_resource_types::TitleProblem;

use crate::catalog::Catalog;
use crate::error::{CatalogError, CatalogWarning, ErrorKind};
use crate::location::Location;
use crate::reference::Reference;
use crate::resource::Resource;

impl CatalogError {
    /// Returns the code of the error.
    #[must_use]
    pub fn code(&self) -> Code {
        match self.kind {
            ErrorKind::Duplicate { .. } => Code::P0601,
            ErrorKind::AliasTaken { .. } => Code::P0602,
            ErrorKind::NoName { .. } => Code::P0613,
            ErrorKind::StageOfResource(_) | ErrorKind::UnknownStage { .. } => Code::P0603,
            ErrorKind::DefaultTaken { .. } => Code::P0612,
            ErrorKind::InvalidTag(_) => Code::P0604,
            ErrorKind::NotSubclass(_) | ErrorKind::AlreadySet { .. } => Code::P0605,
            ErrorKind::UnknownParameter { .. } | ErrorKind::InvalidParameters(_) => Code::P0606,
            ErrorKind::UnresolvedOverrides(_) | ErrorKind::UnrealizedReferences(_) => Code::P0607,
            ErrorKind::UnknownOperand { .. } | ErrorKind::UnknownTarget { .. } => Code::P0608,
            ErrorKind::InvalidReference(_) => Code::P0609,
            ErrorKind::TypeSetValue { .. } | ErrorKind::NotANumber { .. } => Code::P0614,
        }
    }

    /// Returns the error as a diagnostic, with the other declaration that it is about, and with a name that may be meant.
    #[must_use]
    pub fn diagnostic(&self, catalog: &Catalog) -> Diagnostic {
        let mut diagnostic =
            Diagnostic::error(self.code(), Stage::Puppet, self.to_string()).maybe_at(self.location.span);
        if let ErrorKind::UnknownParameter { set, .. } = &self.kind
            && let Some(span) = set.span
        {
            // Puppet names the line of the resource; an attribute on another line is a label.
            let is_same_line = set.line == self.location.line && set.file == self.location.file;
            diagnostic = if is_same_line { diagnostic.at(span) } else { diagnostic.label(span, "unknown parameter") };
        }
        if let Some(span) = self.earlier().and_then(|earlier| earlier.span) {
            let text = match self.kind {
                ErrorKind::AlreadySet { .. } => "set here",
                ErrorKind::DefaultTaken { .. } => "first default",
                _ => "first declaration",
            };
            diagnostic = diagnostic.label(span, text);
        }
        diagnostic.help = self.help(catalog);
        diagnostic
    }

    /// Returns how to fix the error.
    #[must_use]
    pub fn help(&self, catalog: &Catalog) -> Option<String> {
        match &self.kind {
            ErrorKind::Duplicate { reference, .. } => Some(if &*reference.type_name == "Class" {
                "declare a class with parameters once, before it is included anywhere".to_owned()
            } else {
                "declare it once, in a class that all who need it include".to_owned()
            }),
            ErrorKind::NoName { reference, problem: TitleProblem::NoMatch } => {
                let native = catalog.options.types.find(&reference.type_name)?;
                let names: Vec<&str> = native.read()?.names().collect();
                Some(match names.as_slice() {
                    [] => format!("the type {} has no attribute that names a resource", reference.type_name),
                    names => format!(
                        "the type takes the values of {} from the title: see its documentation",
                        names.join(", ")
                    ),
                })
            }
            ErrorKind::NoName { problem: TitleProblem::NoPatterns, .. } => {
                Some("the type has several name attributes, but no `title_patterns`: correct its source".to_owned())
            }
            ErrorKind::AliasTaken { .. } => Some("both would manage the same thing: declare it once".to_owned()),
            ErrorKind::StageOfResource(_) => Some("order resources with `before`, `require` or an arrow".to_owned()),
            ErrorKind::UnknownStage { stage, .. } => {
                let known = catalog.titles("Stage").collect::<Vec<_>>();
                Some(match nearest(stage, known.iter().copied()) {
                    Some(similar) => format!("did you mean `{similar}`?"),
                    None => format!("declare it before the class: `stage {{ '{stage}': before => Stage['main'] }}`"),
                })
            }
            ErrorKind::DefaultTaken { .. } => {
                Some("a scope has one default for an attribute: change the first one".to_owned())
            }
            ErrorKind::InvalidTag(_) => {
                Some("a tag starts with a letter, digit or `_`; it may also contain `:`, `.` and `-`".to_owned())
            }
            ErrorKind::NotSubclass(_) => Some(
                "a class may override resources of the class that it inherits; a collector may override any".to_owned(),
            ),
            ErrorKind::AlreadySet { .. } => {
                Some("set the value where the resource is declared, or override it in a class that inherits".to_owned())
            }
            ErrorKind::UnknownParameter { reference, parameter, .. } => {
                let native = catalog.options.types.find(&reference.type_name)?;
                let similar = nearest(parameter, native.parameter_names())?;
                Some(format!("did you mean `{similar}`?"))
            }
            ErrorKind::UnresolvedOverrides(references) => {
                let similar = references.iter().find_map(|reference| catalog.similar(reference, None));
                Some(similar.unwrap_or_else(|| "declare the resource, or remove the override".to_owned()))
            }
            ErrorKind::UnrealizedReferences(references) => {
                let similar = references.iter().find_map(|reference| catalog.similar(reference, None));
                let declare = |unknown: &Reference| {
                    let type_name = unknown.type_name.to_lowercase();
                    format!("declare it as a virtual resource: `@{type_name} {{ '{}': … }}`", unknown.title)
                };
                similar.or_else(|| references.first().map(declare))
            }
            ErrorKind::UnknownOperand { unknown, other, .. } | ErrorKind::UnknownTarget { unknown, other, .. } => {
                let Reference { type_name, title } = unknown;
                let declare = || format!("declare `{type_name}['{title}']`, or remove what refers to it");
                Some(catalog.similar(unknown, Some(other)).unwrap_or_else(declare))
            }
            ErrorKind::InvalidParameters(_) => None,
            ErrorKind::InvalidReference(_) => Some("write a reference such as `Package['ntp']`".to_owned()),
            ErrorKind::TypeSetValue { .. } => Some(
                "a catalog holds types, but no type sets: pass a type of the set, or the set as a string".to_owned(),
            ),
            ErrorKind::NotANumber { .. } => {
                Some("zero divided by zero is not a number: check the divisor before the division".to_owned())
            }
        }
    }
}

impl CatalogWarning {
    /// Returns the code of the warning.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            CatalogWarning::LateOverride { .. } => Code::P0610,
            CatalogWarning::InvalidValue { .. } => Code::P0611,
        }
    }

    /// Returns the warning as a diagnostic.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic =
            Diagnostic::warning(self.code(), Stage::Puppet, self.to_string()).maybe_at(self.location().span);
        match self {
            CatalogWarning::LateOverride { declared: Location { span: Some(span), .. }, .. } => {
                diagnostic.label(*span, "declared here")
            }
            CatalogWarning::LateOverride { .. } => diagnostic,
            CatalogWarning::InvalidValue { .. } => diagnostic.help("an agent would refuse the whole catalog"),
        }
    }
}

impl Catalog {
    fn titles<'a>(&'a self, type_name: &'a str) -> impl Iterator<Item = &'a str> {
        let same_type = move |r: &&'a Resource| &*r.reference.type_name == type_name;
        self.resources.values().filter(same_type).map(|r| &*r.reference.title)
    }

    /// Returns a help that names the resource that may be meant, which is another one than the one that refers to it.
    fn similar(&self, unknown: &Reference, referring: Option<&Reference>) -> Option<String> {
        if &*unknown.type_name == "Class" {
            let name = unknown.title.to_lowercase();
            return Some(match nearest(&unknown.title, self.titles("Class")) {
                Some(similar) => format!("did you mean `Class['{}']`?", similar.to_lowercase()),
                None => format!("declare the class: `include {name}`"),
            });
        }
        let is_other = |title: &&str| {
            referring.is_none_or(|other| other.type_name != unknown.type_name || &*other.title != *title)
        };
        let similar = nearest(&unknown.title, self.titles(&unknown.type_name).filter(is_other))?;
        Some(format!("did you mean `{}['{similar}']`?", unknown.type_name))
    }
}
