//! The lattice of types against what Puppet 7.23 answers for each pair of the types and values in `tests/recorded`.

use pp_types::{Type, Value, generalize, infer, infer_detailed, is_assignable, is_instance, new_instance, parse_type};

const TYPES: &str = include_str!("recorded/types.txt");
const VALUES: &str = include_str!("recorded/values.txt");

fn is_resource(name: &str) -> Option<Type> {
    matches!(name, "File" | "Notify").then(|| Type::Resource(Some(name.into()), None))
}

fn ty(text: &str) -> Type {
    parse_type(text, &is_resource).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Reads a literal, or `Type.new(literal)`.
fn value(text: &str) -> Value {
    if let Some((name, argument)) = text.split_once(".new(") {
        let argument = value(argument.trim_end_matches(')'));
        return new_instance(&ty(name), &[argument]).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    match ty(&format!("Init[Any, {text}]")) {
        Type::Init(Some(init)) => init.arguments[0].clone(),
        other => panic!("{text}: {other}"),
    }
}

/// Compares a table of answers, a line for each of `rows`, a digit for each of `columns`.
fn check_table(rows: &str, columns: &str, recorded: &str, known: &[(&str, &str)], answer: impl Fn(&str, &str) -> bool) {
    let mut wrong = Vec::new();
    for (row, answers) in rows.lines().zip(recorded.lines()) {
        for (column, recorded) in columns.lines().zip(answers.chars()) {
            if known.iter().any(|(r, c)| (*r == "*" || *r == row) && (*c == "*" || *c == column)) {
                continue;
            }
            if answer(row, column) != (recorded == '1') {
                wrong.push(format!("{row} / {column}: recorded {recorded}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Where Puppet contradicts itself, and this crate does not.
const UNLIKE: &[(&str, &str)] = &[
    // A type is assignable to itself.
    ("NotUndef[Optional[String]]", "NotUndef[Optional[String]]"),
    // Keys that may be absent do not count.
    ("Collection[1]", "Struct[{'a' => Optional[Integer]}]"),
    ("Collection[1]", "Struct[{Optional['a'] => Integer}]"),
    ("Collection[1]", "Struct[{'a' => Any}]"),
    ("Hash[String, Integer, 1]", "Struct[{Optional['a'] => Integer}]"),
    // A hash of two integers need not have these keys.
    ("Struct[{'a' => Integer, Optional['b'] => String}]", "Hash[String, Integer, 2, 2]"),
    // Each of the strings is an instance of a member.
    ("Variant[Enum['a'], Enum['b', 'c']]", "Enum['a', 'b']"),
    // The keys of any hash need not be strings.
    ("Iterable[Tuple[String, Integer]]", "Hash"),
    ("Iterable[Tuple[String, Integer]]", "Hash[0, 0]"),
    ("Iterable[Tuple[String, Integer]]", "Struct"),
    ("Iterable[Tuple[String, Integer]]", "Struct[{Optional['a'] => Integer}]"),
    // Arrays and hashes of arguments are a matter of values.
    ("Init[Integer]", "Tuple[Integer]"),
    ("Init[Integer]", "Hash[String, Integer, 2, 2]"),
    ("Init[String, '%d']", "Variant"),
    ("Init[String, '%d']", "Init"),
    ("Init[String, '%d']", "Init[Integer]"),
];

#[test]
fn assignability() {
    check_table(TYPES, TYPES, include_str!("recorded/assignable.txt"), UNLIKE, |to, from| {
        is_assignable(&ty(to), &ty(from))
    });
}

#[test]
fn instances() {
    check_table(
        VALUES,
        TYPES,
        include_str!("recorded/instances.txt"),
        &[("[1, undef]", "Iterable[Integer]")],
        |v, t| is_instance(&ty(t), &value(v)),
    );
}

#[test]
fn inference() {
    let recorded: Vec<[String; 3]> = serde_json::from_str(include_str!("recorded/inferred.json")).expect("JSON");
    let mut wrong = Vec::new();
    for (text, recorded) in VALUES.lines().zip(recorded) {
        let value = value(text);
        let reduced = infer(&value);
        let found = [infer_detailed(&value).to_string(), reduced.to_string(), generalize(&reduced).to_string()];
        if found != recorded {
            wrong.push(format!("{text}: {found:?}, recorded {recorded:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
