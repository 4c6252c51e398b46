//! The value of a parameter that is meant by one that Puppet, Ansible, Terraform or systemd have in its place.

use mcl_diagnostics::nearest;

use crate::{Check, Field, ResourceKind};

/// Values with the same meaning, in any of their languages. What mcl calls them comes first.
const SYNONYMS: &[(&[&str], &[&str])] = &[
    (
        &["running", "exists", "up", "on", "enabled"],
        &[
            "running",
            "started",
            "start",
            "active",
            "up",
            "on",
            "true",
            "yes",
            "1",
            "present",
            "exists",
            "enabled",
            "enable",
            "restarted",
            "reloaded",
        ],
    ),
    (
        &["exists", "installed"],
        &[
            "exists",
            "exist",
            "present",
            "created",
            "create",
            "file",
            "directory",
            "dir",
            "folder",
            "link",
            "symlink",
            "touch",
            "mounted",
            "installed",
            "install",
            "true",
            "yes",
        ],
    ),
    (
        &["absent", "removed", "uninstalled", "stopped"],
        &[
            "absent",
            "removed",
            "remove",
            "deleted",
            "delete",
            "purged",
            "purge",
            "uninstalled",
            "missing",
            "unmounted",
            "gone",
            "terminated",
            "destroyed",
            "false",
            "no",
        ],
    ),
    (
        &["stopped", "shutoff", "off", "down", "absent", "disabled"],
        &[
            "stopped", "stop", "inactive", "dead", "down", "off", "halted", "shutdown", "false", "no", "0", "exited",
            "disabled",
        ],
    ),
    (
        &["enabled"],
        &["enabled", "enable", "enabled-runtime", "true", "yes", "on", "auto", "automatic", "boot", "static"],
    ),
    (&["disabled"], &["disabled", "disable", "false", "no", "off", "manual", "never", "masked", "mask"]),
    (&["newest"], &["newest", "latest", "upgraded", "current"]),
];

/// Returns the one of `values` that is meant by `found`.
pub(crate) fn similar_value(values: &[&'static str], found: &str) -> Option<&'static str> {
    let folded = found.trim().to_lowercase();
    let same = values.iter().copied().find(|value| !value.is_empty() && value.to_lowercase() == folded);
    let synonym = || {
        SYNONYMS
            .iter()
            .filter(|(_, group)| group.contains(&&*folded))
            .find_map(|(ours, _)| ours.iter().find_map(|ours| values.iter().copied().find(|value| value == ours)))
    };
    same.or_else(synonym).or_else(|| nearest(&folded, values.iter().copied().filter(|value| !value.is_empty())))
}

/// Returns what to write for `found`, which is not a value of a field that has only certain values.
pub(crate) fn help_for_value(kind: &ResourceKind, field: &Field, found: &str) -> Option<String> {
    let Check::OneOf(values) = field.check else { return None };
    let takes = |other: &&Field| {
        other.name != field.name && matches!(other.check, Check::OneOf(values) if values.contains(&found))
    };
    if !found.is_empty()
        && let Some(other) = kind.fields.iter().find(takes)
    {
        return Some(format!("did you mean `{} => {found:?}`?", other.name));
    }
    let similar = similar_value(values, found)?;
    let aside = match (kind.name, field.name, found) {
        ("file", "state", "directory" | "dir" | "folder") => " The path of a directory ends with `/`",
        ("file", "state", "link" | "symlink") => " A link has `symlink => true`, and `source` is its target",
        ("svc", "state", "restarted" | "reloaded") => {
            " A service restarts when it is notified: `Listen => File[\"name\"],`"
        }
        _ => "",
    };
    Some(format!("did you mean {similar:?}?{aside}"))
}

#[cfg(test)]
mod tests {
    use super::{SYNONYMS, similar_value};

    #[test]
    fn a_value_of_another_language_is_the_value_that_the_parameter_has_for_it() {
        let cases: &[(&'static [&'static str], &str, Option<&str>)] = &[
            (&["running", "stopped", ""], "started", Some("running")),
            (&["running", "stopped", ""], "dead", Some("stopped")),
            (&["running", "stopped", ""], "Running", Some("running")),
            (&["running", "stopped", ""], "absent", Some("stopped")),
            (&["running", "stopped", ""], "runing", Some("running")),
            (&["exists", "absent", ""], "present", Some("exists")),
            (&["exists", "absent", ""], "directory", Some("exists")),
            (&["exists", "absent"], "unmounted", Some("absent")),
            (&["running", "stopped", "removed"], "absent", Some("removed")),
            (&["enabled", "disabled", ""], "true", Some("enabled")),
            (&["enabled", "disabled", ""], "masked", Some("disabled")),
            (&["up", "down", ""], "true", Some("up")),
            (&["on", "off", ""], "no", Some("off")),
            (&["newest"], "latest", Some("newest")),
            (&["raw", "qcow2", ""], "present", None),
        ];
        for (values, found, meant) in cases {
            assert_eq!(similar_value(values, found), *meant, "{found} of {values:?}");
        }
    }

    #[test]
    fn every_word_of_a_group_is_known_once_in_it() {
        for (_, group) in SYNONYMS {
            for (position, word) in group.iter().enumerate() {
                assert_eq!(group.iter().position(|other| other == word), Some(position), "{word}");
                assert_eq!(word.to_lowercase(), **word, "{word}");
            }
        }
    }
}
