//! Automatic edges, by type (spec 07 §2.4).

use std::collections::BTreeSet;

use mcl_diagnostics::Diagnostic;
use pp_resource_types::{KnownTypes, clean_path};
use rustc_hash::FxHashMap;

use crate::automatic::Automatic;
use crate::catalog::{Catalog, CatalogResource, ResourceIndex};
use crate::lookup::Names;
use crate::type_rules::{TypeRules, unread};
use crate::value::PuppetValue;

/// Calls `add` for every automatic edge, in the order in which an agent evaluates them.
pub(crate) fn automatic_edges(
    catalog: &Catalog,
    names: &Names<'_>,
    types: &KnownTypes,
    mut add: impl FnMut(Automatic),
) {
    let tables = Tables::new(catalog);
    let read = TypeRules::new(catalog, names, types);
    for (index, resource) in catalog.resources.iter().enumerate() {
        let mut rules = Rules { names, index, add: &mut add };
        match &*resource.reference.type_name {
            "File" => file(resource, &mut rules),
            "Exec" => exec(resource, &mut rules),
            "User" => user(resource, &tables, &mut rules),
            "Package" => {
                for parameter in ["responsefile", "adminfile", "source"] {
                    if let Some(path) = resource.text(parameter).filter(|p| p.starts_with('/')) {
                        rules.require("File", path, "needs the file it is installed with");
                    }
                }
            }
            "Cron" | "Ssh_authorized_key" => {
                if let Some(user) = resource.text("user") {
                    rules.require("User", user, "belongs to the user");
                }
            }
            "Mount" => mount(resource, &tables, &mut rules),
            "File_line" | "Concat_file" => {
                if let Some(path) = resource.text("path") {
                    rules.require("File", path, "edits the file");
                }
            }
            "Concat_fragment" => {
                if let Some(target) = resource.text("target")
                    && let Some(path) = tables.concat.get(target)
                {
                    rules.require("File", path, "is part of the file");
                }
            }
            _ => read.edges(index, rules.add),
        }
    }
}

/// Returns a warning for each type with rules that could not be read, if resources of it are in the catalog.
pub(crate) fn unread_relations(catalog: &Catalog, types: &KnownTypes) -> Vec<Diagnostic> {
    let natives = catalog.resources.iter().filter(|resource| !resource.is_container());
    let names: BTreeSet<&str> = natives.map(|resource| &*resource.reference.type_name).collect();
    names
        .into_iter()
        .filter(|name| !BUILT_IN.contains(name))
        .filter_map(|name| unread(types.find(name)?.read()?))
        .collect()
}

/// The types with rules in this file.
const BUILT_IN: &[&str] = &[
    "File",
    "Exec",
    "User",
    "Package",
    "Cron",
    "Ssh_authorized_key",
    "Mount",
    "File_line",
    "Concat_file",
    "Concat_fragment",
];

/// The lookup tables of the rules.
struct Tables<'a> {
    groups_by_gid: FxHashMap<String, ResourceIndex>,
    mounts: FxHashMap<String, ResourceIndex>,
    files: Vec<(String, ResourceIndex)>,
    /// The path of a concat_file by its title, path and tag.
    concat: FxHashMap<&'a str, &'a str>,
}

impl<'a> Tables<'a> {
    fn new(catalog: &'a Catalog) -> Tables<'a> {
        let mut tables = Tables {
            groups_by_gid: FxHashMap::default(),
            mounts: FxHashMap::default(),
            files: Vec::new(),
            concat: FxHashMap::default(),
        };
        for (index, resource) in catalog.resources.iter().enumerate() {
            match &*resource.reference.type_name {
                "Group" => {
                    if let Some(gid) = resource.parameter("gid").and_then(PuppetValue::scalar_text) {
                        tables.groups_by_gid.entry(gid).or_insert(index);
                    }
                }
                "Mount" => {
                    tables.mounts.entry(clean_path(named(resource, "name"))).or_insert(index);
                }
                "File" => tables.files.push((clean_path(named(resource, "path")), index)),
                "Concat_file" => {
                    let path = named(resource, "path");
                    let tag = resource.text("tag");
                    for key in [Some(&*resource.reference.title), Some(path), tag].into_iter().flatten() {
                        tables.concat.entry(key).or_insert(path);
                    }
                }
                _ => {}
            }
        }
        // Sorted, so that the files below a mount point are one range.
        tables.files.sort();
        tables
    }
}

fn named<'a>(resource: &'a CatalogResource, namevar: &str) -> &'a str {
    resource.text(namevar).unwrap_or(&resource.reference.title)
}

struct Rules<'a, F> {
    names: &'a Names<'a>,
    index: ResourceIndex,
    add: &'a mut F,
}

