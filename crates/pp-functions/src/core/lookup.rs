//! Functions that look data up.

use pp_types::Value;

use crate::function::{Call, Function};
use crate::host::Interrupt;

pub(crate) static LOOKUP: Function = Function::with_aliases(
    "lookup",
    &[
        ("NameType", "Variant[String, Array[String]]"),
        ("ValueType", "Type"),
        ("DefaultValueType", "Any"),
        ("MergeType", "Variant[String[1], Hash[String, Scalar]]"),
        ("BlockType", "Callable[NameType]"),
        (
            "OptionsWithName",
            "Struct[{'name' => NameType, 'value_type' => Optional[ValueType], 'default_value' => DefaultValueType, \
             'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], \
             'merge' => Optional[MergeType]}]",
        ),
        (
            "OptionsWithoutName",
            "Struct[{'value_type' => Optional[ValueType], 'default_value' => DefaultValueType, \
             'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], \
             'merge' => Optional[MergeType]}]",
        ),
    ],
    &[
        "NameType name, ValueType ?value_type, MergeType ?merge",
        "NameType name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType default_value",
        "NameType name, ValueType ?value_type, MergeType ?merge, BlockType &block",
        "OptionsWithName options_hash, BlockType ?&block",
        "Variant[String, Array[String]] name, OptionsWithoutName options_hash, BlockType ?&block",
    ],
    "Looks a key up in the data of the environment and of its modules. The value must match the type. The merge is `first`, \
     `unique`, `hash`, `deep`, or a hash of a strategy and its options. A default or a block says what to return for a key \
     that is not found; without one that is an error.",
    |call| call.host.lookup("lookup", call.arguments, call.block),
);

/// The signatures of `hiera` and its relatives.
const KEY: &[&str] = &[
    "Tuple[String, Any, Any, 1, 3] args",
    "String key",
    "String key, Any default, Any ?override",
    "String key, Callable[1, 1] &default_block",
    "String key, Any override, Callable[1, 1] &default_block",
];

/// Declares one of the functions that `lookup` has replaced.
macro_rules! hiera_function {
    ($function:ident, $name:literal, $documentation:literal) => {
        pub(crate) static $function: Function =
            Function::typed($name, KEY, concat!($documentation, " Deprecated: use `lookup`."), |call| {
                deprecated_lookup(call, $name)
            });
    };
}

hiera_function!(HIERA, "hiera", "Looks a key up; the first value that is found counts.");
hiera_function!(HIERA_ARRAY, "hiera_array", "Looks a key up, and returns the values of all levels as one array.");
hiera_function!(HIERA_HASH, "hiera_hash", "Looks a key up, and merges the hashes of all levels.");
hiera_function!(HIERA_INCLUDE, "hiera_include", "Looks a key up as `hiera_array` does, and declares the classes.");

fn deprecated_lookup(call: &mut Call<'_>, name: &str) -> Result<Value, Interrupt> {
    let message = format!(
        "The function '{name}' is deprecated in favor of using 'lookup'. See \
         https://puppet.com/docs/puppet/7.23/deprecated_language.html"
    );
    call.host.deprecate(&format!("{name}-function"), &message);
    call.host.lookup(name, call.arguments, call.block)
}
