//! `to_s` and `inspect`.

use std::fmt::Write;
use std::rc::Rc;

use pp_functions::ruby::inspect::inspect_string;
use pp_types::{float_text, interpolate, with_stack};

use crate::classes::class_of;
use crate::stop::MAX_TEXT;
use crate::value::{Array, Enumerator, Hash, Match, Range, Regexp, Value};
use crate::work::{ITEMS_PER_STEP, Work};

/// The longest text of a value in a message about an unknown method.
const MAX_SUBJECT: usize = 1_000;

/// Returns what `to_s` gives.
pub(crate) fn to_s(work: &Work, value: &Value) -> String {
    let mut out = String::new();
    push_to_s(work, &mut out, value);
    out
}

/// Appends what `to_s` gives.
pub(crate) fn push_to_s(work: &Work, out: &mut String, value: &Value) {
    match value {
        Value::Nil => {}
        Value::Str(text) => {
            work.read(&text.get());
            out.push_str(&text.get());
        }
        Value::Symbol(name) => out.push_str(name),
        Value::Match(found) => out.push_str(found.group(0).unwrap_or_default()),
        Value::Regexp(regexp) => push_regexp(out, regexp),
        Value::Exception(exception) => out.push_str(&exception.message),
        Value::Range(range) => {
            with_stack(|| push_to_s(work, out, &range.from));
            out.push_str(if range.is_exclusive { "..." } else { ".." });
            with_stack(|| push_to_s(work, out, &range.to));
        }
        Value::Puppet(value) => match value {
            pp_types::Value::Type(_) => out.push_str(&pp_types::source_form(value)),
            other => out.push_str(&interpolate(other)),
        },
        other => push_inspect(work, out, other, &mut Vec::new()),
    }
}

fn push_regexp(out: &mut String, regexp: &Regexp) {
    let off: String = "mix".chars().filter(|option| !regexp.options.contains(*option)).collect();
    out.push_str("(?");
    out.push_str(&regexp.options);
    if !off.is_empty() {
        out.push('-');
        out.push_str(&off);
    }
    out.push(':');
    out.push_str(&regexp.source);
    out.push(')');
}

/// Returns what `inspect` gives.
pub(crate) fn inspect(work: &Work, value: &Value) -> String {
    let mut out = String::new();
    push_inspect(work, &mut out, value, &mut Vec::new());
    out
}

/// Returns what `inspect` gives for nil, a boolean, a number or a symbol, and the class of other values.
pub(crate) fn inspect_plain(value: &Value) -> String {
    match value {
        Value::Nil => "nil".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => float_text(*value),
        Value::Symbol(name) => symbol_text(name),
        other => class_of(other).name().to_owned(),
    }
}

/// Appends what `inspect` gives; `open` has the addresses of the containers around it.
fn push_inspect(work: &Work, out: &mut String, value: &Value, open: &mut Vec<*const ()>) {
    if out.len() > MAX_TEXT || !work.step(1 + open.len() / ITEMS_PER_STEP) {
        // The caller reports that the text is too long, or the next step that it takes too long.
        return;
    }
    match value {
        Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Symbol(_) => {
            out.push_str(&inspect_plain(value));
        }
        Value::Str(text) => {
            work.read(&text.get());
            inspect_string(&text.get(), out);
        }
        Value::Array(array) => push_array(work, out, array, open),
        Value::Hash(hash) => push_hash(work, out, hash, open),
        Value::Range(range) => push_range(work, out, range, open),
        Value::Regexp(regexp) => {
            out.push_str(&pp_types::Regexp::new(&*regexp.source).literal());
            out.push_str(&regexp.options);
        }
        Value::Match(found) => push_match(out, found),
        Value::Proc(proc) => out.push_str(if proc.is_lambda() { "#<Proc (lambda)>" } else { "#<Proc>" }),
        Value::Enumerator(enumerator) => push_enumerator(work, out, enumerator, open),
        Value::Exception(exception) => {
            let _ = write!(out, "#<{}: {}>", exception.class.name(), exception.message);
        }
        Value::Class(class) => out.push_str(class.name()),
        Value::Puppet(pp_types::Value::Sensitive(_)) => out.push_str("#<Sensitive [value redacted]>"),
        Value::Puppet(value) => out.push_str(&pp_types::source_form(value)),
        Value::Scope => out.push_str("Scope"),
        Value::Main => out.push_str("#<Puppet::Parser::TemplateWrapper>"),
    }
}

