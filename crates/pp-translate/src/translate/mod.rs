//! Relationship graph -> resource graph (spec 07 §3, with the mappings that its "Better" columns propose).
//!
//! Each Puppet type has a function that turns one resource into one of our kinds and says what it could not carry over:
//! a *warning* keeps the native resource without the attribute (an approximation), a *failure* makes the resource a
//! call-back: an `exec` that asks an installed Puppet to apply just this resource. What a rule does not name and is not a
//! known metaparameter is a failure, so nothing is lost in silence.

mod callback;
mod concat;
mod exec;
mod file;
mod simple;

use std::path::PathBuf;
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use mcl_value::Value;
use resource_graph::{Edge, Meta, Resource, ResourceGraph, ResourceId, VertexId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::catalog::{CatalogResource, ResourceIndex};
use crate::relationships::{Label, Relationships, Vertex};
use crate::value::PuppetValue;

/// What to do with a resource that has no native form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// Call an installed Puppet.
    #[default]
    Callback,
    /// Report an error.
    Error,
}

/// How to translate.
#[derive(Clone, Debug)]
pub struct Options {
    /// What becomes of resources without a native form.
    pub fallback: Fallback,
    /// Directories that hold modules, for `puppet:///modules/…` sources.
    pub module_path: Vec<PathBuf>,
    /// How often call-backs are repeated, in seconds (Puppet's `runinterval`).
    pub run_interval: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { fallback: Fallback::default(), module_path: Vec::new(), run_interval: 1800 }
    }
}

/// How a resource came over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Completely.
    Native,
    /// With a warning.
    Approximated,
    /// By calling Puppet.
    Callback,
}

/// How many resources came over in which way; containers do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Report {
    pub native: usize,
    pub approximated: usize,
    pub callbacks: usize,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} resources native, {} approximated, {} by calling Puppet",
            self.native, self.approximated, self.callbacks
        )
    }
}

/// A translated catalog.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The resources; vertex order is that of [`Relationships::vertices`] without the schedules and the filebucket that an
    /// agent adds.
    pub graph: ResourceGraph,
    /// Warnings: what was approximated, and what became a call-back and why.
    pub warnings: Vec<Diagnostic>,
    /// The counts.
    pub report: Report,
}

/// One native resource in the making.
pub(crate) struct Native {
    kind: &'static str,
    name: String,
    params: Vec<(&'static str, Value)>,
    meta: Meta,
    sensitive: Vec<&'static str>,
}

impl Native {
    fn new(kind: &'static str, name: impl Into<String>) -> Native {
        Native { kind, name: name.into(), params: Vec::new(), meta: Meta::default(), sensitive: Vec::new() }
    }

    fn set(&mut self, field: &'static str, value: Value) {
        self.params.push((field, value));
    }
}

/// What the rules of a type work with.
pub(crate) struct Rules<'a> {
    resource: &'a CatalogResource,
    options: &'a Options,
    used: FxHashSet<&'static str>,
    warnings: Vec<String>,
    failures: Vec<String>,
}

