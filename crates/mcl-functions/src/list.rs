//! `list` (spec 03 §5.9).

use mcl_value::Value;

use crate::args::Args;
use crate::table::{call_site, full, ok};
use crate::{CallSite, Function, global};

pub(crate) static FUNCTIONS: &[Function] = &[
    call_site("list.concat", CallSite::ListConcat, "The elements of all lists, in order.", |_, args| {
        let lists = (0..args.len()).map(|i| args.list(i)).collect::<Result<Vec<_>, _>>()?;
        ok(Value::List(lists.concat().into()))
    }),
    full(
        "list.lookup",
        "func(list []?1, index int) ?1",
        "The element at an index that counts from 0; fails catchably outside the list.",
        |_, args| global::list_lookup(args),
    ),
];
