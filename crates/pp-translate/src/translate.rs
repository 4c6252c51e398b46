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
mod finish;
mod ini;
mod native;
mod options;
mod refused;
mod resource_types;
mod rules;
mod sensitive;
mod ssh;

use std::path::PathBuf;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use pp_resource_types::IniType;
use resource_graph::{Edge, Resource, ResourceGraph, ResourceId, VertexId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::catalog::{CatalogResource, ResourceIndex};
use crate::cycles::cycle_errors;
use crate::relationships::{Label, Reason, Relationships, Vertex, VertexIndex};
use crate::translate::concat::Concat;
use crate::translate::finish::finish;
use crate::translate::native::Native;
use crate::translate::refused::refused_values;
use crate::translate::rules::Rules;
use crate::translate::sensitive::without_secrets;
use crate::value::PuppetValue;

pub use options::{FallbackPolicy, TranslateOptions};

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
    /// The files of modules whose content is in the graph, and that are not at hand.
    pub read: Vec<PathBuf>,
}

/// Returns how the settings of a type are written, if its resources are settings of a file.
fn ini_type<'a>(type_name: &str, options: &'a TranslateOptions) -> Option<&'a IniType> {
    match type_name {
        "Ini_setting" => Some(&ini::INI_SETTING),
        other => options.types.find(other)?.read()?.ini.as_ref(),
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
/// Each value that an agent refuses; each cycle; each pair of resources with one translation; with [`FallbackPolicy::Error`]
/// each resource without a native equivalent.
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
    let mut read = Vec::new();
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
                    errors.extend(translated.problems.iter().map(|p| {
                        let message = problem(Code::P0202, resource, p);
                        Diagnostic::error(Code::P0202, Stage::Puppet, message)
                            .help("change the manifest, or apply such resources with `puppet apply`: `--puppet-fallback=callback`")
                    }));
                }
                let code = if translated.fidelity == Fidelity::Fallback { Code::P0202 } else { Code::P0201 };
                warnings.extend(
                    translated
                        .problems
                        .iter()
                        .map(|p| Diagnostic::warning(code, Stage::Puppet, problem(code, resource, p))),
                );
                match translated.fidelity {
                    Fidelity::Native => summary.native += 1,
                    Fidelity::Approximated => summary.approximated += 1,
                    Fidelity::Fallback => summary.fallbacks += 1,
                }
                read.extend(translated.read);
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
    Ok(Translation { graph: out, warnings, summary, read })
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

/// Returns the message about a resource that has no exact equivalent.
fn problem(code: Code, resource: &CatalogResource, problem: &str) -> String {
    let origin = resource.origin().map(|o| format!(" ({o})")).unwrap_or_default();
    let how = if code == Code::P0202 { "has no native equivalent" } else { "is approximated" };
    format!("{}{origin} {how}: {problem}", resource.reference)
}

fn container_boundary(name: String, container: &CatalogResource) -> Resource {
    let mut boundary = Native::new("noop", name);
    boundary.propagates_refresh = true;
    finish(boundary, container)
}

struct TranslatedResource {
    resource: Resource,
    fidelity: Fidelity,
    problems: Vec<String>,
    /// The files that were read.
    read: Vec<PathBuf>,
}

fn translate_resource(
    resource: &CatalogResource,
    concat: &Concat<'_>,
    options: &TranslateOptions,
) -> TranslatedResource {
    let mut rules = Rules {
        resource,
        options,
        used: FxHashSet::default(),
        approximations: Vec::new(),
        unsupported: Vec::new(),
        read: Vec::new(),
    };
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
        other => ini_type(other, options).map(|ini| ini::setting(&mut rules, ini)),
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
    let Rules { approximations, mut unsupported, read, .. } = rules;
    if unsupported.is_empty() {
        let translated = finish(native, resource);
        let Err(problem) = resource_graph::validate(&translated) else {
            let fidelity = if approximations.is_empty() { Fidelity::Native } else { Fidelity::Approximated };
            let problems = without_secrets(approximations, resource);
            return TranslatedResource { resource: translated, fidelity, problems, read };
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
    TranslatedResource { resource, fidelity: Fidelity::Fallback, problems, read: Vec::new() }
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
