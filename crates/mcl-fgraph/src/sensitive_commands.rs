//! W0203: sensitive values on the command line of an `exec`, which every user of the machine can see while it runs.
//!
//! The mark of `secret.sensitive` follows a value wherever it goes at run time. Here it is followed through the nodes of the
//! program. The value of a node depends on marked values, or on parameters and captures of its template, which the caller
//! decides. Templates refer only to earlier ones, so one pass finds what the result of each depends on. A second pass goes
//! through the statements from the top level, where everything is decided.

use std::collections::BTreeSet;

use cranelift_entity::{EntityRef, PrimaryMap};
use mcl_artifact::program::{
    CaptureIdx, Closure, EntryKind, NodeIdx, Op, Operand, ParamIdx, Program, ResourceStmt, Statement, Template,
    TemplateId,
};
use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use rustc_hash::FxHashSet;

/// The function that marks a value.
pub(crate) const MARK: &str = "secret.sensitive";
/// The function that removes the mark.
const UNMARK: &str = "secret.nonsensitive";
/// The kind that runs commands, and its parameters that become command lines.
const KIND: &str = "exec";
const PARAMETERS: [&str; 6] = ["cmd", "args", "ifcmd", "nifcmd", "watchcmd", "donecmd"];

/// Returns the warnings for a program, in source order.
pub(crate) fn warnings(program: &Program) -> Vec<Diagnostic> {
    let is_marking = program.functions.values().any(|function| *program.strings[function.name] == *MARK);
    let Some(top) = program.templates.keys().next_back().filter(|_| is_marking) else { return Vec::new() };
    let mut results = PrimaryMap::with_capacity(program.templates.len());
    for template in program.templates.values() {
        let sources = node_sources(program, template, &results);
        results.push(template.root.map(|root| operand_sources(root, &sources)).unwrap_or_default());
    }
    let mut search = Search { program, results, found: BTreeSet::new(), visited: FxHashSet::default() };
    search.template(top, Context::default());
    search.found.into_iter().map(|(span, parameter)| warning(&parameter, span)).collect()
}

fn warning(parameter: &str, span: Span) -> Diagnostic {
    Diagnostic::warning(Code::W0203, Stage::Graph, format!("`{parameter}` of `{KIND}` contains a sensitive value"))
        .at_with(span, "every user of the machine can see it while the command runs")
        .help("pass the value in `env`, or in a file that only the user of the command may read")
}

/// What the result of each template depends on.
type Results = PrimaryMap<TemplateId, Sources>;
/// What each node of a template depends on.
type NodeSources = PrimaryMap<NodeIdx, Sources>;

/// What a value depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sources {
    is_marked: bool,
    /// The parameters of the template.
    params: BTreeSet<ParamIdx>,
    /// The captures of the template.
    captures: BTreeSet<CaptureIdx>,
}

impl Sources {
    fn add(&mut self, other: &Sources) {
        self.is_marked |= other.is_marked;
        self.params.extend(&other.params);
        self.captures.extend(&other.captures);
    }
}

/// Returns what each node of a template depends on, given what the results of the templates before it depend on.
fn node_sources(program: &Program, template: &Template, results: &Results) -> NodeSources {
    let mut nodes = NodeSources::with_capacity(template.nodes.len());
    for node in template.nodes.values() {
        let mut sources = Sources::default();
        let mut add = |operands: &[Operand]| {
            operands.iter().for_each(|operand| sources.add(&operand_sources(*operand, &nodes)));
        };
        match &node.op {
            Op::List(items) | Op::Struct(_, items) => add(items),
            Op::Map(pairs) => pairs.iter().for_each(|(key, value)| add(&[*key, *value])),
            Op::Builtin { function, args } => match &*program.strings[program.functions[*function].name] {
                MARK => sources.is_marked = true,
                UNMARK => {}
                _ => add(args),
            },
            Op::Func { closure, .. } => sources.add(&closure_sources(closure, &[], &nodes, results)),
            Op::Call { callee, args } => {
                add(&[*callee]);
                add(args);
            }
            Op::CallKnown { closure, args } => sources.add(&closure_sources(closure, args, &nodes, results)),
            Op::If { condition, then, otherwise } => {
                add(&[*condition]);
                sources.add(&closure_sources(then, &[], &nodes, results));
                sources.add(&closure_sources(otherwise, &[], &nodes, results));
            }
            Op::Except { value, fallback } => {
                add(&[*value]);
                sources.add(&closure_sources(fallback, &[], &nodes, results));
            }
        }
        nodes.push(sources);
    }
    nodes
}

