//! Kinds that edit text files: `line`, `ssh:authorized_key`, `json:edit`, `augeas` (spec 05 §6.14, §6.25, §6.26, §6.27).

use regex::bytes::Regex;

use crate::claim::parts_of_managed_files;
use crate::kinds::account::{user_exists, want_user};
use crate::kinds::authorized_key::AuthorizedKey;
use crate::kinds::json_edit::{JsonEdit, JsonStore};
use crate::kinds::syntax::is_account_name;
use crate::{AutoEdges, Claim, Demand, Field, Params, ResourceKind, Traits, ValidationError, normalized_path};

pub(super) const LINE: ResourceKind = ResourceKind {
    name: "line",
    doc: "A line, or a block of lines, of a text file.",
    example: r#"line "disable passwords" {
	file => "/etc/ssh/sshd_config",
	state => "exists",
	content => "PasswordAuthentication no",
}"#,
    fields: &[
        Field::new("file", "str", "The file: an absolute path, `~/…` or `~user/…`.").required(),
        Field::new("state", "str", "Whether the line exists.").required().one_of(&["exists", "absent"]),
        Field::new("content", "str", "The line or lines; if empty, nothing is managed."),
        Field::new("trim", "bool", "Remove leading and trailing whitespace from `content`."),
        Field::new(
            "match",
            "str",
            "A regular expression: `content` replaces the line that matches it, or else is added; with `state => \"absent\"` \
             the line that matches is removed, whatever `content` is.",
        ),
        Field::new("multiple", "bool", "Allow that several lines match `match` or `after`, and change them all."),
        Field::new("replace", "bool", "With `false`, a line that matches `match` is left as it is.").default("true"),
        Field::new("append", "bool", "With `false`, no line is added if none matches `match`.").default("true"),
        Field::new(
            "after",
            "str",
            "A regular expression: a new line is added after the line that matches it, not at the end.",
        ),
    ],
    validate: validate_line,
    managed_files: |p| vec![p.string("file").into_owned()],
    claims: |p| {
        if !p.string("match").is_empty() {
            return parts_of_managed_files(p);
        }
        let content = p.string("content");
        claims_with_line(p, if p.bool("trim") { content.trim() } else { &content })
    },
    ..ResourceKind::BASE
};

/// Returns the claims of a resource that demands a line of the files that it edits.
fn claims_with_line<'a>(p: &Params<'a>, line: &str) -> Vec<Claim<'a>> {
    let mut claims = parts_of_managed_files(p);
    let line = line.strip_suffix('\n').unwrap_or(line);
    if !line.is_empty() {
        let exists = p.string("state") == "exists";
        claims.extend((p.kind().managed_files)(p).into_iter().map(|path| Claim::line(path, line.to_owned(), exists)));
    }
    claims
}

fn validate_line(p: &Params<'_>) -> Result<(), ValidationError> {
    let file = p.string("file");
    if !file.starts_with(['/', '~']) {
        return Err(ValidationError::of_value(
            "file",
            format!("invalid `file`: expected an absolute path, found {file:?}"),
        ));
    }
    if file.ends_with('/') {
        return Err(ValidationError::of_value(
            "file",
            format!("invalid `file`: expected a file, found the directory {file:?}"),
        ));
    }
    for field in ["match", "after"] {
        let pattern = p.string(field);
        if let Err(error) = Regex::new(&pattern) {
            return Err(ValidationError::of(
                field,
                format!("invalid regular expression {pattern:?} in `{field}`: {error}"),
            ));
        }
    }
    let pattern = p.string("match");
    let content = p.string("content");
    let content = if p.bool("trim") { content.trim_ascii() } else { &content };
    if !pattern.is_empty() && content.strip_suffix('\n').unwrap_or(content).contains('\n') {
        return Err(ValidationError::of("content", "`match` replaces single lines, `content` has several"));
    }
    Ok(())
}

pub(super) const AUTHORIZED_KEY: ResourceKind = ResourceKind {
    name: "ssh:authorized_key",
    doc: "An entry of an `authorized_keys` file.",
    example: r#"ssh:authorized_key "ann at home" {
	state => "exists",
	user => "ann",
	content => "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJxGgGm3Zu9JmEtqQXEBqNn3CqO4qYhVvJ2m8pQk1sXt ann@home",
}"#,
    fields: &[
        Field::new("state", "str", "Whether the entry exists.").required().one_of(&["exists", "absent"]),
        Field::new("file", "str", "The file; takes precedence over `user`.").default("~USER/.ssh/authorized_keys"),
        Field::new("user", "str", "The owner of created files, and the user whose file is the default."),
        Field::new("content", "str", "The complete entry.").default_name(),
        Field::new("options", "[]str", "The options of the entry."),
        Field::new("type", "str", "The type of the key; requires `key`."),
        Field::new("key", "str", "The key in base64; requires `type`."),
        Field::new("comment", "str", "The comment."),
        Field::new("mkdir", "bool", "Create the `.ssh` directory.").default("true"),
    ],
    traits: Traits { autoedge: true, ..Traits::NONE },
    autoedges: AutoEdges {
        is_removed: |p| p.string("state") == "absent",
        wants: |input, edges| {
            want_user(&input.params.string("user"), edges);
            Ok(())
        },
        ..AutoEdges::NONE
    },
    validate: |p| {
        let user = p.string("user");
        if !user.is_empty() && !is_account_name(&user) {
            return Err(ValidationError::of_value("user", format!("invalid user name {user:?}")));
        }
        AuthorizedKey::of(p).map(drop)
    },
    managed_files: |p| match &*p.string("file") {
        "" => vec![format!("~{}/.ssh/authorized_keys", p.string("user"))],
        file => vec![file.to_owned()],
    },
    claims: |p| {
        let entry = AuthorizedKey::of(p).map(|entry| entry.to_string()).unwrap_or_default();
        let user = Some(p.string("user")).filter(|user| !user.is_empty() && p.string("state") != "absent");
        claims_with_line(p, &entry).into_iter().chain(user.map(user_exists)).collect()
    },
    ..ResourceKind::BASE
};

