//! `golang/os/exec`.

use go_compat::os::look_path;

use crate::Function;
use crate::args::Args;
use crate::golang::result;
use crate::table::host;

pub(crate) static FUNCTIONS: &[Function] = &[Function {
    inlinable: true,
    ..host("golang/os/exec.look_path", "func(file str) str", "The program of that name on the `$PATH`.", |_, args| {
        result(look_path(args.bytes(0)?))
    })
}];
