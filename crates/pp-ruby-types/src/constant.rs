//! Values that the source shows: literals, and what is made of them without running code.

use std::rc::Rc;

use lib_ruby_parser::Node;
use lib_ruby_parser::nodes::Regexp;
use rustc_hash::FxHashMap;

use crate::node::{Block, Call, constant_name, pairs, statements};

/// Maximum depth of nested expressions.
const MAX_DEPTH: u32 = 64;
/// Maximum number of items that a list has after it was expanded.
const MAX_ITEMS: usize = 10_000;

/// A value that is known. Symbols are strings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    Nil,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(Rc<str>),
    /// The source of a regular expression.
    Regex(Rc<str>),
    List(Rc<[Constant]>),
    Hash(Rc<[(Constant, Constant)]>),
    /// A class or module by its full name.
    Name(Rc<str>),
    /// A function that returns its argument.
    Identity,
    /// Any other function.
    Code,
}

impl Constant {
    pub(crate) fn text(text: &str) -> Constant {
        Constant::Text(text.into())
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Constant::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn is_true(&self) -> bool {
        !matches!(self, Constant::Nil | Constant::Boolean(false))
    }

    /// Returns what `to_s` returns.
    pub(crate) fn to_text(&self) -> Option<String> {
        Some(match self {
            Constant::Nil => String::new(),
            Constant::Boolean(value) => value.to_string(),
            Constant::Integer(value) => value.to_string(),
            Constant::Float(value) => format!("{value:?}"),
            Constant::Text(text) => text.to_string(),
            Constant::Regex(source) if source.starts_with("(?") => source.to_string(),
            Constant::Regex(source) => format!("(?-mix:{source})"),
            Constant::List(_) | Constant::Hash(_) | Constant::Name(_) | Constant::Identity | Constant::Code => {
                return None;
            }
        })
    }

    fn list(items: Vec<Constant>) -> Constant {
        Constant::List(items.into())
    }
}

/// What names stand for: variables of the code that is read, and constants of the file.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    values: FxHashMap<Rc<str>, Constant>,
    /// The path of the file, relative to `lib` of its module.
    file: Option<Rc<str>>,
}

impl Environment {
    /// Creates the environment of a file, by its path relative to `lib`.
    pub(crate) fn of_file(path: &str) -> Environment {
        Environment { file: Some(path.into()), ..Environment::default() }
    }

    pub(crate) fn bind(&mut self, name: &str, value: Option<Constant>) {
        match value {
            Some(value) => self.values.insert(name.into(), value),
            // Its old value may not hold any more.
            None => self.values.remove(name),
        };
    }

    pub(crate) fn with(&self, names: &[&str], value: &Constant) -> Environment {
        let mut inner = self.clone();
        match (names, value) {
            ([one], value) => inner.bind(one, Some(value.clone())),
            (several, Constant::List(items)) => {
                for (at, name) in several.iter().enumerate() {
                    inner.bind(name, Some(items.get(at).cloned().unwrap_or(Constant::Nil)));
                }
            }
            _ => {}
        }
        inner
    }

    /// Returns the value of a variable or constant.
    pub(crate) fn get(&self, name: &str) -> Option<&Constant> {
        self.values.get(name)
    }

    /// Returns the value of an expression, if the source shows it.
    pub(crate) fn value(&self, node: &Node) -> Option<Constant> {
        self.value_at(node, 0)
    }

    fn value_at(&self, node: &Node, depth: u32) -> Option<Constant> {
        if depth > MAX_DEPTH {
            return None;
        }
        let value = |node: &Node| self.value_at(node, depth + 1);
        Some(match node {
            Node::Nil(_) => Constant::Nil,
            Node::True(_) => Constant::Boolean(true),
            Node::False(_) => Constant::Boolean(false),
            Node::Int(int) => Constant::Integer(int.value.replace('_', "").parse().ok()?),
            Node::Float(float) => Constant::Float(float.value.replace('_', "").parse().ok()?),
            Node::Str(text) => Constant::text(&text.value.to_string_lossy()),
            Node::Sym(symbol) => Constant::text(&symbol.name.to_string_lossy()),
            Node::Dstr(text) => self.join(&text.parts, depth)?,
            Node::Dsym(symbol) => self.join(&symbol.parts, depth)?,
            Node::Heredoc(text) => self.join(&text.parts, depth)?,
            Node::Regexp(regexp) => self.regex(regexp, depth)?,
            Node::Array(array) => self.list(&array.elements, depth)?,
            Node::Hash(_) | Node::Kwargs(_) => {
                let mut entries = Vec::new();
                for pair in pairs(node) {
                    let Node::Pair(pair) = pair else { return None };
                    entries.push((value(&pair.key)?, value(&pair.value)?));
                }
                Constant::Hash(entries.into())
            }
            Node::Lvar(variable) => self.get(&variable.name)?.clone(),
            Node::Const(_) => {
                let name = constant_name(node)?;
                match self.get(&name) {
                    Some(value) => value.clone(),
                    None => Constant::Name(name.into()),
                }
            }
            Node::File(_) => Constant::Text(self.file.clone()?),
            Node::Begin(begin) => match begin.statements.as_slice() {
                [only] => value(only)?,
                _ => return None,
            },
            Node::And(and) => match value(&and.lhs)? {
                left if left.is_true() => value(&and.rhs)?,
                left => left,
            },
            Node::Or(or) => match value(&or.lhs)? {
                left if left.is_true() => left,
                _ => value(&or.rhs)?,
            },
            Node::IfTernary(choice) => {
                let branch = if value(&choice.cond)?.is_true() { &choice.if_true } else { &choice.if_false };
                value(branch)?
            }
            Node::Block(block) if matches!(*block.call, Node::Lambda(_)) => {
                function(Block { parameters: block.args.as_deref(), body: block.body.as_deref() })
            }
            Node::Send(_) | Node::Block(_) => self.call(Call::of(node)?, depth)?,
            Node::Index(index) => self.element(&value(&index.recv)?, &index.indexes, depth)?,
            _ => return None,
        })
    }

