//! No call of a plain function panics, whatever arguments it gets.

use std::cell::Cell;
use std::panic::AssertUnwindSafe;

use mcl_value::{Field, FuncType, Type, Value};
use rustc_hash::FxHashMap;
use test_support::{RandomChoice as _, Rng, for_each_seed};

use crate::{CallContext, CallSite, Function, Implementation, Plain, Purity, Signature, all_functions};

/// Generates types, values and calls.
struct Generator<'a> {
    rng: &'a mut Rng,
}

impl Generator<'_> {
    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        self.rng.pick(from).clone()
    }

    fn value(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Bool => self.rng.bool().into(),
            Type::Int => match self.rng.usize(..3) {
                0 => self.pick(&[0, 1, -1, 2, 10, 16, 36, 64, 255, i64::MAX, i64::MIN, 1 << 53, 1_700_000_000]).into(),
                1 => self.rng.i64(-999..1000).into(),
                _ => self.rng.i64(..).into(),
            },
            Type::Float => match self.rng.usize(..3) {
                0 => self
                    .pick(&[
                        0.0,
                        -0.0,
                        1.0,
                        -1.0,
                        0.5,
                        f64::NAN,
                        f64::INFINITY,
                        f64::NEG_INFINITY,
                        f64::MAX,
                        5e-324,
                        1e9,
                    ])
                    .into(),
                1 => (f64::from(self.rng.u16(..20_000)) / 100.0 - 100.0).into(),
                _ => f64::from_bits(self.rng.u64(..)).into(),
            },
            Type::Str => self.string().into(),
            Type::List(element) => {
                let length = self.rng.usize(..4);
                Value::list((0..length).map(|_| self.value(element)).collect::<Vec<_>>())
            }
            Type::Map(types) => {
                let length = self.rng.usize(..4);
                Value::map((0..length).map(|_| (self.value(&types.0), self.value(&types.1))).collect::<Vec<_>>())
            }
            Type::Struct(fields) => Value::strukt(fields.iter().map(|f| (f.name.clone(), self.value(&f.ty)))),
            other => Value::zero(other),
        }
    }

    fn string(&mut self) -> Vec<u8> {
        const SAMPLES: &[&[u8]] = &[
            b"",
            b"/",
            b"~",
            b"a/../b",
            b"10.0.0.1/8",
            b"2001:db8::1/32",
            b"::ffff:10.0.0.1",
            b"01:23:45:67:89:ab",
            b"[::1]:443",
            b"http://u:p@h:1/a%20b?q#f",
            b"-9223372036854775808",
            b"0x1p-1074",
            b"1e400",
            b"\"q\\u00e9\"",
            b"'c'",
            b"{\"a\": [1, 2.5, null, {\"b\": \"\\ud800\"}]}",
            b"[[[[[[",
            b"struct{a int; b []str}",
            b"%d %s %v %T %% %",
            b"{{ range $i, $v := . }}{{ $i }}{{ end }}",
            b"{{ . | printf \"%5d\" }}",
            b"2006-01-02T15:04:05.000Z07:00 Mon Jan _2",
            b"&amp;&eacute;&#233;&#x110000;",
            b"(a|b)*[^c-e]{2,3}\\d",
            b"fedora39-x86_64",
            "日本é\u{301}ß".as_bytes(),
            b"\xff\xfe\x80",
            b"YWI=",
        ];
        let mut text = Vec::new();
        for _ in 0..self.rng.usize(..3) {
            if self.rng.one_in(4) {
                text.push(self.rng.u8(..));
            } else {
                text.extend_from_slice(self.pick(SAMPLES));
            }
            if self.rng.one_in(3) {
                let cut = self.rng.usize(..=text.len());
                text.truncate(cut);
            }
        }
        text
    }

    fn ty(&mut self, depth: usize) -> Type {
        let scalar = self.pick(&[Type::Bool, Type::Str, Type::Int, Type::Float]);
        match self.rng.usize(..8) {
            0 if depth > 0 => Type::list(self.ty(depth - 1)),
            1 if depth > 0 => Type::map(scalar, self.ty(depth - 1)),
            2 if depth > 0 => Type::strukt([("a", self.ty(depth - 1)), ("name", scalar)]),
            _ => scalar,
        }
    }

    /// Returns a concrete type for a call of the function.
    fn signature(&mut self, function: &Function) -> FuncType {
        let site = match function.signature {
            Signature::Fixed(text) => {
                let text = if function.choices.is_empty() { text } else { self.pick(function.choices) };
                let ty = FuncType::parse(text).unwrap();
                let mut unknowns = FxHashMap::default();
                let mut args = Vec::new();
                for arg in &ty.args {
                    args.push(Field { name: arg.name.clone(), ty: self.concrete(&arg.ty, &mut unknowns) });
                }
                return FuncType { args, result: self.concrete(&ty.result, &mut unknowns) };
            }
            Signature::CallSite(site) => site,
        };
        let any = self.ty(2);
        let (args, result) = match site {
            // The result depends on the operator, which is a random string, too.
            CallSite::Operator => (vec![Type::Str, any.clone(), any], Type::Var(1)),
            CallSite::Lookup if self.rng.bool() => (vec![Type::list(any.clone()), Type::Int], any),
            CallSite::Lookup => (vec![Type::map(Type::Str, any.clone()), Type::Str], any),
            CallSite::StructLookup => (vec![Type::strukt([("a", any.clone())]), Type::Str], any),
            CallSite::StructLookupOptional => (vec![Type::strukt([("a", any.clone())]), Type::Str, any.clone()], any),
            CallSite::Collect => (vec![Type::Str, Type::Str], Type::list(Type::Str)),
            CallSite::Printf => (vec![Type::Str, any, self.ty(2)], Type::Str),
            CallSite::Template => (vec![Type::Str, any], Type::Str),
            CallSite::DecodeJson => (vec![Type::Str, Type::Str], any),
            CallSite::IterRange => (vec![Type::Int; 1 + self.rng.usize(..3)], Type::list(Type::Int)),
            CallSite::IterReduce => (vec![Type::list(any.clone())], any),
            CallSite::ListConcat => (vec![Type::list(any.clone()); 1 + self.rng.usize(..3)], Type::list(any)),
        };
        FuncType { args: args.into_iter().map(|ty| Field { name: "".into(), ty }).collect(), result }
    }

    fn concrete(&mut self, ty: &Type, unknowns: &mut FxHashMap<u32, Type>) -> Type {
        match ty {
            Type::Var(id) => {
                let fresh = self.ty(1);
                unknowns.entry(*id).or_insert(fresh).clone()
            }
            Type::List(element) => Type::list(self.concrete(element, unknowns)),
            Type::Map(types) => {
                // Keys must be hashable.
                let key = unknowns.entry(1).or_insert(Type::Str);
                if !key.is_hashable() {
                    *key = Type::Str;
                }
                Type::map(self.concrete(&types.0, unknowns), self.concrete(&types.1, unknowns))
            }
            other => other.clone(),
        }
    }
}