fn push_array(work: &Work, out: &mut String, array: &Rc<Array>, open: &mut Vec<*const ()>) {
    let address = Rc::as_ptr(array).cast();
    if open.contains(&address) {
        return out.push_str("[...]");
    }
    open.push(address);
    out.push('[');
    for (at, item) in array.items().iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        with_stack(|| push_inspect(work, out, item, open));
    }
    out.push(']');
    open.pop();
}

fn push_hash(work: &Work, out: &mut String, hash: &Rc<Hash>, open: &mut Vec<*const ()>) {
    let address = Rc::as_ptr(hash).cast();
    if open.contains(&address) {
        return out.push_str("{...}");
    }
    open.push(address);
    out.push('{');
    for (at, (key, value)) in hash.entries().iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        with_stack(|| push_inspect(work, out, key.value(), open));
        out.push_str("=>");
        with_stack(|| push_inspect(work, out, value, open));
    }
    out.push('}');
    open.pop();
}

fn push_range(work: &Work, out: &mut String, range: &Range, open: &mut Vec<*const ()>) {
    if matches!((&range.from, &range.to), (Value::Nil, Value::Nil)) {
        return out.push_str("nil..");
    }
    let mut push_end = |out: &mut String, end: &Value| {
        if !matches!(end, Value::Nil) {
            with_stack(|| push_inspect(work, out, end, open));
        }
    };
    push_end(out, &range.from);
    out.push_str(if range.is_exclusive { "..." } else { ".." });
    push_end(out, &range.to);
}

fn push_match(out: &mut String, found: &Match) {
    out.push_str("#<MatchData ");
    inspect_string(found.group(0).unwrap_or_default(), out);
    for index in 1..found.groups.len() {
        let name = found.names.iter().find(|(_, group)| *group == index);
        let _ = match name {
            Some((name, _)) => write!(out, " {name}:"),
            None => write!(out, " {index}:"),
        };
        match found.group(index) {
            Some(text) => inspect_string(text, out),
            None => out.push_str("nil"),
        }
    }
    out.push('>');
}

fn push_enumerator(work: &Work, out: &mut String, enumerator: &Enumerator, open: &mut Vec<*const ()>) {
    out.push_str("#<Enumerator: ");
    with_stack(|| push_inspect(work, out, &enumerator.receiver, open));
    out.push(':');
    out.push_str(&enumerator.method);
    for (at, argument) in enumerator.arguments.iter().enumerate() {
        out.push_str(if at == 0 { "(" } else { ", " });
        with_stack(|| push_inspect(work, out, argument, open));
    }
    out.push_str(if enumerator.arguments.is_empty() { ">" } else { ")>" });
}

/// Returns a symbol as `inspect` shows it: with quotes unless it is a name or an operator.
fn symbol_text(name: &str) -> String {
    let mut text = ":".to_owned();
    if is_symbol_name(name) {
        text.push_str(name)
    } else {
        inspect_string(name, &mut text)
    }
    text
}

fn is_symbol_name(name: &str) -> bool {
    const OPERATORS: [&str; 28] = [
        "+", "-", "*", "/", "%", "**", "==", "!=", "<", ">", "<=", ">=", "<=>", "===", "=~", "!~", "!", "<<", ">>",
        "&", "|", "^", "~", "+@", "-@", "[]", "[]=", "`",
    ];
    if OPERATORS.contains(&name) {
        return true;
    }
    let stripped = name.strip_prefix("@@").or(name.strip_prefix('@')).or(name.strip_prefix('$'));
    let plain = match stripped {
        Some(plain) => plain,
        None => name.strip_suffix(['?', '!', '=']).unwrap_or(name),
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || !c.is_ascii();
    !plain.is_empty() && plain.chars().all(is_word) && !plain.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns a value as messages about unknown methods name it: `"a":String`, `nil:NilClass`.
pub(crate) fn subject(work: &Work, value: &Value) -> String {
    let class = class_of(value).name();
    match value {
        Value::Nil => "nil:NilClass".to_owned(),
        Value::Bool(value) => format!("{value}:{class}"),
        Value::Main => "#<Puppet::Parser::TemplateWrapper>".to_owned(),
        Value::Scope => "Scope:Puppet::Parser::Scope".to_owned(),
        Value::Class(_) => format!("{}:{class}", inspect(work, value)),
        value => {
            let text = inspect(work, value);
            if text.chars().count() > MAX_SUBJECT {
                let start: String = text.chars().take(MAX_SUBJECT - 1).collect();
                return format!("{start}…:{class}");
            }
            format!("{text}:{class}")
        }
    }
}
