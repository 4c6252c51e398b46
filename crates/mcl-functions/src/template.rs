//! `golang.template`.

use crate::table::{call_site, fatal};
use crate::{CallSite, Function};

pub(crate) static FUNCTIONS: &[Function] = &[call_site(
    "golang.template",
    CallSite::Template,
    "Fills in a template in the language of Go's `text/template`.",
    |_, _| fatal("template"),
)
.not_inlinable()];
