//! What two resources must not touch at the same time, judged by their declared parameters.

use std::path::Path;

use mcl_value::Value;
use resource_engine::Group;
use resource_graph::{Demand, Params, Resource, file_path, normalized_path};
use rustc_hash::FxHashMap;

/// Returns the absolute paths that a resource declares to be its object, without `.`, `..`, and repeated or trailing slashes.
pub(super) fn claims(resource: &Resource) -> Vec<String> {
    let declared = ["path", "file"].iter().filter_map(|name| resource.params.get(name)?.as_bytes());
    let declared = declared.map(|path| String::from_utf8_lossy(path).into_owned());
    let effective = match Params::of(resource) {
        Some(params) if &*resource.id.kind == "file" => file_path(&params).to_string(),
        Some(_) | None => resource.id.name.to_string(),
    };
    let mut paths: Vec<String> = declared.chain([effective]).filter_map(|path| absolute(&path)).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Returns the files that a resource edits and others may edit, too. Edits wait for each other anyway; one after the other, in
/// the order of the graph, they make of a file what the plan says.
pub(super) fn edited_files(resource: &Resource) -> Vec<String> {
    let claims = Params::of(resource).map(|params| (params.kind().claims)(&params)).unwrap_or_default();
    let edits = claims.into_iter().filter(|claim| matches!(claim.demand, Demand::Part | Demand::Line { .. }));
    let mut files: Vec<String> = edits.map(|claim| format!("edit {}", claim.object)).collect();
    files.dedup();
    files
}

/// The parameters with paths that a resource reads, or whose existence decides what it does.
const INPUTS: [&str; 6] = ["creates", "fragments", "input", "inputs", "mtimes", "source"];

/// The parameters of an `exec` that may name paths anywhere in their text.
const COMMANDS: [&str; 7] = ["args", "cmd", "cwd", "donecmd", "env", "ifcmd", "nifcmd"];

/// The groups of a graph by the paths that their members claim or read.
pub(super) struct UsedPaths {
    by_path: FxHashMap<String, Vec<u32>>,
    /// Those that use everything below a directory.
    by_directory: FxHashMap<String, Vec<u32>>,
}

impl UsedPaths {
    pub(super) fn of(groups: &[Group]) -> UsedPaths {
        let mut used = UsedPaths { by_path: FxHashMap::default(), by_directory: FxHashMap::default() };
        for (i, group) in groups.iter().enumerate() {
            for resource in group.iter() {
                for path in claims(resource).into_iter().chain(inputs(resource)).chain(named_by_commands(resource)) {
                    used.by_path.entry(path).or_default().push(i as u32);
                }
                // With `force`, a file replaces a whole directory.
                if ["recurse", "purge", "force"]
                    .iter()
                    .any(|name| resource.params.get(name) == Some(&Value::Bool(true)))
                {
                    for path in claims(resource) {
                        used.by_directory.entry(path).or_default().push(i as u32);
                    }
                }
            }
        }
        used
    }

    /// Returns the groups that use a path of this resource, or the path that is its name: an inverse has the name of the resource
    /// that it undoes, but changes what a link there leads to. For one that removes something, they include those that use
    /// everything below a directory above it: whether they find it must not depend on chance.
    pub(super) fn by(&self, resource: &Resource) -> Vec<u32> {
        let name = absolute(&resource.id.name);
        let mut groups: Vec<u32> =
            claims(resource).iter().chain(&name).filter_map(|path| self.by_path.get(path)).flatten().copied().collect();
        if resource.params.get("state").and_then(Value::as_bytes) == Some(b"absent") {
            let paths = claims(resource);
            let above = paths.iter().flat_map(|path| Path::new(path).ancestors().skip(1)).filter_map(Path::to_str);
            groups.extend(above.filter_map(|path| self.by_directory.get(path)).flatten());
        }
        groups.sort_unstable();
        groups.dedup();
        groups
    }
}

/// Returns the absolute paths that a resource reads.
fn inputs(resource: &Resource) -> Vec<String> {
    let values = INPUTS.iter().filter_map(|name| resource.params.get(name));
    let paths = values.flat_map(|value| match value {
        Value::List(items) => items.iter().filter_map(Value::as_bytes).collect(),
        value => value.as_bytes().into_iter().collect::<Vec<_>>(),
    });
    paths.filter_map(|path| absolute(&String::from_utf8_lossy(path))).collect()
}

/// Returns the absolute paths in the text of commands: a command looks at the files that it names.
fn named_by_commands(resource: &Resource) -> Vec<String> {
    if &*resource.id.kind != "exec" {
        return Vec::new();
    }
    let mut paths = paths_in(&resource.id.name);
    for value in COMMANDS.iter().filter_map(|name| resource.params.get(name)) {
        match value {
            Value::List(items) => items.iter().for_each(|item| paths.extend(paths_in_value(item))),
            Value::Map(map) => map.iter().for_each(|(_, item)| paths.extend(paths_in_value(item))),
            value => paths.extend(paths_in_value(value)),
        }
    }
    paths
}

fn paths_in_value(value: &Value) -> Vec<String> {
    value.as_bytes().map(|text| paths_in(&String::from_utf8_lossy(text))).unwrap_or_default()
}

/// Returns the absolute paths in a text, as a shell would see them: `--file=/etc/x`, `>/etc/x` and `"/etc/x"` name `/etc/x`.
fn paths_in(text: &str) -> Vec<String> {
    let ends_word = |c: char| c.is_whitespace() || "'\"`=:,;|&<>(){}[]$!*?\\".contains(c);
    text.split(ends_word).filter_map(absolute).collect()
}

/// Returns an absolute path without `.` and `..`; `None` for a relative one.
fn absolute(path: &str) -> Option<String> {
    path.starts_with('/').then(|| normalized_path(path).into_owned())
}

#[cfg(test)]
mod tests {
    use resource_graph::ResourceId;

    use super::*;

    fn resource(kind: &str, name: &str) -> Resource {
        Resource::new(ResourceId::new(kind, name))
    }

    #[test]
    fn spellings_of_one_path_are_one_claim() {
        for name in ["/srv/x", "/srv//x/", "/srv/./y/../x"] {
            assert_eq!(claims(&resource("file", name)), ["/srv/x"]);
        }
        assert_eq!(claims(&resource("file", "x").with("path", "/srv/x")), ["/srv/x"]);
        assert_eq!(claims(&resource("line", "x").with("file", "/srv/x")), ["/srv/x"]);
    }

    #[test]
    fn groups_are_found_by_the_paths_of_their_members() {
        let groups =
            [resource("svc", "web"), resource("line", "l").with("file", "/srv/x"), resource("file", "/srv/x/")];
        let used = UsedPaths::of(&groups.map(Group::from));
        assert_eq!(used.by(&resource("file", "/srv//x")), [1, 2]);
        assert_eq!(used.by(&resource("file", "/srv")), [0; 0]);
        let reader = resource("exec", "e").with("creates", "/srv/x/");
        assert_eq!(UsedPaths::of(&[Group::from(reader)]).by(&resource("file", "/srv/x")), [0]);
    }

    #[test]
    fn commands_use_the_paths_that_they_name() {
        let commands = [
            ("cmd", Value::str("cat /srv/x | sort")),
            ("cmd", Value::str("tool --file=/srv//x; true")),
            ("ifcmd", Value::str("[ ! -e \"/srv/x\" ]")),
            ("nifcmd", Value::str("true 2>/srv/x")),
            ("args", Value::List([Value::str("-f"), Value::str("/srv/./x")].into())),
        ];
        let used = |exec: Resource| UsedPaths::of(&[Group::from(exec)]).by(&resource("file", "/srv/x"));
        for (name, value) in commands {
            assert_eq!(used(resource("exec", "e").with(name, value.clone())), [0], "{name} => {value:?}");
        }
        assert_eq!(used(resource("exec", "test -e /srv/x")), [0], "the name is the command");
        for other in ["cat /srv/xy", "cat srv/x", "cat /srv", "cat /other/srv/x"] {
            assert_eq!(used(resource("exec", "e").with("cmd", other)), [0u32; 0], "{other}");
        }
        let print = resource("print", "p").with("msg", "see /srv/x");
        assert_eq!(UsedPaths::of(&[Group::from(print)]).by(&resource("file", "/srv/x")), [0u32; 0]);
    }

    #[test]
    fn edits_of_one_file_have_its_name_in_common() {
        let line = resource("line", "l").with("file", "/etc/x").with("content", "a").with("state", "exists");
        let setting = resource("ini:setting", "s").with("path", "/etc//x").with("setting", "a").with("value", "1");
        assert_eq!(edited_files(&line), ["edit /etc/x"]);
        assert_eq!(edited_files(&setting), ["edit /etc/x"]);
        assert_eq!(edited_files(&resource("file", "/etc/x").with("content", "a")), [""; 0]);
    }

    #[test]
    fn resource_without_a_path_has_no_claim() {
        assert_eq!(claims(&resource("svc", "web")), [""; 0]);
    }

    #[test]
    fn removal_is_found_by_those_that_use_all_of_a_directory_above() {
        let file = |name: &str| Resource::new(ResourceId::new("file", name));
        let recursive = |name: &str| file(name).with("recurse", true);
        let forced = file("/g").with("force", true);
        let groups = [recursive("/d/"), file("/d/"), recursive("/e/"), forced].map(Group::from);
        let used = UsedPaths::of(&groups);
        assert_eq!(used.by(&file("/d/sub/x").with("state", "absent")), [0]);
        assert_eq!(used.by(&file("/d/sub/x").with("state", "exists")), [0u32; 0]);
        assert_eq!(used.by(&file("/g/x").with("state", "absent")), [3], "a file in the place of the directory");
    }
}
