//! Data types (spec 07 §5.6).

use std::hash::BuildHasher;
use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use crate::alias::Alias;
use crate::object_type::{ObjectExtension, ObjectType};
use crate::regexp::Regexp;
use crate::semver::SemVerRange;
use crate::stack::with_stack;
use crate::time::{Timespan, Timestamp};
use crate::type_set::TypeSet;
use crate::value::{Float, Value};

/// A data type, parametrised or not. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Type {
    Any,
    /// The type of the elements of an empty array: assignable to and from everything.
    Unit,
    Undef,
    Default,
    Scalar,
    ScalarData,
    Data,
    RichData,
    Numeric,
    CatalogEntry,
    Binary,
    Boolean(Option<bool>),
    Integer(IntegerBounds),
    Float(FloatBounds),
    /// Strings by their length in characters.
    String(Option<Size>),
    /// The type of one string, inferred; it cannot be written.
    StringValue(Arc<str>),
    Enum(Arc<EnumType>),
    /// Empty: any string.
    Pattern(Arc<[Regexp]>),
    Regexp(Option<Regexp>),
    Collection(Option<Size>),
    /// `Array[T, min, max]`
    Array(Nested, Option<Size>),
    /// `Hash[K, V, min, max]`
    Hash(Arc<HashType>),
    Tuple(Arc<TupleType>),
    Struct(Arc<[StructMember]>),
    Optional(Option<Nested>),
    NotUndef(Option<Nested>),
    Variant(Arc<[Type]>),
    /// `Type[T]`
    Type(Option<Nested>),
    Sensitive(Option<Nested>),
    Iterable(Option<Nested>),
    Iterator(Option<Nested>),
    Callable(Option<Arc<Callable>>),
    /// `Resource`, `Resource[File]` = `File`, `File['/a']`; the type name is capitalized, e.g. `Apache::Vhost`.
    Resource(Option<Arc<str>>, Option<Arc<str>>),
    /// `Class`, `Class[a::b]`; the name is in lower case, without leading colons.
    Class(Option<Arc<str>>),
    Timestamp(Option<Arc<TimestampBounds<Timestamp>>>),
    Timespan(Option<Arc<TimestampBounds<Timespan>>>),
    /// Empty: any version.
    SemVer(Arc<[SemVerRange]>),
    SemVerRange,
    /// The parameter is a hash of the parts, such as `scheme` and `host`.
    Uri(Option<Arc<Value>>),
    /// `Init[T, arguments]`
    Init(Option<Arc<InitType>>),
    /// `Runtime[name, class]`
    Runtime(Option<Arc<(Arc<str>, Arc<str>)>>),
    /// A built-in object type by its name: `Deferred`, `Error`, `Target`, `Object`, `TypeSet`, …
    Object(Arc<str>),
    /// `Object[{…}]`: an object type that the program defines.
    ObjectType(Arc<ObjectType>),
    /// An object type that the program defines, with values for type parameters: `Limit[5]`.
    ObjectExtension(Arc<ObjectExtension>),
    /// `TypeSet[{…}]`: a set of types that the program defines.
    TypeSet(Arc<TypeSet>),
    /// An alias, resolved when it is first needed.
    Alias(Alias),
    /// A name that no type has.
    Reference(Arc<str>),
}

/// A type within another type. Derefs to it; made with `into()`.
#[derive(Clone, Debug)]
pub struct Nested(Arc<NestedType>);

/// A type with its hash, so that hashing a type does not visit all that is nested in it.
#[derive(Debug)]
struct NestedType(Type, u64);

impl Drop for NestedType {
    fn drop(&mut self) {
        let nested = std::mem::replace(&mut self.0, Type::Any);
        with_stack(|| drop(nested));
    }
}

impl Deref for Nested {
    type Target = Type;

    fn deref(&self) -> &Type {
        &self.0.0
    }
}

impl From<Type> for Nested {
    fn from(nested: Type) -> Nested {
        let hash = with_stack(|| FxBuildHasher.hash_one(&nested));
        Nested(Arc::new(NestedType(nested, hash)))
    }
}

impl PartialEq for Nested {
    fn eq(&self, other: &Nested) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.1 == other.0.1 && with_stack(|| self.0.0 == other.0.0)
    }
}

impl Eq for Nested {}

impl std::hash::Hash for Nested {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.1);
    }
}

impl Type {
    /// Returns `Array[element]`.
    #[must_use]
    pub fn array(element: Type, size: Option<Size>) -> Type {
        Type::Array(element.into(), size)
    }

    /// Returns `Hash[key, value]`.
    #[must_use]
    pub fn hash(key: Type, value: Type, size: Option<Size>) -> Type {
        Type::Hash(Arc::new(HashType { key: key.into(), value: value.into(), size }))
    }

