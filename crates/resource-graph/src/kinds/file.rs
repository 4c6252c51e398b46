//! `file` (spec 05 §6.1).

use crate::validate::nothing_more;
use crate::{Check, Field, Kind, Traits};

pub(super) const FILE: Kind = Kind {
    name: "file",
    doc: "A file, directory or symbolic link: whether it exists, its content, where that is copied from, its owner, \
          group, mode and SELinux label, and which entries of a directory may stay.",
    fields: &[
        Field::new(
            "path",
            "str",
            "The absolute path, when the name is something else; a trailing `/` means a directory.",
        )
        .default("the name"),
        Field::new("dirname", "str", "Replaces the directory part of the path; must end with `/`."),
        Field::new(
            "basename",
            "str",
            "Replaces the last part of the path; may end with `/`, which makes it a directory.",
        ),
        Field::new("state", "str", "Whether it exists; when not set it is neither created nor removed.")
            .one_of(&["exists", "absent", ""]),
        Field::new("content", "str", "The exact content; an empty text empties the file.").optional(),
        Field::new("source", "str", "The file or directory to copy from, or the text of a symbolic link."),
        Field::new(
            "fragments",
            "[]str",
            "Files whose contents are joined in order; a directory stands for the files in it, sorted by name.",
        )
        .check(Check::AbsolutePath),
        Field::new("owner", "str", "The owning user: a name or a number."),
        Field::new("group", "str", "The owning group: a name or a number."),
        Field::new("mode", "str", "The permissions: octal digits, or symbolic like `u=rw,go=r`."),
        Field::new("recurse", "bool", "Copy, watch, create or delete the whole tree."),
        Field::new("force", "bool", "Allow a file to become a directory or a symbolic link, and the reverse."),
        Field::new("purge", "bool", "Delete the entries of this directory that nothing manages."),
        Field::new("symlink", "bool", "Make the path a symbolic link with the text of `source`."),
        Field::new("selinux", "str", "The security context; an empty text removes it.").optional(),
    ],
    sends: &[],
    traits: Traits { autoedge: true, receive: true, reverse: true, ..Traits::NONE },
    validate: nothing_more,
};
