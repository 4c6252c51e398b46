//! Types that structure a catalog, and messages.

use crate::attribute::{name, parameter, property};
use crate::resource_type::ResourceType;
use crate::values::Pattern;

pub(crate) static COMPONENT: ResourceType = ResourceType::new(
    "component",
    "What an agent makes of classes and instances of defines; not to be declared.",
    &[name("name", "The name.")],
);

pub(crate) static NOTIFY: ResourceType = ResourceType::new(
    "notify",
    "Sends a message to the log of the agent.",
    &[
        parameter("withpath", "Whether the message says which resource it is of.").boolean(),
        name("name", "A label of the message."),
        property("message", "The message; the name if it is not set."),
    ],
);

pub(crate) static RESOURCES: ResourceType = ResourceType::new(
    "resources",
    "Manages all resources of a type at once, such as those that are in no catalog.",
    &[
        name("name", "The name of the type."),
        parameter("purge", "Whether resources that are not in the catalog are removed.").yes_no(),
        parameter("unless_system_user", "Which system users are kept: all, none, or those below a UID.")
            .words_or(&["true", "false"], Pattern::Digits),
        parameter("unless_uid", "The UIDs of users that are kept.").matching(Pattern::Id),
    ],
);

pub(crate) static SCHEDULE: ResourceType = ResourceType::new(
    "schedule",
    "Says when resources are applied.",
    &[
        name("name", "The name, which the metaparameter `schedule` refers to."),
        parameter("range", "The time of day, such as `2 - 4`.").matching(Pattern::TimeRange),
        parameter("periodmatch", "Whether periods are compared by their number or their distance.")
            .words(&["number", "distance"]),
        parameter("period", "How often a resource is applied.")
            .words(&["hourly", "daily", "weekly", "monthly", "never"]),
        parameter("repeat", "How often a resource is applied in a period.").matching(Pattern::Whole),
        parameter("weekday", "The days of the week.").matching(Pattern::Weekday),
    ],
);

pub(crate) static STAGE: ResourceType = ResourceType::new(
    "stage",
    "A run stage: a group of classes that is ordered as a whole.",
    &[name("name", "The name, which the metaparameter `stage` of classes refers to.")],
);

pub(crate) static WHIT: ResourceType = ResourceType::new(
    "whit",
    "The start or end of a container in the graph of an agent; not to be declared.",
    &[name("name", "The name.")],
);
