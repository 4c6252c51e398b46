//! Relationship graph -> resource graph (spec 07 §3, with the mappings that its "Better" columns propose).
//!
//! Each Puppet type has a function that translates one resource to one of our kinds and reports what it cannot express. An
//! *approximation* is the native resource without the attribute. An *unsupported* attribute makes the resource a fallback:
//! an `exec` that has an installed Puppet apply just this resource. An attribute that no rule mentions is unsupported, so
//! nothing is lost silently.

mod concat;
mod cron;
mod exec;
mod fallback;
mod file;
mod ini;
mod refused;
mod resource_types;
mod sensitive;
mod ssh;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use mcl_value::Value;
use pp_resource_types::{IniType, KnownTypes};
use resource_graph::{Edge, Meta, Resource, ResourceGraph, ResourceId, VertexId, masked};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::catalog::{CatalogResource, ResourceIndex};
use crate::cycles::cycle_errors;
use crate::relationships::{Label, Reason, Relationships, Vertex, VertexIndex};
use crate::translate::concat::Concat;
use crate::translate::refused::refused_values;
use crate::value::PuppetValue;

/// How to handle a resource without a native equivalent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FallbackPolicy {
    /// Apply it with an installed Puppet.
    #[default]
    Puppet,
    /// Report an error.
    Error,
}

/// How to translate.
#[derive(Clone, Debug)]
pub struct TranslateOptions {
    /// How to handle resources without a native equivalent.
    pub fallback: FallbackPolicy,
    /// The directories of modules, for `puppet:///modules/…` sources.
    pub module_path: Vec<PathBuf>,
    /// The files of modules that are at hand, by their paths: `modules/NAME/files/…`.
    pub module_files: Arc<BTreeMap<String, Vec<u8>>>,
    /// The resource types, with those of modules.
    pub types: KnownTypes,
    /// Seconds between two runs of a fallback (Puppet's `runinterval`).
    pub run_interval: u32,
}

impl Default for TranslateOptions {
    fn default() -> TranslateOptions {
        TranslateOptions {
            fallback: FallbackPolicy::default(),
            module_path: Vec::new(),
            module_files: Arc::default(),
            types: KnownTypes::core(),
            run_interval: 1800,
        }
    }
}

impl TranslateOptions {
    /// Returns how the settings of a type are written, if its resources are settings of a file.
    fn ini_type(&self, type_name: &str) -> Option<&IniType> {
        match type_name {
            "Ini_setting" => Some(&ini::INI_SETTING),
            other => self.types.find(other)?.read()?.ini.as_ref(),
        }
    }
}

/// How faithful the translation of a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// The native resource is equivalent.
    Native,
    /// The native resource lacks some attributes.
    Approximated,
    /// Puppet applies the resource.
    Fallback,
}

/// The number of resources by the fidelity of their translation, without containers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Resources with an equivalent native resource.
    pub native: usize,
    /// Resources whose native resource lacks some attributes.
    pub approximated: usize,
    /// Resources that Puppet applies.
    pub fallbacks: usize,
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} resources native, {} approximated, {} applied by Puppet",
            self.native, self.approximated, self.fallbacks
        )
    }
}

/// A translated catalog.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The resources, in the order of [`Relationships::vertices`], without the schedules and the filebucket that an agent
    /// adds.
    pub graph: ResourceGraph,
    /// One warning for each approximation and for each reason for a fallback.
    pub warnings: Vec<Diagnostic>,
    /// The number of resources by fidelity.
    pub summary: Summary,
}

/// A native resource under construction.
pub(crate) struct Native {
    kind: &'static str,
    name: String,
    params: Vec<(&'static str, Value)>,
    meta: Meta,
    sensitive: Vec<&'static str>,
    /// Set for resources without work of their own.
    propagates_refresh: bool,
}

impl Native {
    fn new(kind: &'static str, name: impl Into<String>) -> Native {
        Native {
            kind,
            name: name.into(),
            params: Vec::new(),
            meta: Meta::default(),
            sensitive: Vec::new(),
            propagates_refresh: false,
        }
    }

    fn set(&mut self, field: &'static str, value: Value) {
        self.params.push((field, value));
    }
}

/// The state of the translation of one resource.
pub(crate) struct Rules<'a> {
    resource: &'a CatalogResource,
    options: &'a TranslateOptions,
    used: FxHashSet<&'a str>,
    /// The attributes that are approximated, and how.
    approximations: Vec<String>,
    /// The attributes that make the resource a fallback.
    unsupported: Vec<String>,
}

