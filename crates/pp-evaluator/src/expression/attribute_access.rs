//! `File['/a']['mode']`: the parameters of declared resources.

use pp_ast::ExprId;
use pp_catalog::{Reference, ResourceId};
use pp_types::{Type, Value, operand_name, source_form};

use crate::evaluator::Evaluator;
use crate::stop::Eval;

impl Evaluator<'_> {
    pub(super) fn access_attribute(&mut self, id: ExprId, first: ExprId, target: &Value, keys: &[Value]) -> Eval {
        let reference = match target {
            Value::Type(Type::Resource(Some(ty), Some(title))) => Reference::new(ty, title),
            Value::Type(Type::Class(Some(name))) => Reference::class(name),
            _ => return Ok(Value::Undef),
        };
        let Some(resource) = self.catalog.find(&reference) else {
            return Err(self.error(id, format!("Resource not found: {}", source_form(target))));
        };
        let mut values = Vec::with_capacity(keys.len());
        for key in keys {
            let Value::String(name) = key else {
                let got = operand_name(key);
                return Err(self.error(first, format!("A Resource's parameter name must be a String, got {got}")));
            };
            values.push(self.parameter_value(id, resource, name, target)?);
        }
        Ok(if values.len() == 1 { values.remove(0) } else { Value::array(values) })
    }

    fn parameter_value(&self, id: ExprId, resource: ResourceId, name: &str, target: &Value) -> Eval {
        let resource = self.catalog.resource(resource);
        if let Some(parameter) = resource.parameters.get(name) {
            return Ok(parameter.value.clone());
        }
        let type_name = resource.reference.type_name.to_lowercase();
        let has_parameter = |tree: &pp_ast::Tree, list| {
            tree.parameters(list).iter().any(|parameter| &**tree.str(parameter.name) == name)
        };
        let is_known = pp_resource_types::metaparameter(name).is_some()
            || if type_name == "class" {
                let class = self.definitions.classes.get(&*resource.reference.title.to_lowercase());
                class.is_some_and(|class| has_parameter(class.tree, class.definition.parameters))
            } else if let Some(define) = self.definitions.defines.get(&*type_name) {
                has_parameter(define.tree, define.definition.parameters)
            } else {
                self.options.resource_types.find(&type_name).is_some_and(|ty| ty.has_parameter(name))
            };
        if is_known {
            return Ok(Value::Undef);
        }
        let message = format!("The resource {} does not have a parameter called '{name}'", source_form(target));
        Err(self.error(id, message))
    }
}
