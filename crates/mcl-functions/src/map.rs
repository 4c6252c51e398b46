//! `map` (spec 03 §5.11). Keys and values are in display order.

use mcl_value::Value;

use crate::args::Args;
use crate::table::{full, ok, pure};
use crate::{Function, global};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("map.keys", "func(x map{?1: ?2}) []?1", "Returns the keys, sorted.", |_, args| {
        ok(Value::list(args.map(0)?.keys().cloned()))
    })
    .example(r#"map.keys({"a" => 1}) == ["a"]"#),
    full(
        "map.lookup",
        "func(map map{?1: ?2}, key ?1) ?2",
        "Returns the value for a key; a missing key is a catchable error.",
        |_, args| global::map_lookup(args),
    )
    .example(r#"map.lookup({"a" => 1}, "a") == 1"#),
    pure("map.values", "func(x map{?1: ?2}) []?2", "Returns the values, in the order of their keys.", |_, args| {
        ok(Value::list(args.map(0)?.values().cloned()))
    })
    .example(r#"map.values({"a" => 1}) == [1]"#),
];
