//! `list` (spec 03 §5.9).

use mcl_value::Value;

use crate::args::Args;
use crate::table::{call_site, full, ok};
use crate::{CallSite, Function, global};

pub(crate) static FUNCTIONS: &[Function] = &[
    call_site("list.concat", CallSite::ListConcat, "Concatenates lists.", |_, args| {
        let lists = (0..args.len()).map(|i| args.list(i)).collect::<Result<Vec<_>, _>>()?;
        ok(Value::List(lists.concat().into()))
    })
    .example("list.concat([1], [2], [3]) == [1, 2, 3]"),
    full(
        "list.lookup",
        "func(list []?1, index int) ?1",
        "Returns the element at a zero-based index; an index out of range is a catchable error.",
        |_, args| global::list_lookup(args),
    )
    .example(r#"list.lookup(["a", "b"], 1) == "b""#),
];
