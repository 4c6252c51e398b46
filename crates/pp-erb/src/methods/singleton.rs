//! Methods of classes and modules themselves: `Hash.new`, `File.join`, `Regexp.escape`.

use std::rc::Rc;

use crate::classes::{Class, class_of};
use crate::interpreter::Interpreter;
use crate::methods::args::{Args, items, to_str};
use crate::methods::kernel::string_argument;
use crate::methods::method::{Method, method, variadic};
use crate::show::{subject, to_s};
use crate::stop::{Eval, Raise, Stop};
use crate::value::{Exception, Hash, Regexp, Value};

pub(super) static CLASS: &[Method] = &[
    method("<", 1, 1, |_, this, args| Ok(inherits(this, args.get(0)))),
    method("<=", 1, 1, |_, this, args| {
        let is_same = class(this).is_some_and(|this| class(args.get(0)) == Some(this));
        Ok(if is_same { Value::Bool(true) } else { inherits(this, args.get(0)) })
    }),
    method("===", 1, 1, |_, this, args| {
        let Value::Class(class) = this else { return Ok(Value::Bool(false)) };
        Ok(Value::Bool(class_of(args.get(0)).is_a(*class)))
    })
    .constant(),
    variadic("[]", 0, |vm, this, args| match (class(this), args.get(0)) {
        (Some(Class::Hash), Value::Hash(hash)) => {
            let entries = hash.entries().clone();
            Ok(Value::hash(entries))
        }
        (Some(Class::Hash), Value::Array(_)) => super::operator(vm, args.get(0), "to_h", &[]),
        (Some(Class::Array), _) => vm.list(args.list.to_vec()),
        _ => Err(missing(vm, this, "[]")),
    }),
    variadic("basename", 1, |vm, this, args| {
        only(vm, this, Class::File, "basename")?;
        let path = string_argument(args.get(0))?;
        let trimmed = path.trim_end_matches('/');
        let name = if trimmed.is_empty() && !path.is_empty() { "/" } else { trimmed.rsplit('/').next().unwrap_or("") };
        let suffix = if args.len() > 1 { string_argument(args.get(1))? } else { String::new() };
        let kept = match suffix.as_str() {
            ".*" => name.rfind('.').filter(|at| *at > 0).map_or(name, |at| &name[..at]),
            suffix => name.strip_suffix(suffix).filter(|kept| !kept.is_empty()).unwrap_or(name),
        };
        vm.string(kept.to_owned())
    }),
    method("cbrt", 1, 1, |vm, this, args| math(vm, this, args, "cbrt", f64::cbrt)),
    method("ceil", 1, 1, |vm, this, _| Err(missing(vm, this, "ceil"))),
    method("cos", 1, 1, |vm, this, args| math(vm, this, args, "cos", f64::cos)),
    method("dirname", 1, 1, |vm, this, args| {
        only(vm, this, Class::File, "dirname")?;
        let path = string_argument(args.get(0))?;
        let trimmed = path.trim_end_matches('/');
        let directory = match trimmed.rfind('/') {
            Some(at) => trimmed[..at].trim_end_matches('/'),
            None if trimmed.is_empty() && !path.is_empty() => "",
            None => ".",
        };
        vm.string(if directory.is_empty() { "/".to_owned() } else { directory.to_owned() })
    }),
    method("dump", 1, 2, |vm, this, args| match class(this) {
        Some(Class::Yaml) => super::object::convert_with(vm, "to_yaml", args.get(0)),
        Some(Class::Json) => super::object::convert_with(vm, "to_json", args.get(0)),
        _ => Err(missing(vm, this, "dump")),
    }),
    method("escape", 1, 1, |vm, this, args| {
        only(vm, this, Class::Regexp, "escape")?;
        let escaped = escape(&to_s(&vm.work, args.get(0)));
        vm.string(escaped)
    }),
    method("exp", 1, 1, |vm, this, args| math(vm, this, args, "exp", f64::exp)),
    method("extname", 1, 1, |vm, this, args| {
        only(vm, this, Class::File, "extname")?;
        let path = string_argument(args.get(0))?;
        let name = path.rsplit('/').next().unwrap_or("").trim_start_matches('.');
        let extension = name.rfind('.').filter(|at| *at > 0 && at + 1 < name.len()).map_or("", |at| &name[at..]);
        vm.string(extension.to_owned())
    }),
    method("floor", 1, 1, |vm, this, _| Err(missing(vm, this, "floor"))),
    method("generate", 1, 2, |vm, this, args| {
        only(vm, this, Class::Json, "generate")?;
        super::object::convert_with(vm, "to_json", args.get(0))
    }),
    method("hypot", 2, 2, |vm, this, args| {
        only(vm, this, Class::Math, "hypot")?;
        let (x, y) = (super::numeric::float(args.get(0))?, super::numeric::float(args.get(1))?);
        Ok(Value::Float(x.hypot(y)))
    }),
    variadic("join", 0, |vm, this, args| {
        only(vm, this, Class::File, "join")?;
        let mut path = String::new();
        let list = vm.list(args.list.to_vec())?;
        for (at, part) in super::array::flatten(vm, &list, None)?.iter().enumerate() {
            let part = to_str(part)?;
            if at == 0 {
                path.push_str(&part);
            } else if path.ends_with('/') && part.starts_with('/') {
                path.truncate(path.trim_end_matches('/').len());
                path.push_str(&part);
            } else {
                if !path.ends_with('/') && !part.starts_with('/') {
                    path.push('/');
                }
                path.push_str(&part);
            }
        }
        vm.string(path)
    }),
    method("load", 1, 2, |vm, this, args| match class(this) {
        Some(Class::Yaml) => super::object::convert_with(vm, "parseyaml", args.get(0)),
        Some(Class::Json) => super::object::convert_with(vm, "parsejson", args.get(0)),
        _ => Err(missing(vm, this, "load")),
    }),
    method("log", 1, 2, |vm, this, args| {
        only(vm, this, Class::Math, "log")?;
        let value = super::numeric::float(args.get(0))?;
        if value < 0.0 {
            return Err(domain("log"));
        }
        match args.len() {
            1 => Ok(Value::Float(value.ln())),
            _ => Ok(Value::Float(value.ln() / super::numeric::float(args.get(1))?.ln())),
        }
    }),
    method("log10", 1, 1, |vm, this, args| math(vm, this, args, "log10", f64::log10)),
    method("log2", 1, 1, |vm, this, args| math(vm, this, args, "log2", f64::log2)),
    method("max", 2, 2, |vm, this, _| Err(missing(vm, this, "max"))),
    method("name", 0, 0, |vm, this, _| vm.string(to_s(&vm.work, this))),
    variadic("new", 0, new),
    method("parse", 1, 2, |vm, this, args| {
        only(vm, this, Class::Json, "parse")?;
        if args.option("symbolize_names").is_some_and(|value| value.is_true()) {
            return Err(Stop::refused("`symbolize_names`"));
        }
        super::object::convert_with(vm, "parsejson", args.get(0))
    }),
    method("pow", 2, 2, |vm, this, _| Err(missing(vm, this, "pow"))),
    method("pretty_generate", 1, 2, |vm, this, args| {
        only(vm, this, Class::Json, "pretty_generate")?;
        let pretty = super::object::convert_with(vm, "to_json_pretty", args.get(0))?;
        let text = to_s(&vm.work, &pretty).trim_end_matches('\n').replace("[\n\n", "[");
        vm.string(text)
    }),
    method("quote", 1, 1, |vm, this, args| {
        only(vm, this, Class::Regexp, "quote")?;
        let escaped = escape(&to_s(&vm.work, args.get(0)));
        vm.string(escaped)
    }),
    method("safe_load", 1, 2, |vm, this, args| {
        only(vm, this, Class::Yaml, "safe_load")?;
        super::object::convert_with(vm, "parseyaml", args.get(0))
    }),
    method("sin", 1, 1, |vm, this, args| math(vm, this, args, "sin", f64::sin)),
    method("split", 1, 1, |vm, this, args| {
        only(vm, this, Class::File, "split")?;
        let parts =
            [super::operator(vm, this, "dirname", args.list)?, super::operator(vm, this, "basename", args.list)?];
        vm.list(parts.to_vec())
    }),
    method("sqrt", 1, 1, |vm, this, args| {
        if class(this) == Some(Class::Integer) {
            let value = args.int(0)?;
            return match u128::try_from(value) {
                Ok(value) => Ok(Value::Int(value.isqrt() as i128)),
                Err(_) => Err(domain("isqrt")),
            };
        }
        let value = math(vm, this, args, "sqrt", f64::sqrt)?;
        match value {
            Value::Float(value) if value.is_nan() => Err(domain("sqrt")),
            value => Ok(value),
        }
    }),
    method("to_s", 0, 0, |vm, this, _| vm.string(to_s(&vm.work, this))),
    variadic("union", 0, |vm, this, args| {
        only(vm, this, Class::Regexp, "union")?;
        let patterns = match args.get(0) {
            Value::Array(_) => items(args.get(0)).to_vec(),
            _ => args.list.to_vec(),
        };
        let sources: Vec<String> = patterns
            .iter()
            .map(|pattern| match pattern {
                Value::Regexp(_) if patterns.len() > 1 => to_s(&vm.work, pattern),
                Value::Regexp(regexp) => regexp.source.to_string(),
                other => escape(&to_s(&vm.work, other)),
            })
            .collect();
        let source = if sources.is_empty() { "(?!)".to_owned() } else { sources.join("|") };
        vm.charge(source.len())?;
        Ok(Value::Regexp(Rc::new(Regexp::new(source.into(), ""))))
    }),
];

