//! `remote` (spec 05 §6.30).

use crate::syntax;
use crate::validate::{Params, ValidationError};
use crate::{Field, Repr, ResourceKind, Traits};

pub(super) const REMOTE: ResourceKind = ResourceKind {
    name: "remote",
    doc: "Runs this agent on another host, over SSH.",
    fields: &[
        Field::new("remote", "str", "Where: `ssh://user@host:port`.").default_name(),
        Field::new("hostname", "str", "The other agent's name; asked there when not set."),
        Field::new("state", "str", "Whether it runs.").default("\"running\"").one_of(&["running", "stopped"]),
        Field::new("ssh_id", "str", "The key file; an empty text for no key; all of `~/.ssh/` when not set.")
            .optional(),
        Field::new("hostkey", "str", "The host's key in base64, checked besides `known_hosts`."),
        Field::new("interactive", "bool", "Ask for a password."),
        Field::new("interactive_timeout", "int", "Seconds to wait for a password; 0 for no limit.")
            .default("0")
            .repr(Repr::Uint),
        Field::new("max_password_tries", "int", "How often to ask; 0 for no limit.").default("0"),
        Field::new("allow_cleartext_password", "bool", "Allow a password in the URL."),
        Field::new("caching", "bool", "Keep the program and its directory on the other host.").default("true"),
        Field::new("transient", "bool", "Wait until the other agent has ended.").default("true"),
        Field::new(
            "tunnelled",
            "bool",
            "Let the other agent reach the store through this connection; needs `transient`.",
        )
        .default("true"),
        Field::new("tunnel_addr", "str", "The address that the tunnel has there.").default("\"127.0.0.1:2379\""),
        Field::new("install_deps", "bool", "Install what the program needs."),
        Field::new("converger_timeout", "int", "Seconds without work until the other agent ends; needs `transient`.")
            .optional(),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_remote,
};

fn validate_remote(p: &Params<'_>) -> Result<(), ValidationError> {
    let remote = p.text_or_name("remote");
    let with_scheme = if remote.contains("://") { remote.to_string() } else { format!("ssh://{remote}") };
    let Some(url) = syntax::url(&with_scheme).filter(|u| u.scheme == "ssh" && !u.host.is_empty()) else {
        return Err(ValidationError::of("remote", format!("{remote:?} is not the address of a host"))
            .help("write it like ssh://user@host:22"));
    };
    if url.userinfo.is_some_and(|u| u.contains(':')) && !p.bool("allow_cleartext_password") {
        return Err(ValidationError::of("remote", "there is a password in the address")
            .help("use a key, or allow it with `allow_cleartext_password => true`"));
    }
    for param in ["max_password_tries", "converger_timeout"] {
        if p.is_set(param) && p.int(param) < 0 {
            return Err(ValidationError::of(param, format!("`{param}` must not be negative")));
        }
    }
    if !p.bool("transient") {
        for (param, wanted) in
            [("tunnelled", p.bool("tunnelled")), ("converger_timeout", p.is_set("converger_timeout"))]
        {
            if wanted {
                return Err(ValidationError::of(param, format!("`{param}` needs `transient`"))
                    .help("set `transient => true`, or `tunnelled => false`"));
            }
        }
    }
    if p.bool("tunnelled")
        && let Err(why) = syntax::listen_address(&p.text("tunnel_addr"))
    {
        return Err(ValidationError::of("tunnel_addr", format!("`tunnel_addr` must be an address with a port: {why}")));
    }
    Ok(())
}
