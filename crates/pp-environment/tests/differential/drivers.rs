//! Small manifests that use the classes and defines of real modules: one class or define, or two together, with plausible
//! values for the parameters that have no default, and for some of the others.

use std::path::Path;

use mcl_diagnostics::FileId;
use pp_ast::{Definition, Parameter, Tree};
use pp_environment::{Module, parse_text};
use pp_syntax::{Mode, ValidationOptions};
use test_support::{RandomChoice, Rng};

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
    /// The text of the declared type; empty without one.
    type_text: String,
    is_mandatory: bool,
}

/// Returns the classes and defines of modules, sorted by name.
pub fn subjects(modules: &[Module]) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for module in modules {
        for path in pp_environment::puppet_files(&module.directory.join("manifests")).unwrap_or_default() {
            if let Ok(text) = std::fs::read_to_string(&path) {
                add_subjects(&path, &text, &mut subjects);
            }
        }
    }
    subjects.sort_by(|a, b| a.name.cmp(&b.name));
    subjects
}

fn add_subjects(path: &Path, text: &str, subjects: &mut Vec<Subject>) {
    let (tree, _) = parse_text(FileId::MAIN, text, Mode::Manifest, ValidationOptions::default());
    assert!(path.is_absolute(), "the module path is absolute");
    for definition in tree.definitions.values() {
        let (name, is_class, parameters) = match definition {
            Definition::Class(class) => (class.name, true, class.parameters),
            Definition::Define(define) => (define.name, false, define.parameters),
            Definition::Node(_) | Definition::Function(_) | Definition::TypeAlias(_) => continue,
        };
        let parameters = tree.parameters(parameters).iter().map(|parameter| declared(&tree, parameter, text)).collect();
        subjects.push(Subject { name: tree.str(name).to_string(), is_class, parameters });
    }
}

fn declared(tree: &Tree, parameter: &Parameter, text: &str) -> Declared {
    let type_text = parameter.type_expr.map(|id| {
        let span = tree.span(id);
        text.get(span.start as usize..span.end as usize).unwrap_or_default().to_owned()
    });
    Declared {
        name: tree.str(parameter.name).to_string(),
        type_text: type_text.unwrap_or_default(),
        is_mandatory: parameter.default.is_none(),
    }
}

/// Returns a manifest.
pub fn driver(subjects: &[Subject], rng: &mut Rng) -> String {
    let mut code = String::new();
    if rng.one_in(6) {
        code += &declaration(rng.pick(subjects), rng);
    }
    code + &declaration(rng.pick(subjects), rng)
}

fn declaration(subject: &Subject, rng: &mut Rng) -> String {
    let is_thorough = rng.one_in(4);
    let chosen = subject.parameters.iter().filter(|parameter| parameter.is_mandatory || is_thorough && rng.one_in(4));
    let given: Vec<String> =
        chosen.map(|parameter| format!("  {} => {},\n", parameter.name, value(parameter))).collect();
    let (name, given) = (&subject.name, given.concat());
    match (subject.is_class, given.is_empty()) {
        (true, true) => format!("include {name}\n"),
        (true, false) => format!("class {{ '{name}':\n{given}}}\n"),
        (false, _) => format!("{name} {{ '{}':\n{given}}}\n", rng.pick(&["example", "/srv/example", "a.example.com"])),
    }
}

/// Values for types whose text contains a word, and for names that contain one.
const VALUES_BY_TYPE: [(&str, &str); 12] = [
    ("Boolean", "true"),
    ("Port", "8080"),
    ("Integer", "10"),
    ("Numeric", "10"),
    ("HTTPUrl", "'http://192.0.2.20:5000/v3'"),
    ("HTTPSUrl", "'https://192.0.2.20:5000/v3'"),
    ("Absolutepath", "'/srv/example'"),
    ("Unixpath", "'/srv/example'"),
    ("IP::Address", "'192.0.2.20'"),
    ("Compat::Ip", "'192.0.2.20'"),
    ("Hash", "{ 'a' => { 'ensure' => 'present' } }"),
    ("Array", "['192.0.2.20', 'b.example.com']"),
];

const VALUES_BY_NAME: [(&str, &str); 18] = [
    ("password", "'s3cret'"),
    ("secret", "'s3cret'"),
    ("url", "'http://192.0.2.20:5000/v3'"),
    ("uri", "'http://192.0.2.20:5000/v3'"),
    ("connection", "'mysql+pymysql://user:s3cret@192.0.2.20/example'"),
    ("port", "8080"),
    ("enable", "true"),
    ("manage", "true"),
    ("ensure", "'present'"),
    ("address", "'192.0.2.20'"),
    ("_ip", "'192.0.2.20'"),
    ("host", "'b.example.com'"),
    ("path", "'/srv/example'"),
    ("dir", "'/srv/example'"),
    ("file", "'/srv/example/file'"),
    ("servers", "['192.0.2.20', 'b.example.com']"),
    ("options", "{ 'a' => 'b' }"),
    ("source", "'http://192.0.2.20/example.tar.gz'"),
];

fn value(parameter: &Declared) -> String {
    let by = |table: &[(&str, &str)], text: &str| {
        table.iter().find(|(word, _)| text.contains(word)).map(|(_, value)| (*value).to_owned())
    };
    let of_enum = || {
        let (_, values) = parameter.type_text.split_once("Enum[")?;
        values.split(['\'', '"']).nth(1).map(|value| format!("'{value}'"))
    };
    of_enum()
        .or_else(|| by(&VALUES_BY_TYPE, &parameter.type_text))
        .or_else(|| by(&VALUES_BY_NAME, &parameter.name))
        .unwrap_or_else(|| "'example'".to_owned())
}
