//! `ssh_authorized_key` and `sshkey` (spec 07 §3.4).

use mcl_value::Value;
use pp_resource_types::key_type;

use crate::translate::native::Native;
use crate::translate::resource_types::{literal, present};
use crate::translate::rules::Rules;
use crate::value::PuppetValue;

const KNOWN_HOSTS: &str = "/etc/ssh/ssh_known_hosts";

pub(super) fn authorized_key(rules: &mut Rules<'_>) -> Native {
    let name = rules.named("name");
    let mut native = Native::new("ssh:authorized_key", name.clone());
    rules.ignore(&["drop_privileges"]);
    present(rules, &mut native);
    rules.carry(&mut native, "user", "user");
    rules.carry(&mut native, "target", "file");
    let kind = rules.text("type").unwrap_or_else(|| "ssh-rsa".to_owned());
    native.set("type", Value::str(key_type(&kind)));
    match rules.text("key") {
        Some(key) => native.set("key", Value::str(key)),
        None => rules.unsupported("missing attribute `key`"),
    }
    if let Some(options) = rules.take("options") {
        let options = options.flat_strings().into_iter().filter(|option| *option != "absent");
        native.set("options", Value::list(options.map(Value::str)));
    }
    native.set("comment", Value::str(name));
    native
}

/// The key of a host is a line with its names, the type and the key. The title is `NAME@TYPE` or the name.
pub(super) fn host_key(rules: &mut Rules<'_>) -> Native {
    let title = &*rules.resource.reference.title;
    let (in_title, type_in_title) = title.split_once('@').map_or((title, None), |(name, kind)| (name, Some(kind)));
    let name = rules.text("name").unwrap_or_else(|| in_title.to_owned());
    let mut native = Native::new("line", rules.resource.reference.to_string());
    native.set("file", Value::str(rules.text("target").unwrap_or_else(|| KNOWN_HOSTS.to_owned())));
    let exists = present(rules, &mut native);
    let kind = rules.text("type").or_else(|| type_in_title.map(str::to_owned));
    let Some(kind) = kind.as_deref().map(key_type) else {
        rules.unsupported("missing attribute `type`");
        return native;
    };
    // The names of a line are the name of the host and its aliases.
    native.set("match", Value::str(format!(r"^\s*{}(,\S*)?\s+{}(\s|$)", literal(&name), literal(kind))));
    let aliases = rules.take("host_aliases").map(PuppetValue::flat_strings);
    let key = rules.text("key");
    if !exists {
        native.set("multiple", Value::Bool(true));
        return native;
    }
    if aliases.is_none() {
        rules.approximate("aliases that an existing entry has are removed, because `host_aliases` is not set");
    }
    let Some(key) = key else {
        rules.unsupported("missing attribute `key`");
        return native;
    };
    let names = std::iter::once(name.as_str()).chain(aliases.into_iter().flatten());
    let names: Vec<&str> = names.filter(|name| *name != "absent").collect();
    native.set("content", Value::str(format!("{} {kind} {key}", names.join(","))));
    native
}
