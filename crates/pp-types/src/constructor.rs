//! Constructors: `Type.new(…)` (spec 07 §5.6).
//!
//! A constructor has signatures like a function. The arguments are checked by the code that uses them; the signatures are read
//! only to say why arguments are rejected.

mod collection;
mod defined;
mod error;
mod number;
mod object;
mod signatures;
mod text;
mod time;

use crate::definition::definition;
use crate::error::{Error, ErrorKind};
use crate::instance::is_instance;
use crate::mismatch::describe_mismatch;
use crate::stack::with_stack;
use crate::types::{InitType, Type};
use crate::value::Value;

/// Creates an instance of a type: `new(Type, arguments)`, the block excepted.
///
/// # Errors
/// Arguments that the constructor does not take, or that cannot be converted.
pub fn new_instance(ty: &Type, arguments: &[Value]) -> Result<Value, Error> {
    let value = with_stack(|| create(ty, arguments))?;
    if is_instance(ty, &value) {
        return Ok(value);
    }
    let subject = format!("Converted value from {ty}.new() has wrong type,");
    Err(Error::new(ErrorKind::Mismatch, describe_mismatch(&subject, ty, &value)))
}

fn create(ty: &Type, arguments: &[Value]) -> Result<Value, Error> {
    match ty {
        Type::Integer(_) => number::integer(arguments),
        Type::Float(_) => number::float(arguments),
        Type::Numeric => number::numeric(arguments),
        Type::Boolean(_) => number::boolean(arguments),
        Type::String(_) => text::string(arguments),
        Type::Regexp(_) => text::regexp(arguments),
        Type::Array(..) | Type::Tuple(_) => collection::array(arguments),
        Type::Hash(_) | Type::Struct(_) => collection::hash(arguments),
        Type::Timestamp(_) => time::timestamp(arguments),
        Type::Timespan(_) => time::timespan(arguments),
        Type::SemVer(_) => object::version(arguments),
        Type::SemVerRange => object::version_range(arguments),
        Type::Binary => text::binary(arguments),
        Type::Uri(_) => object::uri(arguments),
        Type::Sensitive(_) => object::sensitive(arguments),
        Type::Type(_) => object::type_from_text(arguments),
        Type::Object(name) if **name == *"Deferred" => object::deferred(arguments),
        Type::Object(name) if **name == *"Error" => object::error(arguments),
        Type::ObjectType(object) => defined::object(object, arguments),
        Type::ObjectExtension(extension) => defined::object(&extension.base, arguments),
        Type::Optional(Some(inner)) => match arguments {
            [Value::Undef] => Ok(Value::Undef),
            arguments => new_instance(inner, arguments),
        },
        Type::NotUndef(Some(inner)) => new_instance(inner, arguments),
        Type::Init(Some(init)) => initialize(init, arguments),
        Type::Alias(_) => match definition(ty) {
            Some(definition) => with_stack(|| create(&definition, arguments)),
            None => existing(ty, arguments),
        },
        other => existing(other, arguments),
    }
}

/// A type without a constructor of its own: a value that is an instance already is taken as it is.
fn existing(ty: &Type, arguments: &[Value]) -> Result<Value, Error> {
    match arguments {
        [value] if is_instance(ty, value) && !matches!(ty, Type::Init(None)) => Ok(value.clone()),
        _ => {
            Err(Error::new(ErrorKind::Conversion, format!("Creation of new instance of type '{ty}' is not supported")))
        }
    }
}

/// `Init[T, arguments].new(value)`: the value, or the values of an array, come before the arguments.
fn initialize(init: &InitType, arguments: &[Value]) -> Result<Value, Error> {
    let [value] = arguments else {
        return Err(signatures::rejected("new_Init", &[], &["Any value"], arguments));
    };
    if is_instance(&init.ty, value) && init.arguments.is_empty() {
        return Ok(value.clone());
    }
    match (with_arguments(init, std::slice::from_ref(value)), value) {
        (Err(_), Value::Array(elements)) if !elements.is_empty() => with_arguments(init, elements),
        (result, _) => result,
    }
}

fn with_arguments(init: &InitType, first: &[Value]) -> Result<Value, Error> {
    let arguments: Vec<Value> = first.iter().chain(init.arguments.iter()).cloned().collect();
    new_instance(&init.ty, &arguments)
}

/// Returns whether a constructor takes a value. That a number turns out to be too large does not matter.
pub(crate) fn can_create(init: &InitType, value: &Value) -> bool {
    if let Type::String(_) = *init.ty {
        return init.arguments.len() <= 1;
    }
    match initialize(init, std::slice::from_ref(value)) {
        Ok(_) => true,
        Err(error) => matches!(error.kind, ErrorKind::Arithmetic | ErrorKind::Limit),
    }
}
