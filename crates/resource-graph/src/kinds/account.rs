//! `user` and `group` (spec 05 §6.5, §6.6).

use std::borrow::Cow;

use crate::autoedge::{AutoEdgeErrorKind, AutoEdgeInput, EdgeFinder, HostFact, Identity, Offers};
use crate::kinds::syntax::is_account_name;
use crate::{AutoEdges, Claim, Comparison, Demand, Field, Params, Repr, ResourceKind, Traits, ValidationError};

pub(super) const GROUP: ResourceKind = ResourceKind {
    name: "group",
    doc: "A local group. Its members are managed by `user`.",
    example: r#"group "ops" {
	state => "exists",
	gid => 1200,
}"#,
    fields: &[
        Field::new("state", "str", "Whether it exists.").required().one_of(&["exists", "absent"]),
        Field::new("gid", "int", "The group id.").optional().repr(Repr::Uint32),
    ],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: |p| validate_name(None, "group", p.name()),
    autoedges: AutoEdges { is_removed: is_absent, offers: offer_group, ..AutoEdges::NONE },
    claims: |p| {
        let state = Claim { demand: Demand::whole(p.string("state").into_owned()), ..group_exists(p.name().into()) };
        let entry = Claim::part_of_file("/etc/group");
        own_number(p, "gid", "group id").into_iter().chain([state, entry]).collect()
    },
    ..ResourceKind::BASE
};

/// Returns the claim to a number that no other account may have.
fn own_number<'a>(p: &Params<'a>, param: &str, what: &str) -> Option<Claim<'a>> {
    let is_wanted = p.is_set(param) && !is_absent(p);
    let demand = Demand::whole(p.name());
    is_wanted.then(|| Claim { object: format!("{what} {}", p.int(param)).into(), aspect: "name", demand })
}

/// Returns the claim that a group exists.
pub(super) fn group_exists(group: Cow<'_, str>) -> Claim<'_> {
    Claim { object: format!("group {group}").into(), aspect: "existence", demand: Demand::whole("exists") }
}

/// Returns the claim that a user exists.
pub(super) fn user_exists(user: Cow<'_, str>) -> Claim<'_> {
    Claim { object: format!("user {user}").into(), aspect: "existence", demand: Demand::whole("exists") }
}

/// Returns the claims of a user: to its state, to its number, and to the groups that it must be in.
fn claims_of_user<'a>(p: &Params<'a>) -> Vec<Claim<'a>> {
    let state = Claim { demand: Demand::whole(p.string("state").into_owned()), ..user_exists(p.name().into()) };
    let number = own_number(p, "uid", "user id").filter(|_| !p.bool("allowduplicateuid"));
    let groups = p.given_string("group").into_iter().chain(p.strings("groups")).filter(|_| !is_absent(p));
    let entries = ["/etc/passwd", "/etc/shadow"].map(Claim::part_of_file);
    number.into_iter().chain(groups.map(group_exists)).chain([state]).chain(entries).collect()
}

fn validate_name(param: Option<&str>, what: &str, name: &str) -> Result<(), ValidationError> {
    if is_account_name(name) {
        return Ok(());
    }
    let message = format!("invalid {what} name {name:?}");
    let error = match param {
        Some(param) => ValidationError::of_value(param, message),
        None => ValidationError::new(message),
    };
    Err(error.help("a name has at most 31 letters, digits, `_` and `-`, and starts with a letter or `_`"))
}

pub(super) const USER: ResourceKind = ResourceKind {
    name: "user",
    doc: "A local account.",
    example: r#"user "ann" {
	state => "exists",
	shell => "/bin/bash",
	homedir => "/home/ann/",
	groups => ["ops"],
}"#,
    fields: &[
        Field::new("state", "str", "Whether it exists.").required().one_of(&["exists", "absent"]),
        Field::new("uid", "int", "The user id.").optional().repr(Repr::Uint32),
        Field::new("gid", "int", "The id of the primary group.").optional().repr(Repr::Uint32),
        Field::new("group", "str", "The name of the primary group.").optional(),
        Field::new("groups", "[]str", "The exact set of supplementary groups; if not set, they are not managed.")
            .optional()
            .compared(Comparison::Unordered),
        Field::new(
            "membership",
            "str",
            "Whether `groups` is the exact set, or the least: with `minimum` the user also stays in other groups.",
        )
        .default("\"inclusive\"")
        .one_of(&["inclusive", "minimum"]),
        Field::new("homedir", "str", "The home directory, with a trailing `/`.").optional(),
        Field::new(
            "managehome",
            "bool",
            "Create the home directory of a new user, and remove it with everything in it when the user is removed.",
        ),
        Field::new("comment", "str", "The full name.").optional(),
        Field::new("system", "bool", "Give a new user an id from the range of system accounts."),
        Field::new("shell", "str", "The login shell.").optional(),
        Field::new("allowduplicateuid", "bool", "Allow a user id that another user has."),
    ],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: validate_user,
    autoedges: AutoEdges {
        host: HostFact::PrimaryGroup,
        is_removed: is_absent,
        offers: offer_user,
        wants: want_groups,
    },
    claims: claims_of_user,
    ..ResourceKind::BASE
};

