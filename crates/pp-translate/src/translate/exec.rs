//! `exec` (spec 07 §3.4).

use mcl_value::Value;

use crate::translate::fallback::quote;
use crate::translate::native::Native;
use crate::translate::rules::Rules;
use crate::value::PuppetValue;

pub(super) fn exec(rules: &mut Rules<'_>) -> Native {
    let mut native = Native::new("exec", &*rules.resource.reference.title);
    rules.ignore(&["logoutput"]);
    let through_shell = rules.resource.text("provider") == Some("shell");
    let path = search_path(rules);
    if let Some(path) = environment(rules, path) {
        native.set("env", path);
    }
    let accepted = returns(rules);
    command(rules, &mut native, through_shell, &accepted);
    rules.carry(&mut native, "cwd", "cwd");
    rules.carry(&mut native, "user", "user");
    rules.carry(&mut native, "group", "group");
    guards(rules, &mut native);
    if rules.flag("refreshonly") == Some(true) {
        native.set("refreshonly", Value::Bool(true));
    }
    if rules.sensitive_any(&["command", "unless", "onlyif", "environment"]) {
        native.sensitive.extend(["cmd", "args", "env", "ifcmd", "nifcmd"]);
    }
    timing(rules, &mut native);
    native
}

/// Returns whether Ruby would run the line in a shell: it contains a character with a special meaning.
fn needs_shell(line: &str) -> bool {
    line.bytes().any(|b| b"*?{}[]<>()~&|\\$;'`\"\n#=%".contains(&b))
}

fn search_path(rules: &mut Rules<'_>) -> Option<String> {
    let value = rules.take("path")?;
    let parts = value.flat_strings();
    (!parts.is_empty()).then(|| parts.join(":"))
}

fn environment(rules: &mut Rules<'_>, path: Option<String>) -> Option<Value> {
    let entries = rules.take("environment").map(PuppetValue::flat_strings).unwrap_or_default();
    if entries.is_empty() && path.is_none() {
        return None;
    }
    // `env` is the complete environment of the command, so it always needs a search path.
    let path = path.unwrap_or_else(|| "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned());
    let mut pairs = vec![(Value::str("PATH"), Value::str(path))];
    for entry in entries {
        match entry.split_once('=') {
            Some((key, value)) => {
                pairs.retain(|(k, _)| *k != Value::str(key));
                pairs.push((Value::str(key), Value::str(value)));
            }
            None => rules.unsupported(format!("invalid entry `{entry}` in `environment`: missing `=`")),
        }
    }
    Some(Value::map(pairs))
}

/// Returns the exit statuses that mean success; empty if that is only 0.
fn returns(rules: &mut Rules<'_>) -> Vec<String> {
    let Some(value) = rules.take("returns") else { return Vec::new() };
    let codes: Vec<String> = value.elements().iter().filter_map(PuppetValue::scalar_text).collect();
    if codes.iter().any(|c| c.parse::<u8>().is_err()) {
        rules.unsupported("invalid exit status in `returns`");
    }
    if codes == ["0"] { Vec::new() } else { codes }
}

fn command(rules: &mut Rules<'_>, native: &mut Native, through_shell: bool, accepted: &[String]) {
    let value = rules.take("command");
    let words = match value {
        Some(PuppetValue::Array(items)) => {
            let words: Vec<String> = items.iter().filter_map(PuppetValue::scalar_text).collect();
            if words.is_empty() || words.len() < items.len() {
                rules.unsupported("invalid list in `command`: expected strings");
            }
            Some(words)
        }
        _ => None,
    };
    let line = match (&words, value) {
        (Some(words), _) => words.iter().map(|w| quote(w)).collect::<Vec<_>>().join(" "),
        (None, Some(value)) => value.scalar_text().unwrap_or_else(|| {
            rules.unsupported("invalid `command`: expected a string");
            String::new()
        }),
        (None, None) => rules.resource.reference.title.to_string(),
    };
    let qualified = line.starts_with('/');
    if !accepted.is_empty() {
        let codes = accepted.join("|");
        native.set("cmd", Value::str(format!("( {line}\n); case $? in {codes}) ;; *) exit 1;; esac")));
        native.set("shell", Value::str("/bin/sh"));
    } else if let Some(words) = words.filter(|_| !through_shell && qualified) {
        native.set("cmd", Value::str(words[0].as_str()));
        if words.len() > 1 {
            native.set("args", Value::list(words[1..].iter().map(|w| Value::str(w.as_str()))));
        }
    } else {
        // An unqualified command is looked up in `env`'s PATH only by a shell.
        let shell = through_shell || needs_shell(&line) || !qualified;
        native.set("cmd", Value::str(line));
        if shell {
            native.set("shell", Value::str("/bin/sh"));
        }
    }
}

fn guards(rules: &mut Rules<'_>, native: &mut Native) {
    let onlyif = conditions(rules, "onlyif");
    let mut unless = conditions(rules, "unless");
    let creates = rules.take("creates").map(PuppetValue::flat_strings).unwrap_or_default();
    match creates.as_slice() {
        [] => {}
        [one] => native.set("creates", Value::str(*one)),
        many => unless.extend(many.iter().map(|path| format!("test -e {}", quote(path)))),
    }
    if let Some(condition) = joined(&onlyif, " && ") {
        native.set("ifcmd", Value::str(condition));
        native.set("ifshell", Value::str("/bin/sh"));
    }
    if let Some(condition) = joined(&unless, " || ") {
        native.set("nifcmd", Value::str(condition));
        native.set("nifshell", Value::str("/bin/sh"));
    }
}

fn joined(conditions: &[String], with: &str) -> Option<String> {
    match conditions {
        [] => None,
        [one] => Some(one.clone()),
        many => Some(many.iter().map(|c| format!("( {c}\n)")).collect::<Vec<_>>().join(with)),
    }
}

/// Returns each entry as a shell command; an entry that is a list of words is quoted.
fn conditions(rules: &mut Rules<'_>, name: &'static str) -> Vec<String> {
    let Some(value) = rules.take(name) else { return Vec::new() };
    let items = value.elements();
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        match item {
            PuppetValue::Array(words) => {
                out.push(
                    words.iter().filter_map(PuppetValue::scalar_text).map(|w| quote(&w)).collect::<Vec<_>>().join(" "),
                );
            }
            other => match other.scalar_text() {
                Some(text) => out.push(text),
                None => rules.unsupported(format!("invalid command in `{name}`")),
            },
        }
    }
    out
}

fn timing(rules: &mut Rules<'_>, native: &mut Native) {
    let seconds = |rules: &mut Rules<'_>, name: &'static str| {
        let text = rules.text(name)?;
        let parsed = text.parse::<f64>().ok().filter(|s| s.is_finite() && *s >= 0.0 && *s < 1e12);
        if parsed.is_none() {
            rules.unsupported(format!("invalid number of seconds `{name} => {text}`"));
        }
        parsed.map(|s| (s * 1000.0) as u64)
    };
    native.meta.timeout = seconds(rules, "timeout").unwrap_or(300_000);
    let pause = seconds(rules, "try_sleep");
    if let Some(tries) = rules.text("tries") {
        match tries.parse::<i16>() {
            Ok(tries) if tries >= 1 => native.meta.retry = tries - 1,
            _ => rules.unsupported(format!("unsupported `tries => {tries}`")),
        }
    }
    if native.meta.retry > 0 {
        native.meta.delay = pause.unwrap_or(0);
    }
}

impl Rules<'_> {
    fn sensitive_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.resource.is_sensitive(name))
    }
}
