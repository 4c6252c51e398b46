//! Object types that programs define: `type Point = Object[{ attributes => { x => Integer } }]` (spec 07 §5.6).

use std::sync::Arc;

use crate::alias::Alias;
use crate::stack::with_stack;
use crate::types::{Nested, Type};
use crate::value::{ArrayValue, Hash, Value};

/// `Object[{…}]`
#[derive(Debug)]
pub struct ObjectType {
    /// The name; `None` for a type that is not named.
    pub name: Option<Arc<str>>,
    /// The type that it inherits from.
    pub parent: Option<Arc<ObjectType>>,
    /// The members, those of the parent first; a member that overrides another one is in its place.
    pub members: Vec<Member>,
    /// The type parameters, those of the parent first.
    pub(crate) type_parameters: Vec<(Arc<str>, Nested)>,
    /// The names of the attributes that make two instances equal.
    pub equality: Vec<Arc<str>>,
    /// Instances of different types are never equal.
    pub equality_includes_type: bool,
    /// What the program has written, with the name.
    pub(crate) definition: Hash,
}

/// A member of an object type.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name.
    pub name: Arc<str>,
    /// The name of the type that defines it, as messages show it.
    pub owner: Arc<str>,
    /// The type of its values; for a function, its signature.
    pub ty: Nested,
    /// What it is.
    pub kind: MemberKind,
    /// Types that inherit must not override it.
    pub is_final: bool,
}

/// What a member of an object type is.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberKind {
    /// Given when an instance is made, or else this value.
    Attribute(Option<Value>),
    /// The same for all instances.
    Constant(Value),
    /// Computed by an implementation, which only Ruby can have.
    Derived,
    /// A function, which only Ruby can implement.
    Function,
}

/// An object type with values for some of its type parameters.
#[derive(Clone, Debug)]
pub struct ObjectExtension {
    /// The type without them.
    pub base: Arc<ObjectType>,
    /// The type parameters that have a value, in the order in which they are given.
    pub(crate) parameters: Vec<(Arc<str>, Value)>,
}

/// An instance of an object type.
#[derive(Debug)]
pub struct ObjectValue {
    /// The type.
    pub ty: Arc<ObjectType>,
    /// The values of the attributes, in the order of the members.
    pub(crate) values: ArrayValue,
}

impl ObjectType {
    /// Returns the name, as messages show it.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or("Object")
    }

    /// Returns the members that instances have values of.
    pub fn attributes(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| matches!(member.kind, MemberKind::Attribute(_)))
    }

    /// Returns a member by its name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| *member.name == *name)
    }

    /// Returns whether the type is another one, or inherits from it, directly or not.
    #[must_use]
    pub fn inherits(&self, ancestor: &ObjectType) -> bool {
        std::iter::successors(Some(self), |ty| ty.parent.as_deref()).any(|ty| ty == ancestor)
    }

    /// Returns the type behind aliases, if it is an object type.
    pub(crate) fn of(ty: &Type) -> Option<Arc<ObjectType>> {
        match ty {
            Type::ObjectType(object) => Some(Arc::clone(object)),
            Type::ObjectExtension(extension) => Some(Arc::clone(&extension.base)),
            Type::Alias(alias) => Alias::resolved(alias).and_then(|resolved| ObjectType::of(&resolved)),
            _ => None,
        }
    }
}

impl ObjectExtension {
    /// Returns the type of an instance: each type parameter has the value of the attribute with its name. `None` for a type
    /// without type parameters.
    pub(crate) fn of_instance(value: &ObjectValue) -> Option<ObjectExtension> {
        let parameter = |(name, _): &(Arc<str>, _)| (name.clone(), value.get(name).cloned().unwrap_or(Value::Undef));
        let parameters: Vec<_> = value.ty.type_parameters.iter().map(parameter).collect();
        (!parameters.is_empty()).then(|| ObjectExtension { base: Arc::clone(&value.ty), parameters })
    }
}

impl Member {
    /// Returns the member as messages name it: `attribute Point[x]`.
    #[must_use]
    pub fn label(&self) -> String {
        let kind = if self.kind == MemberKind::Function { "function" } else { "attribute" };
        format!("{kind} {}[{}]", self.owner, self.name)
    }

    /// Returns the value of an attribute that is not given; `None` if it must be given.
    #[must_use]
    pub fn default(&self) -> Option<&Value> {
        match &self.kind {
            MemberKind::Attribute(Some(value)) => Some(value),
            MemberKind::Attribute(None) if matches!(*self.ty, Type::Optional(_)) => Some(&Value::Undef),
            _ => None,
        }
    }
}

impl ObjectValue {
    /// Returns the value of an attribute or constant; `None` if the type does not have it, or only Ruby can implement it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        match &self.ty.member(name)?.kind {
            MemberKind::Constant(value) => Some(value),
            MemberKind::Attribute(_) => {
                let at = self.ty.attributes().position(|attribute| *attribute.name == *name)?;
                self.values.get(at)
            }
            MemberKind::Derived | MemberKind::Function => None,
        }
    }

    /// Returns the attributes whose values are not the defaults: what makes an equal instance.
    #[must_use]
    pub fn given(&self) -> Hash {
        let attributes = self.ty.attributes().zip(self.values.iter());
        let given = attributes.filter(|(attribute, value)| attribute.default() != Some(*value));
        given.map(|(attribute, value)| (Value::String(attribute.name.clone()), value.clone())).collect()
    }

    fn equality_values(&self) -> impl Iterator<Item = Option<&Value>> {
        self.ty.equality.iter().map(|name| self.get(name))
    }
}

impl PartialEq for ObjectType {
    fn eq(&self, other: &ObjectType) -> bool {
        std::ptr::eq(self, other) || self.name == other.name && self.definition == other.definition
    }
}

impl Eq for ObjectType {}

impl std::hash::Hash for ObjectType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        state.write_usize(self.members.len());
    }
}

impl PartialEq for ObjectValue {
    fn eq(&self, other: &ObjectValue) -> bool {
        (self.ty == other.ty || !self.ty.equality_includes_type && self.ty.equality == other.ty.equality)
            && with_stack(|| self.equality_values().eq(other.equality_values()))
    }
}

impl Eq for ObjectValue {}

impl std::hash::Hash for ObjectValue {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        with_stack(|| self.equality_values().for_each(|value| value.hash(state)));
    }
}

impl PartialEq for ObjectExtension {
    fn eq(&self, other: &ObjectExtension) -> bool {
        self.base == other.base && self.parameters == other.parameters
    }
}

impl Eq for ObjectExtension {}

impl std::hash::Hash for ObjectExtension {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.base.hash(state);
        self.parameters.len().hash(state);
    }
}
