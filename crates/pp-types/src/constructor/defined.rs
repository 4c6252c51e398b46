//! Instances of object types that programs define.

use std::sync::Arc;

use crate::error::{Error, ErrorKind};
use crate::object_type::{Member, ObjectType, ObjectValue};
use crate::signature::{Signature, SignatureParameter, describe_signatures};
use crate::types::{Presence, StructMember, Type};
use crate::value::{ArrayValue, Value};

/// Creates an instance of the values of the attributes, those that must be given first, or of a hash of them.
pub(super) fn object(ty: &Arc<ObjectType>, arguments: &[Value]) -> Result<Value, Error> {
    if ty.name.is_none() {
        let message = "Creation of new instance of an object type without a name is not supported";
        return Err(Error::new(ErrorKind::Conversion, message).help("name the type: `type Name = Object[{ … }]`"));
    }
    let signatures = [by_name(ty), by_position(ty)];
    let value = |find: &dyn Fn(&Member) -> Option<Value>| {
        let value = |member: &Member| find(member).or_else(|| member.default().cloned()).unwrap_or(Value::Undef);
        let values = ArrayValue::new(ty.attributes().map(value).collect());
        Ok(Value::Object(Arc::new(ObjectValue { ty: Arc::clone(ty), values })))
    };
    if let [Value::Hash(entries)] = arguments
        && signatures[0].accepts(arguments, None)
    {
        return value(&|member| entries.get(&Value::String(member.name.clone())).cloned());
    }
    if signatures[1].accepts(arguments, None) {
        let names: Vec<&Arc<str>> = in_order(ty).map(|member| &member.name).collect();
        return value(&|member| arguments.get(names.iter().position(|name| **name == member.name)?).cloned());
    }
    let function = format!("new_{}", ty.label());
    Err(Error::new(ErrorKind::Arguments, describe_signatures(&function, &signatures, arguments, None)))
}

/// Returns the attributes in the order of the arguments.
fn in_order(ty: &ObjectType) -> impl Iterator<Item = &Member> {
    let required = ty.attributes().filter(|member| member.default().is_none());
    required.chain(ty.attributes().filter(|member| member.default().is_some()))
}

fn by_name(ty: &ObjectType) -> Signature {
    let member = |member: &Member| StructMember {
        name: member.name.clone(),
        presence: match (member.default(), &*member.ty) {
            (None, _) | (_, Type::Optional(_)) => Presence::Plain,
            (Some(_), _) => Presence::Optional,
        },
        value: member.ty.clone(),
    };
    let members = Type::Struct(ty.attributes().map(member).collect());
    signature(vec![parameter("hash".into(), members, false)])
}

fn by_position(ty: &ObjectType) -> Signature {
    let all = in_order(ty);
    signature(all.map(|m| parameter(m.name.clone(), (*m.ty).clone(), m.default().is_some())).collect())
}

fn signature(parameters: Vec<SignatureParameter>) -> Signature {
    Signature { parameters, block: None, returns: None }
}

fn parameter(name: Arc<str>, ty: Type, is_optional: bool) -> SignatureParameter {
    SignatureParameter { name, ty, is_optional, rest: None }
}