/// Returns the pure functions that the engine calls directly.
fn plain_functions() -> impl Iterator<Item = (&'static Function, Plain)> {
    all_functions().filter(|function| function.purity == Purity::Pure).filter_map(|function| {
        match function.implementation {
            Implementation::Plain(plain) => Some((function, plain)),
            Implementation::Streaming(_) | Implementation::Engine(_) => None,
        }
    })
}

#[test]
fn well_typed_arguments_give_a_value_of_the_result_type_or_an_error() {
    for_each_seed(15, |rng| {
        let mut generator = Generator { rng };
        for (function, plain) in plain_functions() {
            for _ in 0..100 {
                let ty = generator.signature(function);
                let args: Vec<Value> = ty.args.iter().map(|arg| generator.value(&arg.ty)).collect();
                let context =
                    CallContext { ty: &ty, deploy: None, module_dir: "/", answers: None, sensitive: Cell::default() };
                match std::panic::catch_unwind(AssertUnwindSafe(|| plain(&context, &args))) {
                    Err(_) => panic!("{} panics on {args:?}", function.name),
                    Ok(Ok(value)) => {
                        assert!(value.has_type(&ty.result), "{}: expected {}, found {value}", function.name, ty.result);
                    }
                    Ok(Err(error)) => assert!(!error.message().is_empty(), "{}", function.name),
                }
            }
        }
    });
}

/// A corrupted artifact can contain such calls.
#[test]
fn arguments_of_wrong_types_are_errors() {
    for (function, plain) in plain_functions() {
        let ty = FuncType { args: Vec::new(), result: Type::Nil };
        let context = CallContext { ty: &ty, deploy: None, module_dir: "/", answers: None, sensitive: Cell::default() };
        for count in 0..4 {
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| plain(&context, &vec![Value::Nil; count])));
            assert!(outcome.is_ok(), "{} panics with {count} arguments of type nil", function.name);
        }
    }
}
