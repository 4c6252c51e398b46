//! Assignments.

use std::rc::Rc;

use crate::interpreter::Interpreter;
use crate::methods::operator;
use crate::stop::Eval;
use crate::syntax::{Expr, LogicalOperator, Node, Target};
use crate::value::Value;

/// A target whose receiver and arguments are evaluated.
enum Place {
    Plain,
    Index { receiver: Value, arguments: Vec<Value> },
    Attribute { receiver: Value },
}

impl Interpreter<'_> {
    pub(super) fn assignment(&mut self, node: &Node) -> Eval {
        match &node.expr {
            Expr::Assign(target, value) => {
                let place = self.place(target)?;
                let value = self.eval(value)?;
                self.store(target, place, value.clone())?;
                Ok(value)
            }
            Expr::OperatorAssign { target, operator, value } => {
                let place = self.place(target)?;
                let old = self.load(target, &place)?;
                let value = self.eval(value)?;
                let new = self.invoke(&old, operator, &[value], None)?;
                self.store(target, place, new.clone())?;
                Ok(new)
            }
            Expr::LogicalAssign { target, operator, value } => {
                let place = self.place(target)?;
                let old = self.load(target, &place)?;
                if old.is_true() != (*operator == LogicalOperator::And) {
                    return Ok(old);
                }
                let value = self.eval(value)?;
                self.store(target, place, value.clone())?;
                Ok(value)
            }
            Expr::MultipleAssign(targets, value) => {
                let value = self.eval(value)?;
                self.assign_several(targets, &value)?;
                Ok(value)
            }
            Expr::MatchAssign { regexp, value, names } => {
                let regexp = self.eval(regexp)?;
                let value = self.eval(value)?;
                let result = operator(self, &regexp, "=~", &[value])?;
                for (name, local) in names {
                    let group = self.last_match.as_ref().and_then(|found| {
                        let (_, index) = found.names.iter().find(|(known, _)| known == name)?;
                        found.group(*index).map(Value::str)
                    });
                    self.set_local(*local, Value::or_nil(group));
                }
                Ok(result)
            }
            _ => Ok(Value::Nil),
        }
    }

    /// Assigns a value.
    pub fn assign(&mut self, target: &Target, value: Value) -> Eval<()> {
        if let Target::Local(local) = target {
            self.set_local(*local, value);
            return Ok(());
        }
        let place = self.place(target)?;
        self.store(target, place, value)
    }

    fn place(&mut self, target: &Target) -> Eval<Place> {
        Ok(match target {
            Target::Index { receiver, arguments, .. } => {
                Place::Index { receiver: self.eval(receiver)?, arguments: self.arguments(arguments)? }
            }
            Target::Attribute { receiver, .. } => Place::Attribute { receiver: self.eval(receiver)? },
            Target::Local(_) | Target::Instance(_) | Target::Splat(_) | Target::Multiple(_) => Place::Plain,
        })
    }

    fn load(&mut self, target: &Target, place: &Place) -> Eval {
        match (target, place) {
            (Target::Local(local), _) => Ok(self.local(*local)),
            (Target::Instance(name), _) => Ok(self.instance_variable(name)),
            (Target::Attribute { getter, .. }, Place::Attribute { receiver }) => {
                self.invoke(receiver, getter, &[], None)
            }
            (_, Place::Index { receiver, arguments }) => operator(self, receiver, "[]", arguments),
            _ => Ok(Value::Nil),
        }
    }

    fn store(&mut self, target: &Target, place: Place, value: Value) -> Eval<()> {
        match (target, place) {
            (Target::Local(local), _) => self.set_local(*local, value),
            (Target::Instance(name), _) => {
                self.instance.insert(Rc::clone(name), value);
            }
            (Target::Attribute { setter, .. }, Place::Attribute { receiver }) => {
                self.invoke(&receiver, setter, &[value], None)?;
            }
            (_, Place::Index { receiver, mut arguments }) => {
                arguments.push(value);
                operator(self, &receiver, "[]=", &arguments)?;
            }
            (Target::Splat(Some(inner)), _) => {
                let items = self.splat(&value)?;
                let items = self.list(items)?;
                self.assign(inner, items)?;
            }
            (Target::Multiple(targets), _) => self.assign_several(targets, &value)?,
            _ => {}
        }
        Ok(())
    }

    /// `a, *b, c = value`
    fn assign_several(&mut self, targets: &[Target], value: &Value) -> Eval<()> {
        let items = match value {
            Value::Array(array) => array.items().clone(),
            other => vec![other.clone()],
        };
        let splat = targets.iter().position(|target| matches!(target, Target::Splat(_)));
        let after = splat.map_or(0, |splat| targets.len() - splat - 1);
        let mut next = 0;
        for target in targets {
            match target {
                Target::Splat(inner) => {
                    let end = items.len().saturating_sub(after).max(next);
                    let rest = items.get(next..end).unwrap_or_default().to_vec();
                    next = end;
                    if let Some(inner) = inner {
                        let rest = self.list(rest)?;
                        self.assign(inner, rest)?;
                    }
                }
                target => {
                    let item = Value::or_nil(items.get(next).cloned());
                    next += 1;
                    self.assign(target, item)?;
                }
            }
        }
        Ok(())
    }
}
