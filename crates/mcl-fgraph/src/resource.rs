//! Lowering of resource statements (spec 04 §1.9).

use mcl_artifact::program::{EdgeProperty, EntryKind, EntryStmt, Operand, ResourceStmt, Statement};
use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use mcl_parser::ast::{self, Ast, ExprId};
use mcl_types::{TypeId, TypeNode};
use resource_graph::kind;

use crate::error::{Inconsistency, LowerError};
use crate::lower::{InsertPoint, Lowering};

/// Returns W0202 for the first use of a kind that is not implemented.
pub(crate) fn unimplemented_warning(kind: &str, span: Span) -> Diagnostic {
    Diagnostic::warning(Code::W0202, Stage::Graph, format!("resource kind `{kind}` is not implemented"))
        .at_with(span, "it type-checks, but this release cannot apply it")
        .help("`mclc doc` marks the kinds that are not implemented")
}

impl Lowering<'_> {
    pub(crate) fn resource(
        &mut self,
        at: InsertPoint,
        ast: &Ast,
        resource: &ast::Resource,
        span: Span,
    ) -> Result<Statement, LowerError> {
        let name = self.expr(at, resource.name)?;
        let mut values = Vec::with_capacity(resource.entries.len());
        for entry in &resource.entries {
            let condition = entry.condition.expand().map(|condition| self.expr(at, condition)).transpose()?;
            values.push((condition, self.expr(at, entry_value(entry))?));
        }
        self.check_meta(ast, resource);
        if let Some(kind) = kind(ast.name(resource.kind)) {
            self.declare(at.builder, (ast, resource, span), kind, name);
            self.declare_entries(at.builder, (ast, resource), name, &values);
            self.check_constants((ast, resource, span), kind, name, &values);
            self.lint_resource(ast, resource, kind, span);
            if !kind.implemented {
                self.unimplemented.entry(kind.name).or_insert(resource.kind_span(ast));
            }
        }
        let kind = self.emitter.pool.string(ast.name(resource.kind));
        let mut entries = Vec::with_capacity(resource.entries.len());
        for (entry, (condition, value)) in resource.entries.iter().zip(values) {
            let kind = self.entry_kind(at, ast, &entry.kind, value)?;
            entries.push(EntryStmt { condition, kind, span: entry.span(ast) });
        }
        let collect = if resource.collect { Some(self.collect(at, ast, resource, name, span)?) } else { None };
        Ok(Statement::Resource(Box::new(ResourceStmt { kind, name, collect, entries, span })))
    }

    fn entry_kind(
        &mut self,
        at: InsertPoint,
        ast: &Ast,
        kind: &ast::EntryKind,
        value: Operand,
    ) -> Result<EntryKind, LowerError> {
        Ok(match kind {
            ast::EntryKind::Field { name, value: expr } => {
                let ty = self.type_of(at, *expr);
                let pool = &mut self.emitter.pool;
                EntryKind::Field { name: pool.string(ast.name(*name)), value, ty: pool.ty(&self.emitter.types, ty) }
            }
            ast::EntryKind::Edge { property, half } => {
                let property = edge_property(ast.name(*property)).ok_or(Inconsistency::WrongNode)?;
                EntryKind::Edge { property, half: self.half(ast, half, value) }
            }
            ast::EntryKind::Meta { property, value: _ } => {
                let property = ast.name(*property).to_lowercase();
                EntryKind::Meta { property: self.emitter.pool.string(&property), value }
            }
        })
    }

    /// Returns the call that finds the exported resources of a `collect` statement.
    fn collect(
        &mut self,
        at: InsertPoint,
        ast: &Ast,
        resource: &ast::Resource,
        name: Operand,
        span: Span,
    ) -> Result<Operand, LowerError> {
        let types = [TypeId::STR, self.type_of(at, resource.name)];
        let fields = ["name", "host", "data"].map(|field| (field.into(), TypeId::STR));
        let found = self.emitter.types.intern(TypeNode::Struct(fields.into()));
        let result = self.emitter.types.intern(TypeNode::List(found));
        let kind = Operand::Const(self.emitter.pool.str(ast.name(resource.kind)));
        self.builtin(at, "_collect", &[kind, name], &types, result, span)
    }

    /// Reports a `Meta` struct beside another entry for meta parameters: the struct sets all of them (spec 04 §1.9).
    fn check_meta(&mut self, ast: &Ast, resource: &ast::Resource) {
        let mut metas = resource.entries.iter().filter_map(|entry| match &entry.kind {
            ast::EntryKind::Meta { property, .. } => Some((entry, ast.name(*property).to_lowercase())),
            ast::EntryKind::Field { .. } | ast::EntryKind::Edge { .. } => None,
        });
        let Some((whole, _)) = metas.clone().find(|(_, property)| property == "meta") else { return };
        if let Some((entry, property)) = metas.find(|(entry, _)| entry.range != whole.range) {
            let (later, earlier) = if entry.range.start > whole.range.start { (entry, whole) } else { (whole, entry) };
            let message = if property == "meta" {
                "duplicate `Meta` struct".to_owned()
            } else {
                format!("duplicate meta parameter `{property}`: it is also set by the `Meta` struct")
            };
            let error = Diagnostic::error(Code::E0801, Stage::Graph, message)
                .at_with(later.span(ast), "set again here")
                .label(earlier.span(ast), "first set here")
                .help("a `Meta` struct sets all meta parameters: change its field, or use only `Meta:NAME` entries");
            // Reported once for a class that is included several times.
            if !self.errors.contains(&error) {
                self.errors.push(error);
            }
        }
    }
}

/// Returns the expression that gives an entry its value, or the name of the other resource for an edge.
fn entry_value(entry: &ast::Entry) -> ExprId {
    match &entry.kind {
        ast::EntryKind::Field { value, .. } | ast::EntryKind::Meta { value, .. } => *value,
        ast::EntryKind::Edge { half, .. } => half.name,
    }
}

pub(crate) fn edge_property(name: &str) -> Option<EdgeProperty> {
    match name.to_lowercase().as_str() {
        "before" => Some(EdgeProperty::Before),
        "notify" => Some(EdgeProperty::Notify),
        "depend" => Some(EdgeProperty::Depend),
        "listen" => Some(EdgeProperty::Listen),
        _ => None,
    }
}