    /// Returns the value of an array literal, with the elements of the lists that it unfolds.
    fn list(&self, elements: &[Node], depth: u32) -> Option<Constant> {
        let mut items = Vec::new();
        for element in elements {
            match element {
                Node::Splat(splat) => match self.value_at(splat.value.as_deref()?, depth + 1)? {
                    Constant::List(more) => items.extend(more.iter().cloned()),
                    _ => return None,
                },
                other => items.push(self.value_at(other, depth + 1)?),
            }
            if items.len() > MAX_ITEMS {
                return None;
            }
        }
        Some(Constant::list(items))
    }

    /// Returns the value of `collection[index]`.
    fn element(&self, collection: &Constant, indexes: &[Node], depth: u32) -> Option<Constant> {
        let [index] = indexes else { return None };
        match (collection, self.value_at(index, depth + 1)?) {
            (Constant::List(items), Constant::Integer(at)) => {
                usize::try_from(at).ok().and_then(|at| items.get(at).cloned())
            }
            (Constant::Hash(entries), key) => {
                Some(entries.iter().find(|(k, _)| *k == key).map_or(Constant::Nil, |(_, v)| v.clone()))
            }
            _ => None,
        }
    }

    fn join(&self, parts: &[Node], depth: u32) -> Option<Constant> {
        let mut text = String::new();
        for part in parts {
            text += &self.value_at(part, depth + 1)?.to_text()?;
        }
        Some(Constant::Text(text.into()))
    }

    fn regex(&self, regexp: &Regexp, depth: u32) -> Option<Constant> {
        let Constant::Text(source) = self.join(&regexp.parts, depth)? else { return None };
        let options = match regexp.options.as_deref() {
            Some(Node::RegOpt(options)) => options.options.as_deref().unwrap_or_default(),
            _ => "",
        };
        let options: String = options.chars().filter(|c| matches!(c, 'm' | 'i' | 'x')).collect();
        Some(Constant::Regex(if options.is_empty() { source } else { format!("(?{options}:{source})").into() }))
    }

    fn call(&self, call: Call<'_>, depth: u32) -> Option<Constant> {
        let value = |node: &Node| self.value_at(node, depth + 1);
        let receiver = match call.receiver {
            Some(receiver) => value(receiver)?,
            None if matches!(call.name, "lambda" | "proc") => return Some(function(call.block?)),
            None => return None,
        };
        if let Some(block) = call.block {
            return match (call.name, receiver) {
                ("map" | "collect", Constant::List(items)) => {
                    let names = block.names()?;
                    let [only] = statements(block.body) else { return None };
                    let items = items.iter().map(|item| self.with(&names, item).value_at(only, depth + 1));
                    Some(Constant::list(items.collect::<Option<_>>()?))
                }
                _ => None,
            };
        }
        if matches!(call.arguments, [Node::BlockPass(_)]) {
            // `map(&:to_sym)`: texts and symbols are not told apart.
            return matches!(call.name, "map" | "collect").then_some(receiver);
        }
        let arguments = call.arguments.iter().map(value).collect::<Option<Vec<_>>>()?;
        method(call.name, receiver, &arguments)
    }
}

/// Returns what the parameters of a method are in a call; `None` if the call does not fit, or is not understood. An argument
/// that is not known leaves its parameter unknown.
pub(crate) fn bound(parameters: Option<&Node>, arguments: &[Node], environment: &Environment) -> Option<Environment> {
    let mut inner = Environment::default();
    let parameters = match parameters {
        None => &[][..],
        Some(Node::Args(args)) => &args.args,
        Some(_) => return None,
    };
    let mut arguments = arguments.iter();
    for parameter in parameters {
        match parameter {
            Node::Arg(parameter) => inner.bind(&parameter.name, environment.value(arguments.next()?)),
            Node::Optarg(parameter) => {
                let value = match arguments.next() {
                    Some(argument) => environment.value(argument),
                    None => environment.value(&parameter.default),
                };
                inner.bind(&parameter.name, value);
            }
            Node::Restarg(parameter) => {
                let rest =
                    arguments.by_ref().map(|argument| environment.value(argument)).collect::<Option<Vec<_>>>()?;
                if let Some(name) = &parameter.name {
                    inner.bind(name, Some(Constant::List(rest.into())));
                }
            }
            Node::Blockarg(_) => {}
            _ => return None,
        }
    }
    arguments.next().is_none().then_some(inner)
}

