//! Small manifests that use the classes and defines of real modules: one of them or a few together, with values for the
//! parameters that have no default and for some of the others, in the manifest or in data.

use std::collections::BTreeMap;
use std::path::Path;

use mcl_diagnostics::FileId;
use pp_ast::{Definition, Parameter, Tree};
use pp_environment::{Module, parse_text};
use pp_syntax::{Mode, ValidationOptions};
use pp_types::{Type, Value, rich_json, source_form};
use test_support::{RandomChoice, Rng};

use crate::values::{Aliases, instance, untyped_value, wrong_value};

/// A class or define of a module.
#[derive(Debug)]
pub struct Subject {
    name: String,
    is_class: bool,
    parameters: Vec<Declared>,
}

/// A parameter.
#[derive(Debug)]
struct Declared {
    name: String,
    /// The declared type, if it can be read.
    ty: Option<Type>,
    is_mandatory: bool,
}

/// A manifest and the data beside it.
#[derive(Debug, Default)]
pub struct Driver {
    /// The manifest.
    pub code: String,
    /// The values of parameters in the data of the environment.
    pub data: serde_json::Map<String, serde_json::Value>,
    /// It is compiled with the defaults of Puppet 8: `strict=error` and `strict_variables=true`.
    pub is_strict: bool,
}

impl Driver {
    /// Returns the driver in one line.
    pub fn line(&self) -> String {
        let code = format!("{}{}", if self.is_strict { "STRICT " } else { "" }, self.code.replace('\n', " "));
        if self.data.is_empty() { code } else { format!("{code}# {}", serde_json::Value::from(self.data.clone())) }
    }
}

/// Returns the classes and defines of modules, sorted by name.
pub fn subjects(modules: &[Module]) -> Vec<Subject> {
    let aliases = Aliases::of(modules);
    let mut subjects = BTreeMap::new();
    for module in modules {
        for path in pp_environment::puppet_files(&module.directory.join("manifests")).unwrap_or_default() {
            if let Ok(text) = std::fs::read_to_string(&path) {
                let found = subjects_of(&path, &text, &aliases).into_iter();
                subjects.extend(found.map(|subject| (subject.name.clone(), subject)));
            }
        }
    }
    subjects.into_values().collect()
}

fn subjects_of(path: &Path, text: &str, aliases: &Aliases) -> Vec<Subject> {
    let (tree, _) = parse_text(FileId::MAIN, text, Mode::Manifest, ValidationOptions::default());
    assert!(path.is_absolute(), "the module path is absolute");
    let mut subjects = Vec::new();
    for definition in tree.definitions.values() {
        let (name, is_class, parameters) = match definition {
            Definition::Class(class) => (class.name, true, class.parameters),
            Definition::Define(define) => (define.name, false, define.parameters),
            Definition::Node(_) | Definition::Function(_) | Definition::TypeAlias(_) => continue,
        };
        let parameters = tree.parameters(parameters).iter().map(|it| declared(&tree, it, text, aliases)).collect();
        subjects.push(Subject { name: tree.str(name).to_string(), is_class, parameters });
    }
    subjects
}

fn declared(tree: &Tree, parameter: &Parameter, text: &str, aliases: &Aliases) -> Declared {
    let ty = parameter.type_expr.and_then(|id| {
        let span = tree.span(id);
        aliases.parse(text.get(span.start as usize..span.end as usize)?)
    });
    Declared { name: tree.str(parameter.name).to_string(), ty, is_mandatory: parameter.default.is_none() }
}

/// Returns a driver.
pub fn driver(subjects: &[Subject], rng: &mut Rng) -> Driver {
    let mut driver = Driver { is_strict: rng.one_in(5), ..Driver::default() };
    // Most modules lack something if another one is not declared before.
    let count = if rng.one_in(5) { rng.usize(2..=4) } else { 1 };
    for _ in 0..count {
        driver.declare(rng.pick(subjects), rng);
    }
    driver
}

impl Driver {
    fn declare(&mut self, subject: &Subject, rng: &mut Rng) {
        let is_thorough = rng.one_in(3);
        let is_wrong = rng.one_in(12);
        let mut given = Vec::new();
        for parameter in &subject.parameters {
            let is_forgotten = is_wrong && parameter.is_mandatory && rng.one_in(6);
            if !is_forgotten && (parameter.is_mandatory || is_thorough && rng.one_in(4)) {
                given.extend(value(parameter, rng).map(|value| (parameter.name.clone(), value)));
            }
        }
        if is_wrong {
            let name = match subject.parameters.as_slice() {
                [] => "not_a_parameter".to_owned(),
                _ if rng.one_in(8) => "not_a_parameter".to_owned(),
                parameters => rng.pick(parameters).name.clone(),
            };
            given.retain(|(known, _)| *known != name);
            given.push((name, wrong_value(rng)));
        }
        if subject.is_class && rng.one_in(6) {
            for (name, value) in given.drain(..).filter(|(_, value)| !has_default(value)) {
                self.data.insert(format!("{}::{name}", subject.name), rich_json(&value));
            }
        }
        let name = &subject.name;
        let given: String =
            given.iter().map(|(name, value)| format!("  {name} => {},\n", source_form(value))).collect();
        self.code += &match (subject.is_class, given.is_empty()) {
            (true, true) => format!("include {name}\n"),
            (true, false) => format!("class {{ '{name}':\n{given}}}\n"),
            (false, _) => format!("{name} {{ {}:\n{given}}}\n", rng.pick(&TITLES)),
        };
    }
}

const TITLES: [&str; 8] = [
    "'example'",
    "'example'",
    "'/srv/example'",
    "'a.example.com'",
    "['a.example.com', 'b.example.com']",
    "['/srv/a', '/srv/b']",
    "'a b'",
    "'2.5:example'",
];

/// Whether a value has no form in data.
fn has_default(value: &Value) -> bool {
    match value {
        Value::Default => true,
        Value::Array(values) => values.iter().any(has_default),
        Value::Hash(entries) => entries.values().any(has_default),
        _ => false,
    }
}

fn value(parameter: &Declared, rng: &mut Rng) -> Option<Value> {
    match &parameter.ty {
        Some(ty) => instance(ty, &parameter.name, rng),
        None => Some(untyped_value(&parameter.name, rng)),
    }
}