/// Returns what an operand depends on.
fn operand_sources(operand: Operand, nodes: &NodeSources) -> Sources {
    match operand {
        Operand::Const(_) => Sources::default(),
        Operand::Node(node) => nodes.get(node).cloned().unwrap_or_default(),
        Operand::Param(param) => Sources { params: [param].into(), ..Sources::default() },
        Operand::Capture(capture) => Sources { captures: [capture].into(), ..Sources::default() },
    }
}

/// Returns what the result of a closure depends on in the template that contains it.
fn closure_sources(closure: &Closure, args: &[Operand], nodes: &NodeSources, results: &Results) -> Sources {
    let Some(result) = results.get(closure.template) else { return Sources::default() };
    let mut sources = Sources { is_marked: result.is_marked, ..Sources::default() };
    let params = result.params.iter().filter_map(|param| args.get(param.index()));
    let captures = result.captures.iter().filter_map(|capture| closure.captures.get(*capture));
    for operand in params.chain(captures) {
        sources.add(&operand_sources(*operand, nodes));
    }
    sources
}

/// Which parameters and captures of a template hold sensitive values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Context {
    params: Vec<bool>,
    captures: Vec<bool>,
}

impl Context {
    fn is_sensitive(&self, sources: &Sources) -> bool {
        fn any<K: EntityRef>(set: &BTreeSet<K>, values: &[bool]) -> bool {
            set.iter().any(|id| values.get(id.index()).copied().unwrap_or_default())
        }
        sources.is_marked || any(&sources.params, &self.params) || any(&sources.captures, &self.captures)
    }
}

/// Goes through the statements.
struct Search<'p> {
    program: &'p Program,
    results: Results,
    /// The parameters with sensitive values, by their spans.
    found: BTreeSet<(Span, String)>,
    visited: FxHashSet<(TemplateId, Context)>,
}

impl Search<'_> {
    fn template(&mut self, id: TemplateId, context: Context) {
        let mut todo = vec![(id, context)];
        while let Some((id, context)) = todo.pop() {
            let template = &self.program.templates[id];
            if template.statements.is_empty() || !self.visited.insert((id, context.clone())) {
                continue;
            }
            let nodes = node_sources(self.program, template, &self.results);
            let is_sensitive = |operand: Operand| context.is_sensitive(&operand_sources(operand, &nodes));
            let inner = |closure: &Closure, params: Vec<bool>| {
                let captures = closure.captures.values().map(|operand| is_sensitive(*operand)).collect();
                (closure.template, Context { params, captures })
            };
            for statement in template.statements.values() {
                match statement {
                    Statement::Resource(resource) => self.found.extend(commands(self.program, resource, is_sensitive)),
                    Statement::Edge { .. } => {}
                    Statement::If { then, otherwise, .. } => {
                        todo.extend([then].into_iter().chain(otherwise).map(|closure| inner(closure, Vec::new())));
                    }
                    Statement::For { list: values, body } | Statement::ForKv { map: values, body } => {
                        let is_sensitive = is_sensitive(*values);
                        todo.push(inner(body, vec![is_sensitive; 2]));
                    }
                }
            }
        }
    }
}

/// Returns the command lines of a resource that are sensitive.
fn commands(program: &Program, resource: &ResourceStmt, is_sensitive: impl Fn(Operand) -> bool) -> Vec<(Span, String)> {
    if *program.strings[resource.kind] != *KIND {
        return Vec::new();
    }
    let sensitive = resource.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Field { name, value, .. } => {
            let name = &*program.strings[*name];
            (PARAMETERS.contains(&name) && is_sensitive(*value)).then(|| (entry.span, name.to_owned()))
        }
        EntryKind::Edge { .. } | EntryKind::Meta { .. } => None,
    });
    sensitive.collect()
}
