//! Object types from their definitions, and what is wrong with these.

use std::sync::{Arc, OnceLock};

use crate::assignable::is_assignable;
use crate::describe::class_name;
use crate::error::{Error, ErrorKind};
use crate::infer::{generalize, infer};
use crate::instance::is_instance;
use crate::mismatch::describe_mismatch;
use crate::object_type::{Member, MemberKind, ObjectType};
use crate::parse::parse_type;
use crate::types::{Nested, Type};
use crate::value::{Hash, Value};

/// The type of definitions.
const DEFINITION: &str = r"Struct[{
    Optional['name'] => Pattern[/\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z/],
    Optional['parent'] => Type,
    Optional['type_parameters'] => Hash[Pattern[/\A[a-z_]\w*\z/], NotUndef],
    Optional['attributes'] => Hash[Pattern[/\A[a-z_]\w*\z/], NotUndef],
    Optional['constants'] => Hash[Pattern[/\A[a-z_]\w*\z/], Any],
    Optional['functions'] => Hash[Pattern[/\A[a-z_]\w*\z/], NotUndef],
    Optional['equality'] => Variant[String, Array[String]],
    Optional['equality_include_type'] => Boolean,
    Optional['checks'] => Any,
    Optional['annotations'] => Hash
}]";

/// The type of the long form of an attribute.
const ATTRIBUTE: &str = "Struct[{
    'type' => Type,
    Optional['annotations'] => Hash,
    Optional['final'] => Boolean,
    Optional['override'] => Boolean,
    Optional['kind'] => Enum['constant', 'derived', 'given_or_derived', 'reference'],
    Optional['value'] => Any
}]";

/// Keys in the order in which a type is printed.
const KEYS: [&str; 10] = [
    "annotations",
    "name",
    "parent",
    "type_parameters",
    "attributes",
    "constants",
    "functions",
    "equality",
    "equality_include_type",
    "checks",
];

/// Makes an object type of its definition. An alias gives it its name.
///
/// # Errors
/// What is wrong with the definition, with Puppet's text.
pub fn define_object(name: Option<&str>, definition: &Hash) -> Result<ObjectType, Error> {
    static SCHEMA: OnceLock<Result<Type, Error>> = OnceLock::new();
    let value = Value::hash(definition.clone());
    check(&SCHEMA, DEFINITION, "object initializer has wrong type,", &value)?;
    let written = match definition.get(&Value::from("name")) {
        Some(Value::String(name)) => Some(Arc::clone(name)),
        _ => None,
    };
    let name = name.map(Arc::from).or(written);
    let written_parent = match definition.get(&Value::from("parent")) {
        Some(Value::Type(parent)) => Some(parent),
        _ => None,
    };
    if let Some(Type::Alias(alias)) = written_parent
        && alias.resolved().is_none()
    {
        return Err(error(format!("The Object type '{}' inherits from itself", alias.name())));
    }
    let parent = written_parent.and_then(ObjectType::of);
    // A parent whose type parameters have values leaves the attributes to the type.
    let inherits_members = !matches!(written_parent, Some(Type::ObjectExtension(_)));
    let inherited_from = parent.as_ref().filter(|_| inherits_members);
    let owner: Arc<str> = name.clone().unwrap_or_else(|| "Object".into());
    let mut members = inherited_from.map_or_else(Vec::new, |parent| parent.members.clone());
    let type_parameters = type_parameters(&owner, inherited_from, definition)?;
    let inherited = members.len();
    for (member, is_override) in own_members(&owner, definition)? {
        add_member(&mut members, inherited, member, is_override)?;
    }
    let mut object = ObjectType {
        name,
        parent,
        members,
        type_parameters,
        equality: Vec::new(),
        equality_includes_type: true,
        definition: Hash::default(),
    };
    set_equality(&mut object, definition)?;
    object.definition = printed(object.name.as_ref(), definition);
    Ok(object)
}

fn error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::TypeParameters, message)
}

fn check(cell: &OnceLock<Result<Type, Error>>, source: &str, subject: &str, value: &Value) -> Result<(), Error> {
    let schema = cell.get_or_init(|| parse_type(source, &|_| None)).as_ref().map_err(Clone::clone)?;
    if is_instance(schema, value) {
        return Ok(());
    }
    Err(error(describe_mismatch(subject, schema, value)))
}

/// Returns the entries of a part of a definition.
fn entries<'a>(definition: &'a Hash, part: &str) -> impl Iterator<Item = (&'a Arc<str>, &'a Value)> {
    let entries = match definition.get(&Value::from(part)) {
        Some(Value::Hash(entries)) => Some(entries.iter()),
        _ => None,
    };
    entries.into_iter().flatten().filter_map(|(key, value)| match key {
        Value::String(name) => Some((name, value)),
        _ => None,
    })
}

