//! No call of a plain function may panic, whatever well-typed arguments it gets.

use std::panic::AssertUnwindSafe;

use mcl_value::{Field, FuncType, Type, Value};
use rustc_hash::FxHashMap;

use crate::{CallContext, CallSite, Function, Implementation, Purity, Signature, all_functions};

/// A small deterministic generator (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn value(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Bool => (self.below(2) == 0).into(),
            Type::Int => match self.below(3) {
                0 => self.pick(&[0, 1, -1, 2, 10, 16, 36, 64, 255, i64::MAX, i64::MIN, 1 << 53, 1_700_000_000]).into(),
                1 => (self.next().cast_signed() % 1000).into(),
                _ => self.next().cast_signed().into(),
            },
            Type::Float => match self.below(3) {
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
                #[allow(clippy::cast_precision_loss)]
                1 => ((self.next() % 20000) as f64 / 100.0 - 100.0).into(),
                _ => f64::from_bits(self.next()).into(),
            },
            Type::Str => self.text().into(),
            Type::List(element) => {
                let length = self.below(4);
                Value::list((0..length).map(|_| self.value(element)).collect::<Vec<_>>())
            }
            Type::Map(types) => {
                let length = self.below(4);
                Value::map((0..length).map(|_| (self.value(&types.0), self.value(&types.1))).collect::<Vec<_>>())
            }
            Type::Struct(fields) => Value::strukt(fields.iter().map(|f| (f.name.clone(), self.value(&f.ty)))),
            other => Value::zero(other),
        }
    }

    fn text(&mut self) -> Vec<u8> {
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
        for _ in 0..self.below(3) {
            if self.below(4) == 0 {
                text.push(self.next().to_le_bytes()[0]);
            } else {
                text.extend_from_slice(self.pick(SAMPLES));
            }
            if self.below(3) == 0 {
                let cut = self.below(text.len() + 1);
                text.truncate(cut);
            }
        }
        text
    }

    fn ty(&mut self, depth: usize) -> Type {
        let scalar = self.pick(&[Type::Bool, Type::Str, Type::Int, Type::Float]);
        match self.below(8) {
            0 if depth > 0 => Type::list(self.ty(depth - 1)),
            1 if depth > 0 => Type::map(scalar, self.ty(depth - 1)),
            2 if depth > 0 => Type::strukt([("a", self.ty(depth - 1)), ("name", scalar)]),
            _ => scalar,
        }
    }

    /// A concrete type for a call.
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
            // The result depends on the operator, which is drawn like any text.
            CallSite::Operator => (vec![Type::Str, any.clone(), any], Type::Var(1)),
            CallSite::Lookup if self.below(2) == 0 => (vec![Type::list(any.clone()), Type::Int], any),
            CallSite::Lookup => (vec![Type::map(Type::Str, any.clone()), Type::Str], any),
            CallSite::StructLookup => (vec![Type::strukt([("a", any.clone())]), Type::Str], any),
            CallSite::StructLookupOptional => (vec![Type::strukt([("a", any.clone())]), Type::Str, any.clone()], any),
            CallSite::Collect => (vec![Type::Str, Type::Str], Type::list(Type::Str)),
            CallSite::Printf => (vec![Type::Str, any, self.ty(2)], Type::Str),
            CallSite::Template => (vec![Type::Str, any], Type::Str),
            CallSite::DecodeJson => (vec![Type::Str, Type::Str], any),
            CallSite::IterRange => (vec![Type::Int; 1 + self.below(3)], Type::list(Type::Int)),
            CallSite::IterReduce => (vec![Type::list(any.clone())], any),
            CallSite::ListConcat => (vec![Type::list(any.clone()); 1 + self.below(3)], Type::list(any)),
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
                // Any hashable key will do.
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

#[test]
fn no_arguments_make_a_plain_function_panic() {
    let seed = std::env::var("MCL_FUNCTIONS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_121);
    let mut random = Random(seed);
    for function in all_functions().filter(|f| f.purity == Purity::Pure) {
        let Implementation::Plain(plain) = function.implementation else { continue };
        for _ in 0..1500 {
            let ty = random.signature(function);
            let args: Vec<Value> = ty.args.iter().map(|arg| random.value(&arg.ty)).collect();
            let context = CallContext { ty: &ty, deploy: None, module_dir: "/" };
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| plain(&context, &args)));
            match outcome {
                Err(_) => panic!("{} panics with seed {seed} on {args:?}", function.name),
                Ok(Ok(value)) => assert!(value.has_type(&ty.result), "{}: {value} is no {}", function.name, ty.result),
                Ok(Err(error)) => assert!(!error.message().is_empty(), "{}", function.name),
            }
        }
    }
}

/// A damaged artifact could ask for anything.
#[test]
fn wrong_arguments_are_errors() {
    for function in all_functions().filter(|f| f.purity == Purity::Pure) {
        let Implementation::Plain(plain) = function.implementation else { continue };
        let ty = FuncType { args: Vec::new(), result: Type::Nil };
        let context = CallContext { ty: &ty, deploy: None, module_dir: "/" };
        for count in 0..4 {
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| plain(&context, &vec![Value::Nil; count])));
            assert!(outcome.is_ok(), "{} panics with {count} dummies", function.name);
        }
    }
}
