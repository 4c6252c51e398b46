//! One statement: its resources, and its edges between names that are looked up later.

use std::sync::Arc;

use mcl_artifact::program::{EdgeProperty, EntryKind, EntryStmt, Half, Program, ResourceStmt, StrId};
use mcl_diagnostics::{Code, Diagnostic, Span, Stage, nearest};
use mcl_value::{Type, Value};
use resource_graph::{Resource, ResourceId, ResourceKind, all_kinds, decode_exported, kind, validate};
use rustc_hash::FxHashMap;

use crate::OutputValues;
use crate::interpret::convert::{self, FieldType};

/// What a statement contributes.
#[derive(Default)]
pub(crate) struct Built {
    pub(crate) resources: Vec<Arc<Resource>>,
    pub(crate) edges: Vec<EdgeByName>,
    pub(crate) errors: Vec<Diagnostic>,
}

/// An edge whose ends are names.
pub(crate) struct EdgeByName {
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) notify: bool,
    pub(crate) span: Span,
}

/// One end of an edge, with the key of a send/recv.
#[derive(Clone)]
pub(crate) struct End {
    pub(crate) id: ResourceId,
    pub(crate) key: Option<Arc<str>>,
}

/// The types of the parameters seen so far.
#[derive(Default)]
pub(crate) struct Schemas {
    fields: FxHashMap<(&'static str, Arc<str>), Option<FieldType>>,
}

impl Schemas {
    fn field(&mut self, kind: &'static ResourceKind, name: &Arc<str>) -> Option<&FieldType> {
        self.fields
            .entry((kind.name, Arc::clone(name)))
            .or_insert_with(|| {
                let field = kind.field(name)?;
                Some(FieldType { ty: Type::parse(field.ty), repr: field.repr })
            })
            .as_ref()
    }
}

/// The resources of a resource or collect statement.
pub(crate) fn build_resources(
    program: &Program,
    schemas: &mut Schemas,
    statement: &ResourceStmt,
    mut values: OutputValues<'_>,
) -> Built {
    let mut built = Built::default();
    let text = |id: StrId| &program.strings[id.0 as usize];
    let kind_name = text(statement.kind);
    let Some(kind) = kind(kind_name) else {
        built.errors.push(unknown_kind(kind_name, statement.span));
        return built;
    };
    let name = values.next();
    let resources = if statement.collect.is_some() {
        collected(kind, values.next(), statement.span)
    } else {
        named(kind_name, name, statement.span)
    };
    let mut resources = match resources {
        Ok(resources) => resources,
        Err(error) => {
            built.errors.push(*error);
            return built;
        }
    };
    let mut set = Vec::with_capacity(statement.entries.len());
    for entry in &statement.entries {
        let condition = entry.condition.map(|_| values.next());
        let Some(value) = values.next() else {
            built.errors.push(missing_value(entry.span));
            continue;
        };
        if matches!(condition, Some(Some(Value::Bool(false)))) {
            continue;
        }
        match &entry.kind {
            EntryKind::Field { name, .. } => {
                let name = text(*name);
                match check_field(schemas, kind, name, value) {
                    Ok(()) => set.push((name, value)),
                    Err((message, help)) => built.errors.push(refused(entry.span, message, help)),
                }
            }
            EntryKind::Edge { property, half } => {
                for target in ends_of(text, half, value, entry.span, &mut built.errors) {
                    let edge = |resource: &Resource| internal_edge(*property, &resource.id, &target, entry.span);
                    built.edges.extend(resources.iter().map(edge));
                }
            }
            EntryKind::Meta { property, .. } => {
                let name = text(*property);
                let result = match resources.split_first_mut() {
                    None => Ok(()),
                    Some((first, rest)) => first
                        .meta
                        .set(kind, name, value)
                        .and_then(|()| rest.iter_mut().try_for_each(|r| r.meta.set(kind, name, value))),
                };
                if let Err(error) = result {
                    let message = error.to_string();
                    built.errors.push(Diagnostic::error(Code::R0204, Stage::Interpret, message).at(entry.span));
                }
            }
        }
    }
    for resource in &mut resources {
        resource.params.reserve(set.len());
        for (name, value) in &set {
            resource.params.insert(Arc::clone(name), (*value).clone());
        }
    }
    // Not collected: that would keep the larger allocation of the other list.
    built.resources.reserve_exact(resources.len());
    built.resources.extend(resources.into_iter().map(Arc::new));
    if built.errors.is_empty() {
        validate_all(program, statement, &mut built);
    }
    built
}

/// The edges of an edge statement: every pair of neighbours, for every pair of their names.
pub(crate) fn build_edges(program: &Program, halves: &[Half], span: Span, values: OutputValues<'_>) -> Built {
    let mut built = Built::default();
    let text = |id: StrId| &program.strings[id.0 as usize];
    let ends: Vec<Vec<End>> =
        halves.iter().zip(values).map(|(half, value)| ends_of(text, half, value, span, &mut built.errors)).collect();
    for pair in ends.windows(2) {
        let [froms, tos] = pair else { continue };
        for from in froms {
            let edges = tos.iter().map(|to| EdgeByName { from: from.clone(), to: to.clone(), notify: false, span });
            built.edges.extend(edges);
        }
    }
    built
}

fn internal_edge(property: EdgeProperty, id: &ResourceId, target: &End, span: Span) -> EdgeByName {
    let this = End { id: id.clone(), key: None };
    let (from, to) = match property {
        EdgeProperty::Before | EdgeProperty::Notify => (this, target.clone()),
        EdgeProperty::Depend | EdgeProperty::Listen => (target.clone(), this),
    };
    EdgeByName { from, to, notify: matches!(property, EdgeProperty::Notify | EdgeProperty::Listen), span }
}

/// The resources that a name stands for; in one list a repeated name counts once.
fn named(kind: &Arc<str>, name: Option<&Value>, span: Span) -> Result<Vec<Resource>, Box<Diagnostic>> {
    let names = names_of(name.unwrap_or(&Value::Nil)).map_err(|problem| Box::new(bad_name(span, &problem)))?;
    let repeatable = names.len() > 1;
    let mut seen = rustc_hash::FxHashSet::default();
    let mut resources = Vec::with_capacity(names.len());
    for name in names {
        if name.is_empty() {
            let message = format!("a resource of kind `{kind}` has an empty name");
            return Err(Box::new(Diagnostic::error(Code::R0203, Stage::Interpret, message).at(span)));
        }
        if !repeatable || seen.insert(Arc::clone(&name)) {
            let mut resource = Resource::new(ResourceId { kind: Arc::clone(kind), name });
            resource.span = Some(span);
            resources.push(resource);
        }
    }
    Ok(resources)
}

/// The resources that other hosts, or this one, exported.
fn collected(kind: &'static ResourceKind, data: Option<&Value>, span: Span) -> Result<Vec<Resource>, Box<Diagnostic>> {
    let error = |message: String| Box::new(Diagnostic::error(Code::R0209, Stage::Interpret, message).at(span));
    let Some(Value::List(records)) = data else { return Err(error("what was collected is not a list".into())) };
    let mut resources = Vec::with_capacity(records.len());
    for record in records.iter() {
        let data = record.as_struct().and_then(|r| r.get("data")).and_then(Value::as_bytes);
        let mut resource = data
            .ok_or_else(|| "a collected record has no data".to_owned())
            .and_then(|data| decode_exported(data).map_err(|error| error.to_string()))
            .map_err(&error)?;
        if *resource.id.kind != *kind.name {
            return Err(error(format!("a collected resource is of kind `{}`, not `{}`", resource.id.kind, kind.name)));
        }
        resource.meta.export.clear();
        resource.span = Some(span);
        resources.push(resource);
    }
    Ok(resources)
}

fn ends_of<'p>(
    text: impl Fn(StrId) -> &'p Arc<str>,
    half: &Half,
    name: &Value,
    span: Span,
    errors: &mut Vec<Diagnostic>,
) -> Vec<End> {
    let kind = text(half.kind);
    let key = half.key.map(|key| Arc::clone(text(key)));
    match names_of(name) {
        Ok(names) => names
            .into_iter()
            .map(|name| End { id: ResourceId { kind: Arc::clone(kind), name }, key: key.clone() })
            .collect(),
        Err(problem) => {
            errors.push(bad_name(span, &problem));
            Vec::new()
        }
    }
}