impl<F: FnMut(Automatic)> Rules<'_, F> {
    fn require(&mut self, type_name: &str, title: &str, why: &'static str) {
        if let Some(source) = self.names.find_titled(type_name, title) {
            self.require_index(source, why);
        }
    }

    fn require_index(&mut self, source: ResourceIndex, why: &'static str) {
        if source != self.index {
            (self.add)(Automatic { source, target: self.index, resource: self.index, why, refreshes: false });
        }
    }

    fn before(&mut self, target: ResourceIndex, why: &'static str) {
        if target != self.index {
            (self.add)(Automatic { source: self.index, target, resource: self.index, why, refreshes: false });
        }
    }
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn file<F: FnMut(Automatic)>(resource: &CatalogResource, rules: &mut Rules<'_, F>) {
    let path = clean_path(named(resource, "path"));
    // The nearest ancestor in the catalog.
    let mut rest = path.as_str();
    while let Some(slash) = rest.rfind('/').filter(|_| rest != "/") {
        rest = if slash == 0 { "/" } else { &rest[..slash] };
        if let Some(parent) = rules.names.find_titled("File", rest) {
            rules.require_index(parent, "is in the directory");
            break;
        }
    }
    if let Some(target) = resource.text("target") {
        rules.require("File", target, "links to the file");
    }
    for (parameter, type_name) in [("owner", "User"), ("group", "Group")] {
        if let Some(name) = resource.text(parameter).filter(|n| !all_digits(n)) {
            rules.require(type_name, name, "belongs to its owner and group");
        }
    }
}

fn exec<F: FnMut(Automatic)>(resource: &CatalogResource, rules: &mut Rules<'_, F>) {
    if let Some(cwd) = resource.text("cwd") {
        rules.require("File", cwd, "runs in the directory");
    }
    let command = match resource.parameter("command") {
        Some(PuppetValue::Array(items)) => items.first().and_then(PuppetValue::as_str),
        Some(other) => other.as_str(),
        None => Some(&*resource.reference.title),
    };
    if let Some(command) = command {
        for line in command.lines() {
            if let Some(path) = leading_path(line) {
                rules.require("File", path, "runs the file");
            }
        }
        if let Some(quoted) = command.strip_prefix('"').and_then(|rest| rest.split_once('"'))
            && quoted.0.starts_with('/')
        {
            rules.require("File", quoted.0, "runs the file");
        }
    }
    for parameter in ["onlyif", "unless"] {
        for text in resource.parameter(parameter).map(PuppetValue::flat_strings).unwrap_or_default() {
            for path in text.lines().filter_map(leading_path) {
                rules.require("File", path, "checks with the file");
            }
        }
    }
    if let Some(user) = resource.text("user").filter(|u| !all_digits(u)) {
        rules.require("User", user, "runs as the user");
    }
}

/// Returns the first word of a line if it is an absolute path.
fn leading_path(line: &str) -> Option<&str> {
    line.split_whitespace().next().filter(|word| word.starts_with('/') && line.starts_with('/'))
}

fn user<F: FnMut(Automatic)>(resource: &CatalogResource, tables: &Tables<'_>, rules: &mut Rules<'_, F>) {
    const WHY: &str = "is a member of the group";
    match resource.parameter("gid") {
        Some(PuppetValue::String(name)) if !all_digits(name) => rules.require("Group", name, WHY),
        Some(other) => {
            let gid = other.scalar_text().unwrap_or_default();
            if let Some(&group) = tables.groups_by_gid.get(&gid) {
                rules.require_index(group, WHY);
            } else {
                rules.require("Group", &gid, WHY);
            }
        }
        None => {}
    }
    for group in resource.parameter("groups").map(PuppetValue::flat_strings).unwrap_or_default() {
        rules.require("Group", group, WHY);
    }
    for role in resource.parameter("roles").map(PuppetValue::flat_strings).unwrap_or_default() {
        rules.require("User", role, "has the role");
    }
}

fn mount<F: FnMut(Automatic)>(resource: &CatalogResource, tables: &Tables<'_>, rules: &mut Rules<'_, F>) {
    let point = clean_path(named(resource, "name"));
    let mut rest = point.as_str();
    let mut parents: Vec<ResourceIndex> = Vec::new();
    while let Some(slash) = rest.rfind('/').filter(|_| rest != "/") {
        rest = if slash == 0 { "/" } else { &rest[..slash] };
        parents.extend(tables.mounts.get(rest).copied());
    }
    for parent in parents {
        rules.require_index(parent, "is mounted inside the mount");
    }
    let below = if point == "/" { point.clone() } else { format!("{point}/") };
    let first = tables.files.partition_point(|(path, _)| *path < below);
    for (_, file) in tables.files[first..].iter().take_while(|(path, _)| path.starts_with(&below)) {
        rules.before(*file, "is mounted before the files in it");
    }
}
