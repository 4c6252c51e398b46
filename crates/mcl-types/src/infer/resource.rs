//! Typing of resources, edges, and the values that edges send (spec 02 §5.4, spec 02 §5.8).

use std::rc::Rc;
use std::sync::Arc;

use mcl_diagnostics::{Span, nearest};
use mcl_parser::ast::{EdgeHalf, Entry, EntryKind, ExprId, Resource};
use mcl_parser::kind_of_mcl;
use resource_graph::{META_FIELDS, Repr, ResourceKind, meta_struct_type};

use crate::infer::Inference;
use crate::infer::conversion::Literal;
use crate::infer::error::{InferError, SendError, Sent};
use crate::infer::expectation::Expectation;
use crate::infer::signature::primitive;
use crate::scoped::ModuleId;
use crate::solver::obligation::{NameCheck, NameShape, Obligation};
use crate::solver::types::{Node, Ty};
use crate::synonyms;

/// A kind with at most this many fields has them listed in the help for an unknown field.
const MAX_LISTED_FIELDS: usize = 10;

/// An end of an edge, with its kind.
type EdgeEnd<'a> = (&'a EdgeHalf, &'static ResourceKind);

impl Inference<'_> {
    /// Types a resource.
    pub(crate) fn resource(&mut self, module: ModuleId, resource: &Resource, span: Span) {
        let ast = self.scoped.ast(module);
        let kind = self.kind_named(ast.name(resource.kind), resource.kind_span(ast), span);
        self.infer(module, resource.name);
        for entry in &resource.entries {
            if let Some(condition) = entry.condition.expand() {
                self.infer(module, condition);
                self.expect_condition(module, condition, entry.span(ast));
            }
            match &entry.kind {
                EntryKind::Field { name, value } => {
                    let found = self.infer(module, *value);
                    match kind {
                        Some(kind) => self.field(module, kind, ast.name(*name), entry, *value),
                        None => self.poison([found]),
                    }
                }
                EntryKind::Edge { half, .. } => {
                    self.edge_end(module, half);
                }
                EntryKind::Meta { property, value } => {
                    let found = self.infer(module, *value);
                    let literal = Literal::of(ast, ast.expr(*value), ast.expr_span(*value));
                    self.meta(ast.name(*property), found, literal, entry.span(ast));
                }
            }
        }
        if kind.is_some() {
            self.resource_name(module, resource.name, resource.collect, span);
        } else {
            // Instead of a kind, something else was meant, such as a loop: then the name is something else, too.
            let name = self.expr_type(module, resource.name);
            self.poison([name]);
        }
    }

    /// Returns the kind with this name. An unknown one is reported at `name_span` if that is inside `span`, else at `span`.
    fn kind_named(&mut self, name: &str, name_span: Span, span: Span) -> Option<&'static ResourceKind> {
        let kind = resource_graph::kind(name).filter(|kind| kind.is_public());
        if kind.is_none() {
            let is_inside = name_span.start >= span.start && name_span.end <= span.end;
            let names = resource_graph::all_kinds().iter().filter(|kind| kind.is_public()).map(|kind| kind.name);
            let similar = kind_of_mcl(name).or_else(|| nearest(name, names));
            let is_edge = name_span == span;
            let similar = similar.map(|kind| if is_edge { capitalized(kind) } else { kind.to_owned() });
            let span = if is_inside { name_span } else { span };
            self.report(InferError::UnknownKind { kind: name.to_owned(), span, similar });
        }
        kind
    }

    fn field(&mut self, module: ModuleId, kind: &'static ResourceKind, name: &str, entry: &Entry, value: ExprId) {
        let found = self.expr_type(module, value);
        let ast = self.scoped.ast(module);
        let Some(field) = kind.field(name) else {
            let (field, span) = (name.to_owned(), entry.name_span(ast));
            let (help, near) = (help_for_field(kind, name), field_meant_by(kind, name));
            self.report(InferError::UnknownField { kind: kind.name, field, span, help, near });
            return self.poison([found]);
        };
        // An untyped field accepts everything whose type is known.
        if field.ty == "any" {
            return;
        }
        if let Some(primitive) = primitive(field.ty)
            && self.solver.types.is_known(found, &primitive)
        {
            return;
        }
        let expected = self.field_type(field.ty, entry.span(ast));
        let (literal, value) = (Literal::of(ast, ast.expr(value), ast.expr_span(value)), ast.expr_span(value));
        let expectation = Expectation::Field { kind: kind.name, field: name, value, literal };
        self.expect(expected, found, entry.span(ast), &expectation);
    }

    fn meta(&mut self, property: &str, found: Ty, literal: Option<Literal<'_>>, span: Span) {
        let (expected, expectation) = match META_FIELDS.iter().find(|field| field.name == property) {
            Some(field) => (field.ty, Expectation::MetaParam { name: property, literal }),
            None if property == "meta" => (meta_struct_type(), Expectation::MetaStruct),
            // Reported when the file was parsed.
            None => return self.poison([found]),
        };
        let expected = self.field_type(expected, span);
        self.expect(expected, found, span, &expectation);
    }

    /// Checks the name of a resource or edge end: a string, or a list of strings.
    fn resource_name(&mut self, module: ModuleId, name: ExprId, is_collect: bool, span: Span) {
        let shape = self.syntactic_shape(module, name);
        let ty = self.expr_type(module, name);
        let name = self.scoped.ast(module).expr_span(name);
        self.check_name(NameCheck { ty, shape, is_collect, span, name }, None);
    }

    /// Gives a resource name the type that its shape asks for. If class parameters determine the shape, the check is an
    /// obligation of each include.
    pub(crate) fn check_name(&mut self, check: NameCheck, include: Option<Span>) {
        let NameCheck { ty, ref shape, is_collect, span, name } = check;
        let expectation = Expectation::ResourceName { is_collect, include, name };
        match shape {
            NameShape::FromParams(_) => return self.solver.obligations.push(Obligation::ResourceName(check)),
            NameShape::Str => {
                self.expect_primitive(Node::Str, ty, span, &expectation);
                return;
            }
            NameShape::Unknown | NameShape::StrList | NameShape::Other => {}
        }
        let string = self.solver.types.add(Node::Str, span);
        let expected = match (shape, is_collect) {
            (_, false) | (NameShape::StrList, true) => self.solver.types.add(Node::List(string), span),
            (_, true) => {
                let pair: Rc<[(Arc<str>, Ty)]> = Rc::from([("name".into(), string), ("host".into(), string)]);
                let pair = self.solver.types.add(Node::Struct(pair), span);
                self.solver.types.add(Node::List(pair), span)
            }
        };
        self.expect(expected, ty, span, &expectation);
    }

    fn edge_end(&mut self, module: ModuleId, half: &EdgeHalf) -> Option<&'static ResourceKind> {
        let name = self.scoped.ast(module).name(half.kind);
        let kind = self.kind_named(name, half.span, half.span);
        self.infer(module, half.name);
        self.resource_name(module, half.name, false, half.span);
        kind
    }

    /// Types an edge.
    pub(crate) fn edge(&mut self, module: ModuleId, halves: &[EdgeHalf], span: Span) {
        let kinds: Vec<_> = halves.iter().map(|half| self.edge_end(module, half)).collect();
        if halves.len() < 2 {
            self.report(InferError::EdgeWithOneEnd { span });
        }
        for (ends, kinds) in halves.windows(2).zip(kinds.windows(2)) {
            let ([from, to], [Some(from_kind), Some(to_kind)]) = (ends, kinds) else { continue };
            if (from.key.is_some() || to.key.is_some())
                && let Err((error, end)) = self.check_send(module, (from, *from_kind), (to, *to_kind))
            {
                self.report(InferError::Send { error, edge: span, end });
            }
        }
    }

    /// Checks that an edge can send its value (spec 02 §5.8).
    ///
    /// # Errors
    /// What is wrong, with the span of the end at fault.
    fn check_send(&self, module: ModuleId, from: EdgeEnd<'_>, to: EdgeEnd<'_>) -> Result<(), (SendError, Span)> {
        let ast = self.scoped.ast(module);
        let ((from, sender), (to, receiver)) = (from, to);
        let (Some(key), Some(field)) = (from.key, to.key) else {
            let end = if from.key.is_none() { from } else { to };
            return Err((SendError::MissingKey, end.span));
        };
        let (key, field) = (ast.name(key), ast.name(field));
        if sender.sends.is_empty() {
            return Err((SendError::CannotSend { kind: sender.name }, from.span));
        }
        if !receiver.traits.receive {
            return Err((SendError::CannotReceive { kind: receiver.name }, to.span));
        }
        let Some(sent) = sender.send(key) else {
            let keys: Vec<&'static str> = sender.sends.iter().map(|sent| sent.name).collect();
            let (kind, similar) = (sender.name, nearest(key, keys.iter().copied()));
            return Err((SendError::UnknownKey { kind, key: key.to_string(), similar, keys }, from.span));
        };
        let Some(received) = receiver.field(field) else {
            let similar = nearest(field, receiver.fields.iter().map(|received| received.name));
            let (kind, field) = (receiver.name, field.to_string());
            return Err((SendError::UnknownField { kind, field, similar }, to.span));
        };
        let is_unchecked = sent.optional || received.optional || sent.ty == "any" || received.ty == "any";
        if is_unchecked || (sent.ty == received.ty && received.repr == Repr::Plain) {
            return Ok(());
        }
        let is_width = sent.ty == received.ty;
        let sent = Sent { kind: sender.name, name: key.to_string(), ty: sent.ty };
        let received = Sent { kind: receiver.name, name: field.to_string(), ty: received.ty };
        let error = if is_width {
            SendError::Width { sent, received, sender: from.span }
        } else {
            SendError::Type { sent, received, sender: from.span }
        };
        Err((error, to.span))
    }
}

