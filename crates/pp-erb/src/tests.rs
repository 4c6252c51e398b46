//! Every method, with hostile receivers and arguments: each call ends within the budget, and none panics.
//!
//! The containers are of two sizes: such that a walk through one is paid for easily, and such that it cannot be paid. A method
//! that does more than it pays for takes time that grows with the square of its input, and misses the deadline.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::Variables;
use crate::classes::Class;
use crate::interpreter::Interpreter;
use crate::key::Key;
use crate::methods::args::Args;
use crate::methods::method::Method;
use crate::methods::{Dispatch, all_methods};
use crate::objects::Objects;
use crate::proc::Proc;
use crate::value::{Entries, Enumerator, Exception, Hash, Range, Regexp, Value};
use crate::work::Budget;

const BUDGET: Budget = Budget { steps: 2_000, bytes: 1 << 20 };
/// A text that can be read a few times, and one that cannot be read once.
const TEXT: usize = 10_000;
const LONG_TEXT: usize = 140_000;
/// The same for arrays.
const ITEMS: usize = 500;
const MANY_ITEMS: usize = 40_000;
/// No call takes a thousandth of this, unless the machine is busy.
const DEADLINE: Duration = Duration::from_secs(120);

type Make = fn() -> Value;

fn array(items: impl IntoIterator<Item = Value>) -> Value {
    Value::array(items.into_iter().collect())
}

fn ints(count: usize) -> Value {
    array((0..count).map(Value::int))
}

fn known_hash(entries: impl IntoIterator<Item = (Value, Value)>) -> Value {
    let entries: Entries = entries.into_iter().map(|(key, value)| (Key::known(key), value)).collect();
    Value::hash(entries)
}

/// An array that contains itself.
fn cyclic_array() -> Value {
    let value = ints(2);
    if let Value::Array(array) = &value {
        array.items_mut().push(value.clone());
    }
    value
}

/// A hash that contains itself.
fn cyclic_hash() -> Value {
    let value = known_hash([(Value::str("a"), Value::Nil)]);
    if let Value::Hash(hash) = &value {
        hash.entries_mut().insert(Key::known(Value::str("self")), value.clone());
    }
    value
}

/// A value that holds the one before twice, and so on.
fn doubled(mut value: Value, wrap: fn(Value) -> Value) -> Value {
    for _ in 0..60 {
        value = wrap(value);
    }
    value
}

fn pair(value: Value) -> Value {
    array([value.clone(), value])
}

fn hash_pair(value: Value) -> Value {
    known_hash([(Value::str("a"), value.clone()), (Value::str("b"), value)])
}

fn deep(depth: usize) -> Value {
    (0..depth).fold(Value::Nil, |inner, _| array([inner]))
}

fn range(from: Value, to: Value) -> Value {
    Value::Range(Rc::new(Range { from, to, is_exclusive: false }))
}

fn regexp(source: &str) -> Value {
    Value::Regexp(Rc::new(Regexp::new(source.into(), "m")))
}

fn enumerator(receiver: Value, method: &str) -> Value {
    Value::Enumerator(Rc::new(Enumerator { receiver, method: method.into(), arguments: Vec::new() }))
}

fn symbol_proc(name: &str) -> Rc<Proc> {
    Rc::new(Proc::Symbol(Rc::new(Dispatch::new(name.into()))))
}

fn default_hash() -> Value {
    let hash = Hash::default();
    hash.default_proc.replace(Some(symbol_proc("to_a")));
    Value::Hash(Rc::new(hash))
}

