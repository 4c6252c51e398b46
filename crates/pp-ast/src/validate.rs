//! Whether a tree that was read from a file can be used: every index is in range, and no expression contains itself.
//!
//! The parser adds an expression after its parts, so an expression may refer only to those before it. The tables between
//! (calls, bodies, attributes, …) belong to one expression each; the bound is checked through them.

use std::fmt;

use cranelift_entity::{EntityRef, PrimaryMap};

use crate::definition::{Definition, HostName};
use crate::expr::Expr;
use crate::ids::{
    AttributeList, BodyList, CallId, CollectorId, ExprId, ExprList, LambdaId, MethodCallId, ParameterList, ResourceId,
    StrId, TextRange,
};
use crate::resource::{AttributeName, Query};
use crate::tree::Tree;

/// Why a tree cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidTree {
    /// There is no expression, string, or other entry with an index.
    Index,
    /// An expression refers to one after it.
    Order,
    /// A range is outside the text, or not between characters.
    Range,
}

impl fmt::Display for InvalidTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvalidTree::Index => "an index of a syntax tree is out of range",
            InvalidTree::Order => "an expression of a syntax tree contains itself",
            InvalidTree::Range => "a location of a syntax tree is outside its file",
        })
    }
}

impl std::error::Error for InvalidTree {}

impl Tree {
    /// Checks the tree against the text of its file.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn validate(&self, text: &str) -> Result<(), InvalidTree> {
        if self.ranges.len() != self.exprs.len() {
            return Err(InvalidTree::Index);
        }
        let parameters = self.parameters.iter().map(|parameter| parameter.range);
        let names = self.attributes.iter().map(|attribute| attribute.name_range);
        for range in self.ranges.values().copied().chain(parameters).chain(names) {
            check_range(range, text)?;
        }
        if let Some(root) = self.root {
            in_table(&self.exprs, root)?;
        }
        for (id, expr) in &self.exprs {
            Checker { tree: self, text, parent: id }.expr(expr)?;
        }
        // What no expression refers to is still read by those who walk over a table.
        let end = ExprId::new(self.exprs.len());
        let checker = Checker { tree: self, text, parent: end };
        self.definitions.values().try_for_each(|definition| checker.definition(definition))?;
        self.expr_lists.iter().try_for_each(|id| in_table(&self.exprs, *id))?;
        self.all_lists().try_for_each(|list| checker.attributes(list))
    }

    fn all_lists(&self) -> impl Iterator<Item = AttributeList> {
        let bodies = self.bodies.iter().map(|body| body.attributes);
        let defaults = self.defaults.iter().map(|defaults| defaults.attributes);
        let overrides = self.overrides.iter().map(|overrides| overrides.attributes);
        bodies.chain(defaults).chain(overrides)
    }
}

fn check_range(range: TextRange, text: &str) -> Result<(), InvalidTree> {
    match text.get(range.start as usize..range.end as usize) {
        Some(_) => Ok(()),
        None => Err(InvalidTree::Range),
    }
}

fn in_table<K: EntityRef, V>(table: &PrimaryMap<K, V>, id: K) -> Result<(), InvalidTree> {
    if table.is_valid(id) { Ok(()) } else { Err(InvalidTree::Index) }
}

/// Checks what one expression refers to.
#[derive(Clone, Copy)]
struct Checker<'a> {
    tree: &'a Tree,
    text: &'a str,
    /// The expression: everything in it comes before.
    parent: ExprId,
}

