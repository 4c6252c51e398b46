//! Users and groups.

use crate::attribute::{ensure, name, parameter, property, provider};
use crate::resource_type::ResourceType;
use crate::values::Pattern;

const MEMBERSHIP: &[&str] = &["inclusive", "minimum"];

pub(crate) static GROUP: ResourceType = ResourceType::new(
    "group",
    "A group of users.",
    &[
        parameter("auth_membership", "Whether `members` is the whole list, or only part of it.").yes_no(),
        name("name", "The name."),
        parameter("allowdupe", "Whether another group may have the same GID.").yes_no(),
        parameter("ia_load_module", "The module that manages the group, on AIX.").needs("manages_aix_lam"),
        parameter("attribute_membership", "Whether `attributes` is the whole list, or only part of it.")
            .words(MEMBERSHIP),
        parameter("system", "Whether it is a system group, with a low GID.").yes_no(),
        parameter("forcelocal", "Whether a local group is managed where groups come from a directory service.")
            .needs("manages_local_users_and_groups"),
        provider(),
        ensure(),
        property("gid", "The GID.").matching(Pattern::Id),
        property("members", "The members.").needs("manages_members"),
        property("attributes", "Further attributes, on AIX.").needs("manages_aix_lam"),
    ],
);

pub(crate) static USER: ResourceType = ResourceType::new(
    "user",
    "A user.",
    &[
        name("name", "The name."),
        parameter("membership", "Whether `groups` is the whole list, or only part of it.").words(MEMBERSHIP),
        parameter("system", "Whether it is a system user, with a low UID.").yes_no(),
        parameter("allowdupe", "Whether another user may have the same UID.").yes_no(),
        parameter("managehome", "Whether the home directory is created and removed with the user.").yes_no(),
        parameter("role_membership", "Whether `roles` is the whole list, or only part of it.").words(MEMBERSHIP),
        parameter("auth_membership", "Whether `auths` is the whole list, or only part of it.").words(MEMBERSHIP),
        parameter("profile_membership", "Whether `profiles` is the whole list, or only part of it.").words(MEMBERSHIP),
        parameter("key_membership", "Whether `keys` is the whole list, or only part of it.").words(MEMBERSHIP),
        parameter("ia_load_module", "The module that manages the user, on AIX.").needs("manages_aix_lam"),
        parameter("attribute_membership", "Whether `attributes` is the whole list, or only part of it.")
            .words(MEMBERSHIP),
        parameter("forcelocal", "Whether a local user is managed where users come from a directory service.")
            .needs("manages_local_users_and_groups"),
        parameter("purge_ssh_keys", "Whether SSH keys that are not managed are removed; or of which files.")
            .words_or(&["true", "false"], Pattern::KeyFile),
        provider(),
        property("ensure", "Whether the user exists.").words(&["present", "absent", "role"]),
        property("home", "The home directory."),
        property("uid", "The UID."),
        property("gid", "The name or GID of the primary group."),
        property("comment", "The description, usually the full name."),
        property("shell", "The login shell.").needs("manages_shell"),
        property("password", "The encrypted password.").matching(Pattern::NoColon).needs("manages_passwords"),
        property("password_min_age", "How many days a password must be used.")
            .matching(Pattern::Id)
            .needs("manages_password_age"),
        property("password_max_age", "How many days a password may be used.")
            .matching(Pattern::Id)
            .needs("manages_password_age"),
        property("password_warn_days", "How many days before its end a warning about a password starts.")
            .matching(Pattern::Id)
            .needs("manages_password_age"),
        property("groups", "The groups beside the primary one.").matching(Pattern::GroupName),
        property("expiry", "The last day of the account.").words_or(&["absent"], Pattern::Date).needs("manages_expiry"),
        property("roles", "The roles, on Solaris.").needs("manages_roles"),
        property("auths", "The authorizations, on Solaris.").needs("manages_solaris_rbac"),
        property("profiles", "The profiles, on Solaris.").needs("manages_solaris_rbac"),
        property("keys", "Further attributes, on Solaris.").needs("manages_solaris_rbac"),
        property("project", "The project, on Solaris.").needs("manages_solaris_rbac"),
        property("attributes", "Further attributes, on AIX.").needs("manages_aix_lam"),
        property("salt", "The salt of the password.").needs("manages_password_salt"),
        property("iterations", "The number of rounds of the password's hash.").needs("manages_password_salt"),
        property("loginclass", "The login class.").needs("manages_loginclass"),
    ],
);
