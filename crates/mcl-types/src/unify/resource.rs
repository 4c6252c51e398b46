//! Resources, edges, and what is sent along them (spec 02 §5.3, §5.4, §5.8).

use std::rc::Rc;
use std::sync::Arc;

use mcl_diagnostics::{Code, Span, nearest};
use mcl_parser::ast::{EdgeHalf, EntryKind, ExprId, Resource};
use mcl_value::Type;
use resource_graph::{META_FIELDS, META_STRUCT_TYPE, Repr, ResourceKind};

use super::Unifier;
use super::condition::NameCondition;
use super::generic::Copy;
use super::report::error;
use super::statics::Static;
use super::types::{Node, Ty};
use crate::scoped::{ModuleId, ScopeId, SlotId};

impl Unifier<'_> {
    pub(super) fn resource(&mut self, module: ModuleId, resource: &Resource, span: Span) {
        let ast = self.scoped.ast(module);
        let kind = self.kind_named(ast.name(resource.kind), resource.kind_span, span);
        self.infer(module, resource.name);
        for entry in &resource.entries {
            if let Some(condition) = entry.condition {
                self.infer(module, condition);
                self.expect_condition(module, condition, entry.span);
            }
            match &entry.kind {
                EntryKind::Field { name, value } => {
                    let found = self.infer(module, *value);
                    if let Some(kind) = kind {
                        self.field(kind, ast.name(*name), found, *value, module, entry.span, entry.name_span);
                    } else {
                        self.types.taint(found);
                        self.settle();
                    }
                }
                EntryKind::Edge { half, .. } => {
                    self.half(module, half);
                }
                EntryKind::Meta { property, value } => {
                    let found = self.infer(module, *value);
                    self.meta(ast.name(*property), found, entry.span);
                }
            }
        }
        self.name(module, resource.name, resource.collect, span);
    }

    /// The kind of that name; an unknown one is reported at `span`.
    fn kind_named(&mut self, name: &str, at: Span, span: Span) -> Option<&'static ResourceKind> {
        let kind = resource_graph::kind(name).filter(|kind| kind.is_public());
        if kind.is_none() {
            let mut diagnostic = error(Code::E0710, format!("there is no resource kind `{name}`"));
            diagnostic =
                if at.start >= span.start && at.end <= span.end { diagnostic.at(at) } else { diagnostic.at(span) };
            let names = resource_graph::all_kinds().iter().filter(|kind| kind.is_public()).map(|kind| kind.name);
            if let Some(near) = nearest(name, names) {
                diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            }
            self.report(diagnostic);
        }
        kind
    }

    #[allow(clippy::too_many_arguments)]
    fn field(
        &mut self,
        kind: &'static ResourceKind,
        name: &str,
        found: Ty,
        value: ExprId,
        module: ModuleId,
        span: Span,
        name_span: Span,
    ) {
        let Some(field) = kind.field(name) else {
            let message = format!("the resource `{}` has no field `{name}`", kind.name);
            self.report(error(Code::E0711, message).at(name_span).help(help_for_field(kind, name)));
            self.types.taint(found);
            self.settle();
            return;
        };
        // An untyped field takes everything whose type is known.
        if field.ty == "any" {
            return;
        }
        let expected = self.schema_type(field.ty, span);
        let place = Some((self.scoped.ast(module).expr_span(value), "this value"));
        self.expect_because(expected, found, span, place, |expected, found| {
            format!("the field `{name}` of `{}` must be `{expected}`, but this is `{found}`", kind.name)
        });
    }

    fn schema_type(&mut self, text: &'static str, span: Span) -> Ty {
        let node = match text {
            "str" => Node::Str,
            "int" => Node::Int,
            "bool" => Node::Bool,
            "float" => Node::Float,
            _ => {
                let ty = Rc::clone(
                    self.schema_types.entry(text).or_insert_with(|| Rc::new(Type::parse(text).unwrap_or(Type::Nil))),
                );
                return self.nodes_of(&ty, &mut Vec::new(), span);
            }
        };
        self.types.add(node, span)
    }

    fn meta(&mut self, property: &str, found: Ty, span: Span) {
        let expected = match META_FIELDS.iter().find(|field| field.name == property) {
            Some(field) => self.schema_type(field.ty, span),
            None if property == "meta" => self.schema_type(META_STRUCT_TYPE, span),
            // Reported when the file was parsed.
            None => {
                self.types.taint(found);
                return self.settle();
            }
        };
        self.expect(expected, found, span, |expected, found| match property {
            "meta" => format!("`Meta` needs a struct of all meta parameters in order, but this is `{found}`"),
            _ => format!("`Meta:{property}` must be `{expected}`, but this is `{found}`"),
        });
    }

    /// The name of a resource or edge half: one text, or a list of texts.
    fn name(&mut self, module: ModuleId, name: ExprId, collect: bool, span: Span) {
        let known = self.static_type(module, name);
        let ty = self.expr_type(module, name);
        let condition = NameCondition { ty, known, collect, span };
        self.decide_name(condition, None);
    }

    fn decide_name(&mut self, condition: NameCondition, include: Option<Span>) {
        let NameCondition { ty, known, collect, span } = &condition;
        let text = self.types.add(Node::Str, *span);
        let expected = match (known, collect) {
            // The include of the class decides.
            (Static::Params(_), _) => return self.name_conditions.push(condition),
            (Static::Str, _) => text,
            (_, false) | (Static::StrList, true) => self.types.add(Node::List(text), *span),
            (Static::Unknown | Static::Other, true) => {
                let pair: Rc<[(Arc<str>, Ty)]> = Rc::from([("name".into(), text), ("host".into(), text)]);
                let pair = self.types.add(Node::Struct(pair), *span);
                self.types.add(Node::List(pair), *span)
            }
        };
        let result = self.types.unify(expected, *ty);
        if let Err(clash) = result {
            let found = self.text(*ty);
            let (message, help) = if *collect {
                (
                    format!(
                        "collect needs a name, a list of names, or a list of structs with name and host, not `{found}`"
                    ),
                    None,
                )
            } else if found == "str" {
                let message =
                    "this name is not known to be a single text, so it is taken as a list of names, but it is `str`";
                (
                    message.to_owned(),
                    Some("put it into a list (`[…]`), or interpolate it through a variable (`\"${name}\"`)"),
                )
            } else {
                (format!("a name is a `str`, or a `[]str` for several resources, but this is `{found}`"), None)
            };
            let mut diagnostic = error(Code::E0712, message).at(*span);
            if let Some(include) = include {
                diagnostic = diagnostic.label(include, "for this include");
            }
            let mut diagnostic = self.clash_labels(diagnostic, clash, *span);
            diagnostic.help = help.map(str::to_owned);
            self.report(diagnostic);
        }
        self.settle();
    }

    /// Decides the names of a class for one include.
    pub(super) fn copy_names(
        &mut self,
        scope: ScopeId,
        copy: &mut Copy,
        statics: &[Static],
        via: &[SlotId],
        include: Option<Span>,
    ) {
        let Some(scheme) = self.schemes.get(&scope) else { return };
        let mut names: Vec<NameCondition> = scheme.names.clone();
        for name in &mut names {
            name.known = self.static_for(&name.known, scope, statics);
        }
        self.decide_names(names, copy, via, include);
    }

    /// Decides names for the instance that a path leads to.
    pub(super) fn decide_names(
        &mut self,
        names: Vec<NameCondition>,
        copy: &mut Copy,
        via: &[SlotId],
        include: Option<Span>,
    ) {
        for name in names {
            let ty = self.copied(copy, name.ty);
            let known = self.static_through(name.known.clone(), via);
            self.decide_name(NameCondition { ty, known, ..name }, include);
        }
    }

    fn half(&mut self, module: ModuleId, half: &EdgeHalf) -> Option<&'static ResourceKind> {
        let name = self.scoped.ast(module).name(half.kind);
        let kind = self.kind_named(name, half.span, half.span);
        self.infer(module, half.name);
        self.name(module, half.name, false, half.span);
        kind
    }

    pub(super) fn edge(&mut self, module: ModuleId, halves: &[EdgeHalf], span: Span) {
        let kinds: Vec<_> = halves.iter().map(|half| self.half(module, half)).collect();
        if halves.len() < 2 {
            let diagnostic = error(Code::E0713, "an edge joins two or more resources, but this has one end").at(span);
            self.report(diagnostic.help("write `A[\"a\"] -> B[\"b\"]`"));
        }
        for (ends, kinds) in halves.windows(2).zip(kinds.windows(2)) {
            let ([from, to], [Some(from_kind), Some(to_kind)]) = (ends, kinds) else { continue };
            if from.key.is_some() || to.key.is_some() {
                self.send(module, from, from_kind, to, to_kind, span);
            }
        }
    }

    fn send(
        &mut self,
        module: ModuleId,
        from: &EdgeHalf,
        from_kind: &'static ResourceKind,
        to: &EdgeHalf,
        to_kind: &'static ResourceKind,
        span: Span,
    ) {
        let ast = self.scoped.ast(module);
        // The end at fault, what it is, and what to do about it.
        let mut wrong = |message: String, half: &EdgeHalf, label: String, help: Option<String>| {
            let diagnostic = error(Code::E0714, message).at(span).label(half.span, label);
            self.diagnostics.push(match help {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            });
        };
        let (Some(key), Some(field)) = (from.key, to.key) else {
            let half = if from.key.is_none() { from } else { to };
            let message = "both ends of an edge that sends a value name a key".to_owned();
            return wrong(message, half, "no key here".to_owned(), None);
        };
        let (key, field) = (ast.name(key), ast.name(field));
        let (sender, receiver) = (from_kind.name, to_kind.name);
        if from_kind.sends.is_empty() {
            return wrong(format!("`{sender}` sends nothing"), from, "cannot send".to_owned(), None);
        }
        if !to_kind.traits.receive {
            return wrong(format!("`{receiver}` cannot receive values"), to, "cannot receive".to_owned(), None);
        }
        let Some(sent) = from_kind.send(key) else {
            let help = match nearest(key, from_kind.sends.iter().map(|sent| sent.name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    let keys: Vec<String> = from_kind.sends.iter().map(|sent| format!("`{}`", sent.name)).collect();
                    format!("`{sender}` sends {}", keys.join(", "))
                }
            };
            return wrong(format!("`{sender}` sends no `{key}`"), from, "not sent".to_owned(), Some(help));
        };
        let Some(received) = to_kind.field(field) else {
            let near = nearest(field, to_kind.fields.iter().map(|received| received.name));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            return wrong(format!("`{receiver}` has no field `{field}`"), to, "no such field".to_owned(), help);
        };
        let unchecked = sent.optional || received.optional || sent.ty == "any" || received.ty == "any";
        if !unchecked && (sent.ty != received.ty || received.repr != Repr::Plain) {
            let detail = if sent.ty == received.ty { ", of another width on the host" } else { "" };
            let message = format!(
                "`{sender}` sends `{key}` as `{}`, but the field `{field}` of `{receiver}` is `{}`{detail}",
                sent.ty, received.ty
            );
            let diagnostic = error(Code::E0714, message).at(span);
            self.diagnostics.push(
                diagnostic
                    .label(from.span, format!("sends `{}`", sent.ty))
                    .label(to.span, format!("receives `{}`", received.ty)),
            );
        }
    }
}

/// What to write instead of a field that the kind does not have.
fn help_for_field(kind: &ResourceKind, name: &str) -> String {
    if let Some(near) = nearest(name, kind.fields.iter().map(|field| field.name)) {
        return format!("did you mean `{near}`?");
    }
    if name == "ensure" && kind.field("state").is_some() {
        return "what Puppet calls `ensure` is `state` here".to_owned();
    }
    if META_FIELDS.iter().any(|field| field.name == name) {
        return format!("every resource has the meta parameter `Meta:{name}`");
    }
    match kind.fields {
        [] => format!("`{}` has no fields, only meta parameters", kind.name),
        fields if fields.len() <= 10 => {
            let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
            format!("its fields are {}", names.join(", "))
        }
        _ => format!("`mclc doc {}` lists its fields", kind.name),
    }
}
