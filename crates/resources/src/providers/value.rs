//! `value`: holds any value, sends it, and offers it to functions (spec 05 §6.21).

use std::path::Path;

use mcl_value::Value;
use resource_graph::Resource;

use crate::{Context, Effects, Failure, Params, Provider};

struct Holder {
    name: String,
    /// The value of the program, or the one received since.
    value: Option<Value>,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Holder::read(&resources[0])))
}

impl Holder {
    fn read(resource: &Resource) -> Holder {
        let params = Params::new(resource);
        Holder { name: params.name().to_string(), value: params.value("any").cloned() }
    }
}

impl Provider for Holder {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        cx.send("any", self.value.clone());
        let shared = cx.apply_context.shared.clone();
        if shared.get("value", &self.name) == self.value && !cx.received("any") {
            return Ok(());
        }
        if cx.change("store the value")? {
            shared
                .set("value", &self.name, self.value.clone())
                .map_err(Failure::on("store", Path::new("the value")))?;
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
        assert_eq!(test.apply_context.shared.get("value", "v"), Some(Value::Int(42)));
    }

    #[test]
    fn no_value_is_stored_as_none() {
        let mut test = ProviderTest::new(&resource("value", "v"));
        test.assert_unchanged();
        test.apply_context.shared.set("value", "v", Some(Value::Bool(true))).unwrap();
        test.assert_converges();
        assert_eq!(test.apply_context.shared.get("value", "v"), None);
    }
}
