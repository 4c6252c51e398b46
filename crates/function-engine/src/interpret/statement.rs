//! Conversion of one statement to resources, and to edges between names that are resolved later.

use std::sync::Arc;

use mcl_artifact::program::{EdgeProperty, EntryKind, EntryStmt, Half, Program, ResourceStmt, StrId};
use mcl_diagnostics::{Code, Diagnostic, Span, Stage, nearest};
use mcl_value::{Type, Value};
use resource_graph::{
    Resource, ResourceId, ResourceKind, all_kinds, decode_exported, difference, kind, masked, sensitive_texts, validate,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interpret::convert::{self, ConversionError, FieldType};
use crate::outputs::{OutputValue, OutputValues};

/// The resources and edges of a statement.
#[derive(Default)]
pub(crate) struct ConvertedStatement {
    pub(crate) resources: Vec<Arc<Resource>>,
    pub(crate) edges: Vec<NamedEdge>,
    pub(crate) errors: Vec<Diagnostic>,
}

/// An edge between names.
#[derive(PartialEq, Eq)]
pub(crate) struct NamedEdge {
    pub(crate) from: EdgeEnd,
    pub(crate) to: EdgeEnd,
    pub(crate) notify: bool,
    pub(crate) span: Span,
}

/// One end of an edge, with the key of a send/recv.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct EdgeEnd {
    pub(crate) id: ResourceId,
    pub(crate) key: Option<Arc<str>>,
}

