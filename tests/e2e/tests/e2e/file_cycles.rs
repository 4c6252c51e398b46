//! Files of a crate must not depend on each other in a cycle (docs/style.md).
//!
//! A file depends on the files that define what its paths name: re-exports are followed, and a name in a module is an item of
//! its file unless it is a module. So a parent that only declares its children and passes on what they export does not depend
//! on them. Calls of methods are not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use regex::Regex;

use crate::sources::{Source, sources};

/// Dependencies that are left out, as the crate, the dependent and the dependency; `*` is any file.
const ALLOWED: &[(&str, &str, &str)] = &[
    // A map is a value, and its keys and values are values.
    ("mcl-value", "map", "value"),
    // Go templates can call every function, and the function that renders one is a function.
    ("mcl-functions", "template/functions", "registry"),
    // The functions of a schema take the resources of its kind, and the functions of one kind look others up.
    ("resource-graph", "schema", "*"),
    ("resource-graph", "*", "kinds"),
    // How a parameter is checked may depend on other parameters of the resource.
    ("resource-graph", "field", "params"),
    // Types are values, and types hold values: `Enum[a]`, objects with default values, aliases.
    ("pp-types", "value", "*"),
    ("pp-types", "types", "*"),
    // `Init[T]` has the values that the constructor of `T` takes, and constructors check types.
    ("pp-types", "instance", "constructor"),
    // A type in a string is shown without the values that it was inferred from.
    ("pp-types", "text", "infer"),
    // `Enum[a]` is assignable to `Pattern[/a/]` because `a` is an instance of it, and a type is an instance of `Type[T]` if it is
    // assignable to `T`.
    ("pp-types", "assignable", "instance"),
    // `Object[{…}]` and `TypeSet[{…}]` are checked against types that are read from texts.
    ("pp-types", "parametrize", "define_object"),
    ("pp-types", "parametrize", "type_set"),
    // A program calls methods, methods call blocks, and a block is a program. Values hold both.
    ("pp-erb", "*", "methods"),
    ("pp-erb", "value", "*"),
    // Containers remember the value of the manifest that they stand for, are made of it, and have keys that are compared.
    ("pp-erb", "value/text", "*"),
    ("pp-erb", "value/containers", "*"),
    ("pp-erb", "key", "compare"),
    ("pp-erb", "link", "objects"),
    // Strings search with regular expressions and format numbers; the methods of both take strings apart.
    ("pp-erb", "methods/string", "*"),
    ("pp-erb", "methods/string_search", "methods/regexp"),
];

/// A path in a crate, without `crate`.
type ItemPath = Vec<String>;

/// A file of a crate, as a module.
#[derive(Default)]
struct Module {
    /// What it imports for itself, with the names that the imports have here.
    imports: Vec<(Vec<String>, String)>,
    /// What it exports from elsewhere, by name.
    exports: BTreeMap<String, Vec<String>>,
    /// The modules that it declares.
    children: BTreeSet<String>,
    /// Its code without imports, comments and strings.
    code: String,
}

/// The modules of a crate, by their paths.
struct Crate(BTreeMap<ItemPath, Module>);

/// Comments and literals.
static NOISE: LazyLock<Regex> = LazyLock::new(|| pattern(r##"(?s)//[^\n]*|'\\?"'|r#".*?"#|"(?:[^"\\]|\\.)*""##));
static TEST_MODULE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))?\s+)?mod \w+;"));
static IMPORT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^\s*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);"));
static CHILD: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?mod (\w+);"));
static ITEM: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b\w+(?:::\w+)+"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

/// Returns the code without comments, literals, and modules of tests.
fn code_of(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let code = NOISE.replace_all(&text[..end], "");
    TEST_MODULE.replace_all(&code, "").into_owned()
}

/// Returns the paths of a use tree, each with the name that it gets.
fn flattened(prefix: &[String], tree: &str) -> Vec<(Vec<String>, String)> {
    let segments = |text: &str| -> Vec<String> {
        let segments = text.split("::").map(str::trim).filter(|segment| !segment.is_empty());
        prefix.iter().cloned().chain(segments.map(str::to_owned)).collect()
    };
    let Some((head, inner)) = tree.split_once('{') else {
        let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
        let mut path = segments(path);
        if path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = alias.map(str::to_owned).or_else(|| path.last().cloned()).unwrap_or_default();
        return vec![(path, name)];
    };
    let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
    let head = segments(head);
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    parts.iter().filter(|part| !part.trim().is_empty()).flat_map(|part| flattened(&head, part.trim())).collect()
}

