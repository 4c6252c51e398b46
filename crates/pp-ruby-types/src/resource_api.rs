//! Types of the Resource API: `Puppet::ResourceApi.register_type(…)` with a hash that says everything.

use lib_ruby_parser::Node;
use pp_resource_types::{
    Method, Operation, Program, ReadAttribute, ReadTitlePattern, ReadType, Relation, RelationKind, Role, RubyRegex,
    Titles, Unread, Unreadable,
};

use crate::constant::{Constant, Environment};
use crate::node::pairs;

/// Reads the hash of a registration. `line` is where it starts.
pub(crate) fn read_registration(hash: &Node, environment: &Environment, line: u32) -> ReadType {
    let mut read = ReadType::default();
    for (key, value) in entries(hash, environment) {
        match key.as_str() {
            "name" => {
                if let Some(Constant::Text(name)) = environment.value(value) {
                    read.name = name.to_lowercase();
                }
            }
            "attributes" => attributes(value, environment, &mut read, line),
            "title_patterns" => match environment.value(value).as_ref().and_then(patterns) {
                Some(patterns) => read.titles = Titles::Patterns(patterns),
                None => {
                    read.titles = Titles::Unknown;
                    read.unread.push(Unread { what: Unreadable::Titles, line });
                }
            },
            other => {
                if let Some(kind) = RelationKind::of_declaration(other) {
                    relations(kind, value, environment, &mut read, line);
                }
            }
        }
    }
    if matches!(read.titles, Titles::Verbatim) && read.names().count() > 1 {
        read.titles = Titles::Unknown;
    }
    read
}

/// Returns the keys and values of a hash whose keys are known.
fn entries<'n>(hash: &'n Node, environment: &Environment) -> Vec<(String, &'n Node)> {
    let entry = |pair: &'n Node| {
        let Node::Pair(pair) = pair else { return None };
        Some((environment.value(&pair.key)?.to_text()?, &*pair.value))
    };
    pairs(hash).iter().filter_map(entry).collect()
}

fn attributes(hash: &Node, environment: &Environment, read: &mut ReadType, line: u32) {
    let known = entries(hash, environment);
    let is_hash = matches!(hash, Node::Hash(_));
    if !is_hash || known.len() != pairs(hash).len() {
        read.is_open = true;
        read.unread.push(Unread { what: Unreadable::Attributes, line });
    }
    for (name, definition) in known {
        let mut attribute = ReadAttribute::new(&name, Role::Property);
        for (key, value) in entries(definition, environment) {
            let Some(value) = environment.value(value).and_then(|value| value.to_text()) else { continue };
            match (key.as_str(), value.as_str()) {
                ("behaviour" | "behavior", "namevar") => attribute.role = Role::Name,
                ("behaviour" | "behavior", "parameter") => attribute.role = Role::Parameter,
                ("behaviour" | "behavior", "read_only") => attribute.is_read_only = true,
                ("default", value) => attribute.default = Some(value.to_owned()),
                ("type", ty) => attribute.words = words(ty),
                _ => {}
            }
        }
        read.attributes.push(attribute);
    }
}

/// Returns the words of a type such as `Enum[present, absent]`, also if it is optional; none for any other type.
fn words(ty: &str) -> Vec<String> {
    let ty = ty.trim();
    let inner = ty.strip_prefix("Optional[").and_then(|rest| rest.strip_suffix(']')).unwrap_or(ty).trim();
    if inner == "Boolean" {
        return vec!["true".to_owned(), "false".to_owned()];
    }
    let Some(list) = inner.strip_prefix("Enum[").and_then(|rest| rest.strip_suffix(']')) else { return Vec::new() };
    list.split(',')
        .map(|word| word.trim().trim_matches(['"', '\'']).to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Reads patterns whose groups are named: `[{ pattern: %r{^(?<package>.*)$}, desc: '…' }]`.
fn patterns(list: &Constant) -> Option<Vec<ReadTitlePattern>> {
    let Constant::List(patterns) = list else { return None };
    let pattern = |entry: &Constant| {
        let Constant::Hash(entries) = entry else { return None };
        let Constant::Regex(source) = &entries.iter().find(|(key, _)| key.as_text() == Some("pattern"))?.1 else {
            return None;
        };
        Some(ReadTitlePattern { regex: RubyRegex::new(source), attributes: group_names(source)? })
    };
    patterns.iter().map(pattern).collect()
}

/// Returns the names of the groups of a regular expression; `None` if one has none.
fn group_names(source: &str) -> Option<Vec<Option<String>>> {
    let mut names = Vec::new();
    let mut rest = source;
    let mut in_class = false;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => rest = rest.get(rest.chars().next().map_or(0, char::len_utf8)..)?,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let named = rest.strip_prefix("?<").filter(|rest| !rest.starts_with(['=', '!']));
                match named {
                    Some(named) => names.push(Some(named.split_once('>')?.0.to_owned())),
                    None if rest.starts_with('?') => {}
                    None => return None,
                }
            }
            _ => {}
        }
    }
    Some(names)
}

/// Reads `{ file: '$source', package: ['apt'] }`, where `$source` is an attribute.
fn relations(kind: RelationKind, hash: &Node, environment: &Environment, read: &mut ReadType, line: u32) {
    for (type_name, value) in entries(hash, environment) {
        let titles = match environment.value(value) {
            Some(Constant::List(items)) => items.iter().map(|item| item.as_text().map(str::to_owned)).collect(),
            Some(Constant::Text(title)) => Some(vec![title.to_string()]),
            _ => None,
        };
        let titles: Option<Vec<String>> = titles;
        if titles.is_none() {
            read.unread.push(Unread { what: Unreadable::Relations, line });
        }
        let titles = titles.map(|titles| titles_program(&titles.iter().map(String::as_str).collect::<Vec<_>>()));
        read.relations.push(Relation { kind, type_name: type_name.to_lowercase(), titles });
    }
}

/// Makes a program of titles, of which `$name` is the value of an attribute.
fn titles_program(titles: &[&str]) -> Program {
    let mut program = Program::default();
    let title = |title: &&str| match title.strip_prefix('$') {
        Some(attribute) => program.push(Operation::Attribute(attribute.to_owned())),
        None => program.push(Operation::Text((*title).to_owned())),
    };
    let items = titles.iter().map(title).collect();
    let list = program.push(Operation::List(items));
    program.push(Operation::Call { receiver: list, method: Method::Flatten, arguments: Vec::new() });
    program
}
