//! `user` and `group` (spec 05 §6.5, 6.6).

use crate::validate::nothing_more;
use crate::{Field, Kind, Repr, Traits};

pub(super) const GROUP: Kind = Kind {
    name: "group",
    doc: "A local group. Who is a member is managed by `user`.",
    fields: &[
        Field::new("state", "str", "Whether it exists.").required().one_of(&["exists", "absent"]),
        Field::new("gid", "int", "The number.").optional().repr(Repr::Uint32),
    ],
    sends: &[],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: nothing_more,
};

pub(super) const USER: Kind = Kind {
    name: "user",
    doc: "A local account.",
    fields: &[
        Field::new("state", "str", "Whether it exists.").required().one_of(&["exists", "absent"]),
        Field::new("uid", "int", "The number.").optional().repr(Repr::Uint32),
        Field::new("gid", "int", "The number of the primary group.").optional().repr(Repr::Uint32),
        Field::new("group", "str", "The name of the primary group.").optional(),
        Field::new("groups", "[]str", "The exact set of supplementary groups; not set leaves them alone.").optional(),
        Field::new("homedir", "str", "The home directory; must end with `/`.").optional(),
        Field::new("shell", "str", "The login shell.").optional(),
        Field::new("allowduplicateuid", "bool", "Allow a number that another user has."),
    ],
    sends: &[],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: nothing_more,
};
