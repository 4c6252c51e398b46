//! Values for the parameters of real modules: drawn from their declared types, whose aliases the modules define, and from what
//! their names suggest.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use mcl_diagnostics::FileId;
use pp_ast::Definition;
use pp_environment::{Module, parse_text};
use pp_syntax::{Mode, ValidationOptions};
use pp_types::{Alias, Presence, Size, Type, Value, is_instance, parse_type};
use test_support::{RandomChoice, Rng};

/// How deeply values are nested.
const MAX_DEPTH: usize = 4;

/// The type aliases of modules.
#[derive(Debug, Default)]
pub struct Aliases {
    /// The texts of their definitions, by their names.
    texts: BTreeMap<String, String>,
    owner: Arc<pp_types::Aliases>,
    declared: RefCell<BTreeMap<String, Alias>>,
}

impl Aliases {
    /// Reads the aliases of modules.
    pub fn of(modules: &[Module]) -> Aliases {
        let mut texts = BTreeMap::new();
        for module in modules {
            for path in pp_environment::puppet_files(&module.directory.join("types")).unwrap_or_default() {
                let Ok(text) = std::fs::read_to_string(&path) else { continue };
                let (tree, _) = parse_text(FileId::MAIN, &text, Mode::Manifest, ValidationOptions::default());
                for definition in tree.definitions.values() {
                    if let Definition::TypeAlias(alias) = definition {
                        let span = tree.span(alias.value);
                        let value = text.get(span.start as usize..span.end as usize).unwrap_or_default();
                        texts.insert(tree.str(alias.name).to_lowercase(), value.to_owned());
                    }
                }
            }
        }
        Aliases { texts, owner: pp_types::Aliases::new(), declared: RefCell::default() }
    }

    /// Returns the type that a text stands for; `None` if it cannot be read without evaluating it.
    pub fn parse(&self, text: &str) -> Option<Type> {
        parse_type(text, &|name| self.find(name).map(Type::Alias)).ok()
    }

    fn find(&self, name: &str) -> Option<Alias> {
        let key = name.trim_start_matches("::").to_lowercase();
        if let Some(known) = self.declared.borrow().get(&key) {
            return Some(known.clone());
        }
        let text = self.texts.get(&key)?;
        let alias = self.owner.declare(name);
        self.declared.borrow_mut().insert(key, alias.clone());
        let within = |name: &str| Some(Type::Alias(self.find(name)?.within_definition()));
        alias.resolve(parse_type(text, &within).unwrap_or(Type::Any));
        Some(alias)
    }
}

/// Strings of many kinds, for types that only some strings match.
const STRINGS: [&str; 46] = [
    "example",
    "a.example.com",
    "/srv/example",
    "/srv/example/file.conf",
    "192.0.2.20",
    "192.0.2.0/24",
    "2001:db8::1",
    "http://192.0.2.20:5000/v3",
    "https://b.example.com/a",
    "root",
    "present",
    "absent",
    "running",
    "stopped",
    "installed",
    "latest",
    "1.2.3",
    "10",
    "0",
    "8080",
    "0644",
    "u=rwx",
    "512M",
    "1G",
    "30s",
    "5",
    "yes",
    "no",
    "on",
    "On",
    "true",
    "off",
    "info",
    "debug",
    "user@example.com",
    "puppet:///modules/example/file",
    "tcp",
    "any",
    "*",
    "all",
    "00:16:3e:aa:bb:cc",
    "A1B2C3D4",
    "0123456789ABCDEF0123456789ABCDEF01234567",
    "d41d8cd98f00b204e9800998ecf8427e",
    "Mon..Fri",
    "example.service",
];

const INTEGERS: [i64; 12] = [0, 1, 2, 5, 10, 60, 443, 1024, 5000, 8080, 65_535, -1];

/// Values for names that contain a word.
const BY_NAME: [(&str, &str); 16] = [
    ("password", "s3cret"),
    ("secret", "s3cret"),
    ("url", "http://192.0.2.20:5000/v3"),
    ("uri", "http://192.0.2.20:5000/v3"),
    ("connection", "mysql+pymysql://user:s3cret@192.0.2.20/example"),
    ("ensure", "present"),
    ("address", "192.0.2.20"),
    ("_ip", "192.0.2.20"),
    ("host", "b.example.com"),
    ("path", "/srv/example"),
    ("dir", "/srv/example"),
    ("file", "/srv/example/file"),
    ("source", "http://192.0.2.20/example.tar.gz"),
    ("mode", "0644"),
    ("owner", "root"),
    ("group", "root"),
];

/// Values that few parameters take.
pub fn wrong_value(rng: &mut Rng) -> Value {
    let values = [
        Value::Integer(-1),
        Value::from("not a value of that kind"),
        Value::from(""),
        Value::from(1.5),
        Value::array(vec![Value::Integer(5), Value::Undef]),
        hash([("unknown_key", Value::from("a"))]),
        Value::Boolean(false),
        Value::from("../../etc/passwd"),
    ];
    rng.pick(&values).clone()
}