impl Module {
    fn of(text: &str) -> Module {
        let code = code_of(text);
        let mut module = Module::default();
        for found in IMPORT.captures_iter(&code) {
            for (path, name) in flattened(&[], &found[2]) {
                if found.get(1).is_some() {
                    module.exports.insert(name, path);
                } else {
                    module.imports.push((path, name));
                }
            }
        }
        module.children = CHILD.captures_iter(&code).map(|found| found[1].to_owned()).collect();
        module.code = IMPORT.replace_all(&code, "").into_owned();
        module
    }
}

impl Crate {
    /// Reads the sources below the root of a crate.
    fn of<'s>(files: impl Iterator<Item = (&'s str, &'s str)>) -> Crate {
        let is_test = |path: &str| path.split('/').any(|part| part == "tests") || path.ends_with("tests.rs");
        let files = files.filter(|(path, _)| !is_test(path) && !path.starts_with("bin/"));
        let module_path = |path: &str| -> ItemPath {
            match path.trim_end_matches(".rs") {
                "lib" | "main" => Vec::new(),
                path => path.split('/').map(str::to_owned).collect(),
            }
        };
        let mut modules: BTreeMap<ItemPath, Module> =
            files.map(|(path, text)| (module_path(path), Module::of(text))).collect();
        // What no module declares is declared for tests only.
        let declared = |path: &ItemPath, modules: &BTreeMap<ItemPath, Module>| {
            let Some((name, parent)) = path.split_last() else { return true };
            modules.get(parent).is_some_and(|parent| parent.children.contains(name))
        };
        loop {
            let undeclared = modules.keys().find(|path| !declared(path, &modules)).cloned();
            match undeclared {
                Some(path) => modules.remove(&path),
                None => return Crate(modules),
            };
        }
    }

    /// Returns a path of a module as one of the crate; `None` for one of another crate.
    fn absolute(&self, module: &ItemPath, path: &[String]) -> Option<ItemPath> {
        let (first, rest) = path.split_first()?;
        let joined = |base: &[String], rest: &[String]| Some(base.iter().chain(rest).cloned().collect());
        match first.as_str() {
            "crate" => joined(&[], rest),
            "self" => joined(module, rest),
            "super" => {
                let up = path.iter().take_while(|segment| *segment == "super").count();
                joined(&module[..module.len().saturating_sub(up)], &path[up..])
            }
            name if self.0[module].children.contains(name) => joined(module, path),
            _ => None,
        }
    }

    /// Returns the module whose file defines an item.
    fn definition(&self, path: &[String], depth: usize) -> Option<ItemPath> {
        let is_module = |end: &usize| self.0.contains_key(&path[..*end]);
        let end = (0..=path.len()).take_while(is_module).last()?;
        let module = path[..end].to_vec();
        match path.get(end).and_then(|item| self.0[&module].exports.get(item)) {
            Some(export) if depth < 16 => {
                let mut target = self.absolute(&module, export)?;
                target.extend_from_slice(&path[end + 1..]);
                self.definition(&target, depth + 1)
            }
            _ => Some(module),
        }
    }

    /// Returns the modules that a module depends on.
    fn dependencies(&self, path: &ItemPath) -> BTreeSet<ItemPath> {
        let module = &self.0[path];
        let mut named: Vec<ItemPath> = Vec::new();
        let mut aliases: BTreeMap<&str, ItemPath> = BTreeMap::new();
        for (import, name) in &module.imports {
            let Some(absolute) = self.absolute(path, import) else { continue };
            if self.0.contains_key(&absolute) {
                aliases.insert(name, absolute);
            } else {
                named.push(absolute);
            }
        }
        for found in ITEM.find_iter(&module.code) {
            let segments: Vec<String> = found.as_str().split("::").map(str::to_owned).collect();
            match aliases.get(segments[0].as_str()) {
                Some(alias) => named.push(alias.iter().chain(&segments[1..]).cloned().collect()),
                None => named.extend(self.absolute(path, &segments)),
            }
        }
        let mut dependencies: BTreeSet<ItemPath> = named.iter().filter_map(|path| self.definition(path, 0)).collect();
        dependencies.remove(path);
        dependencies
    }

    /// Returns all dependencies, by the names of the files.
    fn all_dependencies(&self) -> Dependencies {
        let name = |path: &ItemPath| if path.is_empty() { "lib".to_owned() } else { path.join("/") };
        let of = |path: &ItemPath| self.dependencies(path).iter().map(name).collect::<Vec<_>>();
        self.0.keys().flat_map(|path| of(path).into_iter().map(|dependency| (name(path), dependency))).collect()
    }
}

/// Dependents and dependencies.
type Dependencies = Vec<(String, String)>;

