//! `file` (spec 07 §3.4).

use std::path::Path;

use mcl_value::Value;
use pp_resource_types::clean_path;

use crate::translate::native::Native;
use crate::translate::rules::Rules;
use crate::value::PuppetValue;

pub(super) fn file(rules: &mut Rules<'_>) -> Native {
    let mut native = Native::new("file", &*rules.resource.reference.title);
    rules.ignore(&["checksum", "show_diff", "sourceselect", "validate_replacement", "selinux_ignore_defaults"]);
    let path = clean_path(&rules.named("path"));
    let (kind, link) = target_kind(rules);
    let directory = kind == TargetKind::Directory;
    native.set("path", Value::str(if directory && path != "/" { format!("{path}/") } else { path }));
    let content = content(rules);
    let source = if kind == TargetKind::Link { None } else { source(rules, directory) };
    let state = match kind {
        TargetKind::Absent => Some("absent"),
        TargetKind::File | TargetKind::Directory | TargetKind::Link => Some("exists"),
        TargetKind::Unspecified => (content.is_some() || source.is_some()).then_some("exists"),
    };
    if let Some(state) = state {
        native.set("state", Value::str(state));
    }
    if kind == TargetKind::Link {
        native.set("symlink", Value::Bool(true));
        match link {
            Some(target) => native.set("source", Value::str(target)),
            None => rules.unsupported("missing target of the link"),
        }
    } else if kind == TargetKind::Absent {
        // An absent file has neither content nor owner.
        rules.ignore(&["owner", "group", "mode"]);
    }
    if kind != TargetKind::Absent {
        match (content, source) {
            (Some(_), Some(_)) => rules.unsupported("`content` and `source` are mutually exclusive"),
            (Some(content), None) => {
                native.set("content", content);
                if rules.resource.is_sensitive("content") {
                    native.sensitive.push("content");
                }
            }
            (None, Some(Source::Path(path))) => native.set("source", Value::str(path)),
            (None, Some(Source::Bytes(bytes))) => native.set("content", Value::str(bytes)),
            (None, None) => {}
        }
        rules.carry(&mut native, "owner", "owner");
        rules.carry(&mut native, "group", "group");
        if kind == TargetKind::Link {
            // The mode of a link has no meaning.
            rules.ignore(&["mode"]);
        } else {
            mode(rules, &mut native);
        }
        selinux(rules, &mut native);
    }
    match rules.flag("replace") {
        // It has no effect on a directory without a source.
        Some(false) if kind == TargetKind::Directory && rules.resource.parameter("source").is_none() => {}
        Some(false) if matches!(kind, TargetKind::Directory | TargetKind::Link) => {
            rules.unsupported("unsupported `replace => false` of a directory with a source, or of a link");
        }
        Some(false) => native.set("replace", Value::Bool(false)),
        Some(true) | None => {}
    }
    tree(rules, &mut native, kind);
    check_defaults(rules);
    native
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TargetKind {
    Unspecified,
    File,
    Directory,
    Link,
    Absent,
}

/// Returns what `ensure` and `target` declare, and the target of a link.
fn target_kind(rules: &mut Rules<'_>) -> (TargetKind, Option<String>) {
    let target = rules.text("target");
    match rules.text("ensure").as_deref() {
        None if target.is_some() => (TargetKind::Link, target),
        None => (TargetKind::Unspecified, None),
        Some("present" | "file") if target.is_none() => (TargetKind::File, None),
        Some("directory") if target.is_none() => (TargetKind::Directory, None),
        Some("link") => (TargetKind::Link, target),
        Some("absent" | "false") => (TargetKind::Absent, None),
        // Any other value is the target of a link.
        Some(path) if path.starts_with('/') && target.is_none() => (TargetKind::Link, Some(path.to_owned())),
        Some(other) => {
            rules.unsupported(format!("unsupported `ensure => {other}` with these attributes"));
            (TargetKind::Unspecified, None)
        }
    }
}

fn content(rules: &mut Rules<'_>) -> Option<Value> {
    match rules.take("content")? {
        PuppetValue::Binary(bytes) => Some(Value::str(bytes.clone())),
        PuppetValue::Sensitive(inner) => inner.scalar_text().map(Value::str),
        other => match other.scalar_text() {
            Some(text) if is_checksum(&text) => {
                rules.unsupported("unsupported checksum of Puppet's file bucket in `content`");
                None
            }
            Some(text) => Some(Value::str(text)),
            None => {
                rules.unsupported("invalid `content`: expected a string");
                None
            }
        },
    }
}

/// Returns whether this is a checksum: `{sha256}` and hexadecimal digits.
fn is_checksum(text: &str) -> bool {
    let parts = text.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    parts.is_some_and(|(name, sum)| {
        name.bytes().all(|b| b.is_ascii_alphanumeric()) && sum.len() >= 32 && sum.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

enum Source {
    Path(String),
    Bytes(Vec<u8>),
}

fn source(rules: &mut Rules<'_>, directory: bool) -> Option<Source> {
    let value = rules.take("source")?;
    let sources = value.flat_strings();
    let [one] = sources.as_slice() else {
        rules.unsupported("unsupported list of sources");
        return None;
    };
    if let Some(rest) = one.strip_prefix("puppet:///modules/") {
        return module_file(rules, rest, directory);
    }
    let path = one.strip_prefix("file://").or_else(|| one.strip_prefix("file:")).unwrap_or(one);
    if !path.starts_with('/') {
        rules.unsupported(format!("unsupported source on a server: `{one}`"));
        return None;
    }
    let path = clean_path(path);
    if !directory {
        return Some(Source::Path(path));
    }
    match rules.resource.parameter("recurse").and_then(PuppetValue::scalar_text).as_deref() {
        Some("true" | "remote" | "inf") => Some(Source::Path(format!("{path}/"))),
        _ => {
            rules.approximate("`source` without `recurse` is ignored: owner and mode are not copied from it");
            None
        }
    }
}

/// `puppet:///modules/MODULE/PATH` is `MODULE/files/PATH` in the module path.
fn module_file(rules: &mut Rules<'_>, rest: &str, directory: bool) -> Option<Source> {
    let parts: Vec<&str> = rest.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let inside = parts.split_first().filter(|(_, path)| !path.is_empty() && !parts.contains(&".."));
    let Some((module, path)) = inside.map(|(module, path)| (*module, path.join("/"))) else {
        rules.unsupported(format!("invalid source `puppet:///modules/{rest}`: expected a file of a module"));
        return None;
    };
    if directory {
        rules.unsupported("unsupported copy of a directory of a module");
        return None;
    }
    if let Some(bytes) = rules.options.module_files.get(&format!("modules/{module}/files/{path}")) {
        return Some(Source::Bytes(bytes.clone()));
    }
    for dir in &rules.options.module_path {
        let module = dir.join(module);
        let file = module.join("files").join(&path);
        match read_inside(&module, &file) {
            Ok(Some(bytes)) => {
                rules.read.push(file);
                return Some(Source::Bytes(bytes));
            }
            Ok(None) => {}
            Err(problem) => {
                rules.unsupported(format!("source `puppet:///modules/{rest}` {problem}"));
                return None;
            }
        }
    }
    let hint = if rules.options.module_path.is_empty() { " (set it with `--puppet-module-path`)" } else { "" };
    rules.unsupported(format!("source `puppet:///modules/{rest}` not found in the module path{hint}"));
    None
}

/// A larger file of a module is not copied into the graph.
const MAX_SOURCE_BYTES: u64 = 64 << 20;

/// Reads a file in a directory; `None` without such a file.
fn read_inside(directory: &Path, path: &Path) -> Result<Option<Vec<u8>>, &'static str> {
    let (Ok(directory), Ok(path)) = (directory.canonicalize(), path.canonicalize()) else { return Ok(None) };
    if !path.starts_with(&directory) {
        return Err("is a symbolic link out of its module");
    }
    match path.metadata() {
        Ok(metadata) if !metadata.is_file() => Err("is not a file"),
        Ok(metadata) if metadata.len() > MAX_SOURCE_BYTES => Err("is too large: the limit is 64 MiB"),
        Ok(_) => Ok(std::fs::read(&path).ok()),
        Err(_) => Ok(None),
    }
}

pub(super) fn mode(rules: &mut Rules<'_>, native: &mut Native) {
    let Some(mode) = rules.text("mode") else { return };
    let is_octal = (1..=5).contains(&mode.len()) && mode.bytes().all(|b| (b'0'..=b'7').contains(&b));
    // Symbolic modes of Puppet start from the present mode, even where they assign.
    native.set(if is_octal { "mode" } else { "mode_change" }, Value::str(mode));
}

pub(super) fn selinux(rules: &mut Rules<'_>, native: &mut Native) {
    let parts: Vec<Option<String>> =
        ["seluser", "selrole", "seltype", "selrange"].into_iter().map(|name| rules.text(name)).collect();
    if parts.iter().all(Option::is_none) {
        return;
    }
    if parts.iter().flatten().any(|part| part.is_empty()) || parts[..3].iter().flatten().any(|part| part.contains(':'))
    {
        rules.unsupported("invalid part of a SELinux context");
    }
    // What is not given stays as it is.
    let parts: Vec<String> = parts.into_iter().map(Option::unwrap_or_default).collect();
    native.set("selinux", Value::str(parts.join(":")));
}

fn tree(rules: &mut Rules<'_>, native: &mut Native, kind: TargetKind) {
    let recurse = match rules.text("recurse").as_deref() {
        None | Some("false") => false,
        Some("true" | "inf" | "remote") => true,
        Some(other) => {
            rules.unsupported(format!("unsupported `recurse => {other}`"));
            false
        }
    };
    let force = rules.flag("force") == Some(true);
    let purge = rules.flag("purge") == Some(true);
    // Puppet removes a directory only when forced, and then with everything in it.
    if (recurse && kind == TargetKind::Directory) || (kind == TargetKind::Absent && force) {
        native.set("recurse", Value::Bool(true));
    }
    if force {
        native.set("force", Value::Bool(true));
    }
    if purge && kind != TargetKind::Absent {
        if recurse && kind == TargetKind::Directory {
            native.set("purge", Value::Bool(true));
        } else {
            rules.unsupported("unsupported `purge` without `recurse`");
        }
    }
}

/// Reports attributes that are supported only with their default value.
fn check_defaults(rules: &mut Rules<'_>) {
    if let Some(value) = rules.text("source_permissions").filter(|v| v != "ignore") {
        rules.unsupported(format!("unsupported `source_permissions => {value}`"));
    }
    match rules.text("links").as_deref() {
        None | Some("manage") => {}
        // A source is always followed.
        Some("follow")
            if rules.resource.parameters.iter().any(|(name, _)| matches!(name.as_str(), "source" | "content")) =>
        {
            rules.approximate(
                "`links => follow` is ignored: a link in place of the file is replaced, not what it leads to",
            );
        }
        Some(value) => rules.unsupported(format!("unsupported `links => {value}`")),
    }
    match rules.text("backup").as_deref() {
        None | Some("false" | "nil" | "puppet") => {}
        Some(other) => rules.approximate(format!("`backup => {other}` is ignored: no backup is kept")),
    }
    if rules.take("validate_cmd").is_some() {
        rules.approximate("`validate_cmd` is ignored: the new content is not validated");
    }
    if rules.text("max_files").is_some_and(|n| n != "0") {
        rules.approximate("`max_files` is ignored: the number of files is not limited");
    }
}
