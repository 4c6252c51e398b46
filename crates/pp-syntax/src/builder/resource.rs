//! Resource expressions, defaults and overrides.

use pp_ast::{
    Attribute, AttributeName, AttributeOp, Expr, ExprId, ResourceBody, ResourceDefaults, ResourceExpr, ResourceForm,
    ResourceOverride, TextRange,
};

use crate::builder::Builder;
use crate::error::SyntaxErrorKind;
use crate::tokens::TokenIdx;

impl Builder<'_> {
    pub fn attribute(&mut self, word: TokenIdx, op: AttributeOp, value: ExprId) -> Attribute {
        let name = self.intern(self.token_text(word));
        Attribute { name: AttributeName::Name(name), name_range: self.tokens.range(word), op, value }
    }

    pub fn splat(&mut self, star: TokenIdx, value: ExprId) -> Attribute {
        let name_range = self.tokens.range(star);
        Attribute { name: AttributeName::Splat, name_range, op: AttributeOp::Set, value }
    }

    pub fn body(&mut self, title: ExprId, attributes: Vec<Attribute>) -> ResourceBody {
        ResourceBody { title, attributes: self.tree.add_attributes(attributes) }
    }

    /// Adds `class { 'title': … }`.
    pub fn class_resource(&mut self, class: TokenIdx, bodies: Vec<ResourceBody>, to: TokenIdx) -> ExprId {
        let type_name = self.word_as_name(class);
        self.resource(type_name, bodies, to)
    }

    pub fn resource(&mut self, type_name: ExprId, bodies: Vec<ResourceBody>, to: TokenIdx) -> ExprId {
        let bodies = self.tree.add_bodies(bodies);
        let form = ResourceForm::Regular;
        let resource = self.tree.resources.push(ResourceExpr { form, type_name, bodies });
        self.add(Expr::Resource(resource), self.braced_range(type_name, to))
    }

    /// Adds defaults, an override, or what becomes an error because there is no title.
    pub fn attributes_of(&mut self, left: ExprId, open: TokenIdx, attributes: Vec<Attribute>, to: TokenIdx) -> ExprId {
        let range = self.braced_range(left, to);
        let form = ResourceForm::Regular;
        match self.tree.exprs[left] {
            Expr::TypeName(_) => {
                let attributes = self.tree.add_attributes(attributes);
                let index = self.tree.defaults.len() as u32;
                self.tree.defaults.push(ResourceDefaults { form, type_name: left, attributes });
                self.add(Expr::ResourceDefaults(index), range)
            }
            Expr::Access(..) => {
                let attributes = self.tree.add_attributes(attributes);
                let index = self.tree.overrides.len() as u32;
                self.tree.overrides.push(ResourceOverride { form, resources: left, attributes });
                self.add(Expr::ResourceOverride(index), range)
            }
            // A call with a hash, or an attempt at a resource: a name and a hash. Validation tells.
            Expr::Name(_) => {
                let hash = self.attributes_as_hash(attributes, self.range(open, to));
                let list = self.list(&[left, hash]);
                self.add(Expr::Block(list), range)
            }
            Expr::Error => self.add(Expr::Error, range),
            _ => {
                let focus = self.tree.focus(left);
                let focus = TextRange { start: focus.start, end: focus.end };
                self.error(SyntaxErrorKind::NotAResource, focus);
                self.add(Expr::Error, range)
            }
        }
    }

    fn attributes_as_hash(&mut self, attributes: Vec<Attribute>, range: TextRange) -> ExprId {
        let mut pairs = Vec::with_capacity(attributes.len() * 2);
        for attribute in attributes {
            let key = match attribute.name {
                AttributeName::Name(name) => Expr::String(name),
                AttributeName::Splat => Expr::Default,
            };
            pairs.push(self.add(key, attribute.name_range));
            pairs.push(attribute.value);
        }
        let pairs = self.list(&pairs);
        self.add(Expr::Hash(pairs), range)
    }

    /// Applies `@` or `@@`.
    pub fn virtualize(&mut self, at: TokenIdx, form: ResourceForm, expr: ExprId) -> ExprId {
        let at = self.tokens.range(at);
        match self.tree.exprs[expr] {
            Expr::Resource(resource) => self.tree.resources[resource].form = form,
            Expr::ResourceDefaults(index) => self.tree.defaults[index as usize].form = form,
            Expr::ResourceOverride(index) => self.tree.overrides[index as usize].form = form,
            Expr::Error => {}
            _ => {
                let exported = form == ResourceForm::Exported;
                self.error(SyntaxErrorKind::NotVirtualizable { exported }, at);
            }
        }
        self.tree.ranges[expr].start = at.start;
        expr
    }

    fn braced_range(&self, left: ExprId, to: TokenIdx) -> TextRange {
        let start = self.tree.ranges[left].start;
        TextRange { start, end: self.tokens.range(to.previous()).end.max(start) }
    }
}