/// Tells the identity from other functions.
fn function(block: Block<'_>) -> Constant {
    match (block.names().as_deref(), statements(block.body)) {
        (Some([name]), [Node::Lvar(variable)]) if variable.name == *name => Constant::Identity,
        _ => Constant::Code,
    }
}

/// Returns what `+` returns.
pub(crate) fn sum(left: Constant, right: Constant) -> Option<Constant> {
    match (left, right) {
        (Constant::List(left), Constant::List(right)) if left.len() + right.len() <= MAX_ITEMS => {
            Some(Constant::list(left.iter().chain(right.iter()).cloned().collect()))
        }
        (Constant::Text(left), Constant::Text(right)) => Some(Constant::Text(format!("{left}{right}").into())),
        _ => None,
    }
}

fn method(name: &str, receiver: Constant, arguments: &[Constant]) -> Option<Constant> {
    use Constant::{Boolean, Hash, Integer, List, Name, Nil, Regex, Text};
    Some(match (name, receiver, arguments) {
        ("freeze" | "dup" | "to_sym" | "to_a" | "to_h" | "uniq", receiver, []) => receiver,
        ("to_s", receiver, []) => Text(receiver.to_text()?.into()),
        ("+", left, [right]) => sum(left, right.clone())?,
        ("-", List(left), [List(right)]) => {
            Constant::list(left.iter().filter(|item| !right.contains(item)).cloned().collect())
        }
        ("keys", Hash(entries), []) => Constant::list(entries.iter().map(|(key, _)| key.clone()).collect()),
        ("values", Hash(entries), []) => Constant::list(entries.iter().map(|(_, value)| value.clone()).collect()),
        ("upcase", Text(text), []) => Text(text.to_uppercase().into()),
        ("downcase", Text(text), []) => Text(text.to_lowercase().into()),
        ("capitalize", Text(text), []) => {
            let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
            Text(format!("{}{}", first.to_uppercase(), rest.to_lowercase()).into())
        }
        ("!", receiver, []) => Boolean(!receiver.is_true()),
        ("nil?", receiver, []) => Boolean(receiver == Nil),
        ("==", left, [right]) => Boolean(left == *right),
        ("!=", left, [right]) => Boolean(left != *right),
        (">=", Integer(left), [Integer(right)]) => Boolean(left >= *right),
        (">", Integer(left), [Integer(right)]) => Boolean(left > *right),
        ("<=", Integer(left), [Integer(right)]) => Boolean(left <= *right),
        ("<", Integer(left), [Integer(right)]) => Boolean(left < *right),
        ("to_i", Text(text), []) => {
            Integer(text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0))
        }
        ("split", Text(text), [Text(separator)]) if !separator.is_empty() => {
            Constant::list(text.split(&**separator).map(Constant::text).collect())
        }
        ("empty?", List(items), []) => Boolean(items.is_empty()),
        ("count" | "size" | "length", List(items), []) => Integer(i64::try_from(items.len()).ok()?),
        ("first", List(items), []) => items.first().cloned().unwrap_or(Nil),
        ("version", Name(name), []) if &*name == "Puppet" => Constant::text(PUPPET_VERSION),
        ("versioncmp", Name(name), [Text(left), Text(right)]) if name.ends_with("Util::Package") => {
            Integer(compare_versions(left, right))
        }
        ("new" | "compile", Name(name), [Regex(source)]) if &*name == "Regexp" => Regex(Rc::clone(source)),
        ("new" | "compile", Name(name), [Text(source)]) if &*name == "Regexp" => Regex(Rc::clone(source)),
        ("join", Name(name), parts) if &*name == "File" => {
            let parts = parts.iter().map(Constant::as_text).collect::<Option<Vec<_>>>()?;
            Text(parts.join("/").into())
        }
        ("dirname", Name(name), [Text(path)]) if &*name == "File" => {
            Constant::text(path.rsplit_once('/').map_or(".", |(parent, _)| parent))
        }
        ("expand_path", Name(name), [Text(path)]) if &*name == "File" => Text(clean(path)?.into()),
        ("expand_path", Name(name), [Text(path), Text(from)]) if &*name == "File" => {
            Text(clean(&format!("{from}/{path}"))?.into())
        }
        _ => return None,
    })
}

/// The release of Puppet that types see.
const PUPPET_VERSION: &str = "7.23.0";

/// Resolves `.` and `..` of a relative path; `None` for a path that leaves its root.
fn clean(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Compares versions number by number.
fn compare_versions(left: &str, right: &str) -> i64 {
    let numbers = |version: &str| -> Vec<u64> { version.split('.').map(|part| part.parse().unwrap_or(0)).collect() };
    match numbers(left).cmp(&numbers(right)) {
        std::cmp::Ordering::Less => -1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => 1,
    }
}
