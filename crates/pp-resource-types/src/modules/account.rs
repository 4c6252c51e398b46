//! Keys and aliases of users.

use crate::attribute::{Attribute, Role, ensure, name, parameter, property, provider};
use crate::resource_type::{ResourceType, TitlePattern};
use crate::rule::Rule;
use crate::values::{Pattern, Values};

const KEY_TYPES: &[&str] = &[
    "ssh-dss",
    "dsa",
    "ssh-rsa",
    "rsa",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "ssh-ed25519",
    "ed25519",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "ecdsa-sk",
    "sk-ssh-ed25519@openssh.com",
    "ed25519-sk",
    "ssh-rsa-cert-v01@openssh.com",
    "ssh-ed25519-cert-v01@openssh.com",
    "ssh-dss-cert-v01@openssh.com",
    "ecdsa-sha2-nistp256-cert-v01@openssh.com",
    "ecdsa-sha2-nistp384-cert-v01@openssh.com",
    "ecdsa-sha2-nistp521-cert-v01@openssh.com",
];

const HOST_KEY_TYPES: &[&str] = &[
    "ssh-dss",
    "dsa",
    "ssh-ed25519",
    "ed25519",
    "ssh-rsa",
    "rsa",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "ecdsa-sk",
    "sk-ssh-ed25519@openssh.com",
    "ed25519-sk",
];

/// A host has a key of each type, so the type is part of the name.
const HOST_KEY_TYPE: Attribute = Attribute {
    name: "type",
    role: Role::Name,
    values: Values::Words(HOST_KEY_TYPES),
    feature: None,
    doc: "The type of the key.",
};

pub(crate) static K5LOGIN: ResourceType = ResourceType::new(
    "k5login",
    "The Kerberos principals that may log in as a user.",
    &[
        name("path", "Where the file is.").matching(Pattern::AbsolutePath),
        provider(),
        ensure(),
        property("principals", "The principals."),
        property("mode", "The permissions of the file."),
        parameter("selinux_ignore_defaults", "Whether the default contexts of SELinux are not used.").boolean(),
        property("seluser", "The user of the SELinux context."),
        property("selrole", "The role of the SELinux context."),
        property("seltype", "The type of the SELinux context."),
        property("selrange", "The range of the SELinux context."),
    ],
)
.of_module("k5login_core");

pub(crate) static MAILALIAS: ResourceType = ResourceType::new(
    "mailalias",
    "An alias of a mail address.",
    &[
        name("name", "The alias."),
        provider(),
        ensure(),
        property("recipient", "Where mail is sent to."),
        property("file", "A file with the recipients.").matching(Pattern::AbsolutePath),
        property("target", "The file that has the aliases."),
    ],
)
.of_module("mailalias_core")
.with_rules(&[Rule::AtMostOne(&["recipient", "file"], "You cannot specify both a recipient and a file")]);

pub(crate) static SSH_AUTHORIZED_KEY: ResourceType = ResourceType::new(
    "ssh_authorized_key",
    "A key with which a user may log in.",
    &[
        name("name", "The comment of the key."),
        parameter("drop_privileges", "Whether the file is written as the user.").yes_no(),
        provider(),
        ensure(),
        property("type", "The type of the key.").words(KEY_TYPES),
        property("key", "The public key, without type and comment.").matching(Pattern::Word),
        property("user", "The user."),
        property("target", "The file."),
        property("options", "The options of the key.").matching(Pattern::KeyOption),
    ],
)
.of_module("sshkeys_core")
.with_rules(&[Rule::AtLeastOne(&["user", "target"], "Attribute 'user' or 'target' is mandatory")]);

pub(crate) static SSHKEY: ResourceType = ResourceType::new(
    "sshkey",
    "The key of a host.",
    &[
        HOST_KEY_TYPE,
        name("name", "The name of the host.").matching(Pattern::Word),
        provider(),
        ensure(),
        property("key", "The public key."),
        property("host_aliases", "Further names of the host.").matching(Pattern::Word),
        property("target", "The file."),
    ],
)
.titled(TitlePattern::NameAtType)
.of_module("sshkeys_core");