fn class(value: &Value) -> Option<Class> {
    match value {
        Value::Class(class) => Some(*class),
        _ => None,
    }
}

fn missing(vm: &Interpreter<'_>, this: &Value, name: &str) -> Stop {
    if let Some(class) = class(this)
        && matches!(class, Class::File | Class::Json | Class::Yaml)
    {
        return Stop::refused(&format!("`{}.{name}`", class.name()));
    }
    Raise::new(Class::NoMethodError, format!("undefined method `{name}' for {}", subject(&vm.work, this))).into()
}

fn only(vm: &Interpreter<'_>, this: &Value, class: Class, name: &str) -> Eval<()> {
    if self::class(this) == Some(class) { Ok(()) } else { Err(missing(vm, this, name)) }
}

/// Returns whether a class is a subclass of another one; nil if they are not related.
fn inherits(this: &Value, other: &Value) -> Value {
    match (class(this), class(other)) {
        (Some(this), Some(other)) if this == other => Value::Bool(false),
        (Some(this), Some(other)) if this.is_a(other) => Value::Bool(true),
        (Some(this), Some(other)) if other.is_a(this) => Value::Bool(false),
        _ => Value::Nil,
    }
}

fn domain(name: &str) -> Stop {
    Raise::argument(format!("Numerical argument is out of domain - \"{name}\"")).into()
}

