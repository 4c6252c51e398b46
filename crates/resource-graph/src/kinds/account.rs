//! `user` and `group` (spec 05 §6.5, 6.6).

use crate::syntax::is_account_name;
use crate::validate::{Params, ValidationError};
use crate::{Field, Repr, ResourceKind, Traits};

pub(super) const GROUP: ResourceKind = ResourceKind {
    name: "group",
    doc: "A local group. Who is a member is managed by `user`.",
    fields: &[
        Field::new("state", "str", "Whether it exists.").required().one_of(&["exists", "absent"]),
        Field::new("gid", "int", "The number.").optional().repr(Repr::Uint32),
    ],
    sends: &[],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: |p| valid_name(None, "group", p.name()),
};

fn valid_name(param: Option<&str>, what: &str, name: &str) -> Result<(), ValidationError> {
    if is_account_name(name) {
        return Ok(());
    }
    let message = format!("{name:?} cannot be the name of a {what}");
    let error = ValidationError { param: param.map(Into::into), ..ValidationError::new(message) };
    Err(error.help("a name has at most 31 letters, digits, `_` and `-`, with a letter or `_` in front"))
}

pub(super) const USER: ResourceKind = ResourceKind {
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
    validate: validate_user,
};

fn validate_user(p: &Params<'_>) -> Result<(), ValidationError> {
    valid_name(None, "user", p.name())?;
    if let Some(group) = p.set_text("group") {
        if p.is_set("gid") {
            return Err(ValidationError::of("gid", "`gid` and `group` both say what the primary group is"));
        }
        if group.is_empty() {
            return Err(ValidationError::of("group", "`group` must not be empty"));
        }
        valid_name(Some("group"), "group", &group)?;
    }
    let primary = p.set_text("group");
    for group in p.texts("groups") {
        valid_name(Some("groups"), "group", &group)?;
        if primary.as_ref() == Some(&group) {
            return Err(ValidationError::of(
                "groups",
                format!("`groups` lists {group:?}, which is the primary group already"),
            ));
        }
        if group == p.name() {
            return Err(ValidationError::of("groups", format!("`groups` lists {group:?}, the user's own group")));
        }
    }
    if p.set_text("homedir").is_some_and(|home| !home.ends_with('/')) {
        return Err(ValidationError::of(
            "homedir",
            format!("`homedir` must end with `/`, and {:?} does not", p.text("homedir")),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use crate::{Resource, ResourceId, validate};

    #[track_caller]
    fn check(r: Resource, param: Option<&str>) {
        let result = validate(&r);
        assert_eq!(result.as_ref().err().and_then(|e| e.param.as_deref()), param, "{result:?}");
    }

    fn user(name: &str) -> Resource {
        Resource::new(ResourceId::new("user", name)).with("state", "exists")
    }

    #[test]
    fn users() {
        check(user("u").with("groups", Value::list(["a"])).with("group", "b").with("homedir", "/h/"), None);
        check(Resource::new(ResourceId::new("user", "u")), Some("state"));
        check(user("u").with("gid", 1).with("group", "a"), Some("gid"));
        check(user("u").with("group", ""), Some("group"));
        check(user("u").with("group", "a b"), Some("group"));
        check(user("u").with("group", "a").with("groups", Value::list(["a"])), Some("groups"));
        check(user("u").with("groups", Value::list(["u"])), Some("groups"));
        check(user("u").with("homedir", "/h"), Some("homedir"));
        assert!(validate(&user("1u")).is_err());
    }
}
