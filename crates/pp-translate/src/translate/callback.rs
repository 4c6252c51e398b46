//! The call-back to an installed Puppet (spec 07 §3.5, the exec form, without its defects).
//!
//! The parameters are those of the catalog, not the munged ones of Ruby's type layer, so content stays content and lists
//! stay lists; the vertex is called `Type[title]`, so no two collide; text is quoted for the shell.

use mcl_value::Value;
use resource_graph::Resource;

use super::{Native, Options, finish};
use crate::catalog::CatalogResource;
use crate::types::namevar;
use crate::value::PuppetValue;

/// Parameters that concern the catalog around the resource, not the resource.
const OF_THE_CATALOG: &[&str] =
    &["before", "require", "notify", "subscribe", "schedule", "audit", "alias", "tag", "stage"];

pub(super) fn callback(resource: &CatalogResource, options: &Options) -> Resource {
    let mut native = Native::new("exec", resource.reference.to_string());
    let type_name = resource.reference.type_name.to_lowercase();
    let mut params = serde_json::Map::new();
    for (name, value) in &resource.parameters {
        if !OF_THE_CATALOG.contains(&name.as_str()) {
            params.insert(name.clone(), json(value));
        }
    }
    // A name that differs from the title would be lost for types whose name attribute is `name`.
    let name = resource.text(namevar(&resource.reference.type_name)).unwrap_or(&resource.reference.title);
    let title = if namevar(&resource.reference.type_name) == "name" { name } else { &resource.reference.title };
    params.shift_remove("name");
    let command = format!(
        "puppet yamlresource {} {} {}",
        quote(&type_name),
        quote(title),
        quote(&serde_json::Value::Object(params).to_string())
    );
    native.set("cmd", Value::str(command.clone()));
    native.set("shell", Value::str("/bin/bash"));
    native.set("ifcmd", Value::str(format!("{command} --noop --color=false | grep -q ^Notice:")));
    native.set("ifshell", Value::str("/bin/bash"));
    native.meta.timeout = 30_000;
    native.meta.poll = i32::try_from(options.run_interval).unwrap_or(i32::MAX);
    if resource.parameters.keys().any(|name| resource.is_sensitive(name)) {
        native.sensitive.extend(["cmd", "ifcmd"]);
    }
    finish(native, resource)
}

/// One word for a shell, whatever it holds.
pub(super) fn quote(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:@%+=,".contains(&b);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn json(value: &PuppetValue) -> serde_json::Value {
    use serde_json::Value as Json;
    let tagged = |ptype: &str, inner: Json| serde_json::json!({ "__ptype": ptype, "__pvalue": inner });
    match value {
        PuppetValue::Undef => Json::Null,
        PuppetValue::Default => Json::String("default".to_owned()),
        PuppetValue::Boolean(b) => Json::Bool(*b),
        PuppetValue::Integer(i) => Json::from(*i),
        PuppetValue::Float(f) => Json::from(*f),
        PuppetValue::String(s) => Json::String(s.clone()),
        PuppetValue::Scalar { text, .. } => Json::String(text.clone()),
        PuppetValue::Regexp(r) => Json::String(format!("/{r}/")),
        PuppetValue::Binary(bytes) => {
            use base64::Engine;
            tagged("Binary", Json::String(base64::engine::general_purpose::STANDARD.encode(bytes)))
        }
        PuppetValue::Sensitive(inner) => json(inner),
        PuppetValue::Array(items) => Json::Array(items.iter().map(json).collect()),
        PuppetValue::Hash(pairs) => {
            Json::Object(pairs.iter().map(|(k, v)| (k.scalar_text().unwrap_or_default(), json(v))).collect())
        }
        PuppetValue::Deferred { name, arguments } => serde_json::json!({
            "__ptype": "Deferred", "name": name, "arguments": arguments.iter().map(json).collect::<Vec<_>>(),
        }),
        PuppetValue::Opaque { ptype, fields } => {
            let mut object = serde_json::Map::new();
            object.insert("__ptype".to_owned(), Json::String(ptype.clone()));
            object.extend(fields.iter().map(|(k, v)| (k.clone(), json(v))));
            Json::Object(object)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quote("/srv/a"), "/srv/a");
        assert_eq!(quote("it's"), "'it'\\''s'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("$(rm)"), "'$(rm)'");
    }
}
