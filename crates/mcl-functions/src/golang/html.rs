//! `golang/html`.

use go_compat::html::{escape, unescape};

use crate::Function;
use crate::args::Args;
use crate::table::{ok, pure};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("golang/html.escape_string", "func(s str) str", "Escapes `<`, `>`, `&`, `'` and `\"`.", |_, args| {
        ok(escape(args.bytes(0)?))
    })
    .example(r#"html.escape_string("<b>") == "&lt;b&gt;""#),
    pure(
        "golang/html.unescape_string",
        "func(s str) str",
        "Replaces the named and numeric character references of HTML 5; unknown ones are kept.",
        |_, args| ok(unescape(args.bytes(0)?)),
    )
    .example(r#"html.unescape_string("&lt;b&gt;") == "<b>""#),
];
