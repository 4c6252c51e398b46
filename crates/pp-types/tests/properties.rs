//! Properties of types and values that are made at random.

use pp_types::{
    Hash, Size, Type, Value, equal, from_json, generalize, infer_detailed, interpolate, is_assignable, is_instance,
    mismatches, named, parametrize, parse_type, rich_json, source_form,
};
use test_support::{Rng, for_each_case};

/// A type with few parameters, so that related types are frequent.
fn ty(random: &mut Rng, depth: usize) -> Type {
    let simple = [
        "Any",
        "Undef",
        "Default",
        "Integer",
        "Integer[1, 5]",
        "Integer[0]",
        "Integer[2, 3]",
        "Float",
        "Float[0.0, 1.0]",
        "Numeric",
        "String",
        "String[1]",
        "String[1, 3]",
        "Enum['a', 'b']",
        "Enum['a']",
        "Pattern[/a/]",
        "Boolean",
        "Boolean[true]",
        "Regexp",
        "Scalar",
        "ScalarData",
        "Data",
        "RichData",
        "Collection",
        "Type",
        "Array",
        "Hash",
        "Array[0, 0]",
        "Resource",
        "Class",
        "Timestamp",
        "Timespan",
        "SemVer",
        "Binary",
        "URI",
        "NotUndef",
    ];
    if depth == 0 || random.u32(0..3) == 0 {
        let text = simple[random.usize(0..simple.len())];
        return parse_type(text, &|_| None).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    let mut inner = || Value::Type(ty(random, depth - 1));
    let (first, second) = (inner(), inner());
    let number = |random: &mut Rng| Value::Integer(random.i64(0..3));
    let (name, arguments) = match random.u32(0..10) {
        0 => ("Array", vec![first]),
        1 => ("Array", vec![first, number(random), Value::Integer(4)]),
        2 => ("Hash", vec![first, second]),
        3 => ("Tuple", vec![first, second]),
        4 => ("Tuple", vec![first, number(random), Value::Integer(3)]),
        5 => ("Variant", vec![first, second]),
        6 => ("Optional", vec![first]),
        7 => ("Type", vec![first]),
        8 => ("Struct", vec![Value::hash(Hash::from_iter([("a".into(), first), ("b".into(), second)]))]),
        // Puppet says that `NotUndef` of a type that takes undef is not assignable to itself, so the laws below do not hold.
        _ if matches!(&first, Value::Type(inner) if is_assignable(inner, &Type::Undef)) => ("Array", vec![first]),
        _ => ("NotUndef", vec![first]),
    };
    let base = named(name).expect("a built-in type");
    parametrize(&base, &arguments).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn value(random: &mut Rng, depth: usize) -> Value {
    let count = random.usize(0..4);
    match random.u32(0..if depth == 0 { 7 } else { 9 }) {
        0 => Value::Undef,
        1 => Value::Boolean(random.bool()),
        2 => Value::Integer(random.i64(-5..10)),
        3 => Value::from(random.f64() * 4.0),
        4 => ["", "a", "b", "ab", "žluť", "it's\n"][random.usize(0..6)].into(),
        5 => Value::Type(ty(random, 1)),
        6 => Value::Default,
        7 => Value::array((0..count).map(|_| value(random, depth - 1)).collect()),
        _ => Value::hash((0..count).map(|_| (value(random, 0), value(random, depth - 1))).collect()),
    }
}

fn nothing_smaller<C>(_: &C) -> Vec<C> {
    Vec::new()
}

#[test]
fn not_undef_of_a_type_that_takes_undef_is_not_assignable_to_itself() {
    for (text, expected) in [("NotUndef[Data]", false), ("Array[NotUndef[Data]]", false), ("NotUndef[Integer]", true)] {
        let ty = parse_type(text, &|_| None).expect("a type");
        assert_eq!(is_assignable(&ty, &ty), expected, "{text}");
    }
}

#[test]
fn types_are_assignable_to_themselves_and_what_is_between() {
    let three = |random: &mut Rng| [ty(random, 2), ty(random, 2), ty(random, 2)];
    for_each_case(20_000, three, nothing_smaller, |[a, b, c]| {
        assert!(is_assignable(a, a), "{a} is not assignable to itself");
        if is_assignable(a, b) && is_assignable(b, c) {
            assert!(is_assignable(a, c), "{a} takes {b}, which takes {c}");
        }
    });
}

#[test]
fn instances_of_a_type_are_instances_of_wider_types() {
    let case = |random: &mut Rng| (ty(random, 2), ty(random, 2), value(random, 2));
    for_each_case(20_000, case, nothing_smaller, |(wide, narrow, value)| {
        if is_assignable(wide, narrow) && is_instance(narrow, value) {
            assert!(is_instance(wide, value), "{} is in {narrow}, not in {wide}", source_form(value));
        }
    });
}

#[test]
fn values_are_instances_of_their_types() {
    for_each_case(
        20_000,
        |random| value(random, 3),
        nothing_smaller,
        |value| {
            for ty in [infer_detailed(value), generalize(&infer_detailed(value))] {
                assert!(is_instance(&ty, value), "{} is not in {ty}", source_form(value));
            }
            assert!(equal(value, value));
            assert!(interpolate(value).len() <= source_form(value).len() + 2);
        },
    );
}

#[test]
fn types_are_parsed_as_they_are_printed() {
    for_each_case(
        20_000,
        |random| ty(random, 3),
        nothing_smaller,
        |ty| {
            let text = ty.to_string();
            let parsed = parse_type(&text, &|_| None).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(parsed.to_string(), text);
            assert!(is_assignable(&parsed, ty) && is_assignable(ty, &parsed), "{text}");
        },
    );
}

#[test]
fn what_is_not_an_instance_has_a_reason() {
    let case = |random: &mut Rng| (ty(random, 2), value(random, 2));
    for_each_case(20_000, case, nothing_smaller, |(ty, value)| {
        if !is_instance(ty, value) {
            let reasons = mismatches("value", ty, value);
            assert!(!reasons.is_empty() && reasons.iter().all(|reason| reason.len() > "value ".len()), "{reasons:?}");
        }
    });
}

#[test]
fn plain_data_survives_json() {
    for_each_case(
        5_000,
        |random| value(random, 3),
        nothing_smaller,
        |value| {
            if is_instance(&Type::Data, value) {
                assert_eq!(from_json(&rich_json(value)), *value);
            }
        },
    );
}

#[test]
fn sizes_are_ranges() {
    assert!(Size::ANY.contains(u64::MAX) && Size::exactly(2).contains(2) && !Size::exactly(2).contains(3));
}