impl<'a> Rules<'a> {
    /// Returns the value of a parameter and marks it as handled.
    fn take(&mut self, name: &'static str) -> Option<&'a PuppetValue> {
        self.used.insert(name);
        self.resource.parameter(name)
    }

    /// Returns a parameter as a string; numbers and booleans are converted.
    fn text(&mut self, name: &'static str) -> Option<String> {
        let value = self.take(name)?;
        let text = value.scalar_text();
        if text.is_none() {
            self.unsupported(format!("unexpected type of `{name}`"));
        }
        text
    }

    /// Returns a parameter whose name is data as a string.
    fn text_of(&mut self, name: &'a str) -> Option<String> {
        self.used.insert(name);
        self.resource.parameter(name).and_then(PuppetValue::scalar_text)
    }

    /// Returns a boolean, which may be given as one of the strings that Puppet accepts.
    fn flag(&mut self, name: &'static str) -> Option<bool> {
        let text = self.text(name)?;
        match text.as_str() {
            "true" | "yes" => Some(true),
            "false" | "no" => Some(false),
            _ => {
                self.unsupported(format!("invalid boolean `{name} => {text}`"));
                None
            }
        }
    }

    /// Marks parameters that need no translation as handled.
    fn ignore(&mut self, names: &[&'static str]) {
        self.used.extend(names);
    }

    /// Returns the name attribute, or the title.
    fn named(&mut self, namevar: &'static str) -> String {
        self.text(namevar).unwrap_or_else(|| self.resource.reference.title.to_string())
    }

    fn approximate(&mut self, how: impl Into<String>) {
        self.approximations.push(how.into());
    }

    fn unsupported(&mut self, what: impl Into<String>) {
        self.unsupported.push(what.into());
    }

    /// Copies a string parameter.
    fn carry(&mut self, native: &mut Native, from: &'static str, to: &'static str) {
        if let Some(text) = self.text(from) {
            native.set(to, Value::str(text));
        }
    }
}

/// Metaparameters without an effect here, and the relationship parameters, which became edges.
const IGNORED_PARAMETERS: &[&str] =
    &["before", "require", "notify", "subscribe", "loglevel", "tag", "alias", "provider"];

/// The providers that do what the native kinds do. Those of packages and services are chosen with the other attributes.
const PROVIDERS: &[(&str, &[&str])] = &[
    ("Cron", &["crontab"]),
    ("Exec", &["posix", "shell"]),
    ("File", &["posix"]),
    ("File_line", &["ruby"]),
    ("Group", &["groupadd"]),
    ("Host", &["parsed"]),
    ("Mount", &["parsed"]),
    ("Ssh_authorized_key", &["parsed"]),
    ("Sshkey", &["parsed"]),
    ("User", &["useradd"]),
];

/// Translates a graph.
///
/// # Errors
/// Each value that an agent refuses; each cycle; each pair of resources with one translation; with [`FallbackPolicy::Error`] each resource without a native
/// equivalent.
pub fn translate(graph: &Relationships, options: &TranslateOptions) -> Result<Translation, Vec<Diagnostic>> {
    let mut refused = refused_values(&graph.catalog, &options.types);
    refused.extend(cycle_errors(graph));
    if !refused.is_empty() {
        return Err(refused);
    }
    let concat = Concat::new(&graph.catalog);
    let mut out = ResourceGraph::default();
    let (mut warnings, mut errors) = (Vec::new(), Vec::new());
    let mut summary = Summary::default();
    let mut vertex_ids: Vec<Option<VertexId>> = Vec::with_capacity(graph.vertices.len());
    let mut names: FxHashMap<ResourceId, ResourceIndex> = FxHashMap::default();
    for (vertex, what) in graph.vertices.iter().enumerate() {
        let index = what.resource();
        let resource = &graph.catalog.resources[index];
        if index >= graph.declared {
            vertex_ids.push(None);
            continue;
        }
        let translated = match what {
            Vertex::Admissible(_) | Vertex::Completed(_) => container_boundary(graph.name(vertex), resource),
            Vertex::Resource(_) => {
                let translated = translate_resource(resource, &concat, options);
                if translated.fidelity == Fidelity::Fallback && options.fallback == FallbackPolicy::Error {
                    errors.extend(translated.problems.iter().map(|p| problem(Code::P0202, true, resource, p)));
                }
                let code = if translated.fidelity == Fidelity::Fallback { Code::P0202 } else { Code::P0201 };
                warnings.extend(translated.problems.iter().map(|p| problem(code, false, resource, p)));
                match translated.fidelity {
                    Fidelity::Native => summary.native += 1,
                    Fidelity::Approximated => summary.approximated += 1,
                    Fidelity::Fallback => summary.fallbacks += 1,
                }
                translated.resource
            }
        };
        if let Some(earlier) = names.insert(translated.id.clone(), index) {
            errors.push(clash(&translated, &graph.catalog.resources[earlier], resource));
        }
        vertex_ids.push(Some(out.add(translated)));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    add_edges(graph, &vertex_ids, &mut out);
    Ok(Translation { graph: out, warnings, summary })
}

fn clash(translated: &Resource, first: &CatalogResource, second: &CatalogResource) -> Diagnostic {
    let place = |r: &CatalogResource| r.origin().map(|o| format!(" at {o}")).unwrap_or_default();
    Diagnostic::error(
        Code::P0203,
        Stage::Puppet,
        format!(
            "{}{} and {}{} are both translated to {}",
            first.reference,
            place(first),
            second.reference,
            place(second),
            translated.id
        ),
    )
    .help("rename or remove one of them: they manage the same object")
}

fn problem(code: Code, error: bool, resource: &CatalogResource, problem: &str) -> Diagnostic {
    let origin = resource.origin().map(|o| format!(" ({o})")).unwrap_or_default();
    let how = if code == Code::P0202 { "has no native equivalent" } else { "is approximated" };
    let message = format!("{}{origin} {how}: {problem}", resource.reference);
    if error {
        Diagnostic::error(code, Stage::Puppet, message)
            .help("change the manifest, or apply such resources with `puppet apply`: `--puppet-fallback=callback`")
    } else {
        Diagnostic::warning(code, Stage::Puppet, message)
    }
}

fn container_boundary(name: String, container: &CatalogResource) -> Resource {
    let mut boundary = Native::new("noop", name);
    boundary.propagates_refresh = true;
    finish(boundary, container)
}

fn finish(mut native: Native, from: &CatalogResource) -> Resource {
    sensitive::mark(&mut native, from);
    Resource {
        id: ResourceId { kind: native.kind.into(), name: native.name.into() },
        params: native.params.into_iter().map(|(k, v)| (Arc::from(k), v)).collect(),
        meta: native.meta.into(),
        sensitive: native.sensitive.into_iter().map(Arc::from).collect(),
        span: None,
        propagates_refresh: native.propagates_refresh,
        origin: from.origin().map(Arc::from),
    }
}

struct TranslatedResource {
    resource: Resource,
    fidelity: Fidelity,
    problems: Vec<String>,
}

fn translate_resource(
    resource: &CatalogResource,
    concat: &Concat<'_>,
    options: &TranslateOptions,
) -> TranslatedResource {
    let mut rules =
        Rules { resource, options, used: FxHashSet::default(), approximations: Vec::new(), unsupported: Vec::new() };
    rules.ignore(IGNORED_PARAMETERS);
    let native = match &*resource.reference.type_name {
        "File" => Some(file::file(&mut rules)),
        "Exec" => Some(exec::exec(&mut rules)),
        "Package" => Some(resource_types::package(&mut rules)),
        "Service" => Some(resource_types::service(&mut rules)),
        "User" => Some(resource_types::user(&mut rules)),
        "Group" => Some(resource_types::group(&mut rules)),
        "Mount" => Some(resource_types::mount(&mut rules)),
        "Notify" => Some(resource_types::notify(&mut rules)),
        "Anchor" => Some(resource_types::anchor(&mut rules)),
        "Host" => Some(resource_types::host(&mut rules)),
        "Cron" => Some(cron::cron(&mut rules)),
        "Ssh_authorized_key" => Some(ssh::authorized_key(&mut rules)),
        "Sshkey" => Some(ssh::host_key(&mut rules)),
        "File_line" => Some(resource_types::file_line(&mut rules)),
        "Concat_file" => Some(concat.file(&mut rules)),
        "Concat_fragment" => Some(concat.fragment(&mut rules)),
        "Resources" => Some(resource_types::resources(&mut rules)),
        "Schedule" | "Filebucket" => Some(resource_types::puppet_settings(&mut rules)),
        other => options.ini_type(other).map(|ini| ini::setting(&mut rules, ini)),
    };
    let Some(mut native) = native else {
        // The source of a type may show that its resources are settings of a file.
        let may_be_read =
            options.module_path.is_empty() && pp_resource_types::find(&resource.reference.type_name).is_none();
        let hint = if may_be_read { " (set the modules with `--puppet-module-path`)" } else { "" };
        let problems = vec![format!("unsupported type `{}`{hint}", resource.reference.type_name)];
        return fall_back(resource, concat, options, problems);
    };
    if rules.flag("noop") == Some(true) {
        native.meta.noop = true;
    }
    let is_known = PROVIDERS.iter().find(|(type_name, _)| *type_name == &*resource.reference.type_name);
    if let (Some((_, known)), Some(provider)) = (is_known, resource.text("provider"))
        && !known.contains(&provider)
    {
        rules.unsupported(format!("unsupported provider `{provider}`"));
    }
    for name in ["schedule", "audit"] {
        if rules.take(name).is_some() {
            rules.approximate(format!("`{name}` is ignored: the resource is always applied"));
        }
    }
    for (name, value) in &resource.parameters {
        if matches!(value, PuppetValue::Deferred { .. }) {
            rules.unsupported(format!("unsupported deferred function call in `{name}`"));
        } else if !rules.used.contains(name.as_str()) {
            rules.unsupported(format!("unsupported attribute `{name}`"));
        }
    }
    let Rules { approximations, mut unsupported, .. } = rules;
    if unsupported.is_empty() {
        let translated = finish(native, resource);
        let Err(problem) = resource_graph::validate(&translated) else {
            let fidelity = if approximations.is_empty() { Fidelity::Native } else { Fidelity::Approximated };
            let problems = without_secrets(approximations, resource);
            return TranslatedResource { resource: translated, fidelity, problems };
        };
        // The kind has no such resource.
        unsupported.push(problem.to_string());
    }
    fall_back(resource, concat, options, without_secrets(unsupported, resource))
}

fn fall_back(
    resource: &CatalogResource,
    concat: &Concat<'_>,
    options: &TranslateOptions,
    mut problems: Vec<String>,
) -> TranslatedResource {
    problems.extend(fallback::omissions(resource));
    let parts = if &*resource.reference.type_name == "Concat_file" { concat.parts(resource) } else { Vec::new() };
    let resource = fallback::fallback(resource, &parts, options);
    TranslatedResource { resource, fidelity: Fidelity::Fallback, problems }
}

/// Returns the problems of a translation without the sensitive values that they quote.
fn without_secrets(mut problems: Vec<String>, resource: &CatalogResource) -> Vec<String> {
    let sensitive = sensitive::texts(resource);
    if !sensitive.is_empty() {
        for problem in &mut problems {
            *problem = masked(problem, &sensitive).into_owned();
        }
    }
    problems
}

/// Adds the edges between translated vertices: at most one per pair, which notifies if any of them does.
///
/// A declared notification is kept as it is. A containment edge delivers a refresh (spec 07 §2.5), but only one that can
/// arise and has a target, which saves the engine work: its source must be reachable by refresh edges from a resource, and
/// a resource from its target. The start and end of an empty container count as resources, because the container may be a
/// merge point, with edges of another graph.
///
/// What a resource needs must outlive it: an automatic edge between two resources that are to be removed is reversed.
fn add_edges(graph: &Relationships, vertex_ids: &[Option<VertexId>], out: &mut ResourceGraph) {
    let mut is_end: Vec<bool> = graph.vertices.iter().map(|v| matches!(v, Vertex::Resource(_))).collect();
    for edge in graph.expanded.iter().filter(|edge| matches!(edge.reason, Reason::Empty(_))) {
        is_end[edge.source] = true;
        is_end[edge.target] = true;
    }
    let emits = refresh_closure(graph, is_end.clone(), |e| (e.0, e.1));
    let leads = refresh_closure(graph, is_end, |e| (e.1, e.0));
    let is_removed = |vertex: VertexIndex| match graph.vertices[vertex] {
        Vertex::Resource(index) => graph.catalog.resources[index].is_removed(),
        Vertex::Admissible(_) | Vertex::Completed(_) => false,
    };
    for edge in &graph.expanded {
        let (Some(mut from), Some(mut to)) = (vertex_ids[edge.source], vertex_ids[edge.target]) else { continue };
        let autoedge = edge.label == Label::Automatic;
        if autoedge && is_removed(edge.source) && is_removed(edge.target) {
            (from, to) = (to, from);
        }
        let is_declared = matches!(edge.reason, Reason::Parameter(..));
        let notify = edge.label == Label::Refresh && (is_declared || (emits[edge.source] && leads[edge.target]));
        out.add_edge(Edge { from, to, notify, autoedge });
    }
}

/// Returns the vertices that are reachable from `start` by refresh edges in one direction.
fn refresh_closure(
    graph: &Relationships,
    start: Vec<bool>,
    ends: impl Fn((usize, usize)) -> (usize, usize),
) -> Vec<bool> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); start.len()];
    for edge in graph.expanded.iter().filter(|e| e.label == Label::Refresh) {
        let (a, b) = ends((edge.source, edge.target));
        next[a].push(b);
    }
    let mut todo: Vec<usize> = (0..start.len()).filter(|v| start[*v]).collect();
    let mut reached = start;
    while let Some(vertex) = todo.pop() {
        for &other in &next[vertex] {
            if !std::mem::replace(&mut reached[other], true) {
                todo.push(other);
            }
        }
    }
    reached
}
