//! The direct parts of an expression.

use crate::definition::Definition;
use crate::expr::{CaseOption, Expr};
use crate::ids::{AttributeList, ExprId, ExprList, LambdaId, ParameterList};
use crate::resource::{Collector, Query, ResourceExpr};
use crate::tree::Tree;

impl Tree {
    /// Calls `visit` with each direct part of an expression, in the order of the source. The parts of a lambda's, a
    /// definition's and a template's parameters are among them.
    pub fn for_each_child(&self, id: ExprId, mut visit: impl FnMut(ExprId)) {
        let visit = &mut visit;
        match &self.exprs[id] {
            Expr::Error
            | Expr::Nop
            | Expr::Undef
            | Expr::Default
            | Expr::Boolean(_)
            | Expr::Integer(..)
            | Expr::Float(_)
            | Expr::String(_)
            | Expr::Regexp(_)
            | Expr::Name(_)
            | Expr::TypeName(_)
            | Expr::Reserved(_)
            | Expr::Variable(_)
            | Expr::RenderString(_) => {}
            Expr::Text(part)
            | Expr::Heredoc { text: part, .. }
            | Expr::Parenthesized(part)
            | Expr::Not(part)
            | Expr::Negate(part)
            | Expr::Unfold(part)
            | Expr::RenderExpr(part) => visit(*part),
            Expr::Interpolation(list) | Expr::Array(list) | Expr::Hash(list) | Expr::Block(list) => {
                self.list(*list).iter().copied().for_each(visit);
            }
            Expr::Binary(_, left, right) | Expr::Assign(_, left, right) | Expr::Arrow(_, left, right) => {
                visit(*left);
                visit(*right);
            }
            Expr::Access(left, keys) => {
                visit(*left);
                self.list(*keys).iter().copied().for_each(visit);
            }
            Expr::Call(call) => {
                let call = &self.calls[*call];
                self.call_children(call.functor, call.arguments, call.block, visit);
            }
            Expr::MethodCall(call) => {
                let call = &self.method_calls[*call];
                self.call_children(call.receiver, call.arguments, call.block, visit);
            }
            Expr::Lambda(lambda) => self.lambda_children(Some(*lambda), visit),
            Expr::If(test, then, otherwise) | Expr::Unless(test, then, otherwise) => {
                visit(*test);
                visit(*then);
                visit(*otherwise);
            }
            Expr::Case(test, options) => {
                visit(*test);
                self.case_children(options, visit);
            }
            Expr::Selector(test, entries) => {
                visit(*test);
                for entry in entries {
                    visit(entry.value);
                    visit(entry.result);
                }
            }
            Expr::Resource(resource) => self.resource_children(&self.resources[*resource], visit),
            Expr::ResourceDefaults(index) => {
                let defaults = &self.defaults[*index as usize];
                visit(defaults.type_name);
                self.attribute_children(defaults.attributes, visit);
            }
            Expr::ResourceOverride(index) => {
                let resource_override = &self.overrides[*index as usize];
                visit(resource_override.resources);
                self.attribute_children(resource_override.attributes, visit);
            }
            Expr::Collector(collector) => self.collector_children(&self.collectors[*collector], visit),
            Expr::Definition(definition) => self.definition_children(&self.definitions[*definition], visit),
            Expr::Epp { parameters, body } => {
                if let Some(parameters) = parameters {
                    self.parameter_children(*parameters, visit);
                }
                visit(*body);
            }
        }
    }

    /// The first part is the receiver of a method call, and the functor of any other.
    fn call_children(
        &self,
        first: ExprId,
        arguments: ExprList,
        block: Option<LambdaId>,
        visit: &mut impl FnMut(ExprId),
    ) {
        visit(first);
        self.list(arguments).iter().copied().for_each(&mut *visit);
        self.lambda_children(block, visit);
    }

    fn case_children(&self, options: &[CaseOption], visit: &mut impl FnMut(ExprId)) {
        for option in options {
            self.list(option.values).iter().copied().for_each(&mut *visit);
            visit(option.body);
        }
    }

    fn resource_children(&self, resource: &ResourceExpr, visit: &mut impl FnMut(ExprId)) {
        visit(resource.type_name);
        for body in self.bodies(resource.bodies) {
            visit(body.title);
            self.attribute_children(body.attributes, visit);
        }
    }

    fn collector_children(&self, collector: &Collector, visit: &mut impl FnMut(ExprId)) {
        visit(collector.type_name);
        let (Query::Virtual(query) | Query::Exported(query)) = collector.query;
        query.into_iter().for_each(&mut *visit);
        if let Some(attributes) = collector.attributes {
            self.attribute_children(attributes, visit);
        }
    }

    fn attribute_children(&self, attributes: AttributeList, visit: &mut impl FnMut(ExprId)) {
        self.attributes(attributes).iter().map(|attribute| attribute.value).for_each(visit);
    }

    fn parameter_children(&self, parameters: ParameterList, visit: &mut impl FnMut(ExprId)) {
        for parameter in self.parameters(parameters) {
            parameter.type_expr.into_iter().chain(parameter.default).for_each(&mut *visit);
        }
    }

    fn lambda_children(&self, lambda: Option<LambdaId>, visit: &mut impl FnMut(ExprId)) {
        let Some(lambda) = lambda.map(|id| &self.lambdas[id]) else { return };
        self.parameter_children(lambda.parameters, visit);
        lambda.returns.into_iter().for_each(&mut *visit);
        visit(lambda.body);
    }

    fn definition_children(&self, definition: &Definition, visit: &mut impl FnMut(ExprId)) {
        match definition {
            Definition::Class(class) => {
                self.parameter_children(class.parameters, visit);
                visit(class.body);
            }
            Definition::Define(define) => {
                self.parameter_children(define.parameters, visit);
                visit(define.body);
            }
            Definition::Node(node) => {
                node.hosts.iter().chain(&node.parent).map(|host| host.0).for_each(&mut *visit);
                visit(node.body);
            }
            Definition::Function(function) => {
                self.parameter_children(function.parameters, visit);
                function.returns.into_iter().for_each(&mut *visit);
                visit(function.body);
            }
            Definition::TypeAlias(alias) => visit(alias.value),
        }
    }
}
