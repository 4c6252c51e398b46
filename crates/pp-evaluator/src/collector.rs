//! Collectors: `User <| groups == 'wheel' |>` (spec 07 §5.8).

use mcl_diagnostics::Code;
use pp_ast::{BinaryOp, CollectorId as CollectorExprId, Expr, ExprId, Query as QueryExpr};
use pp_catalog::{Collector, CollectorForm, CollectorId, Comparison, Query, capitalize};
use pp_types::{Type, Value, operand_name, with_article};

use crate::definitions::plain;
use crate::evaluator::Evaluator;
use crate::stack::{STACK_RESERVE, STACK_SEGMENT};
use crate::stop::{Eval, Stop, located};

impl Evaluator<'_> {
    pub(crate) fn eval_collector(&mut self, id: ExprId, collector: CollectorExprId) -> Eval {
        self.add_collector(id, collector)?;
        Ok(Value::Undef)
    }

    /// Adds a collector to the catalog.
    pub(crate) fn add_collector(&mut self, id: ExprId, collector: CollectorExprId) -> Eval<CollectorId> {
        let tree = self.frame.tree;
        let collector = tree.collectors[collector];
        let type_name = self.collected_type(id, collector.type_name)?;
        let (form, query) = match collector.query {
            QueryExpr::Virtual(query) => (CollectorForm::Virtual, query),
            QueryExpr::Exported(query) => (CollectorForm::Exported, query),
        };
        let query = query.map(|query| self.eval_query(id, query)).transpose()?;
        let overrides = match collector.attributes {
            Some(attributes) => self.eval_attributes(attributes, id)?.into_list(),
            None => Vec::new(),
        };
        if form == CollectorForm::Exported {
            let message =
                "You cannot collect exported resources without storeconfigs being set; the collection will be ignored";
            self.warn_at(Some(self.span(id)), message);
        }
        let location = self.location(Some(self.span(id)));
        let type_name = capitalize(&type_name);
        let scope = &self.scopes[self.frame.scope];
        let (scope, source) = (scope.resource, scope.source);
        Ok(self.catalog.add_collector(Collector { type_name, query, form, overrides, scope, source, location }))
    }

    /// Returns the name of the collected type in lower case.
    fn collected_type(&mut self, id: ExprId, type_name: ExprId) -> Eval<String> {
        let name = match &self.frame.tree.exprs[type_name] {
            Expr::TypeName(name) | Expr::Name(name) => plain(self.frame.tree.str(*name)).to_lowercase(),
            _ => match self.eval(type_name)? {
                Value::Type(Type::Resource(Some(name), None)) => name.to_lowercase(),
                Value::Type(Type::Class(None)) => "class".to_owned(),
                other => {
                    let message =
                        format!("cannot collect {}: a resource type is required", with_article(&operand_name(&other)));
                    return Err(self.error(type_name, message).code(Code::P0511));
                }
            },
        };
        if name == "class" {
            return Err(self.error(id, "Classes cannot be collected").code(Code::P0511));
        }
        let is_native = self.is_native_type(&name).map_err(|stop| located(stop, Some(self.span(id))))?;
        if !is_native && self.find_define(&name)?.is_none() {
            let similar = self.similar_resource_type(&name);
            let help = similar.map(|similar| format!("did you mean the resource type `{similar}`?"));
            let message = format!("Resource type {name} doesn't exist");
            return Err(self.error(id, message).code(Code::P0514).help(help));
        }
        Ok(name)
    }

    fn eval_query(&mut self, collector: ExprId, query: ExprId) -> Eval<Query> {
        stacker::maybe_grow(STACK_RESERVE, STACK_SEGMENT, || self.eval_query_inner(collector, query))
    }

    fn eval_query_inner(&mut self, collector: ExprId, query: ExprId) -> Eval<Query> {
        let tree = self.frame.tree;
        match &tree.exprs[query] {
            Expr::Parenthesized(inner) => self.eval_query(collector, *inner),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let left = Box::new(self.eval_query(collector, *left)?);
                let right = Box::new(self.eval_query(collector, *right)?);
                Ok(if *op == BinaryOp::And { Query::And(left, right) } else { Query::Or(left, right) })
            }
            Expr::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                let attribute = match &tree.exprs[*left] {
                    Expr::Name(name) | Expr::String(name) => tree.str(*name).clone(),
                    Expr::Variable(name) => tree.str(*name).clone(),
                    _ => {
                        return Err(
                            self.illegal_query(collector, "the left side of a comparison is the name of an attribute")
                        );
                    }
                };
                if !is_query_value(&tree.exprs[*right]) {
                    let help =
                        "compare with a literal, a variable or a reference; an array matches each of its elements";
                    return Err(self.illegal_query(collector, help));
                }
                let value = self.eval(*right)?;
                let comparison = if *op == BinaryOp::Equal { Comparison::Equal } else { Comparison::NotEqual };
                Ok(Query::Compare { attribute, comparison, value })
            }
            _ => Err(self.illegal_query(collector, "a query consists of `==`, `!=`, `and` and `or`")),
        }
    }

    fn illegal_query(&self, collector: ExprId, help: &str) -> Stop {
        let message = "Illegal query expression: cannot transform this expression to a comparison of attributes";
        self.error(collector, message).code(Code::P0511).help(Some(help.to_owned()))
    }
}

/// Returns whether an expression may be on the right side of a comparison in a query.
fn is_query_value(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Variable(_)
            | Expr::String(_)
            | Expr::Name(_)
            | Expr::Interpolation(_)
            | Expr::Integer(..)
            | Expr::Float(_)
            | Expr::Boolean(_)
            | Expr::Undef
            | Expr::Access(..)
    )
}
