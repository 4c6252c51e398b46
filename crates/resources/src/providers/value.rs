//! `value`: holds any value, sends it, and offers it to functions (spec 05 §6.21).

use std::path::Path;

use mcl_value::Value;
use resource_graph::{Resource, has_sensitive_parameter};

use crate::{Context, Effects, Failure, OfferedValue, Params, Provider};

struct Holder {
    name: String,
    /// The value of the program, or the one received since.
    value: Option<Value>,
    /// Whether the value must not be shown.
    sensitive: bool,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Holder::read(&resources[0])))
}

impl Holder {
    fn read(resource: &Resource) -> Holder {
        let params = Params::new(resource);
        Holder {
            name: params.name().to_string(),
            value: params.value("any").cloned(),
            sensitive: has_sensitive_parameter(resource),
        }
    }
}

impl Provider for Holder {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        cx.send("any", self.value.clone());
        let shared = cx.apply_context.shared.clone();
        let value = self.value.clone();
        let offered = value.map(|value| OfferedValue { value, sensitive: self.sensitive });
        if shared.get("value", &self.name) == offered && !cx.received("any") {
            return Ok(());
        }
        if cx.change("store the value")? {
            shared.set("value", &self.name, offered).map_err(Failure::on("store", Path::new("the value")))?;
        }
        Ok(())
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Holder::read(&resources[0]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn a_value_is_stored_and_sent_every_time() {
        let mut test = ProviderTest::new(&resource("value", "v").with("any", 42));
        test.assert_converges();
        assert_eq!(test.run(true).unwrap().sent, [("any", Some(Value::Int(42)))]);
        let offered = |sensitive| Some(OfferedValue { value: Value::Int(42), sensitive });
        assert_eq!(test.apply_context.shared.get("value", "v"), offered(false));
        let mut hidden = resource("value", "v").with("any", 42);
        hidden.sensitive.push("any".into());
        test.provider.update(&[hidden]).unwrap();
        test.assert_converges();
        assert_eq!(test.apply_context.shared.get("value", "v"), offered(true));
    }

    #[test]
    fn no_value_is_stored_as_none() {
        let mut test = ProviderTest::new(&resource("value", "v"));
        test.assert_unchanged();
        let offered = OfferedValue { value: Value::Bool(true), sensitive: false };
        test.apply_context.shared.set("value", "v", Some(offered)).unwrap();
        test.assert_converges();
        assert_eq!(test.apply_context.shared.get("value", "v"), None);
    }
}
