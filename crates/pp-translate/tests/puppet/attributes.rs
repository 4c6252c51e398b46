//! Every attribute and metaparameter of every type that has a translation: what becomes of it. None is dropped without a word.

use expect_test::expect_file;
use pp_resource_types::{KnownTypes, METAPARAMETERS, Pattern, ResourceType, Role, Values};
use pp_translate::{Fidelity, TranslateOptions, build_relationships, read_catalog, translate};
use serde_json::{Map, Value, json};

/// Types of containers.
const NO_RESOURCES: [&str; 2] = ["component", "stage"];

/// Attributes that change nothing in a translated resource, and why. `*` stands for any type, or any attribute.
const WITHOUT_EFFECT: &[(&str, &[&str], &str)] = &[
    ("*", &["loglevel", "tag", "alias"], "they concern the log of Puppet and its catalog"),
    ("*", &["before", "require", "notify", "subscribe"], "they become edges"),
    ("*", &["stage"], "it is for classes"),
    ("*", &["noop false", "ensure present", "ensure installed"], "defaults"),
    ("exec", &["logoutput", "provider posix", "refreshonly false"], "a failure shows the output; defaults"),
    ("exec", &["try_sleep"], "it has a meaning with `tries` only"),
    ("file", &["checksum", "show_diff", "sourceselect", "validate_replacement"], "they concern how Puppet works"),
    ("file", &["selinux_ignore_defaults"], "default labels are not set"),
    ("file", &["backup false", "links manage", "replace true", "replace yes", "source_permissions ignore"], "defaults"),
    ("file", &["recurse", "force false", "force no", "purge false", "purge no"], "a file has no entries; defaults"),
    ("filebucket", &["*"], "there is no store of Puppet"),
    ("group", &["allowdupe", "attribute_membership minimum", "auth_membership", "system"], "defaults"),
    ("notify", &["withpath"], "the log names the resource"),
    ("package", &["allow_virtual", "configfiles keep", "reinstall_on_refresh false"], "defaults"),
    ("resources", &["*"], "nothing is purged, which is said where `purge` is set"),
    ("schedule", &["*"], "resources are watched, which is said where `schedule` is set"),
    ("service", &["hasstatus", "hasrestart", "timeout", "pattern"], "Puppet's provider for systemd does not use them"),
    ("service", &["binary", "control", "flags", "manifest", "path"], "Puppet's provider for systemd does not use them"),
    ("user", &["membership", "system", "managehome", "purge_ssh_keys false"], "without `groups`; defaults"),
    ("user", &["role_membership", "auth_membership", "profile_membership"], "for other systems than Linux"),
    ("user", &["key_membership", "attribute_membership"], "for other systems than Linux"),
    ("concat_file", &["show_diff", "force", "selinux_ignore_defaults"], "they concern how Puppet works"),
    ("concat_file", &["order", "ensure_newline", "format plain", "replace true", "replace yes"], "without fragments"),
    ("concat_fragment", &["*"], "it is part of the file"),
    ("cron", &["special absent"], "the default"),
    (
        "file_line",
        &[
            "replace_all_matches_not_matching_line false",
            "match_for_absence",
            "multiple",
            "replace true",
            "append_on_no_match true",
        ],
        "defaults; without `match`",
    ),
    ("mount", &["remounts true", "ensure mounted"], "defaults"),
    (
        "ssh_authorized_key",
        &["drop_privileges", "type ed25519"],
        "files of users are changed safely in any case; the same",
    ),
];

/// Returns the attributes of a resource that is translated, besides the one that is looked at.
fn base(type_name: &str) -> Value {
    match type_name {
        "exec" => json!({"command": "/bin/true"}),
        "file" => json!({"ensure": "file"}),
        "cron" => json!({"command": "/bin/x"}),
        "host" => json!({"ip": "192.0.2.1", "host_aliases": []}),
        "file_line" => json!({"path": "/x", "line": "x"}),
        "mount" => json!({"device": "/dev/x", "fstype": "ext4"}),
        "ssh_authorized_key" => json!({"user": "u", "type": "ssh-ed25519",
            "key": "AAAAC3NzaC1lZDI1NTE5AAAAIBtqhnN5YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh"}),
        "sshkey" => json!({"type": "ssh-rsa", "key": "AAAA", "host_aliases": []}),
        "concat_fragment" => json!({"target": "/x", "content": "x"}),
        _ => json!({}),
    }
}

/// Returns values that an attribute takes.
fn samples(values: Values) -> Vec<Value> {
    let words = |words: &[&str]| words.iter().map(|word| json!(word)).collect::<Vec<_>>();
    match values {
        Values::Any => vec![json!("x")],
        Values::ReadOnly => Vec::new(),
        Values::Words(all) => words(all),
        Values::WordsOr(all, pattern) => words(all).into_iter().chain([sample(pattern)]).collect(),
        Values::Matching(pattern) => vec![sample(pattern)],
    }
}

fn sample(pattern: Pattern) -> Value {
    json!(match pattern {
        Pattern::Text | Pattern::NotEmpty | Pattern::Word | Pattern::Line | Pattern::NoColon | Pattern::GroupName =>
            "x",
        Pattern::Digits | Pattern::DigitsOrMinusOne | Pattern::Positive | Pattern::Whole | Pattern::Number => "2",
        Pattern::NonNegative | Pattern::Id | Pattern::Weekday | Pattern::FragmentOrder | Pattern::Crontab(..) => "2",
        Pattern::AbsolutePath | Pattern::Source | Pattern::KeyFile => "/y",
        Pattern::Mode => "u+x",
        Pattern::Umask => "022",
        Pattern::Date => "2030-12-31",
        Pattern::Assignment => "A=b",
        Pattern::Age => "2d",
        Pattern::FileSize => "2k",
        Pattern::TimeRange => "2 - 4",
        Pattern::Address => "192.0.2.2",
        Pattern::KeyOption => "no-pty",
    })
}