/// Returns the cycles, without the dependencies that `is_allowed`: the names of their files.
fn cycles(dependencies: &Dependencies, is_allowed: impl Fn(&str, &str) -> bool) -> Vec<Vec<&str>> {
    let kept = dependencies.iter().filter(|(from, to)| !is_allowed(from, to));
    let graph: DiGraphMap<&str, ()> = kept.map(|(from, to)| (from.as_str(), to.as_str(), ())).collect();
    tarjan_scc(&graph).into_iter().filter(|component| component.len() > 1).collect()
}

/// Returns the dependencies of all crates, by their names.
fn crates() -> BTreeMap<String, Dependencies> {
    let all = sources(&[".rs"]);
    let mut files: BTreeMap<&str, Vec<(&str, &Source)>> = BTreeMap::new();
    for source in &all {
        let below = source.path.strip_prefix("crates/").or_else(|| source.path.strip_prefix("tools/"));
        if let Some((name, path)) = below.and_then(|below| below.split_once("/src/")) {
            files.entry(name).or_default().push((path, source));
        }
    }
    let read = |files: Vec<(&str, &Source)>| {
        Crate::of(files.iter().map(|(path, source)| (*path, source.text.as_str()))).all_dependencies()
    };
    files.into_iter().map(|(name, files)| (name.to_owned(), read(files))).collect()
}

/// Whether an exception covers a dependency.
fn covers((krate, from, to): (&str, &str, &str), name: &str, dependent: &str, dependency: &str) -> bool {
    let matches = |pattern: &str, name: &str| pattern == "*" || pattern == name;
    krate == name && matches(from, dependent) && matches(to, dependency)
}

#[test]
fn files_do_not_depend_on_each_other_in_cycles() {
    let mut found = Vec::new();
    for (name, dependencies) in crates() {
        let is_allowed = |from: &str, to: &str| ALLOWED.iter().any(|allowed| covers(*allowed, &name, from, to));
        found.extend(cycles(&dependencies, is_allowed).iter().map(|cycle| format!("{name}: {}", cycle.join(", "))));
    }
    assert!(found.is_empty(), "files that depend on each other:\n{}", found.join("\n"));
}

#[test]
fn every_exception_is_needed() {
    let crates = crates();
    for exception in ALLOWED {
        let (name, from, to) = *exception;
        let others = |dependent: &str, dependency: &str| {
            ALLOWED.iter().filter(|other| *other != exception).any(|other| covers(*other, name, dependent, dependency))
        };
        assert!(!cycles(&crates[name], others).is_empty(), "there is no cycle through {name}: {from} -> {to}");
    }
}

/// Returns the cycles of a crate with these files.
fn cycles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let dependencies = Crate::of(files.iter().copied()).all_dependencies();
    let sorted = |mut cycle: Vec<&str>| {
        cycle.sort_unstable();
        cycle.into_iter().map(str::to_owned).collect()
    };
    cycles(&dependencies, |_, _| false).into_iter().map(sorted).collect()
}

#[test]
fn cycles_are_found() {
    let lib = ("lib.rs", "mod a;\nmod b;\npub use b::B;\n");
    let a = ("a.rs", "use crate::{\n    B,\n};\npub struct A(B);");
    assert_eq!(cycles_of(&[lib, a, ("b.rs", "pub struct B;")]), Vec::<Vec<String>>::new());
    assert_eq!(cycles_of(&[lib, a, ("b.rs", "pub struct B(crate::a::A);")]), [["a", "b"]], "through a re-export");
    let aliased = ("b.rs", "use crate::a as other;\npub struct B;\nfn f() { other::f() }");
    assert_eq!(cycles_of(&[lib, a, aliased]), [["a", "b"]], "through the name of a module");
    let quoted = ("b.rs", "// crate::a::A\npub struct B;\nconst C: (char, &str) = ('\"', \"crate::a::A\");");
    assert!(cycles_of(&[lib, a, quoted]).is_empty(), "comments and strings do not count");
    let tested = ("b.rs", "pub struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}");
    assert!(cycles_of(&[lib, a, tested]).is_empty(), "tests may use anything");
}

#[test]
fn parent_that_only_declares_its_children_does_not_depend_on_them() {
    let child = ("a/b.rs", "use super::A;\npub struct B(A);");
    let declares = ("a.rs", "mod b;\npub use b::B;\npub struct A;");
    assert!(cycles_of(&[("lib.rs", "mod a;"), declares, child]).is_empty());
    let uses = ("a.rs", "mod b;\npub struct A;\nfn f(b: b::B) {}");
    assert_eq!(cycles_of(&[("lib.rs", "mod a;"), uses, child]), [["a", "a/b"]]);
}
