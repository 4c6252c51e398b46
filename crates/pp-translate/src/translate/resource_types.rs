//! The types with short rules (spec 07 §3.4).

use mcl_value::Value;
use pp_resource_types::clean_path;

use crate::translate::native::Native;
use crate::translate::rules::Rules;
use crate::value::PuppetValue;

/// The package providers that manage the distribution's packages, as `pkg` does.
const SYSTEM_PROVIDERS: &[&str] =
    &["apk", "apt", "aptitude", "dnf", "dnfmodule", "pacman", "pkgng", "portage", "rpm", "up2date", "yum", "zypper"];

pub(super) fn package(rules: &mut Rules<'_>) -> Native {
    let mut native = Native::new("pkg", rules.named("name"));
    if let Some(provider) = rules.resource.text("provider").filter(|p| !SYSTEM_PROVIDERS.contains(p)) {
        rules.unsupported(format!("unsupported package provider `{provider}`"));
    }
    let state = match rules.text("ensure").as_deref() {
        None | Some("present" | "installed" | "true") => "installed".to_owned(),
        Some("absent" | "false") => "uninstalled".to_owned(),
        Some("purged") => {
            rules.approximate("`ensure => purged` removes the package, but not its configuration files");
            "uninstalled".to_owned()
        }
        Some("latest") => "newest".to_owned(),
        Some("held") => {
            rules.unsupported("unsupported `ensure => held`");
            "installed".to_owned()
        }
        Some("disabled") => {
            rules.unsupported("unsupported `ensure => disabled`");
            "uninstalled".to_owned()
        }
        Some(version) => version.to_owned(),
    };
    native.set("state", Value::str(state));
    if rules.flag("allow_virtual") == Some(false) {
        rules.approximate("`allow_virtual => false` is ignored: a virtual package is accepted");
    }
    if rules.text("configfiles").is_some_and(|c| c != "keep") {
        rules.approximate("`configfiles` is ignored: changed configuration files are kept");
    }
    if rules.flag("reinstall_on_refresh") == Some(true) {
        rules.approximate("`reinstall_on_refresh` is ignored: a refresh does not reinstall the package");
    }
    native
}

pub(super) fn service(rules: &mut Rules<'_>) -> Native {
    let mut native = Native::new("svc", rules.named("name"));
    // Puppet's provider for systemd does not use them.
    rules.ignore(&["hasstatus", "hasrestart", "timeout", "pattern", "binary", "control", "flags", "manifest", "path"]);
    native.set("refresh", Value::str("restart"));
    for (from, to) in [("start", "startcmd"), ("stop", "stopcmd"), ("restart", "restartcmd"), ("status", "statuscmd")] {
        rules.carry(&mut native, from, to);
    }
    if let Some(provider) = rules.resource.text("provider").filter(|p| *p != "systemd") {
        rules.unsupported(format!("unsupported service provider `{provider}`"));
    }
    match rules.text("ensure").as_deref() {
        None => {}
        Some("running" | "true") => native.set("state", Value::str("running")),
        Some("stopped" | "false") => native.set("state", Value::str("stopped")),
        Some(other) => rules.unsupported(format!("unsupported `ensure => {other}`")),
    }
    match rules.text("enable").as_deref() {
        None => {}
        Some("true") => native.set("startup", Value::str("enabled")),
        Some("false") => native.set("startup", Value::str("disabled")),
        Some(other) => rules.unsupported(format!("unsupported `enable => {other}`")),
    }
    native
}

pub(super) fn present(rules: &mut Rules<'_>, native: &mut Native) -> bool {
    match rules.text("ensure").as_deref() {
        None | Some("present" | "true") => {
            native.set("state", Value::str("exists"));
            true
        }
        Some("absent" | "false") => {
            native.set("state", Value::str("absent"));
            false
        }
        Some(other) => {
            rules.unsupported(format!("unsupported `ensure => {other}`"));
            true
        }
    }
}

