//! Object types with values for their type parameters: `Limit[5]` of `type Limit = Object[{ type_parameters => { max => Integer },
//! attributes => { max => Integer } }]` (spec 07 §5.6).

use std::sync::Arc;

use crate::assignable::is_assignable;
use crate::compare::equal;
use crate::error::{Error, ErrorKind};
use crate::instance::is_instance;
use crate::mismatch::describe_mismatch;
use crate::object_type::{ObjectExtension, ObjectType, ObjectValue};
use crate::types::Type;
use crate::value::{Hash, Value};

/// Of two types, which is compared.
#[derive(Clone, Copy)]
enum Compared {
    /// The attribute of an instance: a type is a value like others.
    Attribute,
    /// The parameter of another type: a type accepts what is assignable to it.
    Parameter,
}

impl ObjectExtension {
    /// Makes the type of `base[arguments]`: values in the order of the type parameters, `default` for those without one, or a hash
    /// of them.
    ///
    /// # Errors
    /// A type that does not have type parameters, an unknown one, or a value of another type.
    pub(crate) fn new(base: &Arc<ObjectType>, arguments: &[Value]) -> Result<ObjectExtension, Error> {
        let declared = &base.type_parameters;
        let label = base.label();
        let Some((_, first)) = declared.first() else {
            return Err(error(format!("The {label}-Type cannot be parameterized using []")));
        };
        let named = match arguments {
            [Value::Hash(named)] if !is_instance(first, &arguments[0]) => Some(named),
            _ => None,
        };
        let parameters: Vec<(Arc<str>, Value)> = match named {
            Some(named) => {
                named.iter().map(|(name, value)| named_parameter(base, name, value)).collect::<Result<_, _>>()?
            }
            None => declared.iter().map(|(name, _)| name.clone()).zip(arguments.iter().cloned()).collect(),
        };
        let parameters: Vec<_> = parameters.into_iter().filter(|(_, value)| *value != Value::Default).collect();
        if parameters.is_empty() {
            return Err(error(format!("The {label}-Type cannot be parameterized using an empty parameter list")));
        }
        for (name, value) in &parameters {
            let Some((_, ty)) = declared.iter().find(|(other, _)| other == name) else { continue };
            let ty = Type::optional((**ty).clone());
            if !is_instance(&ty, value) {
                let subject = format!("type_parameter {label}[{name}] has wrong type,");
                return Err(error(describe_mismatch(&subject, &ty, value)));
            }
        }
        Ok(ObjectExtension { base: Arc::clone(base), parameters })
    }

    /// Returns whether an object is an instance.
    pub(crate) fn has_instance(&self, value: &ObjectValue) -> bool {
        let matches = |(name, pattern): &(Arc<str>, Value)| {
            accepts(pattern, value.get(name).unwrap_or(&Value::Undef), Compared::Attribute)
        };
        value.ty.inherits(&self.base) && self.parameters.iter().all(matches)
    }

    /// Returns whether all instances of another type are instances of this one.
    pub(crate) fn contains(&self, other: &ObjectExtension) -> bool {
        let matches = |(name, pattern): &(Arc<str>, Value)| {
            let found = other.parameters.iter().find(|(other, _)| other == name);
            found.is_some_and(|(_, value)| accepts(pattern, value, Compared::Parameter))
        };
        other.base.inherits(&self.base) && self.parameters.iter().all(matches)
    }

    /// Returns the values as the arguments of `base[…]`: in order, and of more than two type parameters as a hash.
    pub(crate) fn arguments(&self) -> Vec<Value> {
        if self.base.type_parameters.len() > 2 {
            let named = self.parameters.iter().map(|(name, value)| (Value::String(name.clone()), value.clone()));
            return vec![Value::hash(named.collect::<Hash>())];
        }
        let value = |name: &Arc<str>| self.parameters.iter().find(|(other, _)| other == name).map(|(_, value)| value);
        let values = self.base.type_parameters.iter().map(|(name, _)| value(name));
        let mut arguments: Vec<Value> = values.map(|value| value.cloned().unwrap_or(Value::Default)).collect();
        let given = arguments.iter().rposition(|value| *value != Value::Default).map_or(0, |last| last + 1);
        arguments.truncate(given);
        arguments
    }
}

fn named_parameter(base: &ObjectType, name: &Value, value: &Value) -> Result<(Arc<str>, Value), Error> {
    match name {
        Value::String(name) if base.type_parameters.iter().any(|(other, _)| other == name) => {
            Ok((name.clone(), value.clone()))
        }
        other => {
            let (name, label) = (crate::text::interpolate(other), base.label());
            Err(error(format!("'{name}' is not a known type parameter for {label}-Type")))
        }
    }
}

/// Returns whether the value of a type parameter accepts another value.
fn accepts(pattern: &Value, value: &Value, compared: Compared) -> bool {
    match (pattern, value) {
        (Value::Type(pattern), Value::Type(value)) if matches!(compared, Compared::Parameter) => {
            is_assignable(pattern, value) || is_instance(pattern, &Value::Type(value.clone()))
        }
        (Value::Type(pattern), value) => is_instance(pattern, value),
        (Value::Regexp(pattern), Value::String(text)) => pattern.is_match(text).unwrap_or(false),
        (pattern, value) => equal(pattern, value),
    }
}

fn error(message: String) -> Error {
    Error::new(ErrorKind::TypeParameters, message)
}