pub(super) const JSON_EDIT: ResourceKind = ResourceKind {
    name: "json:edit",
    doc: "Assignments and deletions in a JSON document.",
    example: r#"json:edit "/etc/app.json" {
	edits => [".port = 8080"],
}"#,
    fields: &[
        Field::new("store", "str", "An absolute path, `file:///…`, or `etcd:///KEY`.").default_name(),
        Field::new("edits", "[]str", "The edits, in order: `PATH = JSON` or `del(PATH)`.").required(),
    ],
    validate: validate_json_edit,
    managed_files: |p| match JsonStore::parse(&p.string_or_name("store")) {
        Ok(JsonStore::File(file)) => vec![file],
        Ok(JsonStore::Key(_)) | Err(_) => Vec::new(),
    },
    claims: json_claims,
    ..ResourceKind::BASE
};

/// Two resources must not give one key of a document different values. Of the edits of one resource the last one counts.
fn json_claims<'a>(p: &Params<'a>) -> Vec<Claim<'a>> {
    let mut claims = parts_of_managed_files(p);
    let Ok(JsonStore::File(file)) = JsonStore::parse(&p.string_or_name("store")) else { return claims };
    let file = normalized_path(file);
    let mut values: Vec<(Vec<String>, String)> = Vec::new();
    for edit in p.strings("edits").filter_map(|edit| JsonEdit::parse(&edit).ok()) {
        let (path, state) = match edit {
            JsonEdit::Assign { path, value } => (path, value),
            JsonEdit::Delete { path } => (path, "absent".to_owned()),
        };
        values.retain(|(earlier, _)| !earlier.starts_with(&path) && !path.starts_with(earlier));
        values.push((path, state));
    }
    claims.extend(values.into_iter().map(|(path, state)| Claim {
        object: format!("{file} {path:?}").into(),
        aspect: "value",
        demand: Demand::whole(state),
    }));
    claims
}

fn validate_json_edit(p: &Params<'_>) -> Result<(), ValidationError> {
    let store = p.string_or_name("store");
    JsonStore::parse(&store)
        .map_err(|error| ValidationError::of_value("store", format!("invalid `store` {store:?}: {error}")))?;
    if p.list("edits").is_empty() {
        return Err(ValidationError::of_value("edits", "empty `edits`"));
    }
    for (i, edit) in p.strings("edits").enumerate() {
        JsonEdit::parse(&edit).map_err(|error| {
            ValidationError::of_value("edits", format!("invalid entry {i} of `edits`, {edit:?}: {error}"))
                .help("write `.path.to.key = JSON`, or `del(.path.to.key)`")
        })?;
    }
    Ok(())
}

pub(super) const AUGEAS: ResourceKind = ResourceKind {
    name: "augeas",
    doc: "Values in a configuration file, set with an Augeas lens.",
    example: r#"augeas "sshd" {
	file => "/etc/ssh/sshd_config",
	lens => "Sshd.lns",
	sets => [struct{path => "PasswordAuthentication", value => "no"}],
}"#,
    implemented: false,
    fields: &[
        Field::new("file", "str", "The absolute path of the file.").required(),
        Field::new("lens", "str", "The lens, whose name ends with `.lns`.").required(),
        Field::new("sets", "[]struct{path str; value str}", "The tree paths below the file, and their values."),
    ],
    validate: validate_augeas,
    ..ResourceKind::BASE
};

fn validate_augeas(p: &Params<'_>) -> Result<(), ValidationError> {
    let (file, lens) = (p.string("file"), p.string("lens"));
    if !file.starts_with('/') {
        return Err(ValidationError::of_value(
            "file",
            format!("invalid `file`: expected an absolute path, found {file:?}"),
        ));
    }
    if !lens.ends_with(".lns") {
        return Err(ValidationError::of_value(
            "lens",
            format!("invalid `lens`: expected a name that ends with `.lns`, found {lens:?}"),
        ));
    }
    Ok(())
}