impl Checker<'_> {
    fn child(&self, id: ExprId) -> Result<(), InvalidTree> {
        in_table(&self.tree.exprs, id)?;
        if id.index() < self.parent.index() { Ok(()) } else { Err(InvalidTree::Order) }
    }

    fn children(&self, ids: &[ExprId]) -> Result<(), InvalidTree> {
        ids.iter().try_for_each(|id| self.child(*id))
    }

    fn list(&self, list: ExprList) -> Result<(), InvalidTree> {
        let ids = self.tree.expr_lists.get(list.checked_range().ok_or(InvalidTree::Index)?);
        self.children(ids.ok_or(InvalidTree::Index)?)
    }

    fn string(&self, id: StrId) -> Result<(), InvalidTree> {
        in_table(&self.tree.strings, id)
    }

    fn expr(&self, expr: &Expr) -> Result<(), InvalidTree> {
        match expr {
            Expr::Error
            | Expr::Nop
            | Expr::Undef
            | Expr::Default
            | Expr::Boolean(_)
            | Expr::Integer(..)
            | Expr::Float(_) => Ok(()),
            Expr::String(text)
            | Expr::Regexp(text)
            | Expr::Name(text)
            | Expr::TypeName(text)
            | Expr::Reserved(text)
            | Expr::Variable(text)
            | Expr::RenderString(text) => self.string(*text),
            Expr::Interpolation(list) | Expr::Array(list) | Expr::Hash(list) | Expr::Block(list) => self.list(*list),
            Expr::Text(inner)
            | Expr::Parenthesized(inner)
            | Expr::Not(inner)
            | Expr::Negate(inner)
            | Expr::Unfold(inner)
            | Expr::RenderExpr(inner) => self.child(*inner),
            Expr::Heredoc { syntax, text } => {
                syntax.map_or(Ok(()), |syntax| self.string(syntax))?;
                self.child(*text)
            }
            Expr::Binary(_, left, right) | Expr::Assign(_, left, right) | Expr::Arrow(_, left, right) => {
                self.children(&[*left, *right])
            }
            Expr::Access(left, keys) => {
                self.child(*left)?;
                self.list(*keys)
            }
            Expr::Call(id) => self.call(*id),
            Expr::MethodCall(id) => self.method_call(*id),
            Expr::Lambda(id) => self.lambda(Some(*id)),
            Expr::If(test, then, otherwise) | Expr::Unless(test, then, otherwise) => {
                self.children(&[*test, *then, *otherwise])
            }
            Expr::Case(test, options) => {
                self.child(*test)?;
                options.iter().try_for_each(|option| {
                    check_range(option.range, self.text)?;
                    self.list(option.values)?;
                    self.child(option.body)
                })
            }
            Expr::Selector(test, entries) => {
                self.child(*test)?;
                entries.iter().try_for_each(|entry| self.children(&[entry.value, entry.result]))
            }
            Expr::Resource(id) => self.resource(*id),
            Expr::ResourceDefaults(index) => {
                let defaults = self.tree.defaults.get(*index as usize).ok_or(InvalidTree::Index)?;
                self.child(defaults.type_name)?;
                self.attributes(defaults.attributes)
            }
            Expr::ResourceOverride(index) => {
                let overrides = self.tree.overrides.get(*index as usize).ok_or(InvalidTree::Index)?;
                self.child(overrides.resources)?;
                self.attributes(overrides.attributes)
            }
            Expr::Collector(id) => self.collector(*id),
            Expr::Definition(id) => {
                let definition = self.tree.definitions.get(*id).ok_or(InvalidTree::Index)?;
                self.definition(definition)
            }
            Expr::Epp { parameters, body } => {
                parameters.map_or(Ok(()), |list| self.parameters(list))?;
                self.child(*body)
            }
        }
    }

    fn call(&self, id: CallId) -> Result<(), InvalidTree> {
        let call = self.tree.calls.get(id).ok_or(InvalidTree::Index)?;
        self.child(call.functor)?;
        self.list(call.arguments)?;
        self.lambda(call.block)
    }

    fn method_call(&self, id: MethodCallId) -> Result<(), InvalidTree> {
        let call = self.tree.method_calls.get(id).ok_or(InvalidTree::Index)?;
        self.child(call.receiver)?;
        self.string(call.name)?;
        check_range(call.name_range, self.text)?;
        self.list(call.arguments)?;
        self.lambda(call.block)
    }

    fn resource(&self, id: ResourceId) -> Result<(), InvalidTree> {
        let resource = self.tree.resources.get(id).ok_or(InvalidTree::Index)?;
        self.child(resource.type_name)?;
        self.bodies(resource.bodies)
    }

    fn collector(&self, id: CollectorId) -> Result<(), InvalidTree> {
        let collector = self.tree.collectors.get(id).ok_or(InvalidTree::Index)?;
        self.child(collector.type_name)?;
        let (Query::Virtual(query) | Query::Exported(query)) = collector.query;
        query.map_or(Ok(()), |query| self.child(query))?;
        collector.attributes.map_or(Ok(()), |list| self.attributes(list))
    }

    fn lambda(&self, id: Option<LambdaId>) -> Result<(), InvalidTree> {
        let Some(id) = id else { return Ok(()) };
        let lambda = self.tree.lambdas.get(id).ok_or(InvalidTree::Index)?;
        check_range(lambda.range, self.text)?;
        self.parameters(lambda.parameters)?;
        lambda.returns.map_or(Ok(()), |returns| self.child(returns))?;
        self.child(lambda.body)
    }

    fn bodies(&self, list: BodyList) -> Result<(), InvalidTree> {
        let bodies = self.tree.bodies.get(list.checked_range().ok_or(InvalidTree::Index)?);
        bodies.ok_or(InvalidTree::Index)?.iter().try_for_each(|body| {
            self.child(body.title)?;
            self.attributes(body.attributes)
        })
    }

    fn attributes(&self, list: AttributeList) -> Result<(), InvalidTree> {
        let attributes = self.tree.attributes.get(list.checked_range().ok_or(InvalidTree::Index)?);
        attributes.ok_or(InvalidTree::Index)?.iter().try_for_each(|attribute| {
            match attribute.name {
                AttributeName::Name(name) => self.string(name)?,
                AttributeName::Splat => {}
            }
            self.child(attribute.value)
        })
    }

    fn parameters(&self, list: ParameterList) -> Result<(), InvalidTree> {
        let parameters = self.tree.parameters.get(list.checked_range().ok_or(InvalidTree::Index)?);
        parameters.ok_or(InvalidTree::Index)?.iter().try_for_each(|parameter| {
            self.string(parameter.name)?;
            parameter.type_expr.into_iter().chain(parameter.default).try_for_each(|id| self.child(id))
        })
    }

    fn definition(&self, definition: &Definition) -> Result<(), InvalidTree> {
        let host = |HostName(id): &HostName| self.child(*id);
        let expr = match definition {
            Definition::Class(class) => {
                self.named(class.name, class.name_range, class.parameters)?;
                class.parent.map_or(Ok(()), |parent| self.string(parent))?;
                self.child(class.body)?;
                class.expr
            }
            Definition::Define(define) => {
                self.named(define.name, define.name_range, define.parameters)?;
                self.child(define.body)?;
                define.expr
            }
            Definition::Node(node) => {
                node.hosts.iter().chain(&node.parent).try_for_each(host)?;
                self.child(node.body)?;
                node.expr
            }
            Definition::Function(function) => {
                self.named(function.name, function.name_range, function.parameters)?;
                function.returns.map_or(Ok(()), |returns| self.child(returns))?;
                self.child(function.body)?;
                function.expr
            }
            Definition::TypeAlias(alias) => {
                self.string(alias.name)?;
                check_range(alias.name_range, self.text)?;
                self.child(alias.value)?;
                alias.expr
            }
        };
        in_table(&self.tree.exprs, expr)
    }

    fn named(&self, name: StrId, range: TextRange, parameters: ParameterList) -> Result<(), InvalidTree> {
        self.string(name)?;
        check_range(range, self.text)?;
        self.parameters(parameters)
    }
}