/// Returns a value for a parameter without a type.
pub fn untyped_value(name: &str, rng: &mut Rng) -> Value {
    let by_name = BY_NAME.iter().find(|(word, _)| name.contains(word)).map(|(_, value)| Value::from(*value));
    let of_other_kinds = || match name {
        _ if name.contains("port") => Some(Value::Integer(8080)),
        _ if ["enable", "manage", "use_", "is_"].iter().any(|word| name.contains(word)) => Some(Value::Boolean(true)),
        _ if name.contains("servers") => Some(Value::array(vec!["192.0.2.20".into(), "b.example.com".into()])),
        _ if name.contains("options") => Some(hash([("a", Value::from("b"))])),
        _ => None,
    };
    by_name.or_else(of_other_kinds).unwrap_or_else(|| Value::from(*rng.pick(&["example", "10", "a.example.com"])))
}

fn hash<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::hash(entries.into_iter().map(|(key, value)| (Value::from(key), value)).collect())
}

/// Returns an instance of the type of a parameter; `None` if none was found.
pub fn instance(ty: &Type, name: &str, rng: &mut Rng) -> Option<Value> {
    let value = any_instance(ty, name, rng, 0)?;
    is_instance(ty, &value).then_some(value)
}

fn any_instance(ty: &Type, name: &str, rng: &mut Rng, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    match ty {
        Type::Alias(alias) => any_instance(&*alias.resolved()?, name, rng, depth),
        Type::Optional(Some(_)) if rng.one_in(8) => Some(Value::Undef),
        Type::Optional(Some(ty)) | Type::NotUndef(Some(ty)) => any_instance(ty, name, rng, depth),
        Type::Variant(types) if !types.is_empty() => {
            let first = rng.usize(..types.len());
            (0..types.len()).find_map(|at| any_instance(&types[(first + at) % types.len()], name, rng, depth + 1))
        }
        Type::Enum(of) if !of.values.is_empty() => Some(Value::String(Arc::clone(rng.pick(&of.values)))),
        Type::Boolean(only) => Some(Value::Boolean(only.unwrap_or_else(|| rng.bool()))),
        Type::Integer(bounds) => {
            bounds.min.map(Value::Integer).filter(|_| rng.one_in(4)).or_else(|| one_of(ty, rng, &integers()))
        }
        Type::Array(element, size) => array(&vec![(**element).clone(); length(*size, rng)], name, rng, depth),
        Type::Tuple(tuple) => array(&tuple.types, name, rng, depth),
        Type::Hash(of) => {
            let mut entries = Vec::new();
            for at in 0..length(of.size, rng) {
                let word = Value::from(["a", "b", "c", "d"][at % 4]);
                let key = if is_instance(&of.key, &word) { word } else { any_instance(&of.key, "", rng, depth + 1)? };
                entries.push((key, any_instance(&of.value, "", rng, depth + 1)?));
            }
            Some(Value::hash(entries.into_iter().collect()))
        }
        Type::Struct(members) => {
            let mut entries = Vec::new();
            for member in members.iter() {
                let may_be_absent = match member.presence {
                    Presence::Optional => true,
                    Presence::Plain => is_instance(&member.value, &Value::Undef),
                    Presence::Required => false,
                };
                if !may_be_absent || rng.one_in(3) {
                    let value = any_instance(&member.value, &member.name, rng, depth + 1)?;
                    entries.push((Value::String(Arc::clone(&member.name)), value));
                }
            }
            Some(Value::hash(entries.into_iter().collect()))
        }
        Type::Any | Type::Data | Type::Scalar | Type::ScalarData | Type::NotUndef(None) | Type::RichData => {
            Some(untyped_value(name, rng))
        }
        Type::Undef => Some(Value::Undef),
        Type::Default => Some(Value::Default),
        Type::Numeric | Type::Float(_) => one_of(ty, rng, &[1.5.into(), 0.0.into(), 30.0.into()]),
        Type::String(_) | Type::Pattern(_) | Type::Enum(_) | Type::StringValue(_) => string(ty, name, rng),
        _ => one_of(ty, rng, &integers()).or_else(|| string(ty, name, rng)),
    }
}

fn integers() -> Vec<Value> {
    INTEGERS.iter().copied().map(Value::Integer).collect()
}

/// Returns a string of a type: the one that the name suggests, or any.
fn string(ty: &Type, name: &str, rng: &mut Rng) -> Option<Value> {
    let by_name = BY_NAME.iter().find(|(word, _)| name.contains(word)).map(|(_, value)| Value::from(*value));
    let suggested = by_name.filter(|value| is_instance(ty, value));
    let strings: Vec<Value> = STRINGS.iter().map(|text| Value::from(*text)).collect();
    suggested.filter(|_| !rng.one_in(4)).or_else(|| one_of(ty, rng, &strings))
}

/// Returns one of the values that are instances of a type.
fn one_of(ty: &Type, rng: &mut Rng, values: &[Value]) -> Option<Value> {
    let matching: Vec<&Value> = values.iter().filter(|value| is_instance(ty, value)).collect();
    if matching.is_empty() { None } else { Some((*rng.pick(&matching)).clone()) }
}

fn array(types: &[Type], name: &str, rng: &mut Rng, depth: usize) -> Option<Value> {
    let elements: Option<Vec<Value>> = types.iter().map(|ty| any_instance(ty, name, rng, depth + 1)).collect();
    Some(Value::array(elements?))
}

fn length(size: Option<Size>, rng: &mut Rng) -> usize {
    let Size { min, max } = size.unwrap_or(Size::ANY);
    usize::try_from(min).unwrap_or(0) + rng.usize(..=usize::try_from(max - min).unwrap_or(2).min(2))
}
