//! Literals that are more than one token: strings, symbols, regular expressions, arrays, hashes, ranges.

use std::rc::Rc;

use crate::interpreter::Interpreter;
use crate::key::Key;
use crate::methods::args::no_conversion;
use crate::methods::range::new_range;
use crate::show::push_to_s;
use crate::stop::{Eval, MAX_TEXT, Stop};
use crate::syntax::{Argument, Entry, Expr, Node, RegexpLiteral};
use crate::value::{Entries, Hash, Regexp, Value};

impl Interpreter<'_> {
    pub(super) fn plain_string(&mut self, text: &str) -> Eval {
        self.charge(text.len())?;
        Ok(Value::str(text))
    }

    pub(super) fn interpolated_string(&mut self, parts: &[Node]) -> Eval {
        let text = self.interpolate(parts)?;
        self.string(text)
    }

    pub(super) fn interpolated_symbol(&mut self, parts: &[Node]) -> Eval {
        let text = self.interpolate(parts)?;
        self.charge(text.len())?;
        Ok(Value::symbol(text))
    }

    pub(super) fn array_literal(&mut self, elements: &[Argument]) -> Eval {
        let items = self.arguments(elements)?;
        self.list(items)
    }

    /// Evaluates `key: value` arguments, which are one hash.
    pub(super) fn keywords(&mut self, entries: &[Entry]) -> Eval {
        let keywords = self.hash_literal(entries)?;
        keywords.is_keywords.set(true);
        Ok(Value::Hash(keywords))
    }

    pub(super) fn range_literal(&mut self, from: Option<&Node>, to: Option<&Node>, is_exclusive: bool) -> Eval {
        let from = self.eval_optional(from)?;
        let to = self.eval_optional(to)?;
        new_range(&self.work, from, to, is_exclusive)
    }

    fn interpolate(&mut self, parts: &[Node]) -> Eval<String> {
        let mut text = String::new();
        for part in parts {
            match &part.expr {
                Expr::Str(literal) => text.push_str(literal),
                _ => {
                    let value = self.eval(part)?;
                    push_to_s(&self.work, &mut text, &value);
                    if text.len() > MAX_TEXT {
                        return Err(Stop::limit("a string is too long"));
                    }
                }
            }
        }
        Ok(text)
    }

    pub(super) fn regexp_literal(&mut self, literal: &RegexpLiteral) -> Eval<Rc<Regexp>> {
        if let Some(compiled) = literal.compiled.get() {
            return Ok(Rc::clone(compiled));
        }
        let mut source = String::new();
        let mut is_constant = true;
        for part in &literal.parts {
            match &part.expr {
                Expr::Str(text) => source.push_str(text),
                _ => {
                    is_constant = false;
                    let value = self.eval(part)?;
                    push_to_s(&self.work, &mut source, &value);
                }
            }
        }
        self.charge(source.len() * 8)?;
        let regexp = Rc::new(Regexp::new(source.into(), &literal.options));
        regexp.compiled.compiled()?;
        if is_constant || literal.options.contains('o') {
            let _ = literal.compiled.set(Rc::clone(&regexp));
        }
        Ok(regexp)
    }

    pub(super) fn hash_literal(&mut self, entries: &[Entry]) -> Eval<Rc<Hash>> {
        let mut hash = Entries::default();
        for entry in entries {
            match entry {
                Entry::Pair(key, value) => {
                    let key = self.eval(key)?;
                    let value = self.eval(value)?;
                    hash.insert(Key::new(&self.work, key), value);
                }
                Entry::Splat(node) => match self.eval(node)? {
                    Value::Hash(other) => hash.extend(other.entries().iter().map(|(k, v)| (k.clone(), v.clone()))),
                    Value::Nil => {}
                    other => return Err(no_conversion(&other, "Hash").into()),
                },
            }
        }
        self.charge(hash.len() * size_of::<Value>())?;
        Ok(Rc::new(Hash::new(hash)))
    }
}