/// Returns the members that a definition adds, and whether each is to override another one.
fn own_members(owner: &Arc<str>, definition: &Hash) -> Result<Vec<(Member, bool)>, Error> {
    let mut members = Vec::new();
    for (name, written) in entries(definition, "attributes") {
        members.push(attribute(owner, name, written)?);
    }
    for (name, value) in entries(definition, "constants") {
        let ty = generalize(&infer(value)).into();
        let kind = MemberKind::Constant(value.clone());
        let member = Member { name: name.clone(), owner: owner.clone(), ty, kind, is_final: true };
        if members.iter().any(|(other, _): &(Member, bool)| other.name == *name) {
            return Err(error(format!("{} is defined as both a constant and an attribute", member.label())));
        }
        members.push((member, false));
    }
    for (name, written) in entries(definition, "functions") {
        let (ty, is_override) = match written {
            Value::Hash(long) => (long.get(&Value::from("type")), flag(long, "override")),
            ty => (Some(ty), false),
        };
        let Some(Value::Type(ty)) = ty else {
            let found = class_name(written);
            return Err(error(format!("function {owner}[{name}] has wrong type, expects a Type value, got {found}")));
        };
        let (name, owner) = (name.clone(), owner.clone());
        let member = Member { name, owner, ty: ty.clone().into(), kind: MemberKind::Function, is_final: false };
        if members.iter().any(|(other, _)| other.name == member.name) {
            return Err(error(format!("{} conflicts with attribute with the same name", member.label())));
        }
        members.push((member, is_override));
    }
    Ok(members)
}

/// Returns the type parameters with their types, those of the parent first.
fn type_parameters(
    owner: &str,
    parent: Option<&Arc<ObjectType>>,
    definition: &Hash,
) -> Result<Vec<(Arc<str>, Nested)>, Error> {
    let mut parameters = parent.map_or_else(Vec::new, |parent| parent.type_parameters.clone());
    for (name, written) in entries(definition, "type_parameters") {
        let label = format!("type_parameter {owner}[{name}]");
        let ty = match declared_type(written) {
            Value::Type(ty) => ty,
            other => {
                return Err(error(describe_mismatch(&format!("{label} has wrong type,"), &Type::Type(None), other)));
            }
        };
        if let Some(parent) = parent
            && parent.type_parameters.iter().any(|(other, _)| other == name)
        {
            let inherited = format!("type_parameter {}[{name}]", parent.label());
            return Err(error(format!("{label} attempts to override {inherited} without having override => true")));
        }
        parameters.push((name.clone(), ty.clone().into()));
    }
    Ok(parameters)
}

/// Returns what a member is declared with: a type, or `type` of the long form.
fn declared_type(written: &Value) -> &Value {
    match written {
        Value::Hash(long) => long.get(&Value::from("type")).unwrap_or(written),
        other => other,
    }
}

fn flag(long: &Hash, name: &str) -> bool {
    long.get(&Value::from(name)) == Some(&Value::Boolean(true))
}

/// Reads an attribute: a type, or a hash with more about it.
fn attribute(owner: &Arc<str>, name: &Arc<str>, written: &Value) -> Result<(Member, bool), Error> {
    static SCHEMA: OnceLock<Result<Type, Error>> = OnceLock::new();
    let (name, owner) = (name.clone(), owner.clone());
    let plain = MemberKind::Attribute(None);
    let long = match written {
        Value::Type(ty) => {
            return Ok((Member { name, owner, ty: ty.clone().into(), kind: plain, is_final: false }, false));
        }
        Value::Hash(long) => long,
        other => {
            let text = describe_mismatch("has wrong type,", &Type::Type(None), other);
            return Err(error(format!("attribute {owner}[{name}] {text}")));
        }
    };
    check(&SCHEMA, ATTRIBUTE, &format!("initializer for attribute {owner}[{name}] has wrong type,"), written)?;
    let part = |name: &str| long.get(&Value::from(name));
    let ty = match part("type") {
        Some(Value::Type(ty)) => ty.clone(),
        _ => Type::Any,
    };
    let value = part("value");
    let kind = match part("kind") {
        Some(Value::String(kind)) => &**kind,
        _ => "",
    };
    let label = || format!("attribute {owner}[{name}]");
    if let Some(value) = value {
        if matches!(kind, "derived" | "given_or_derived") {
            let message = format!("{} of kind '{kind}' cannot be combined with an attribute value", label());
            return Err(error(message));
        }
        if !is_instance(&ty, value) {
            return Err(error(describe_mismatch(&format!("{} value has wrong type,", label()), &ty, value)));
        }
    }
    let kind = match (kind, value) {
        ("constant", Some(value)) => MemberKind::Constant(value.clone()),
        ("constant", None) => return Err(error(format!("{} of kind 'constant' requires a value", label()))),
        ("derived", _) => MemberKind::Derived,
        (_, value) => MemberKind::Attribute(value.cloned()),
    };
    let is_final = flag(long, "final") || matches!(kind, MemberKind::Constant(_));
    Ok((Member { name, owner, ty: ty.into(), kind, is_final }, flag(long, "override")))
}