/// The names in a `str` or `[]str`.
fn names_of(value: &Value) -> Result<Vec<Arc<str>>, String> {
    let one = |value: &Value| match value {
        Value::Str(s) => match std::str::from_utf8(s.as_bytes()) {
            Ok(text) => Ok(Arc::from(text)),
            Err(_) => Err(format!("the name {value} is not valid UTF-8")),
        },
        other => Err(format!("a name must be a str or a list of them, and this is of kind {}", other.kind())),
    };
    match value {
        Value::List(items) => items.iter().map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}

fn check_field(
    schemas: &mut Schemas,
    kind: &'static ResourceKind,
    name: &Arc<str>,
    value: &Value,
) -> Result<(), (String, Option<String>)> {
    let Some(field) = schemas.field(kind, name) else {
        let meant = nearest(name, kind.fields.iter().map(|f| f.name));
        let help = meant.map(|m| format!("did you mean `{m}`?"));
        return Err((format!("`{}` has no parameter `{name}`", kind.name), help));
    };
    convert::check(value, field).map_err(|e| {
        let place = if e.path.is_empty() { String::new() } else { format!(" at {}", e.path) };
        (format!("the value of `{name}` does not fit{place}: {}", e.problem), None)
    })
}

/// Each resource is validated; the resources of one statement differ only in their names, so one complaint is enough.
fn validate_all(program: &Program, statement: &ResourceStmt, built: &mut Built) {
    for resource in &built.resources {
        let Err(error) = validate(resource) else { continue };
        let mut diagnostic = Diagnostic::error(
            Code::R0205,
            Stage::Interpret,
            format!("{} is not valid: {}", resource.id, error.message),
        )
        .at(statement.span);
        let entry = error.param.as_deref().and_then(|param| entry_of(program, &statement.entries, param));
        if let Some(entry) = entry {
            diagnostic = diagnostic.label(entry.span, "set here");
        }
        diagnostic.help = error.help;
        built.errors.push(diagnostic);
        return;
    }
}

/// The entry that sets a parameter, or a meta parameter as `Meta:name`.
fn entry_of<'s>(program: &Program, entries: &'s [EntryStmt], param: &str) -> Option<&'s EntryStmt> {
    let text = |id: StrId| &*program.strings[id.0 as usize];
    let meta = param.strip_prefix("Meta:");
    entries.iter().rev().find(|entry| match &entry.kind {
        EntryKind::Field { name, .. } => meta.is_none() && text(*name) == param,
        EntryKind::Meta { property, .. } => meta.is_some_and(|meta| text(*property).eq_ignore_ascii_case(meta)),
        EntryKind::Edge { .. } => false,
    })
}

fn unknown_kind(name: &str, span: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(Code::R0201, Stage::Interpret, format!("there is no resource kind `{name}`")).at(span);
    match nearest(name, all_kinds().iter().filter(|k| k.is_public()).map(|k| k.name)) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic,
    }
}

fn refused(span: Span, message: String, help: Option<String>) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(Code::R0202, Stage::Interpret, message).at(span);
    diagnostic.help = help;
    diagnostic
}

fn bad_name(span: Span, problem: &str) -> Diagnostic {
    Diagnostic::error(Code::R0203, Stage::Interpret, problem).at(span)
}

fn missing_value(span: Span) -> Diagnostic {
    Diagnostic::error(Code::R0105, Stage::Interpret, "a value of this resource is missing").at(span)
}
