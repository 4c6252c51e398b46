//! `left[keys]` on values and types (spec 07 §5.5, §5.6).

use std::sync::Arc;

use mcl_diagnostics::nearest;
use pp_ast::{Expr, ExprId, ExprList};
use pp_catalog::capitalize;
use pp_types::{Error, ErrorKind, Operand, Type, Value, generalize, infer, operand_name, parametrize, with_article};

use crate::evaluator::Evaluator;
use crate::stop::{Eval, Stop, located};

/// What is accessed by position.
#[derive(Clone, Copy)]
enum Indexed {
    Array,
    /// Strings and binary values.
    String,
}

impl Evaluator<'_> {
    pub(super) fn eval_access(&mut self, id: ExprId, target: ExprId, keys: ExprList) -> Eval {
        let (outer, missing) = self.fact_recorder.start_access(self.frame.tree, target, keys);
        if let Some(name) = missing {
            self.warn_of_ruby_fact(&name, target);
        }
        let value = self.eval(target);
        self.fact_recorder.end_access(outer);
        let value = value?;
        let key_ids = self.frame.tree.list(keys);
        if matches!(value, Value::Type(Type::Class(None))) {
            self.check_class_names(key_ids)?;
        }
        let values = self.eval_list(keys)?;
        let first = key_ids.first().copied().unwrap_or(id);
        match &value {
            Value::String(text) => {
                let result = self.access_string(text, key_ids, &values, id);
                result.map_err(|stop| stop.help(self.reference_help(target, text)))
            }
            Value::Array(elements) => self.access_array(elements, key_ids, &values, id),
            Value::Hash(entries) => match values.as_slice() {
                [] => Err(self.error(id, "A hash access needs a key")),
                [key] => match entries.get(key) {
                    Some(value) => Ok(value.clone()),
                    None => {
                        self.missing_key = Some((self.span(id), entries.clone(), key.clone()));
                        Ok(Value::Undef)
                    }
                },
                keys => {
                    // Missing keys are left out, as are entries without a value.
                    let found = keys.iter().filter_map(|key| entries.get(key)).filter(|value| **value != Value::Undef);
                    Ok(Value::array(found.cloned().collect()))
                }
            },
            Value::Type(Type::Resource(Some(_), Some(_))) => self.access_attribute(id, first, &value, &values),
            Value::Type(Type::Class(Some(_))) => self.access_attribute(id, first, &value, &values),
            Value::Type(ty) => self.access_type(id, key_ids, ty, &values),
            Value::Binary(bytes) => {
                let (from, count) = self.indices(Indexed::String, key_ids, &values, id)?;
                let range = range_of(from, count, bytes.len() as i64);
                let (start, count) = range.unwrap_or((bytes.len(), 0));
                let start = start.min(bytes.len());
                let end = start.saturating_add(count).min(bytes.len());
                Ok(Value::Binary(bytes[start..end].into()))
            }
            Value::Default | Value::Iterator(_) => Err(self.not_applicable(target, "an Object")),
            Value::Undef => Err(self.not_applicable(target, "an Undef Value").help(Some(self.missing_help(target)))),
            other => {
                let subject = with_article(&operand_name(other));
                Err(self.not_applicable(target, &subject))
            }
        }
    }

    /// Says how a reference is written, if a name of a resource type is accessed: `package['ntp']`.
    fn reference_help(&self, target: ExprId, name: &str) -> Option<String> {
        let is_type = matches!(self.frame.tree.exprs[target], Expr::Name(_))
            && (self.options.resource_types.contains(name) || self.definitions.defines.contains_key(name));
        is_type.then(|| format!("a reference to a resource is capitalized: `{}[…]`", capitalize(name)))
    }

    /// Says why the target of an access has no value.
    fn missing_help(&self, target: ExprId) -> String {
        let missing = self.missing_key.as_ref().filter(|(span, ..)| *span == self.span(target));
        let Some((_, entries, key)) = missing else {
            return "the expression to the left of `[` has no value".to_owned();
        };
        let keys = entries.keys().filter_map(|key| match key {
            Value::String(key) => Some(&**key),
            _ => None,
        });
        let name = pp_types::interpolate(key);
        match nearest(&name, keys) {
            Some(similar) => format!("the hash has no key '{name}', but a similar one: '{similar}'"),
            None => format!("the hash has no key {}", pp_types::source_form(key)),
        }
    }

    /// An error at the value that has no elements.
    fn not_applicable(&self, target: ExprId, subject: &str) -> Stop {
        let tree = self.frame.tree;
        let mut at = target;
        while let Expr::Access(inner, _) = tree.exprs[at] {
            at = inner;
        }
        Stop::at(tree.focus(at), Error::new(ErrorKind::Operator, not_applicable_text(subject)))
    }

    fn access_string(&mut self, text: &str, ids: &[ExprId], keys: &[Value], id: ExprId) -> Eval {
        let (from, count) = self.indices(Indexed::String, ids, keys, id)?;
        // The length in characters is needed only for what counts from the end.
        let is_plain = from >= 0 && count.is_none_or(|count| count >= 0);
        let length = if is_plain { i64::MAX } else { text.chars().count() as i64 };
        let Some((start, count)) = range_of(from, count, length) else { return Ok(Value::from("")) };
        let result: String = text.chars().skip(start).take(count).collect();
        self.charge_bytes(id, result.len())?;
        Ok(Value::string(result))
    }

    fn access_array(&mut self, elements: &[Value], ids: &[ExprId], keys: &[Value], id: ExprId) -> Eval {
        let (from, count) = self.indices(Indexed::Array, ids, keys, id)?;
        let length = elements.len() as i64;
        if count.is_none() {
            let at = if from < 0 { from + length } else { from };
            let element = usize::try_from(at).ok().and_then(|at| elements.get(at));
            return Ok(element.cloned().unwrap_or(Value::Undef));
        }
        let Some((start, count)) = range_of(from, count, length) else { return Ok(Value::array(Vec::new())) };
        let start = start.min(elements.len());
        let end = start.saturating_add(count).min(elements.len());
        self.charge_elements(id, end - start)?;
        Ok(Value::array(elements[start..end].to_vec()))
    }

    /// Returns the index, and the count or end if there is one.
    fn indices(&mut self, target: Indexed, ids: &[ExprId], keys: &[Value], id: ExprId) -> Eval<(i64, Option<i64>)> {
        if keys.is_empty() || keys.len() > 2 {
            let name = match target {
                Indexed::Array => "Array",
                Indexed::String => "String",
            };
            return Err(self.error(id, format!("{name} supports [] with one or two arguments. Got {}", keys.len())));
        }
        let mut numbers = [0; 2];
        for (at, key) in keys.iter().enumerate() {
            let place = ids.get(at).copied().unwrap_or(id);
            let number = match (target, key) {
                (_, Value::Integer(_)) | (Indexed::String, _) => key.clone(),
                (Indexed::Array, _) => {
                    let help = "an element of an array is accessed by its position: an Integer".to_owned();
                    self.number_operand(place, key.clone()).map_err(|stop| stop.help(Some(help)))?
                }
            };
            numbers[at] = match (target, number) {
                (_, Value::Integer(number)) => number,
                (Indexed::Array, other) => {
                    let message = format!("An Array[] cannot use {} where Integer is expected", operand_name(&other));
                    return Err(self.error(place, message));
                }
                (Indexed::String, other) => {
                    let got = with_article(&generalize(&infer(&other)).to_string());
                    let message = format!(
                        "A substring operation does not accept {got} as a character index. Expected an Integer"
                    );
                    let help = "this is an index into a string, not the key of a hash".to_owned();
                    return Err(self.error(place, message).help(Some(help)));
                }
            };
        }
        Ok((numbers[0], keys.get(1).map(|_| numbers[1])))
    }

    /// `Type[arguments]`
    fn access_type(&mut self, id: ExprId, ids: &[ExprId], ty: &Type, keys: &[Value]) -> Eval {
        let first = ids.first().copied().unwrap_or(id);
        match ty {
            Type::Resource(None, None) => self.resource_references(id, first, keys),
            Type::Resource(Some(name), None) => self.references(first, &Type::Resource(Some(name.clone()), None), keys),
            Type::Class(None) => self.references(first, &Type::Class(None), keys),
            Type::Alias(_) => {
                let error = Error::new(ErrorKind::Operator, not_applicable_text(&with_article(&format!("{ty}-Type"))));
                Err(self.fault(id, error))
            }
            Type::Reference(name) => {
                let keys: Vec<String> = keys.iter().map(pp_types::source_form).collect();
                Ok(Value::Type(Type::Reference(format!("{name}[{}]", keys.join(", ")).into())))
            }
            _ => parametrize(ty, keys).map(Value::Type).map_err(|error| {
                // A single array stands for its elements, which have no location of their own.
                let place = match error.operand {
                    Some(Operand::Argument(at)) => ids.get(at).copied().unwrap_or(first),
                    _ => id,
                };
                self.fault(place, error)
            }),
        }
    }

    /// Rejects `Class[Web]` unless `Web` is a type.
    fn check_class_names(&mut self, ids: &[ExprId]) -> Eval<()> {
        for id in ids {
            let Expr::TypeName(name) = self.frame.tree.exprs[*id] else { continue };
            let name: Arc<str> = self.frame.tree.str(name).clone();
            if self.find_type(&name).map_err(|stop| located(stop, Some(self.span(*id))))?.is_none()
                && let Err(error) = parametrize(&Type::Class(None), &[Value::Type(Type::Reference(name.clone()))])
            {
                let help =
                    format!("a class is referred to by its name in lower case: `Class['{}']`", name.to_lowercase());
                return Err(self.fault(*id, error).help(Some(help)));
            }
        }
        Ok(())
    }

    /// `Resource['file', '/a', '/b']`: the type, then titles.
    fn resource_references(&mut self, id: ExprId, first: ExprId, keys: &[Value]) -> Eval {
        let Some((name, titles)) = keys.split_first() else {
            return parametrize(&Type::Resource(None, None), keys)
                .map(Value::Type)
                .map_err(|error| self.fault(id, error));
        };
        let base = parametrize(&Type::Resource(None, None), std::slice::from_ref(name))
            .map_err(|error| self.fault(first, error))?;
        if titles.is_empty() {
            return Ok(Value::Type(base));
        }
        self.references(first, &base, titles)
    }

    /// Returns the reference with a title, or an array for a list of titles. Titles without a value are left out.
    fn references(&mut self, first: ExprId, base: &Type, keys: &[Value]) -> Eval {
        let is_list = !matches!(keys, [key] if !matches!(key, Value::Array(_)));
        let titles = flatten(keys);
        let mut references = Vec::with_capacity(titles.len());
        for title in titles.iter().filter(|title| **title != Value::Undef) {
            let ty = parametrize(base, std::slice::from_ref(title)).map_err(|error| self.fault(first, error))?;
            references.push(Value::Type(ty));
        }
        match references.pop() {
            Some(reference) if !is_list => Ok(reference),
            None if !is_list => Ok(Value::Undef),
            last => {
                references.extend(last);
                Ok(Value::array(references))
            }
        }
    }
}

fn not_applicable_text(subject: &str) -> String {
    format!("Operator '[]' is not applicable to {subject}.")
}

/// Returns the start and the count of a range, or `None` if it is outside.
fn range_of(from: i64, count: Option<i64>, length: i64) -> Option<(usize, usize)> {
    let count = count.unwrap_or(1);
    // Both may count from the end; a negative count is the position of the last element.
    let start = if from < 0 { from.checked_add(length)? } else { from };
    let end = if count < 0 { count.checked_add(length)?.checked_add(1)? } else { start.saturating_add(count) };
    let start_inside = start.max(0);
    if start_inside >= end {
        return None;
    }
    Some((usize::try_from(start_inside).ok()?, usize::try_from(end - start_inside).ok()?))
}

/// Returns the elements of nested arrays.
fn flatten(values: &[Value]) -> Vec<Value> {
    let mut flat = Vec::with_capacity(values.len());
    let mut stack: Vec<&Value> = values.iter().rev().collect();
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(elements) => stack.extend(elements.iter().rev()),
            other => flat.push(other.clone()),
        }
    }
    flat
}
