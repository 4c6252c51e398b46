//! Data types (spec 07 §5.6).

use std::sync::{Arc, OnceLock};

use crate::regexp::Regexp;
use crate::value::{Float, SemVerRange, Timespan, Timestamp, Value};

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
    String(Size),
    /// The type of one string, inferred; it cannot be written.
    StringValue(Arc<str>),
    Enum(Arc<EnumType>),
    /// Empty: any string.
    Pattern(Arc<[Regexp]>),
    Regexp(Option<Regexp>),
    Collection(Size),
    Array(Arc<Type>, Size),
    Hash(Arc<(Type, Type)>, Size),
    Tuple(Arc<TupleType>),
    Struct(Arc<[StructMember]>),
    Optional(Option<Arc<Type>>),
    NotUndef(Option<Arc<Type>>),
    Variant(Arc<[Type]>),
    /// `Type[T]`
    Type(Option<Arc<Type>>),
    Sensitive(Option<Arc<Type>>),
    Iterable(Option<Arc<Type>>),
    Iterator(Option<Arc<Type>>),
    Callable(Option<Arc<Callable>>),
    /// `Resource`, `Resource[File]` = `File`, `File['/a']`; the type name is capitalized, e.g. `Apache::Vhost`.
    Resource(Option<Arc<str>>, Option<Arc<str>>),
    /// `Class`, `Class[a::b]`; the name is in lower case, without leading colons.
    Class(Option<Arc<str>>),
    Timestamp(TimestampBounds<Timestamp>),
    Timespan(TimestampBounds<Timespan>),
    /// Empty: any version.
    SemVer(Arc<[SemVerRange]>),
    SemVerRange,
    Uri(Option<Arc<Value>>),
    /// `Init[T, arguments]`
    Init(Option<Arc<(Type, Vec<Value>)>>),
    /// `Runtime[name, class]`
    Runtime(Option<Arc<(Arc<str>, Arc<str>)>>),
    /// A built-in object type by its name: `Deferred`, `Error`, `Target`, `Object`, `TypeSet`, …
    Object(Arc<str>),
    /// An alias, resolved when it is first needed.
    Alias(Arc<Alias>),
    /// A name that no type has.
    Reference(Arc<str>),
}

/// A range of lengths. The default is any length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// The least length.
    pub min: u64,
    /// The greatest length, `u64::MAX` for none.
    pub max: u64,
}

impl Default for Size {
    fn default() -> Size {
        Size { min: 0, max: u64::MAX }
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

/// `Tuple[…]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TupleType {
    /// The types of the elements; the last one repeats.
    pub types: Vec<Type>,
    /// The number of elements; `None`: as many as there are types.
    pub size: Option<Size>,
}

/// A member of a `Struct[…]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructMember {
    /// The key.
    pub name: Arc<str>,
    /// Whether the key must be present: written `Optional[…]`, `NotUndef[…]`, or neither.
    pub presence: Presence,
    /// The type of the value.
    pub value: Type,
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
    pub block: Option<Type>,
    /// The type of the result.
    pub returns: Option<Type>,
}

/// A type alias. Equal to another if the name is.
#[derive(Debug)]
pub struct Alias {
    /// The name.
    pub name: Arc<str>,
    /// What it stands for, set once by the evaluator; it may refer to the alias.
    pub resolved: OnceLock<Type>,
}

impl PartialEq for Alias {
    fn eq(&self, other: &Alias) -> bool {
        self.name == other.name
    }
}

impl Eq for Alias {}

impl std::hash::Hash for Alias {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
