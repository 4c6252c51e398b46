//! What Puppet, Ansible and Terraform call fields and meta parameters, as docs/migration.md lists them.

/// Fields: the kind, the name elsewhere, and the field of mcl.
const FIELDS: &[(&str, &str, &str)] = &[
    ("exec", "command", "cmd"),
    ("exec", "onlyif", "ifcmd"),
    ("exec", "only_if", "ifcmd"),
    ("exec", "unless", "nifcmd"),
    ("exec", "not_if", "nifcmd"),
    ("exec", "environment", "env"),
    ("exec", "chdir", "cwd"),
    ("exec", "dir", "cwd"),
    ("exec", "refresh_only", "refreshonly"),
    ("file", "src", "source"),
    ("file", "dest", "path"),
    ("file", "filename", "path"),
    ("file", "permissions", "mode"),
    ("file", "file_permission", "mode"),
    ("file", "target", "source"),
    ("file", "text", "content"),
    ("svc", "status", "state"),
    ("pkg", "version", "state"),
    ("user", "home", "homedir"),
];

/// Meta parameters: the name elsewhere, and that of mcl.
const META: &[(&str, &str)] = &[
    ("retries", "retry"),
    ("tries", "retry"),
    ("try_sleep", "delay"),
    ("sleep", "delay"),
    ("interval", "poll"),
    ("dry_run", "noop"),
    ("check_mode", "noop"),
    ("semaphore", "sema"),
    ("rate", "limit"),
];

/// Returns what to write in place of a keyword elsewhere that, with a string and braces after it, looks like a kind.
pub(crate) fn keyword(name: &str) -> Option<&'static str> {
    Some(match name {
        "unless" => "a condition is written `if not (…) { … }`",
        "while" | "until" => "there are no loops with a condition; `for` and `forkv` iterate over lists and maps",
        "case" | "switch" | "match" | "when" => "write an `if` for each case: `if $x == \"a\" { … }`",
        "node" | "host" => "compare the name of the host: `if $hostname == \"name\" { … }`",
        "define" | "role" | "task" | "play" | "recipe" => {
            "a class groups resources and takes parameters: `class name($x) { … }`; `include name(…)` applies it"
        }
        "data" | "resource" => "a resource starts with its kind: `file \"/tmp/a\" { … }`",
        "variable" | "locals" | "output" => "a variable is bound by `$name = …`; a program has no inputs and outputs",
        "module" => "a module is imported, `import \"name/\"`, and its classes included",
        "provider" | "terraform" | "backend" | "provisioner" => "omit it: mcl has nothing of that kind",
        "stage" => "order is given by edges between resources: `File[\"a\"] -> Exec[\"b\"]`",
        _ => return None,
    })
}

/// Returns the field of mcl for the name of a field elsewhere.
pub(crate) fn field(kind: &str, name: &str) -> Option<&'static str> {
    FIELDS.iter().find(|(of, foreign, _)| *of == kind && *foreign == name).map(|(_, _, field)| *field)
}

/// Returns what to write in place of a field elsewhere whose value is another one in mcl, too.
pub(crate) fn field_with_value(kind: &str, name: &str) -> Option<&'static str> {
    Some(match (kind, name) {
        ("exec", "path") => "write the path of the command in full, or `env => {\"PATH\" => \"/usr/bin:/bin\"},`",
        ("svc", "enable" | "enabled") => "write `startup => \"enabled\",` or `startup => \"disabled\",`",
        ("cron", "command" | "job" | "minute" | "hour" | "monthday" | "day" | "month" | "weekday" | "user") => {
            "a job of a crontab has the kind `cron:job`; `cron` is a timer of systemd"
        }
        _ => return None,
    })
}

/// Returns the meta parameter of mcl for the name of one elsewhere.
pub(crate) fn meta_parameter(name: &str) -> Option<&'static str> {
    META.iter().find(|(foreign, _)| *foreign == name).map(|(_, parameter)| *parameter)
}

/// Returns what to write in place of a field of all kinds elsewhere, which is not a field in mcl.
pub(crate) fn every_kind(name: &str) -> Option<&'static str> {
    Some(match name {
        "require" | "depends_on" | "depend" => "an edge is an entry of its own: `Depend => Kind[\"name\"],`",
        "before" => "an edge is an entry of its own: `Before => Kind[\"name\"],`",
        "notify" => "a notification is an entry of its own: `Notify => Kind[\"name\"],`",
        "subscribe" | "listen" => "a notification is an entry of its own: `Listen => Kind[\"name\"],`",
        "count" | "for_each" | "loop" | "with_items" => {
            "declare the resource in a loop, `for $index, $value in … { … }`, or give it a list of names: `kind [\"a\", \"b\"] { … }`"
        }
        "when" => "declare the resource in an `if` statement: `if … { … }`",
        "become" | "sudo" | "provider" | "register" | "tags" | "tag" | "lifecycle" => {
            "omit it: mcl has nothing of that kind"
        }
        "name" | "title" | "namevar" => "the name of a resource precedes its braces: `kind \"name\" { … }`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use mcl_parser::FOREIGN_KINDS;
    use resource_graph::META_NAMES;

    use super::{FIELDS, META};

    #[test]
    fn every_suggestion_exists_and_no_name_elsewhere_is_a_name_of_mcl() {
        for (foreign, kind) in FOREIGN_KINDS {
            assert!(resource_graph::kind(kind).is_some(), "{kind}");
            assert!(resource_graph::kind(foreign).is_none(), "{foreign}");
        }
        for (kind, foreign, field) in FIELDS {
            let kind = resource_graph::kind(kind).expect(kind);
            assert!(kind.field(field).is_some(), "{}.{field}", kind.name);
            assert!(kind.field(foreign).is_none(), "{}.{foreign}", kind.name);
        }
        for (foreign, parameter) in META {
            assert!(META_NAMES.contains(parameter) && !META_NAMES.contains(foreign), "{foreign}");
        }
    }
}
