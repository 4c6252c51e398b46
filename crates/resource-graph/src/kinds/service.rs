//! `svc` (spec 05 §6.3).

use crate::validate::nothing_more;
use crate::{Field, Kind, Traits};

pub(super) const SVC: Kind = Kind {
    name: "svc",
    doc: "A systemd service: whether it runs, and whether it starts at boot. The unit is `NAME.service`.",
    fields: &[
        Field::new("state", "str", "Whether it runs; not set leaves it alone.").one_of(&["running", "stopped", ""]),
        Field::new("startup", "str", "Whether it starts at boot; not set leaves it alone.")
            .one_of(&["enabled", "disabled", ""]),
        Field::new("session", "bool", "Use the user's manager instead of the system's."),
    ],
    sends: &[],
    traits: Traits { autoedge: true, autogroup: true, refresh: true, ..Traits::NONE },
    validate: nothing_more,
};
