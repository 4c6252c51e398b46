//! `remote` (spec 05 §6.30).

use crate::kinds::syntax;
use crate::{Field, Params, Repr, ResourceKind, ValidationError};

pub(super) const REMOTE: ResourceKind = ResourceKind {
    name: "remote",
    doc: "Runs this agent on another host, over SSH.",
    example: r#"remote "web1" {
	remote => "ssh://root@web1",
}"#,
    implemented: false,
    fields: &[
        Field::new("remote", "str", "The address of the host, as `ssh://user@host:port`.").default_name(),
        Field::new("hostname", "str", "The name of the remote agent; determined on the remote host if not set."),
        Field::new("state", "str", "Whether it runs.").default("\"running\"").one_of(&["running", "stopped"]),
        Field::new("ssh_id", "str", "The key file; an empty string for no key; all keys in `~/.ssh/` if not set.")
            .optional(),
        Field::new("hostkey", "str", "The host key in base64, accepted in addition to `known_hosts`."),
        Field::new("interactive", "bool", "Ask for a password."),
        Field::new("interactive_timeout", "int", "Seconds to wait for a password; 0 for no limit.")
            .default("0")
            .repr(Repr::Uint),
        Field::new("max_password_tries", "int", "The number of password prompts; 0 for no limit.").default("0"),
        Field::new("allow_cleartext_password", "bool", "Allow a password in the URL."),
        Field::new("caching", "bool", "Keep the program and its directory on the remote host.").default("true"),
        Field::new("transient", "bool", "Wait until the remote agent has exited.").default("true"),
        Field::new("tunnelled", "bool", "Tunnel the store's connection to the remote agent; requires `transient`.")
            .default("true"),
        Field::new("tunnel_addr", "str", "The address of the tunnel on the remote host.").default("\"127.0.0.1:2379\""),
        Field::new("install_deps", "bool", "Install the dependencies of the program."),
        Field::new(
            "converger_timeout",
            "int",
            "Seconds without a change after which the remote agent exits; requires `transient`.",
        )
        .optional(),
    ],
    validate: validate_remote,
    ..ResourceKind::BASE
};

fn validate_remote(p: &Params<'_>) -> Result<(), ValidationError> {
    let remote = p.string_or_name("remote");
    let with_scheme = if remote.contains("://") { remote.to_string() } else { format!("ssh://{remote}") };
    let Some(url) = syntax::url(&with_scheme).filter(|u| u.scheme == "ssh" && !u.host.is_empty()) else {
        return Err(ValidationError::of_value("remote", format!("invalid host address {remote:?}"))
            .help("write it like \"ssh://user@host:22\""));
    };
    if url.userinfo.is_some_and(|u| u.contains(':')) && !p.bool("allow_cleartext_password") {
        return Err(ValidationError::of("remote", "password in the address")
            .help("use a key, or allow it with `allow_cleartext_password => true`"));
    }
    for param in ["max_password_tries", "converger_timeout"] {
        if p.is_set(param) && p.int(param) < 0 {
            return Err(ValidationError::of_value(param, format!("negative `{param}`")));
        }
    }
    if !p.bool("transient") {
        for (param, wanted) in
            [("tunnelled", p.bool("tunnelled")), ("converger_timeout", p.is_set("converger_timeout"))]
        {
            if wanted {
                return Err(ValidationError::of(param, format!("`{param}` requires `transient`"))
                    .help("set `transient => true`, or `tunnelled => false`"));
            }
        }
    }
    if p.bool("tunnelled")
        && let Err(error) = syntax::listen_address(&p.string("tunnel_addr"))
    {
        return Err(ValidationError::of_value("tunnel_addr", format!("invalid `tunnel_addr`: {error}")));
    }
    Ok(())
}
