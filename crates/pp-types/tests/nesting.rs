//! Values and types that are nested as deeply, or are as large, as a hostile program makes them.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hash as _;

use pp_types::{
    Hash, IteratorValue, Type, Value, equal, from_json, generalize, infer, infer_detailed, interpolate, is_assignable,
    is_instance, is_nested_deeper_than, mismatches, new_instance, parse_type, source_form,
};

const DEPTH: usize = 100_000;

fn nested_array() -> Value {
    (0..DEPTH).fold(Value::Integer(1), |inner, _| Value::array(vec![inner]))
}

fn nested_hash() -> Value {
    (0..DEPTH).fold(Value::Integer(1), |inner, _| Value::hash(Hash::from_iter([("a".into(), inner)])))
}

/// Calls, and objects, in each other.
fn nested_instances() -> [Value; 3] {
    let name: Value = "a".into();
    let deferred = Type::Object("Deferred".into());
    let call = |inner| new_instance(&deferred, &[name.clone(), Value::array(vec![inner])]).expect("a call");
    let secret = |inner| new_instance(&Type::Sensitive(None), &[Value::array(vec![inner])]).expect("a secret");
    let iterator = |inner| Value::Iterator(IteratorValue::new(Type::Any, vec![inner]));
    let nested = |wrap: &dyn Fn(Value) -> Value| (0..DEPTH).fold(Value::Integer(1), |inner, _| wrap(inner));
    [nested(&call), nested(&secret), nested(&iterator)]
}

fn nested_type() -> Type {
    (0..DEPTH).fold(Type::any_integer(), |inner, _| Type::array(inner, None))
}

#[test]
fn deep_values_are_compared_printed_and_dropped() {
    for value in [nested_array(), nested_hash()] {
        let same = value.clone();
        assert_eq!(value, same);
        assert!(equal(&value, &same));
        value.hash(&mut DefaultHasher::new());
        assert!(interpolate(&value).len() > DEPTH);
        assert!(source_form(&value).len() > DEPTH);
        assert!(is_nested_deeper_than(&value, DEPTH - 1));
        assert!(!is_nested_deeper_than(&value, DEPTH));
    }
    assert_eq!(nested_array(), nested_array());
}

#[test]
fn deep_instances_are_made_compared_and_dropped() {
    for (value, same) in nested_instances().into_iter().zip(nested_instances()) {
        let is_iterator = matches!(value, Value::Iterator(_));
        assert_eq!(value == same, !is_iterator, "an iterator equals itself only");
        assert!(value.weight() > DEPTH as u64);
        value.hash(&mut DefaultHasher::new());
        assert!(is_nested_deeper_than(&value, DEPTH - 1));
    }
}

#[test]
fn hashing_a_type_does_not_visit_what_is_nested_in_it() {
    let mut seen = HashSet::new();
    let mut ty = Type::any_integer();
    for _ in 0..DEPTH {
        ty = Type::array(ty, None);
        seen.insert(ty.clone());
    }
    assert_eq!(seen.len(), DEPTH);
}

#[test]
fn deep_values_have_types() {
    for value in [nested_array(), nested_hash()] {
        let reduced = infer(&value);
        assert!(is_instance(&reduced, &value));
        assert!(is_instance(&infer_detailed(&value), &value));
        assert!(is_instance(&Type::Data, &value));
        assert!(reduced.to_string().len() > DEPTH);
        assert!(is_assignable(&generalize(&reduced), &reduced));
    }
}

#[test]
fn deep_types_are_compared_parsed_and_dropped() {
    let ty = nested_type();
    assert_eq!(ty, nested_type());
    assert!(is_assignable(&ty, &nested_type()));
    let text = ty.to_string();
    assert_eq!(parse_type(&text, &|_| None), Ok(ty));
}

#[test]
fn deep_mismatches_are_described() {
    let strings = nested_array();
    assert_eq!(mismatches("value", &Type::any_integer(), &strings), ["value expects an Integer value, got Tuple"]);
    assert!(new_instance(&Type::String(None), &[strings]).is_ok());
}

#[test]
fn large_arrays_are_typed_in_linear_time() {
    let numbers = Value::array((0..1_000_000).map(Value::Integer).collect());
    assert_eq!(infer(&numbers).to_string(), "Array[Integer[0, 999999], 1000000, 1000000]");
    assert!(is_instance(&Type::array(Type::any_integer(), None), &numbers));
    let strings = Value::array((0..1_000_000).map(|number| Value::from(number.to_string())).collect());
    let Type::Array(element, _) = infer(&strings) else { panic!("an array") };
    assert!(matches!(&*element, Type::Enum(strings) if strings.values.len() == 1_000_000));
}

#[test]
fn json_keeps_the_order_and_64_bits() {
    let json: serde_json::Value = serde_json::from_str(r#"{"b": 9007199254740993, "a": [null, 1.5]}"#).expect("JSON");
    assert_eq!(source_form(&from_json(&json)), "{'b' => 9007199254740993, 'a' => [undef, 1.5]}");
}