fn math(vm: &Interpreter<'_>, this: &Value, args: Args<'_>, name: &str, function: fn(f64) -> f64) -> Eval {
    only(vm, this, Class::Math, name)?;
    Ok(Value::Float(function(super::numeric::float(args.get(0))?)))
}

/// Escapes what has a meaning in regular expressions.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '[' | ']' | '{' | '}' | '(' | ')' | '|' | '-' | '*' | '.' | '\\' | '?' | '+' | '^' | '$' | '#' => {
                escaped.push('\\');
                escaped.push(c);
            }
            ' ' => escaped.push_str("\\ "),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            '\u{b}' => escaped.push_str("\\v"),
            '\u{c}' => escaped.push_str("\\f"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn new(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let Some(class) = class(this) else { return Err(missing(vm, this, "new")) };
    match class {
        Class::Hash => {
            let hash = Hash::default();
            match args.block {
                Some(block) => {
                    hash.default_proc.replace(Some(Rc::clone(block)));
                }
                None => {
                    hash.default.replace(args.list.first().cloned());
                }
            }
            Ok(Value::Hash(Rc::new(hash)))
        }
        Class::Array => {
            if let Value::Array(_) = args.get(0) {
                let list = items(args.get(0)).to_vec();
                return vm.list(list);
            }
            let size = if args.len() == 0 { 0 } else { args.count(0)? };
            vm.charge(size.saturating_mul(size_of::<Value>()))?;
            let mut list = Vec::with_capacity(size);
            for index in 0..size {
                list.push(match args.block {
                    Some(block) => vm.yield_one(block, Value::int(index))?,
                    None => args.get(1).clone(),
                });
            }
            Ok(Value::array(list))
        }
        Class::String => {
            let text = match args.get(0) {
                Value::Nil | Value::Hash(_) => String::new(),
                other => to_str(other)?.to_owned(),
            };
            vm.string(text)
        }
        Class::Range => {
            super::range::new_range(&vm.work, args.get(0).clone(), args.get(1).clone(), args.get(2).is_true())
        }
        Class::Regexp => {
            if let Value::Regexp(_) = args.get(0) {
                return Ok(args.get(0).clone());
            }
            let options = match args.get(1) {
                Value::Int(bits) => {
                    let names = [(1, 'i'), (2, 'x'), (4, 'm')];
                    names.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| *name).collect()
                }
                Value::Str(text) => text.get().to_owned(),
                other if other.is_true() => "i".to_owned(),
                _ => String::new(),
            };
            let source = to_str(args.get(0))?.to_owned();
            vm.charge(source.len() * 8)?;
            let regexp = Regexp::new(source.into(), &options);
            regexp.compiled.compiled()?;
            Ok(Value::Regexp(Rc::new(regexp)))
        }
        Class::Proc => match args.block {
            Some(block) => Ok(Value::Proc(Rc::clone(block))),
            None => Err(Raise::argument("tried to create Proc object without a block").into()),
        },
        Class::Object => Err(Stop::refused("`Object.new`")),
        class if class.is_a(Class::Exception) => {
            let message = if args.len() == 0 { class.name().to_owned() } else { to_s(&vm.work, args.get(0)) };
            Ok(Value::Exception(Rc::new(Exception { class, message })))
        }
        class if matches!(class, Class::OfClasses | Class::Module | Class::Enumerator | Class::File) => {
            Err(Stop::refused(&format!("`{}.new`", class.name())))
        }
        _ => Err(missing(vm, this, "new")),
    }
}