/// Receivers and arguments, with what failures call them.
const VALUES: &[(&str, Make)] = &[
    ("nil", || Value::Nil),
    ("true", || Value::Bool(true)),
    ("0", || Value::Int(0)),
    ("-1", || Value::Int(-1)),
    ("3", || Value::Int(3)),
    ("the greatest integer", || Value::Int(i128::MAX)),
    ("the least integer", || Value::Int(i128::MIN)),
    ("0.0", || Value::Float(0.0)),
    ("-1e300", || Value::Float(-1e300)),
    ("not a number", || Value::Float(f64::NAN)),
    ("infinity", || Value::Float(f64::INFINITY)),
    (":name", || Value::symbol("name")),
    ("a long symbol", || Value::symbol("x".repeat(LONG_TEXT))),
    ("''", || Value::str("")),
    ("'a-z'", || Value::str("a-z")),
    ("'%1$s' and so on", || Value::str("%1$s".repeat(TEXT / 4))),
    ("'\\0' and so on", || Value::str("\\0".repeat(TEXT / 2))),
    ("a string", || Value::str("x".repeat(TEXT))),
    ("a string of many characters", || Value::str(('\u{100}'..).take(TEXT / 2).collect::<String>())),
    ("a long string", || Value::str("ab ".repeat(LONG_TEXT / 3))),
    ("[]", || ints(0)),
    ("['b', 'a']", || array([Value::str("b"), Value::str("a")])),
    ("an array", || ints(ITEMS)),
    ("a long array", || ints(MANY_ITEMS)),
    ("an array of arrays", || array(vec![ints(ITEMS / 10); ITEMS / 10])),
    ("an array of strings", || array(vec![Value::str("x".repeat(TEXT)); ITEMS])),
    ("an array of its own", cyclic_array),
    ("an array of doubled arrays", || doubled(Value::Nil, pair)),
    ("a deep array", || deep(20_000)),
    ("{}", || known_hash([])),
    ("a hash", || known_hash((0..ITEMS).map(|at| (Value::int(at), Value::int(at))))),
    ("a long hash", || known_hash((0..MANY_ITEMS).map(|at| (Value::int(at), Value::int(at))))),
    ("a hash of its own", cyclic_hash),
    ("a hash of doubled hashes", || doubled(Value::Nil, hash_pair)),
    ("a hash with a default", default_hash),
    ("a hash of options", || known_hash([(Value::symbol("half"), Value::symbol("even"))])),
    ("0..", || range(Value::Int(0), Value::Nil)),
    ("a range of all integers", || range(Value::Int(i128::MIN), Value::Int(i128::MAX))),
    ("a range of negative positions", || range(Value::Int(i128::MIN), Value::Int(-1))),
    ("a range of the greatest positions", || range(Value::Int(i128::MAX), Value::Int(i128::MAX))),
    ("'a'..'zzzzzzzzz'", || range(Value::str("a"), Value::str("zzzzzzzzz"))),
    ("a range of strings", || range(Value::str("a".repeat(TEXT)), Value::str("b".repeat(TEXT)))),
    ("a range of arrays", || range(doubled(Value::Nil, pair), doubled(Value::Nil, pair))),
    ("1.0..1e300", || range(Value::Float(1.0), Value::Float(1e300))),
    ("//", || regexp("")),
    ("/.*/", || regexp(".*")),
    ("/(.)(?<name>x+x+)+y/", || regexp("(.)(x+x+)+y")),
    ("an enumerator of an array", || enumerator(ints(ITEMS), "each")),
    ("an endless enumerator", || enumerator(ints(2), "cycle")),
    ("an enumerator of all integers", || enumerator(range(Value::Int(i128::MIN), Value::Nil), "each")),
    ("an enumerator of enumerators", || enumerator(enumerator(ints(ITEMS), "map"), "each_with_index")),
    ("a proc", || Value::Proc(symbol_proc("inspect"))),
    ("an exception", || {
        Value::Exception(Rc::new(Exception { class: Class::ArgumentError, message: "x".repeat(LONG_TEXT) }))
    }),
    ("String", || Value::Class(Class::String)),
    ("Json", || Value::Class(Class::Json)),
    ("Yaml", || Value::Class(Class::Yaml)),
    ("File", || Value::Class(Class::File)),
    ("Math", || Value::Class(Class::Math)),
    ("Hash", || Value::Class(Class::Hash)),
    ("Regexp", || Value::Class(Class::Regexp)),
    ("a type of Puppet", || Value::Puppet(pp_types::Value::Default)),
    ("the scope", || Value::Scope),
    ("self", || Value::Main),
];

