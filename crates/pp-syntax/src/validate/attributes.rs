//! Resource expressions, defaults, overrides, and the attributes in them.

use pp_ast::{
    Attribute, AttributeList, AttributeName, AttributeOp, Collector, Expr, ExprId, Query, ResourceDefaults,
    ResourceExpr, ResourceForm, ResourceOverride,
};

use crate::validate::Validator;
use crate::validate::error::{ValidationError, ValidationErrorKind};
use crate::validate::label::label;

impl Validator<'_> {
    pub fn resource(&mut self, id: ExprId, resource: &ResourceExpr) {
        let tree = self.tree;
        let is_class = matches!(tree.exprs[resource.type_name], Expr::Name(name) if **tree.str(name) == *"class");
        if is_class && resource.form != ResourceForm::Regular {
            self.error_at(ValidationErrorKind::VirtualClass, id);
        }
        for body in tree.bodies(resource.bodies) {
            self.no_append(body.attributes, "Resource Instance Definition");
            self.one_splat(tree.attributes(body.attributes));
            self.attribute_values(body.attributes);
        }
    }

    pub fn defaults(&mut self, id: ExprId, defaults: &ResourceDefaults) {
        self.not_virtual(id, defaults.form);
        self.no_append(defaults.attributes, "Resource Defaults Expression");
        self.attribute_values(defaults.attributes);
    }

    pub fn resource_override(&mut self, id: ExprId, found: &ResourceOverride) {
        self.not_virtual(id, found.form);
        self.attribute_values(found.attributes);
    }

    pub fn collector(&mut self, collector: &Collector) {
        let tree = self.tree;
        if !matches!(tree.exprs[collector.type_name], Expr::TypeName(_) | Expr::Error) {
            let what = label(tree, collector.type_name);
            let kind = ValidationErrorKind::UnacceptableAs { what, role: "type name in a Virtual Query" };
            self.error_at(kind, collector.type_name);
        }
        match collector.query {
            Query::Virtual(Some(query)) | Query::Exported(Some(query)) => self.query(query),
            Query::Virtual(None) | Query::Exported(None) => {}
        }
        if let Some(attributes) = collector.attributes {
            self.attribute_values(attributes);
        }
    }

    fn not_virtual(&mut self, id: ExprId, form: ResourceForm) {
        if form != ResourceForm::Regular {
            self.error_at(ValidationErrorKind::VirtualDefaults, id);
        }
    }

    fn no_append(&mut self, attributes: AttributeList, place: &'static str) {
        let tree = self.tree;
        for attribute in tree.attributes(attributes) {
            if attribute.op == AttributeOp::Append
                && let AttributeName::Name(name) = attribute.name
            {
                let kind = ValidationErrorKind::IllegalAppend { attribute: tree.str(name).to_string(), place };
                self.error(kind, attribute.name_range);
            }
        }
    }

    fn one_splat(&mut self, attributes: &[Attribute]) {
        let mut splats = attributes.iter().filter(|attribute| attribute.name == AttributeName::Splat);
        let Some(first) = splats.next() else { return };
        for splat in splats {
            let related = Some(first.name_range);
            let kind = ValidationErrorKind::SeveralSplats;
            self.errors.push(ValidationError { kind, range: splat.name_range, related });
        }
    }

    /// Reports collectors as values; the values themselves are checked with the other parts of the expression.
    fn attribute_values(&mut self, attributes: AttributeList) {
        let tree = self.tree;
        for attribute in tree.attributes(attributes) {
            if let Expr::Collector(_) = tree.exprs[attribute.value] {
                let what = label(tree, attribute.value);
                self.error_at(ValidationErrorKind::NotAValue { what }, attribute.value);
            }
        }
    }
}