pub(super) fn user(rules: &mut Rules<'_>) -> Native {
    let mut native = Native::new("user", rules.named("name"));
    rules.ignore(&[
        "role_membership",
        "auth_membership",
        "profile_membership",
        "key_membership",
        "attribute_membership",
    ]);
    present(rules, &mut native);
    if let Some(uid) = rules.text("uid") {
        number(rules, &mut native, "uid", &uid);
    }
    if let Some(gid) = rules.text("gid") {
        if gid.bytes().all(|b| b.is_ascii_digit()) {
            number(rules, &mut native, "gid", &gid);
        } else {
            native.set("group", Value::str(gid));
        }
    }
    let inclusive = rules.text("membership").as_deref() == Some("inclusive");
    if let Some(groups) = rules.take("groups") {
        native.set("groups", Value::list(groups.flat_strings().into_iter().map(Value::str)));
        if !inclusive {
            native.set("membership", Value::str("minimum"));
        }
    }
    if let Some(home) = rules.text("home") {
        native.set("homedir", Value::str(format!("{}/", home.trim_end_matches('/'))));
    }
    rules.carry(&mut native, "shell", "shell");
    if let Some(allow) = rules.flag("allowdupe") {
        native.set("allowduplicateuid", Value::Bool(allow));
    }
    rules.carry(&mut native, "comment", "comment");
    for name in ["managehome", "system"] {
        if rules.flag(name) == Some(true) {
            native.set(name, Value::Bool(true));
        }
    }
    for name in ["purge_ssh_keys", "forcelocal"] {
        match rules.take(name) {
            None | Some(PuppetValue::Boolean(false)) => {}
            Some(PuppetValue::Array(items)) if items.is_empty() => {}
            Some(value) if value.as_str() == Some("false") => {}
            Some(_) => rules.unsupported(format!("unsupported attribute `{name}`")),
        }
    }
    native
}

pub(super) fn group(rules: &mut Rules<'_>) -> Native {
    let mut native = Native::new("group", rules.named("name"));
    present(rules, &mut native);
    if let Some(gid) = rules.text("gid") {
        number(rules, &mut native, "gid", &gid);
    }
    for name in ["allowdupe", "system", "auth_membership", "forcelocal"] {
        if rules.flag(name) == Some(true) {
            rules.unsupported(format!("unsupported attribute `{name}`"));
        }
    }
    if rules.text("attribute_membership").is_some_and(|m| m != "minimum") {
        rules.unsupported("unsupported attribute `attribute_membership`");
    }
    if rules.take("members").is_some() {
        rules.approximate("`members` is ignored: membership is managed with each user");
    }
    native
}

fn number(rules: &mut Rules<'_>, native: &mut Native, field: &'static str, text: &str) {
    match text.parse::<u32>() {
        Ok(n) => native.set(field, Value::Int(i64::from(n))),
        Err(_) => rules.unsupported(format!("invalid id `{field} => {text}`")),
    }
}

pub(super) fn mount(rules: &mut Rules<'_>) -> Native {
    let mut native = Native::new("mount", rules.named("name"));
    rules.carry(&mut native, "device", "device");
    match rules.text("ensure").as_deref() {
        None | Some("mounted") => native.set("state", Value::str("exists")),
        Some(state @ ("present" | "defined")) => {
            rules.approximate(format!("`ensure => {state}` also mounts the file system"));
            native.set("state", Value::str("exists"));
        }
        Some("absent") => native.set("state", Value::str("absent")),
        Some("unmounted") => {
            rules.approximate("`ensure => unmounted` also removes the line of the file system table");
            native.set("state", Value::str("absent"));
        }
        Some(other) => rules.unsupported(format!("unsupported `ensure => {other}`")),
    }
    rules.carry(&mut native, "fstype", "type");
    for (from, to) in [("dump", "freq"), ("pass", "passno")] {
        if let Some(text) = rules.text(from) {
            match text.parse::<i64>() {
                Ok(n) => native.set(to, Value::Int(n)),
                Err(_) => rules.unsupported(format!("invalid number `{from} => {text}`")),
            }
        }
    }
    if let Some(options) = rules.text("options") {
        let pairs = options.split(',').filter(|o| !o.is_empty()).map(|option| {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            (Value::str(key), Value::str(value))
        });
        native.set("options", Value::map(pairs));
    }
    if rules.text("target").is_some_and(|t| t != "/etc/fstab") {
        rules.unsupported("unsupported file system table `target`");
    }
    if rules.flag("remounts") == Some(false) {
        rules.approximate("`remounts => false` is ignored: a change is applied with a remount");
    }
    native
}

pub(super) fn notify(rules: &mut Rules<'_>) -> Native {
    let title = rules.resource.reference.title.to_string();
    let mut native = Native::new("msg", title.clone());
    rules.ignore(&["withpath", "name"]);
    let body = match rules.take("message") {
        None => title,
        Some(PuppetValue::Sensitive(inner)) => inner.scalar_text().unwrap_or_default(),
        Some(PuppetValue::Array(items)) => {
            items.iter().filter_map(PuppetValue::scalar_text).collect::<Vec<_>>().join(" ")
        }
        Some(value) => value.scalar_text().unwrap_or_else(|| {
            rules.unsupported("invalid `message`: expected a string");
            String::new()
        }),
    };
    native.set("body", Value::str(body));
    if rules.resource.is_sensitive("message") {
        native.sensitive.push("body");
    }
    let priority = match rules.resource.text("loglevel") {
        None | Some("notice") => "Notice",
        Some("debug") => "Debug",
        Some("info" | "verbose") => "Info",
        Some("warning") => "Warning",
        Some("err") => "Err",
        Some("crit") => "Crit",
        Some("alert") => "Alert",
        Some("emerg") => "Emerg",
        Some(other) => {
            rules.unsupported(format!("unsupported `loglevel => {other}`"));
            "Notice"
        }
    };
    native.set("priority", Value::str(priority));
    native
}