/// Adds a member, in place of the inherited one that it overrides.
fn add_member(members: &mut Vec<Member>, inherited: usize, member: Member, is_override: bool) -> Result<(), Error> {
    let Some(at) = members[..inherited].iter().position(|other| other.name == member.name) else {
        if is_override {
            let kind = if member.kind == MemberKind::Function { "function" } else { "attribute" };
            return Err(error(format!(
                "expected {} to override an inherited {kind}, but no such {kind} was found",
                member.label()
            )));
        }
        members.push(member);
        return Ok(());
    };
    let earlier = &members[at];
    if earlier.is_final
        && !(matches!(earlier.kind, MemberKind::Constant(_)) && matches!(member.kind, MemberKind::Constant(_)))
    {
        return Err(error(format!("{} attempts to override final {}", member.label(), earlier.label())));
    }
    let is_constant = matches!(member.kind, MemberKind::Constant(_));
    if !is_override && !is_constant {
        return Err(error(format!(
            "{} attempts to override {} without having override => true",
            member.label(),
            earlier.label()
        )));
    }
    if !is_assignable(&earlier.ty, &member.ty) {
        return Err(error(format!(
            "{} attempts to override {} with a type that does not match",
            member.label(),
            earlier.label()
        )));
    }
    members[at] = member;
    Ok(())
}

fn set_equality(object: &mut ObjectType, definition: &Hash) -> Result<(), Error> {
    object.equality_includes_type =
        definition.get(&Value::from("equality_include_type")) != Some(&Value::Boolean(false));
    let written: Option<Vec<Arc<str>>> = match definition.get(&Value::from("equality")) {
        Some(Value::String(name)) => Some(vec![name.clone()]),
        Some(Value::Array(names)) => {
            let names =
                names.iter().filter_map(|name| if let Value::String(name) = name { Some(name.clone()) } else { None });
            Some(names.collect())
        }
        _ => None,
    };
    let Some(own) = written else {
        let names = object.attributes().map(|attribute| attribute.name.clone());
        object.equality = names.collect();
        return Ok(());
    };
    if !object.equality_includes_type && !own.is_empty() {
        return Err(error("equality_include_type = false cannot be combined with non empty equality specification"));
    }
    for name in &own {
        let Some(member) = object.member(name) else {
            let label = object.label();
            return Err(error(format!("{label} equality is referencing non existent attribute '{name}'")));
        };
        if let MemberKind::Constant(_) | MemberKind::Function = member.kind {
            let (label, member) = (object.label(), member.label());
            return Err(error(format!(
                "{label} equality is referencing {member}. Only attribute values can be compared"
            )));
        }
    }
    let inherited = object.parent.as_ref().map_or(&[][..], |parent| &parent.equality);
    object.equality = inherited.iter().cloned().chain(own).collect();
    Ok(())
}

/// Returns a definition as it is printed: in the usual order, with the name, and constants apart from attributes.
fn printed(name: Option<&Arc<str>>, definition: &Hash) -> Hash {
    let mut parts: Hash = definition.clone();
    if let Some(name) = name {
        parts.insert("name".into(), Value::String(name.clone()));
    }
    let mut constants: Hash = match parts.get(&Value::from("constants")) {
        Some(Value::Hash(constants)) => (***constants).clone(),
        _ => Hash::default(),
    };
    let mut attributes = Hash::default();
    for (name, written) in entries(definition, "attributes") {
        let key = Value::String(name.clone());
        match written {
            Value::Hash(long) if long.get(&Value::from("kind")) == Some(&Value::from("constant")) => {
                constants.insert(key, long.get(&Value::from("value")).cloned().unwrap_or(Value::Undef));
            }
            Value::Hash(long) if long.len() == 1 => {
                attributes.insert(key, long.get(&Value::from("type")).cloned().unwrap_or(Value::Undef));
            }
            Value::Type(Type::Optional(_)) => {
                // Such an attribute need not be given.
                let long = [("type", written.clone()), ("value", Value::Undef)];
                let long: Hash = long.into_iter().map(|(part, value)| (Value::from(part), value)).collect();
                attributes.insert(key, Value::hash(long));
            }
            other => {
                attributes.insert(key, other.clone());
            }
        }
    }
    let type_parameters = entries(definition, "type_parameters");
    let type_parameters: Hash =
        type_parameters.map(|(name, written)| (Value::String(name.clone()), declared_type(written).clone())).collect();
    let parts_with_members =
        [("type_parameters", type_parameters), ("attributes", attributes), ("constants", constants)];
    for (part, entries) in parts_with_members {
        if entries.is_empty() {
            parts.shift_remove(&Value::from(part));
        } else {
            parts.insert(part.into(), Value::hash(entries));
        }
    }
    if let Some(Value::String(only)) = parts.get(&Value::from("equality")) {
        let only = Value::array(vec![Value::String(only.clone())]);
        parts.insert("equality".into(), only);
    }
    let part = |key: &&str| Some((Value::from(*key), parts.get(&Value::from(*key))?.clone()));
    KEYS.iter().filter_map(part).collect()
}