/// What a resource is translated to.
#[derive(PartialEq)]
struct Outcome {
    fidelity: Option<Fidelity>,
    resource: String,
    messages: Vec<String>,
}

fn outcome(type_name: &str, parameters: &Value) -> Outcome {
    let title =
        if matches!(type_name, "exec" | "file" | "tidy" | "concat_file" | "mount" | "k5login") { "/t" } else { "t" };
    let catalog = json!({"name": "n", "resources": [
        {"type": type_name, "title": title, "kind": "compilable_type", "parameters": parameters},
        {"type": "Notify", "title": "other", "kind": "compilable_type"}]});
    let (catalog, _) = read_catalog(catalog.to_string().as_bytes()).expect("a catalog");
    let refused = |errors: Vec<mcl_diagnostics::Diagnostic>| Outcome {
        fidelity: None,
        resource: String::new(),
        messages: errors.into_iter().map(|error| error.message).collect(),
    };
    let graph = match build_relationships(catalog, &KnownTypes::all()) {
        Ok(graph) => graph,
        Err(errors) => return refused(errors),
    };
    let translation = match translate(&graph, &TranslateOptions::default()) {
        Ok(translation) => translation,
        Err(errors) => return refused(errors),
    };
    let (_, resource) = translation.graph.resources().next().expect("a resource");
    let mut fields: Vec<String> = resource.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    fields.push(format!("{:?}", resource.meta));
    let fidelity = match translation.summary {
        summary if summary.fallbacks > 0 => Fidelity::Fallback,
        summary if summary.approximated > 0 => Fidelity::Approximated,
        _ => Fidelity::Native,
    };
    let message = |warning: &mcl_diagnostics::Diagnostic| {
        let (_, problem) = warning.message.split_once(": ").expect("a problem");
        format!("{} {problem}", warning.code.name())
    };
    let messages = translation.warnings.iter().map(message).collect();
    Outcome { fidelity: Some(fidelity), resource: format!("{} {fields:?}", resource.id), messages }
}

/// Returns what an attribute changes.
fn verdict(without: &Outcome, with: &Outcome) -> String {
    let messages = with.messages.join("; ");
    match with.fidelity {
        None => format!("refused: {messages}"),
        Some(Fidelity::Fallback) => format!("applied by Puppet: {messages}"),
        Some(Fidelity::Approximated) if with.messages == without.messages => "native".to_owned(),
        Some(Fidelity::Approximated) => format!("approximated: {messages}"),
        Some(Fidelity::Native) if with == without => "without effect".to_owned(),
        Some(Fidelity::Native) => "native".to_owned(),
    }
}

fn lines_of(declared: &ResourceType, lines: &mut Vec<String>, dropped: &mut Vec<String>) {
    let base = base(declared.name);
    let without = outcome(declared.name, &base);
    if without.fidelity == Some(Fidelity::Fallback) {
        lines.push(format!("{}: {}", declared.name, without.messages.join("; ")));
        return;
    }
    assert!(without.fidelity.is_some(), "{}: {:?}", declared.name, without.messages);
    let attributes = declared.attributes.iter().filter(|attribute| attribute.role != Role::Name);
    let attributes = attributes.map(|attribute| (attribute.name, attribute.values));
    let metaparameters = METAPARAMETERS
        .iter()
        .map(|parameter| (parameter.name, if parameter.relationship { Values::Any } else { parameter.values }));
    for (name, values) in attributes.chain(metaparameters) {
        let is_relationship = METAPARAMETERS.iter().any(|m| m.relationship && m.name == name);
        let given = if is_relationship { vec![json!("Notify[other]")] } else { samples(values) };
        for value in given {
            let mut parameters: Map<String, Value> = base.as_object().expect("an object").clone();
            let is_default = parameters.insert(name.to_owned(), value.clone()).as_ref() == Some(&value);
            let with = outcome(declared.name, &Value::Object(parameters));
            let text = value.as_str().expect("a string");
            let verdict = verdict(&without, &with);
            if verdict == "without effect" && !is_default {
                let is_listed = WITHOUT_EFFECT.iter().any(|(type_name, names, _)| {
                    (*type_name == "*" || *type_name == declared.name)
                        && names
                            .iter()
                            .any(|listed| ["*", name].contains(listed) || *listed == format!("{name} {text}"))
                });
                if !is_listed {
                    dropped.push(format!("{}: {name} => {text}", declared.name));
                }
            }
            lines.push(format!("{}.{name} {text}: {verdict}", declared.name));
        }
    }
}

#[test]
fn no_attribute_is_dropped_without_a_word() {
    let (mut lines, mut dropped) = (Vec::new(), Vec::new());
    for declared in pp_resource_types::types().filter(|declared| !NO_RESOURCES.contains(&declared.name)) {
        lines_of(declared, &mut lines, &mut dropped);
    }
    assert!(dropped.is_empty(), "dropped without a word:\n{}", dropped.join("\n"));
    expect_file!["attributes.txt"].assert_eq(&(lines.join("\n") + "\n"));
}