fn validate_user(p: &Params<'_>) -> Result<(), ValidationError> {
    validate_name(None, "user", p.name())?;
    if let Some(group) = p.given_string("group") {
        if p.is_set("gid") {
            return Err(ValidationError::of("gid", "`gid` and `group` are mutually exclusive"));
        }
        if group.is_empty() {
            return Err(ValidationError::of_value("group", "empty `group`"));
        }
        validate_name(Some("group"), "group", &group)?;
    }
    let primary = p.given_string("group");
    for group in p.strings("groups") {
        validate_name(Some("groups"), "group", &group)?;
        if primary.as_ref() == Some(&group) {
            return Err(ValidationError::of(
                "groups",
                format!("duplicate group {group:?} in `groups`: it is the primary group"),
            ));
        }
        if group == p.name() {
            return Err(ValidationError::of(
                "groups",
                format!("invalid group {group:?} in `groups`: it is the user's own group"),
            ));
        }
    }
    if p.given_string("homedir").is_some_and(|home| !home.ends_with('/')) {
        return Err(ValidationError::of_value(
            "homedir",
            format!("invalid `homedir`: expected a directory with a trailing `/`, found {:?}", p.string("homedir")),
        ));
    }
    Ok(())
}

fn user_identity(name: &str) -> Identity<'_> {
    Identity::new("user", name)
}

fn group_identity(name: &str) -> Identity<'_> {
    Identity::new("group", name)
}

fn group_id_identity(gid: i64) -> Identity<'static> {
    Identity::new("group id", gid.to_string())
}

/// Orders a resource after the user that a parameter gives by name or number. Returns whether there is one.
pub(super) fn want_user(user: &str, edges: &mut EdgeFinder<'_>) -> bool {
    !user.is_empty() && (edges.needs(&user_identity(user)) || edges.needs(&Identity::new("user id", user)))
}

/// Orders a resource after the group that a parameter gives by name or number. Returns whether there is one.
pub(super) fn want_group(group: &str, edges: &mut EdgeFinder<'_>) -> bool {
    !group.is_empty() && (edges.needs(&group_identity(group)) || edges.needs(&Identity::new("group id", group)))
}

fn offer_group<'a>(input: &AutoEdgeInput<'a>, offers: &mut Offers<'a>) -> Result<(), AutoEdgeErrorKind> {
    let p = &input.params;
    offers.add(group_identity(p.name()));
    if p.is_set("gid") {
        offers.add(group_id_identity(p.int("gid")));
    }
    Ok(())
}

fn offer_user<'a>(input: &AutoEdgeInput<'a>, offers: &mut Offers<'a>) -> Result<(), AutoEdgeErrorKind> {
    let p = &input.params;
    offers.add(user_identity(p.name()));
    if p.is_set("uid") {
        offers.add(Identity::new("user id", p.int("uid").to_string()));
    }
    Ok(())
}

fn is_absent(p: &Params<'_>) -> bool {
    p.string("state") == "absent"
}

/// A user comes after its groups, and before them if it is removed. The declaration of a user that is to be removed rarely
/// names its groups, and its primary group cannot be removed before it.
fn want_groups(input: &AutoEdgeInput<'_>, edges: &mut EdgeFinder<'_>) -> Result<(), AutoEdgeErrorKind> {
    let p = &input.params;
    let mut want = |group: &Identity<'_>| if input.is_removed { edges.before(group) } else { edges.needs(group) };
    if p.is_set("gid") {
        want(&group_id_identity(p.int("gid")));
    }
    for group in p.given_string("group").into_iter().chain(p.strings("groups")) {
        want(&group_identity(&group));
    }
    if let Some(group) = input.primary_group {
        edges.before_removed_on_host(&group_identity(group));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use crate::validate::tests::check;
    use crate::{Resource, ResourceId, validate};

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