/// What a method is called with: arguments by their numbers in [`VALUES`], and the method that is the block.
fn calls(method: &Method, turn: usize) -> Vec<(Vec<usize>, Option<&'static str>)> {
    let mut calls = Vec::new();
    let accepts = |count: u8| method.min <= count && method.max.is_none_or(|max| count <= max);
    for block in [None, Some("itself"), Some("inspect")] {
        if accepts(0) {
            calls.push((Vec::new(), block));
        }
    }
    for first in 0..VALUES.len() {
        let block = (first % 6 == turn % 6).then_some("itself");
        if accepts(1) {
            calls.push((vec![first], None));
            calls.extend(block.map(|_| (vec![first], block)));
        }
        let second = (first * 7 + turn) % VALUES.len();
        if accepts(2) && first % 3 == turn % 3 {
            calls.push((vec![first, second], block));
        }
        if accepts(3) && first.is_multiple_of(4) {
            calls.push((vec![first, second, (second + 11) % VALUES.len()], block));
        }
    }
    calls
}

/// Makes all calls of methods of one receiver; reports each before it is made, and those that fail afterwards.
fn call_all(receiver: usize, report: &Sender<(usize, String)>) -> Vec<String> {
    let (name, make) = VALUES[receiver];
    let mut failures = Vec::new();
    let arguments: Vec<Value> = VALUES.iter().map(|(_, make)| make()).collect();
    for (turn, method) in all_methods(&make()).into_iter().enumerate() {
        // What a call changes, the next one gets.
        let this = make();
        for (numbers, block) in calls(method, turn) {
            let names: Vec<&str> = numbers.iter().map(|number| VALUES[*number].0).collect();
            let call = format!("{name}.{}({}) {}", method.name, names.join(", "), block.unwrap_or_default());
            report.send((receiver, call.clone())).expect("the test waits");
            let arguments: Vec<Value> = numbers.iter().map(|number| arguments[*number].clone()).collect();
            if let Err(failure) = catch_unwind(AssertUnwindSafe(|| check(&this, method, &arguments, block))) {
                let message = failure.downcast_ref::<String>().cloned().unwrap_or_default();
                failures.push(format!("{call}: {message}"));
            }
        }
    }
    failures
}

fn check(this: &Value, method: &'static Method, arguments: &[Value], block: Option<&str>) {
    let mut scope = Variables::new([]);
    let objects = Objects::default();
    let mut vm = Interpreter::new(&mut scope, &objects, Rc::new([]), 0, BUDGET);
    let block = block.map(symbol_proc);
    let result = vm.call_method(method, this, Args { list: arguments, block: block.as_ref() });
    if result.is_ok() {
        assert!(vm.work.check().is_ok(), "the call cannot be paid, but has a result");
    }
}

#[test]
fn every_call_of_every_method_ends_within_the_budget() {
    let (report, reports) = channel();
    let (done, results) = channel();
    let workers = thread::available_parallelism().map_or(2, usize::from);
    for worker in 0..workers {
        let (report, done) = (report.clone(), done.clone());
        let work = move || {
            let receivers = (worker..VALUES.len()).step_by(workers);
            let failures: Vec<String> = receivers.flat_map(|receiver| call_all(receiver, &report)).collect();
            done.send(failures).expect("the test waits");
        };
        thread::Builder::new().stack_size(64 << 20).spawn(work).expect("a thread");
    }
    drop((report, done));
    let mut last = vec![String::new(); VALUES.len()];
    loop {
        match reports.recv_timeout(DEADLINE) {
            Ok((receiver, call)) => last[receiver] = call,
            Err(RecvTimeoutError::Timeout) => panic!("one of these calls does not end: {last:#?}"),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let failures: Vec<String> = results.iter().flatten().collect();
    assert!(failures.is_empty(), "{} calls fail:\n{}", failures.len(), failures[..failures.len().min(40)].join("\n"));
}
