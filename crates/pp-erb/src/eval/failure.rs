//! Exceptions: raising and handling them.

use std::rc::Rc;

use crate::classes::Class;
use crate::interpreter::Interpreter;
use crate::stop::{Eval, Raise, Stop};
use crate::syntax::Begin;
use crate::value::{Exception, Value};

impl Interpreter<'_> {
    pub(super) fn begin(&mut self, begin: &Begin) -> Eval {
        let result = self.handled(begin);
        if let Some(ensure) = &begin.ensure
            && !matches!(result, Err(Stop::Fatal(_)))
        {
            self.eval(ensure)?;
        }
        result
    }

    fn handled(&mut self, begin: &Begin) -> Eval {
        let raise = match self.eval_optional(begin.body.as_ref()) {
            Ok(value) => {
                return match &begin.otherwise {
                    Some(otherwise) => self.eval(otherwise),
                    None => Ok(value),
                };
            }
            Err(Stop::Raise(raise)) => raise,
            Err(other) => return Err(other),
        };
        for rescue in &begin.rescues {
            let classes = if rescue.classes.is_empty() {
                vec![Value::Class(Class::StandardError)]
            } else {
                self.arguments(&rescue.classes)?
            };
            let is_match = classes.iter().any(|class| match class {
                Value::Class(class) => raise.class.is_a(*class),
                _ => false,
            });
            if is_match {
                if let Some(variable) = &rescue.variable {
                    let exception = Exception { class: raise.class, message: raise.message.clone() };
                    self.assign(variable, Value::Exception(Rc::new(exception)))?;
                }
                return self.eval_optional(rescue.body.as_ref());
            }
        }
        Err(Stop::Raise(raise))
    }

    /// `raise`, with its arguments.
    pub fn raise(&mut self, arguments: &[Value]) -> Eval {
        let raise = match arguments {
            [] => Raise::new(Class::RuntimeError, ""),
            [Value::Str(message)] => Raise::new(Class::RuntimeError, message.get().to_owned()),
            [Value::Class(class)] if class.is_a(Class::Exception) => Raise::new(*class, class.name()),
            [Value::Exception(exception)] => Raise::new(exception.class, exception.message.clone()),
            [Value::Class(class), message, ..] if class.is_a(Class::Exception) => {
                Raise::new(*class, crate::show::to_s(&self.work, message))
            }
            [Value::Exception(exception), message, ..] => {
                Raise::new(exception.class, crate::show::to_s(&self.work, message))
            }
            _ => Raise::type_error("exception class/object expected"),
        };
        Err(raise.into())
    }
}
