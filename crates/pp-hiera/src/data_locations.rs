//! Which files a `hiera.yaml` can lead to, before the values of variables are known.

use pp_types::Value;

use crate::files::join;
use crate::template::literal_start;
use crate::yaml;

/// The keys of a level, or of the defaults, that name files.
const PATHS: [&str; 4] = ["path", "paths", "glob", "globs"];

/// Returns the files and directories that hold the data of a `hiera.yaml`, whatever the values of variables are: each is
/// relative to the directory of the `hiera.yaml`, or absolute; the empty one is that directory itself. The place of data that
/// begins with a variable is not known, and is the directory that the variable is in.
#[must_use]
pub fn data_locations(text: &str) -> Vec<String> {
    let Ok(yaml::Document { value: Some(Value::Hash(config)), .. }) = yaml::load(text) else { return Vec::new() };
    let get = |name: &str| config.get(&Value::from(name));
    let shared = [get("defaults").and_then(|defaults| text_of(defaults, "datadir")), get("datadir").and_then(as_text)];
    let shared = shared.into_iter().flatten().next().unwrap_or("data");
    let mut found = vec![directory_of(shared)];
    for key in ["hierarchy", "default_hierarchy"] {
        let Some(Value::Array(levels)) = get(key) else { continue };
        for level in levels.iter() {
            let directory = text_of(level, "datadir").unwrap_or(shared);
            found.push(directory_of(directory));
            found.extend(paths_of(level).into_iter().map(|path| location(directory, path)));
        }
    }
    found.sort_unstable();
    found.dedup();
    let all = found.clone();
    // What is below another one is found with it.
    found.retain(|location| !all.iter().any(|other| is_below(location, other)));
    found
}

fn is_below(location: &str, other: &str) -> bool {
    match location.strip_prefix(other) {
        Some(rest) if other.is_empty() => !rest.is_empty() && !rest.starts_with(['/', '.']),
        Some(rest) => rest.starts_with('/'),
        None => false,
    }
}

fn as_text(value: &Value) -> Option<&str> {
    if let Value::String(text) = value { Some(text) } else { None }
}

fn text_of<'v>(entry: &'v Value, name: &str) -> Option<&'v str> {
    let Value::Hash(entry) = entry else { return None };
    entry.get(&Value::from(name)).and_then(as_text)
}

/// Returns the paths and patterns of a level.
fn paths_of(level: &Value) -> Vec<&str> {
    let Value::Hash(level) = level else { return Vec::new() };
    let mut found = Vec::new();
    for name in PATHS {
        match level.get(&Value::from(name)) {
            Some(Value::String(path)) => found.push(&**path),
            Some(Value::Array(paths)) => found.extend(paths.iter().filter_map(as_text)),
            _ => {}
        }
    }
    if let Some(Value::Array(mapped)) = level.get(&Value::from("mapped_paths")) {
        found.extend(mapped.get(2).and_then(as_text));
    }
    found
}

/// Returns what is fixed of a directory.
fn directory_of(directory: &str) -> String {
    match literal_start(directory) {
        Some(start) => parent(&join("", start)),
        None => join("", directory).trim_end_matches('/').to_owned(),
    }
}

/// Returns what is fixed of a path or pattern in a directory.
fn location(directory: &str, path: &str) -> String {
    let is_absolute = path.starts_with('/');
    if let (Some(_), false) = (literal_start(directory), is_absolute) {
        return directory_of(directory);
    }
    let fixed = literal_start(path).unwrap_or(path);
    let has_pattern = fixed.find(['*', '?', '[', '{']);
    if fixed.len() == path.len() && has_pattern.is_none() {
        return join(directory, path);
    }
    join(directory, &parent(&fixed[..has_pattern.unwrap_or(fixed.len())]))
}

/// Returns the directory of a path whose last part is not complete.
fn parent(path: &str) -> String {
    match path.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((directory, _)) => directory.to_owned(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        expected.assert_eq(&format!("{:?}", data_locations(text)));
    }

    #[test]
    fn data_is_in_the_directory_of_data_by_default() {
        check("version: 5", expect![[r#"["data"]"#]]);
        check("version: 5\nhierarchy: [{name: a, path: '%{x}.yaml'}]", expect![[r#"["data"]"#]]);
        check("version: 5\ndefaults: {datadir: d/e/}", expect![[r#"["d/e"]"#]]);
    }

    #[test]
    fn paths_may_lead_elsewhere() {
        let level = |level: &str| format!("version: 5\nhierarchy: [{{name: a, {level}}}]");
        check(&level("path: ../x.yaml"), expect![[r#"["data", "x.yaml"]"#]]);
        check(&level("paths: ['../n/%{x}.yaml', /etc/y.yaml]"), expect![[r#"["/etc/y.yaml", "data", "n"]"#]]);
        check(&level("glob: '../g/*/x.yaml'"), expect![[r#"["data", "g"]"#]]);
        check(&level("datadir: '/srv/%{environment}/data'"), expect![[r#"["/srv", "data"]"#]]);
        check(&level("datadir: '../shared'"), expect![[r#"["../shared", "data"]"#]]);
        check(&level("datadir: '%{x}'"), expect![[r#"[""]"#]]);
        check(&level("mapped_paths: [v, e, '../m/%{e}']"), expect![[r#"["data", "m"]"#]]);
    }
}