impl<'a> Rules<'a> {
    /// The value of a parameter, which from now on counts as handled.
    fn take(&mut self, name: &'static str) -> Option<&'a PuppetValue> {
        self.used.insert(name);
        self.resource.parameter(name)
    }

    /// The text of a parameter; a number or boolean is taken in its string form.
    fn text(&mut self, name: &'static str) -> Option<String> {
        let value = self.take(name)?;
        let text = value.scalar_text();
        if text.is_none() {
            self.fail(format!("has a value of an unexpected type for `{name}`"));
        }
        text
    }

    /// A boolean, also as the strings that Puppet takes for one.
    fn flag(&mut self, name: &'static str) -> Option<bool> {
        let text = self.text(name)?;
        match text.as_str() {
            "true" | "yes" => Some(true),
            "false" | "no" => Some(false),
            _ => {
                self.fail(format!("has `{name} => {text}`, which is no boolean"));
                None
            }
        }
    }

    /// Parameters that need no translation.
    fn ignore(&mut self, names: &[&'static str]) {
        self.used.extend(names);
    }

    /// The name attribute, or the title.
    fn named(&mut self, namevar: &'static str) -> String {
        self.text(namevar).unwrap_or_else(|| self.resource.reference.title.to_string())
    }

    fn warn(&mut self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }

    fn fail(&mut self, text: impl Into<String>) {
        self.failures.push(text.into());
    }

    /// Copies a text parameter.
    fn carry(&mut self, native: &mut Native, from: &'static str, to: &'static str) {
        if let Some(text) = self.text(from) {
            native.set(to, Value::str(text));
        }
    }
}

/// Metaparameters without a meaning here, and the relationship parameters, which became edges.
const NO_MEANING: &[&str] = &["before", "require", "notify", "subscribe", "loglevel", "tag", "alias", "provider"];

/// Translates a graph.
///
/// # Errors
/// Each cycle; with [`Fallback::Error`] each resource without a native form.
pub fn translate(graph: &Relationships, options: &Options) -> Result<Translation, Vec<Diagnostic>> {
    let cycles = crate::cycles::cycle_errors(graph);
    if !cycles.is_empty() {
        return Err(cycles);
    }
    let concat = concat::Concat::new(&graph.catalog);
    let mut out = ResourceGraph::default();
    let (mut warnings, mut errors) = (Vec::new(), Vec::new());
    let mut report = Report::default();
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
            Vertex::Admissible(_) | Vertex::Completed(_) => whit(graph.name(vertex), resource),
            Vertex::Resource(_) => {
                let one = one_resource(resource, &concat, options);
                if one.verdict == Verdict::Callback && options.fallback == Fallback::Error {
                    errors.extend(one.problems.iter().map(|p| problem(Code::P0202, true, resource, p)));
                }
                let code = if one.verdict == Verdict::Callback { Code::P0202 } else { Code::P0201 };
                warnings.extend(one.problems.iter().map(|p| problem(code, false, resource, p)));
                match one.verdict {
                    Verdict::Native => report.native += 1,
                    Verdict::Approximated => report.approximated += 1,
                    Verdict::Callback => report.callbacks += 1,
                }
                one.resource
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
    Ok(Translation { graph: out, warnings, report })
}

fn clash(translated: &Resource, first: &CatalogResource, second: &CatalogResource) -> Diagnostic {
    let place = |r: &CatalogResource| r.origin().map(|o| format!(" at {o}")).unwrap_or_default();
    Diagnostic::error(
        Code::P0203,
        Stage::Puppet,
        format!(
            "{}{} and {}{} would both become {}",
            first.reference,
            place(first),
            second.reference,
            place(second),
            translated.id
        ),
    )
    .help("give one of them another name, or remove it: they manage the same thing")
}

fn problem(code: Code, error: bool, resource: &CatalogResource, text: &str) -> Diagnostic {
    let place = resource.origin().map(|o| format!(" ({o})")).unwrap_or_default();
    let message = format!("{}{place} {text}", resource.reference);
    if error {
        Diagnostic::error(code, Stage::Puppet, message)
            .help("change the manifest, or allow call-backs to an installed Puppet with --puppet-fallback=callback")
    } else {
        Diagnostic::warning(code, Stage::Puppet, message)
    }
}

fn whit(name: String, container: &CatalogResource) -> Resource {
    let mut resource = finish(Native::new("noop", name), container);
    resource.propagates_refresh = true;
    resource
}

fn finish(native: Native, from: &CatalogResource) -> Resource {
    Resource {
        id: ResourceId { kind: native.kind.into(), name: native.name.into() },
        params: native.params.into_iter().map(|(k, v)| (Arc::from(k), v)).collect(),
        meta: native.meta,
        sensitive: native.sensitive.into_iter().map(Arc::from).collect(),
        span: None,
        propagates_refresh: false,
        origin: from.origin().map(Arc::from),
    }
}

struct One {
    resource: Resource,
    verdict: Verdict,
    problems: Vec<String>,
}

fn one_resource(resource: &CatalogResource, concat: &concat::Concat<'_>, options: &Options) -> One {
    let mut rules = Rules { resource, options, used: FxHashSet::default(), warnings: Vec::new(), failures: Vec::new() };
    rules.ignore(NO_MEANING);
    let native = match &*resource.reference.type_name {
        "File" => Some(file::file(&mut rules)),
        "Exec" => Some(exec::exec(&mut rules)),
        "Package" => Some(simple::package(&mut rules)),
        "Service" => Some(simple::service(&mut rules)),
        "User" => Some(simple::user(&mut rules)),
        "Group" => Some(simple::group(&mut rules)),
        "Mount" => Some(simple::mount(&mut rules)),
        "Notify" => Some(simple::notify(&mut rules)),
        "Anchor" => Some(simple::anchor(&mut rules)),
        "Augeas" => Some(simple::augeas(&mut rules)),
        "Host" => Some(simple::host(&mut rules)),
        "Cron" => Some(simple::cron(&mut rules)),
        "Ssh_authorized_key" => Some(simple::ssh_authorized_key(&mut rules)),
        "File_line" => Some(simple::file_line(&mut rules)),
        "Ec2_instance" => Some(simple::ec2_instance(&mut rules)),
        "Concat_file" => Some(concat.file(&mut rules)),
        "Concat_fragment" => Some(concat.fragment(&mut rules)),
        "Schedule" | "Filebucket" => Some(simple::settings_of_puppet(&mut rules)),
        _ => None,
    };
    let Some(mut native) = native else {
        let problems = vec!["is of a type without a native form, so an installed Puppet is called for it".to_owned()];
        return One { resource: callback::callback(resource, options), verdict: Verdict::Callback, problems };
    };
    if rules.flag("noop") == Some(true) {
        native.meta.noop = true;
    }
    for name in ["schedule", "audit"] {
        if rules.take(name).is_some() {
            rules.warn(format!("has `{name}`, which has no meaning here: it is always applied"));
        }
    }
    for (name, value) in &resource.parameters {
        if matches!(value, PuppetValue::Deferred { .. }) {
            rules.fail(format!("has a deferred function call for `{name}`"));
        } else if !rules.used.contains(name.as_str()) {
            rules.fail(format!("has `{name}`, which has no native form"));
        }
    }
    if !rules.failures.is_empty() {
        let problems =
            rules.failures.into_iter().map(|f| format!("{f}, so an installed Puppet is called for it")).collect();
        return One { resource: callback::callback(resource, options), verdict: Verdict::Callback, problems };
    }
    let verdict = if rules.warnings.is_empty() { Verdict::Native } else { Verdict::Approximated };
    let problems = rules.warnings;
    One { resource: finish(native, resource), verdict, problems }
}

/// Edges between translated vertices: at most one a pair, its notify flags ORed.
///
/// A containment edge delivers a refresh (spec 07 §2.5), but only where one can come from and go to: an edge notifies when
/// its source is a resource or the end of a container that something can refresh, and its target leads to a resource.
fn add_edges(graph: &Relationships, vertex_ids: &[Option<VertexId>], out: &mut ResourceGraph) {
    let n = graph.vertices.len();
    let is_resource: Vec<bool> = graph.vertices.iter().map(|v| matches!(v, Vertex::Resource(_))).collect();
    let emits = refresh_closure(graph, is_resource.clone(), |e| (e.0, e.1));
    let leads = refresh_closure(graph, is_resource, |e| (e.1, e.0));
    debug_assert_eq!(emits.len(), n);
    for edge in &graph.expanded {
        let (Some(from), Some(to)) = (vertex_ids[edge.source], vertex_ids[edge.target]) else { continue };
        let notify = edge.label == Label::Refresh && emits[edge.source] && leads[edge.target];
        out.add_edge(Edge { from, to, notify, autoedge: false });
    }
}

/// The vertices that are reached from `start` over refresh edges in one direction.
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