/// A cache of the parsed types of parameters.
#[derive(Default)]
pub(crate) struct FieldTypes {
    fields: FxHashMap<(&'static str, Arc<str>), Option<FieldType>>,
}

impl FieldTypes {
    fn get(&mut self, kind: &'static ResourceKind, name: &Arc<str>) -> Option<&FieldType> {
        self.fields
            .entry((kind.name, Arc::clone(name)))
            .or_insert_with(|| {
                let field = kind.field(name)?;
                Some(FieldType { ty: Type::parse(field.ty), repr: field.repr })
            })
            .as_ref()
    }
}

/// Converts a resource or collect statement.
pub(crate) fn convert_resource(
    program: &Program,
    field_types: &mut FieldTypes,
    statement: &ResourceStmt,
    mut values: OutputValues<'_>,
) -> ConvertedStatement {
    let mut converted = ConvertedStatement::default();
    let string = |id: StrId| &program.strings[id];
    let kind_name = string(statement.kind);
    let Some(kind) = kind(kind_name) else {
        converted.errors.push(unknown_kind(kind_name, statement.span));
        return converted;
    };
    let name = values.next();
    let resources = if statement.collect.is_some() {
        collected(kind, values.next().map(|data| data.value), statement.span)
    } else {
        named(kind_name, name, statement.span)
    };
    let mut resources = match resources {
        Ok(resources) => resources,
        Err(error) => {
            converted.errors.push(*error);
            return converted;
        }
    };
    let mut set = Vec::with_capacity(statement.entries.len());
    for entry in &statement.entries {
        let condition = entry.condition.map(|_| values.next());
        let Some(OutputValue { value, sensitive }) = values.next() else {
            converted.errors.push(missing_value(entry.span));
            continue;
        };
        let condition = condition.flatten();
        if condition.is_some_and(|condition| matches!(condition.value, Value::Bool(false))) {
            continue;
        }
        match &entry.kind {
            EntryKind::Field { name, .. } => {
                let name = string(*name);
                let sensitive = sensitive || condition.is_some_and(|condition| condition.sensitive);
                match check_field(field_types, kind, name, value, sensitive) {
                    Ok(()) => set.push((name, value, sensitive)),
                    Err(error) => converted.errors.push(error.diagnostic(entry.span)),
                }
            }
            EntryKind::Edge { property, half } => {
                let name = OutputValue { value, sensitive };
                for target in ends_of(string, half, name, entry.span, &mut converted.errors) {
                    let edge = |resource: &Resource| internal_edge(*property, &resource.id, &target, entry.span);
                    converted.edges.extend(resources.iter().map(edge));
                }
            }
            EntryKind::Meta { property, .. } => {
                let name = string(*property);
                let result = match resources.split_first_mut() {
                    None => Ok(()),
                    Some((first, rest)) => first
                        .meta
                        .set(kind, name, value)
                        .and_then(|()| rest.iter_mut().try_for_each(|r| r.meta.set(kind, name, value))),
                };
                if let Err(error) = result {
                    let message = error.to_string();
                    converted.errors.push(Diagnostic::error(Code::R0204, Stage::Interpret, message).at(entry.span));
                }
            }
        }
    }
    for resource in &mut resources {
        resource.params.reserve(set.len());
        for (name, value, sensitive) in &set {
            resource.params.insert(Arc::clone(name), (*value).clone());
            if *sensitive {
                resource.sensitive.push(Arc::clone(name));
            }
        }
    }
    // `collect` would reuse the larger allocation of the other list.
    converted.resources.reserve_exact(resources.len());
    converted.resources.extend(resources.into_iter().map(Arc::new));
    if converted.errors.is_empty() {
        validate_all(program, statement, &mut converted);
    }
    converted
}

/// Converts an edge statement: each pair of adjacent halves gives an edge between each pair of their names.
pub(crate) fn convert_edges(
    program: &Program,
    halves: &[Half],
    span: Span,
    values: OutputValues<'_>,
) -> ConvertedStatement {
    let mut converted = ConvertedStatement::default();
    let string = |id: StrId| &program.strings[id];
    let ends: Vec<Vec<EdgeEnd>> = halves
        .iter()
        .zip(values)
        .map(|(half, value)| ends_of(string, half, value, span, &mut converted.errors))
        .collect();
    for pair in ends.windows(2) {
        let [froms, tos] = pair else { continue };
        for from in froms {
            let edges = tos.iter().map(|to| NamedEdge { from: from.clone(), to: to.clone(), notify: false, span });
            converted.edges.extend(edges);
        }
    }
    converted
}

fn internal_edge(property: EdgeProperty, id: &ResourceId, target: &EdgeEnd, span: Span) -> NamedEdge {
    let this = EdgeEnd { id: id.clone(), key: None };
    let (from, to) = match property {
        EdgeProperty::Before | EdgeProperty::Notify => (this, target.clone()),
        EdgeProperty::Depend | EdgeProperty::Listen => (target.clone(), this),
    };
    NamedEdge { from, to, notify: matches!(property, EdgeProperty::Notify | EdgeProperty::Listen), span }
}

/// Creates the resources for a name or a list of names. A repeated name in a list counts once.
fn named(kind: &Arc<str>, name: Option<OutputValue<'_>>, span: Span) -> Result<Vec<Resource>, Box<Diagnostic>> {
    let name = name.unwrap_or(OutputValue { value: &Value::Nil, sensitive: false });
    let names = names_of(name).map_err(|error| Box::new(error.diagnostic(span)))?;
    let repeatable = names.len() > 1;
    let mut seen = FxHashSet::default();
    let mut resources = Vec::with_capacity(names.len());
    for name in names {
        if name.is_empty() {
            let message = format!("empty name for a `{kind}` resource");
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

/// Decodes the resources that other hosts, or this one, have exported.
fn collected(kind: &'static ResourceKind, data: Option<&Value>, span: Span) -> Result<Vec<Resource>, Box<Diagnostic>> {
    let error = |message: String| Box::new(Diagnostic::error(Code::R0209, Stage::Interpret, message).at(span));
    let Some(Value::List(records)) = data else { return Err(error("expected a list of collected records".into())) };
    let mut resources = Vec::with_capacity(records.len());
    for record in records.iter() {
        let data = record.as_struct().and_then(|r| r.get("data")).and_then(Value::as_bytes);
        let mut resource = data
            .ok_or_else(|| "missing data in a collected record".to_owned())
            .and_then(|data| decode_exported(data).map_err(|error| error.to_string()))
            .map_err(&error)?;
        if *resource.id.kind != *kind.name {
            return Err(error(format!(
                "expected a collected resource of kind `{}`, found `{}`",
                kind.name, resource.id.kind
            )));
        }
        resource.meta.export.clear();
        resource.span = Some(span);
        resources.push(resource);
    }
    Ok(resources)
}

fn ends_of<'p>(
    string: impl Fn(StrId) -> &'p Arc<str>,
    half: &Half,
    name: OutputValue<'_>,
    span: Span,
    errors: &mut Vec<Diagnostic>,
) -> Vec<EdgeEnd> {
    let kind = string(half.kind);
    let key = half.key.map(|key| Arc::clone(string(key)));
    match names_of(name) {
        Ok(names) => names
            .into_iter()
            .map(|name| EdgeEnd { id: ResourceId { kind: Arc::clone(kind), name }, key: key.clone() })
            .collect(),
        Err(error) => {
            errors.push(error.diagnostic(span));
            Vec::new()
        }
    }
}

/// A value that is not a resource name, or a list of them.
enum NameError {
    NotUtf8(Value),
    /// The kind of the value is neither `str` nor a list of `str`.
    WrongType(&'static str),
    /// Names are shown everywhere.
    Sensitive,
}

impl NameError {
    fn diagnostic(&self, span: Span) -> Diagnostic {
        let message = match self {
            NameError::NotUtf8(name) => format!("invalid UTF-8 in the resource name {name}"),
            NameError::WrongType(found) => format!("expected `str` or `[]str` as the resource name, found {found}"),
            NameError::Sensitive => {
                return Diagnostic::error(Code::R0211, Stage::Interpret, "sensitive value in the name of a resource")
                    .at(span)
                    .help(
                        "names are shown in plans, logs and messages; use another name, or `secret.nonsensitive` for a \
                         part that reveals nothing",
                    );
            }
        };
        Diagnostic::error(Code::R0203, Stage::Interpret, message).at(span)
    }
}

/// Returns the names in a `str` or `[]str`.
fn names_of(name: OutputValue<'_>) -> Result<Vec<Arc<str>>, NameError> {
    if name.sensitive {
        return Err(NameError::Sensitive);
    }
    let one = |value: &Value| match value {
        Value::Str(s) => match std::str::from_utf8(s.as_bytes()) {
            Ok(name) => Ok(Arc::from(name)),
            Err(_) => Err(NameError::NotUtf8(value.clone())),
        },
        other => Err(NameError::WrongType(other.kind())),
    };
    match name.value {
        Value::List(items) => items.iter().map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}

/// An entry that cannot set its parameter.
enum FieldError {
    Unknown {
        kind: &'static ResourceKind,
        name: Arc<str>,
    },
    Value {
        name: Arc<str>,
        error: ConversionError,
    },
    /// The value cannot be described.
    SensitiveValue {
        name: Arc<str>,
    },
}

impl FieldError {
    fn diagnostic(&self, span: Span) -> Diagnostic {
        let (message, similar) = match self {
            FieldError::Unknown { kind, name } => {
                let similar = nearest(name, kind.fields.iter().map(|f| f.name));
                (format!("unknown parameter `{name}` of `{}`", kind.name), similar)
            }
            FieldError::SensitiveValue { name } => {
                (format!("invalid value of `{name}`; it is hidden because it is sensitive"), None)
            }
            FieldError::Value { name, error } if error.path.is_empty() => {
                (format!("invalid value of `{name}`: {}", error.problem), None)
            }
            FieldError::Value { name, error } => {
                (format!("invalid value of `{name}` at {}: {}", error.path, error.problem), None)
            }
        };
        let diagnostic = Diagnostic::error(Code::R0202, Stage::Interpret, message).at(span);
        match similar {
            Some(similar) => diagnostic.help(format!("did you mean `{similar}`?")),
            None => diagnostic,
        }
    }
}

fn check_field(
    field_types: &mut FieldTypes,
    kind: &'static ResourceKind,
    name: &Arc<str>,
    value: &Value,
    sensitive: bool,
) -> Result<(), FieldError> {
    let Some(field) = field_types.get(kind, name) else {
        return Err(FieldError::Unknown { kind, name: Arc::clone(name) });
    };
    let name = || Arc::clone(name);
    convert::check(value, field).map_err(|error| {
        if sensitive { FieldError::SensitiveValue { name: name() } } else { FieldError::Value { name: name(), error } }
    })
}

/// Validates the resources. They differ only in their names, so only the first error is reported.
fn validate_all(program: &Program, statement: &ResourceStmt, converted: &mut ConvertedStatement) {
    for resource in &converted.resources {
        let Err(error) = validate(resource) else { continue };
        let mut diagnostic = Diagnostic::error(
            Code::R0205,
            Stage::Interpret,
            format!("invalid resource {}: {}", resource.id, masked(&error.message, &sensitive_texts(resource))),
        )
        .at(statement.span);
        let entry = error.param.as_deref().and_then(|param| entry_of(program, &statement.entries, param));
        if let Some(entry) = entry {
            diagnostic = diagnostic.label(entry.span, "set here");
        }
        diagnostic.help = error.help;
        converted.errors.push(diagnostic);
        return;
    }
}

/// Returns the entry that sets a parameter, or a meta parameter if `param` has the form `Meta:name`.
fn entry_of<'s>(program: &Program, entries: &'s [EntryStmt], param: &str) -> Option<&'s EntryStmt> {
    let string = |id: StrId| &*program.strings[id];
    let meta = param.strip_prefix("Meta:");
    entries.iter().rev().find(|entry| match &entry.kind {
        EntryKind::Field { name, .. } => meta.is_none() && string(*name) == param,
        EntryKind::Meta { property, .. } => meta.is_some_and(|meta| string(*property).eq_ignore_ascii_case(meta)),
        EntryKind::Edge { .. } => false,
    })
}

fn unknown_kind(name: &str, span: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(Code::R0201, Stage::Interpret, format!("unknown resource kind `{name}`")).at(span);
    match nearest(name, all_kinds().iter().filter(|k| k.is_public()).map(|k| k.name)) {
        Some(similar) => diagnostic.help(format!("did you mean `{similar}`?")),
        None => diagnostic,
    }
}

fn missing_value(span: Span) -> Diagnostic {
    Diagnostic::error(Code::R0105, Stage::Interpret, "missing value of this resource").at(span)
}

/// Whether a resource is declared as before.
pub(super) fn is_unchanged(old: &Resource, new: &Resource) -> bool {
    new.params == old.params && new.sensitive == old.sensitive && difference(old, new).is_none()
}