pub(super) fn anchor(rules: &mut Rules<'_>) -> Native {
    rules.ignore(&["name"]);
    let mut anchor = Native::new("noop", &*rules.resource.reference.title);
    anchor.propagates_refresh = true;
    anchor
}

/// `resources` removes what no catalog declares, unless it does nothing.
pub(super) fn resources(rules: &mut Rules<'_>) -> Native {
    rules.ignore(&["name", "unless_system_user", "unless_uid"]);
    if rules.flag("purge") == Some(true) {
        rules.approximate("`purge` is ignored: resources that are not declared stay");
    }
    Native::new("noop", rules.resource.reference.to_string())
}

/// `schedule` and `filebucket` configure Puppet's agent and change nothing on the machine.
pub(super) fn puppet_settings(rules: &mut Rules<'_>) -> Native {
    rules.ignore(&["name", "path", "server", "port", "period", "periodmatch", "range", "repeat", "weekday"]);
    Native::new("noop", rules.resource.reference.to_string())
}

/// Returns a regular expression that matches a text.
pub(super) fn literal(text: &str) -> String {
    text.chars().flat_map(|c| (!c.is_alphanumeric()).then_some('\\').into_iter().chain([c])).collect()
}

pub(super) fn host(rules: &mut Rules<'_>) -> Native {
    let name = rules.named("name");
    let mut native = Native::new("line", rules.resource.reference.to_string());
    native.set("file", Value::str(rules.text("target").unwrap_or_else(|| "/etc/hosts".to_owned())));
    let exists = present(rules, &mut native);
    // The line of the host, whatever its address and aliases are.
    native.set("match", Value::str(format!(r"^\s*[^#\s]+\s+{}(\s|$)", literal(&name))));
    if name.is_empty() || name.contains(|c: char| !(c.is_ascii_alphanumeric() || "-._".contains(c))) {
        rules.unsupported("invalid name of a host");
    }
    if !exists {
        rules.ignore(&["ip", "host_aliases", "comment"]);
        native.set("multiple", Value::Bool(true));
        return native;
    }
    let Some(ip) = rules.text("ip") else {
        rules.unsupported("missing attribute `ip`");
        return native;
    };
    // The format that Puppet writes, so that an existing line is recognized.
    let mut line = format!("{ip}\t{name}");
    let aliases = rules.take("host_aliases").map(PuppetValue::flat_strings);
    if aliases.is_none() {
        rules.approximate("aliases that an existing line has are removed, because `host_aliases` is not set");
    }
    let aliases = aliases.unwrap_or_default();
    if !aliases.is_empty() {
        line.push('\t');
        line.push_str(&aliases.join(" "));
    }
    if let Some(comment) = rules.text("comment") {
        line.push_str("\t# ");
        line.push_str(&comment);
    }
    native.set("content", Value::str(line));
    native
}

pub(super) fn file_line(rules: &mut Rules<'_>) -> Native {
    let mut native = Native::new("line", &*rules.resource.reference.title);
    rules.ignore(&["name"]);
    if let Some(path) = rules.text("path") {
        native.set("file", Value::str(clean_path(&path)));
    } else {
        rules.unsupported("missing attribute `path`");
    }
    let exists = present(rules, &mut native);
    let pattern = rules.text("match");
    let pattern = if rules.flag("match_for_absence") == Some(true) || exists { pattern } else { None };
    match rules.text("line") {
        Some(line) => native.set("content", Value::str(line)),
        None if !exists && pattern.is_some() => {}
        None => rules.unsupported("missing attribute `line`"),
    }
    if let Some(pattern) = pattern {
        native.set("match", Value::str(pattern));
    }
    if rules.flag("multiple") == Some(true) {
        native.set("multiple", Value::Bool(true));
    }
    for (from, to) in [("replace", "replace"), ("append_on_no_match", "append")] {
        if rules.flag(from) == Some(false) {
            native.set(to, Value::Bool(false));
        }
    }
    if rules.flag("replace_all_matches_not_matching_line") == Some(true) {
        rules.unsupported("unsupported `replace_all_matches_not_matching_line => true`");
    }
    let after = rules.text("after");
    if let Some(after) = after.filter(|_| exists) {
        native.set("after", Value::str(after));
    }
    if rules.text("encoding").is_some_and(|encoding| !encoding.eq_ignore_ascii_case("utf-8")) {
        rules.unsupported("unsupported `encoding` other than UTF-8");
    }
    if rules.resource.is_sensitive("line") {
        native.sensitive.push("content");
    }
    native
}