#[cfg(test)]
mod tests {
    use mcl_diagnostics::FileId;

    use super::*;

    const ALL: TextRange = TextRange { start: 0, end: 3 };

    fn tree() -> Tree {
        let mut tree = Tree::new(FileId::MAIN);
        let one = tree.add(Expr::Undef, ALL);
        let list = tree.add_list(&[one]);
        tree.root = Some(tree.add(Expr::Block(list), ALL));
        tree
    }

    #[test]
    fn a_tree_of_a_parser_is_valid() {
        assert_eq!(tree().validate("abc"), Ok(()));
    }

    #[test]
    fn an_expression_in_itself_is_found() {
        let mut tree = tree();
        let own = ExprId::new(tree.exprs.len());
        tree.add(Expr::Not(own), ALL);
        assert_eq!(tree.validate("abc"), Err(InvalidTree::Order));
    }

    #[test]
    fn indices_and_locations_outside_are_found() {
        assert_eq!(tree().validate("ab"), Err(InvalidTree::Range));
        assert_eq!(tree().validate("aä"), Ok(()));
        assert_eq!(tree().validate("aaä"), Err(InvalidTree::Range));
        let mut tree = tree();
        tree.add(Expr::Name(StrId::new(0)), ALL);
        assert_eq!(tree.validate("abc"), Err(InvalidTree::Index));
        let mut tree = self::tree();
        tree.ranges = PrimaryMap::new();
        assert_eq!(tree.validate("abc"), Err(InvalidTree::Index));
    }
}