/// Writes a kind as edges do.
fn capitalized(kind: &str) -> String {
    let mut kind = kind.to_owned();
    if let Some(first) = kind.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    kind
}

/// Returns the field that was most likely meant by a name that the kind does not have.
fn field_meant_by(kind: &ResourceKind, name: &str) -> Option<&'static str> {
    if name == "ensure" && kind.field("state").is_some() {
        return Some("state");
    }
    let synonym = synonyms::field(kind.name, name).filter(|field| kind.field(field).is_some());
    synonym.or_else(|| nearest(name, kind.fields.iter().map(|field| field.name)))
}

/// Returns what to write instead of a field that the kind does not have.
fn help_for_field(kind: &ResourceKind, name: &str) -> String {
    if name == "ensure" && kind.field("state").is_some() {
        return "Puppet's `ensure` is `state` in mcl".to_owned();
    }
    if let Some(field) = synonyms::field(kind.name, name) {
        return format!("it is called `{field}` in mcl; `mclc doc {}` describes it", kind.name);
    }
    if let Some(advice) = synonyms::field_with_value(kind.name, name).or_else(|| synonyms::every_kind(name)) {
        return advice.to_owned();
    }
    if let Some(near) = nearest(name, kind.fields.iter().map(|field| field.name)) {
        return format!("did you mean `{near}`?");
    }
    if META_FIELDS.iter().any(|field| field.name == name) {
        return format!("every resource has the meta parameter `Meta:{name}`");
    }
    match kind.fields {
        [] => format!("`{}` has no fields, only meta parameters", kind.name),
        fields if fields.len() <= MAX_LISTED_FIELDS => {
            let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
            format!("its fields are {}", names.join(", "))
        }
        _ => format!("`mclc doc {}` lists its fields", kind.name),
    }
}
