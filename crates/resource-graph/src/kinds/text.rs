//! Kinds that edit text files: `line`, `ssh:authorized_key`, `json:edit`, `augeas` (spec 05 §6.14, 6.25-6.27).

use crate::authorized_key::AuthorizedKey;
use crate::json_edit::{JsonEdit, JsonStore};
use crate::syntax::is_account_name;
use crate::validate::{Params, ValidationError};
use crate::{Field, ResourceKind, Traits};

pub(super) const LINE: ResourceKind = ResourceKind {
    name: "line",
    doc: "One line, or a block of lines, that a text file has or has not.",
    fields: &[
        Field::new("file", "str", "The file: absolute, or `~/…`, or `~user/…`.").required(),
        Field::new("state", "str", "Whether the line is there.").required().one_of(&["exists", "absent"]),
        Field::new("content", "str", "The line or lines; when empty there is nothing to do."),
        Field::new("trim", "bool", "Remove white space around `content`."),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_line,
};

fn validate_line(p: &Params<'_>) -> Result<(), ValidationError> {
    let file = p.text("file");
    if !file.starts_with(['/', '~']) {
        return Err(ValidationError::of("file", format!("`file` must be an absolute path, and {file:?} is not")));
    }
    if file.ends_with('/') {
        return Err(ValidationError::of("file", format!("`file` must be a file, and {file:?} ends with `/`")));
    }
    Ok(())
}

pub(super) const AUTHORIZED_KEY: ResourceKind = ResourceKind {
    name: "ssh:authorized_key",
    doc: "One entry of an `authorized_keys` file.",
    fields: &[
        Field::new("state", "str", "Whether the entry is there.").required().one_of(&["exists", "absent"]),
        Field::new("file", "str", "The file; wins over `user`.").default("~USER/.ssh/authorized_keys"),
        Field::new("user", "str", "Who owns what is created, and whose file it is by default."),
        Field::new("content", "str", "The whole entry.").default_name(),
        Field::new("options", "[]str", "Options of the entry."),
        Field::new("type", "str", "The type of the key; together with `key`."),
        Field::new("key", "str", "The key in base64; together with `type`."),
        Field::new("comment", "str", "The comment."),
        Field::new("mkdir", "bool", "Create the `.ssh` directory.").default("true"),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: |p| {
        let user = p.text("user");
        if !user.is_empty() && !is_account_name(&user) {
            return Err(ValidationError::of("user", format!("{user:?} cannot be the name of a user")));
        }
        AuthorizedKey::of(p).map(drop)
    },
};

pub(super) const JSON_EDIT: ResourceKind = ResourceKind {
    name: "json:edit",
    doc: "Assignments and deletions in a JSON document.",
    fields: &[
        Field::new("store", "str", "An absolute path, `file:///…`, or `etcd:///KEY`.").default_name(),
        Field::new("edits", "[]str", "What to do, in order: `PATH = JSON`, or `del(PATH)`.").required(),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_json_edit,
};

fn validate_json_edit(p: &Params<'_>) -> Result<(), ValidationError> {
    let store = p.text_or_name("store");
    JsonStore::parse(&store)
        .map_err(|why| ValidationError::of("store", format!("{store:?} is not the place of a JSON document: {why}")))?;
    if p.list("edits").is_empty() {
        return Err(ValidationError::of("edits", "`edits` is empty, so there is nothing to do"));
    }
    for (i, edit) in p.texts("edits").enumerate() {
        JsonEdit::parse(&edit).map_err(|why| {
            ValidationError::of("edits", format!("entry {i} of `edits` is wrong: {why}: {edit:?}"))
                .help("write `.path.to.key = JSON`, or `del(.path.to.key)`")
        })?;
    }
    Ok(())
}

pub(super) const AUGEAS: ResourceKind = ResourceKind {
    name: "augeas",
    doc: "Values in a configuration file, set with an Augeas lens.",
    fields: &[
        Field::new("file", "str", "The file: an absolute path.").required(),
        Field::new("lens", "str", "The lens: ends with `.lns`.").required(),
        Field::new("sets", "[]struct{path str; value str}", "Tree paths below the file, and their values."),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_augeas,
};

fn validate_augeas(p: &Params<'_>) -> Result<(), ValidationError> {
    let (file, lens) = (p.text("file"), p.text("lens"));
    if !file.starts_with('/') {
        return Err(ValidationError::of("file", format!("`file` must be an absolute path, and {file:?} is not")));
    }
    if !lens.ends_with(".lns") {
        return Err(ValidationError::of("lens", format!("`lens` must end with `.lns`, and {lens:?} does not")));
    }
    Ok(())
}
