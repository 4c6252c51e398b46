//! Values and data types of the Puppet language.
//!
//! A [`Type`] is itself a value, so both live here: inference, assignability, conversion (`new`), formatting, and the texts
//! that say why a value does not match a type.
//!
//! This crate knows nothing of syntax trees, scopes, functions or catalogs.

mod alias;
mod arithmetic;
mod assignable;
mod attribute;
mod binary;
mod common;
mod compare;
mod constructor;
mod define_object;
mod definition;
mod describe;
mod directive;
mod display;
mod error;
mod format;
mod infer;
mod instance;
mod key_state;
mod mismatch;
mod mismatch_hint;
mod named;
mod nesting;
mod normalize;
mod number;
mod object_extension;
mod object_type;
mod parametrize;
mod parse;
mod regexp;
mod regexp_syntax;
mod semver;
mod serialize;
mod signature;
mod stack;
mod string_format;
mod text;
mod time;
mod time_parse;
mod time_zone;
mod type_set;
mod types;
mod uri;
mod value;

pub use alias::{Alias, Aliases, Resolved};
pub use arithmetic::{Operator, arithmetic, negate, not_numeric, takes_unconverted};
pub use assignable::is_assignable;
pub use attribute::attribute;
pub use binary::{decode_base64_leniently, encode_base64};
pub use compare::{Captures, compare, compare_integer_and_float, compare_strings, equal, is_in, matches_option};
pub use constructor::new_instance;
pub use define_object::define_object;
pub use describe::{class_name, operand_name, with_article};
pub use error::{Error, ErrorKind, Operand};
pub use format::{Foreign, FormatArgument, sprintf, sprintf_arguments};
pub use infer::{generalize, infer, infer_detailed};
pub use instance::is_instance;
pub use key_state::KeyState;
pub use mismatch::{describe_mismatch, mismatches};
pub use mismatch_hint::mismatch_hint;
pub use named::named;
pub use nesting::is_nested_deeper_than;
pub use number::parse_number;
pub use object_type::{Member, MemberKind, ObjectExtension, ObjectType, ObjectValue};
pub use parametrize::parametrize;
pub use parse::parse_type;
pub use regexp::Regexp;
pub use semver::{SemVer, SemVerRange};
pub use serialize::{from_json, rich_json};
pub use signature::{Signature, SignatureParameter, describe_signatures};
pub use stack::with_stack;
pub use text::{float_text, inspect_string, interpolate, quote, ruby_inspect, ruby_text, source_form};
pub use time::{Civil, MONTHS, Timespan, Timestamp, WEEKDAYS, days_of_date};
pub use time_zone::zone_offset;
pub use type_set::{TypeSet, TypeSetReference, check_type_set, define_type_set};
pub use types::{
    Callable, EnumType, FloatBounds, HashType, InitType, IntegerBounds, Nested, Presence, Size, StructMember,
    TimestampBounds, TupleType, Type,
};
pub use uri::Uri;
pub use value::{ArrayValue, Deferred, ErrorValue, Float, Hash, HashValue, IteratorValue, Value};