    /// Returns `Optional[ty]`.
    #[must_use]
    pub fn optional(ty: Type) -> Type {
        Type::Optional(Some(ty.into()))
    }

    /// Returns the type of the integers from `min` to `max`.
    #[must_use]
    pub fn integer(min: Option<i64>, max: Option<i64>) -> Type {
        Type::Integer(IntegerBounds { min, max })
    }

    /// Returns any integer.
    #[must_use]
    pub fn any_integer() -> Type {
        Type::integer(None, None)
    }

    /// Returns any float.
    #[must_use]
    pub(crate) fn any_float() -> Type {
        Type::Float(FloatBounds::default())
    }
}

/// A range of lengths. The default is any length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// The least length.
    pub min: u64,
    /// The greatest length, `u64::MAX` for none.
    pub max: u64,
}

impl Size {
    /// Any length.
    pub const ANY: Size = Size { min: 0, max: u64::MAX };

    /// Exactly this length.
    #[must_use]
    pub fn exactly(length: u64) -> Size {
        Size { min: length, max: length }
    }

    /// Returns whether a length is in the range.
    #[must_use]
    pub fn contains(self, length: u64) -> bool {
        self.min <= length && length <= self.max
    }

    /// Returns whether all lengths of another range are in this one.
    #[must_use]
    pub(crate) fn contains_size(self, other: Size) -> bool {
        self.min <= other.min && other.max <= self.max
    }
}

impl Default for Size {
    fn default() -> Size {
        Size::ANY
    }
}

/// A range of integers; `None` is unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IntegerBounds {
    /// The least value.
    pub min: Option<i64>,
    /// The greatest value.
    pub max: Option<i64>,
}

/// A range of floats; `None` is unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FloatBounds {
    /// The least value.
    pub min: Option<Float>,
    /// The greatest value.
    pub max: Option<Float>,
}

/// A range of times or durations; `None` is unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TimestampBounds<T> {
    /// The least value.
    pub min: Option<T>,
    /// The greatest value.
    pub max: Option<T>,
}

/// `Enum[…]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnumType {
    /// The strings, sorted and distinct; empty: any string.
    pub values: Vec<Arc<str>>,
    /// Upper and lower case are equal.
    pub ignore_case: bool,
}

/// `Hash[…]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HashType {
    /// The type of the keys.
    pub key: Nested,
    /// The type of the values.
    pub value: Nested,
    /// The number of entries, if it is given.
    pub size: Option<Size>,
}

/// `Init[…]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InitType {
    /// The type of the new instance.
    pub ty: Nested,
    /// The arguments of its constructor after the first one.
    pub arguments: Vec<Value>,
}

/// `Tuple[…]`
#[derive(Clone, Debug)]
pub struct TupleType {
    /// The types of the elements; the last one repeats.
    pub types: Vec<Type>,
    /// The number of elements; `None`: as many as there are types.
    pub size: Option<Size>,
}

impl Drop for TupleType {
    fn drop(&mut self) {
        if !self.types.is_empty() {
            let types = std::mem::take(&mut self.types);
            with_stack(|| drop(types));
        }
    }
}

impl PartialEq for TupleType {
    fn eq(&self, other: &TupleType) -> bool {
        self.size == other.size && with_stack(|| self.types == other.types)
    }
}

impl Eq for TupleType {}

impl std::hash::Hash for TupleType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.size.hash(state);
        with_stack(|| self.types.hash(state));
    }
}

impl TupleType {
    /// Returns the number of elements.
    #[must_use]
    pub fn length(&self) -> Size {
        self.size.unwrap_or(if self.types.is_empty() { Size::ANY } else { Size::exactly(self.types.len() as u64) })
    }

    /// Returns the type of an element: the last type repeats. `None` if there are no types.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<&Type> {
        self.types.get(index).or(self.types.last())
    }
}

/// A member of a `Struct[…]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructMember {
    /// The key.
    pub name: Arc<str>,
    /// Whether the key must be present: written `Optional[…]`, `NotUndef[…]`, or neither.
    pub presence: Presence,
    /// The type of the value.
    pub value: Nested,
}

/// How the key of a member is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// `'key'`: may be absent if the value may be undef.
    Plain,
    /// `Optional['key']`: may be absent.
    Optional,
    /// `NotUndef['key']`: must be present.
    Required,
}

/// `Callable[…]`: the signature of a function or a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Callable {
    /// The parameters.
    pub parameters: TupleType,
    /// The type of the block: a `Callable`, or `Optional` of one.
    pub block: Option<Nested>,
    /// The type of the result.
    pub returns: Option<Nested>,
}
