//! The call-back to an installed Puppet (spec 07 §3.5, the exec form, without its defects).
//!
//! The resource becomes a manifest of its own that `puppet apply` reads from its standard input. So nothing but Puppet is
//! needed, a type that it does not know is an error, and no parameter, which may be a secret, is in the list of processes.
//! The parameters are those of the catalog, not the munged ones of Ruby's type layer, so content stays content and lists
//! stay lists; the vertex is called `Type[title]`, so no two collide.

use base64::Engine;
use mcl_value::Value;
use resource_graph::Resource;

use super::{Native, Options, finish};
use crate::catalog::CatalogResource;
use crate::value::PuppetValue;

/// Parameters that concern the catalog around the resource, not the resource.
const OF_THE_CATALOG: &[&str] =
    &["before", "require", "notify", "subscribe", "schedule", "audit", "alias", "tag", "stage"];

/// Puppet with the manifest on its standard input. It does not pass the manifest on to what it starts.
const PUPPET: &str = r#"printf %s "$manifest" | (unset manifest; exec puppet apply --detailed-exitcodes --color=false"#;
/// Where an installed Puppet may be.
const PATH: &str = "/opt/puppetlabs/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

pub(super) fn callback(resource: &CatalogResource, options: &Options) -> Resource {
    let mut native = Native::new("exec", resource.reference.to_string());
    // 2: it changed something.
    native.set("cmd", Value::str(format!(r#"{PUPPET}); status=$?; [ $status -eq 2 ] || exit $status"#)));
    native.set("shell", Value::str("/bin/bash"));
    // Whether Puppet would change something. If it cannot tell, the command runs and says why.
    let check = format!(r#"said=$({PUPPET} --noop)) || [ $? -eq 2 ] || exit 0; [[ $said == *"(noop)"* ]]"#);
    native.set("ifcmd", Value::str(check));
    native.set("ifshell", Value::str("/bin/bash"));
    let text = |name: &str, value: String| (Value::str(name), Value::str(value));
    native.set(
        "env",
        Value::map([
            text("manifest", manifest(resource)),
            text("PATH", PATH.to_owned()),
            text("LANG", "C.UTF-8".to_owned()),
        ]),
    );
    native.meta.timeout = 30_000;
    native.meta.poll = i32::try_from(options.run_interval).unwrap_or(i32::MAX);
    if resource.parameters.iter().any(|(name, value)| resource.is_sensitive(name) || value.holds_secret()) {
        native.sensitive.extend(["env"]);
    }
    finish(native, resource)
}

/// The resource in Puppet's language.
fn manifest(resource: &CatalogResource) -> String {
    let mut text =
        format!("{} {{ {}:\n", resource.reference.type_name.to_lowercase(), quoted(&resource.reference.title));
    for (name, value) in &resource.parameters {
        if OF_THE_CATALOG.contains(&name.as_str()) {
            continue;
        }
        let value = match resource.is_sensitive(name) || value.holds_secret() {
            true => format!("Sensitive({})", literal(value)),
            false => literal(value),
        };
        text.push_str(&format!("  {name} => {value},\n"));
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn literal(value: &PuppetValue) -> String {
    let list = |items: &[PuppetValue]| items.iter().map(literal).collect::<Vec<_>>().join(", ");
    match value {
        PuppetValue::Undef => "undef".to_owned(),
        PuppetValue::Default => "default".to_owned(),
        PuppetValue::Boolean(b) => b.to_string(),
        PuppetValue::Integer(i) => i.to_string(),
        PuppetValue::Float(f) => format!("{f:?}"),
        PuppetValue::String(text) | PuppetValue::Scalar { text, .. } => quoted(text),
        PuppetValue::Regexp(r) => quoted(&format!("/{r}/")),
        PuppetValue::Binary(bytes) => {
            format!("Binary('{}')", base64::engine::general_purpose::STANDARD.encode(bytes))
        }
        // The whole parameter is one.
        PuppetValue::Sensitive(inner) => literal(inner),
        PuppetValue::Array(items) => format!("[{}]", list(items)),
        PuppetValue::Hash(pairs) => {
            let pair = |(key, value): &(PuppetValue, PuppetValue)| format!("{} => {}", literal(key), literal(value));
            format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        PuppetValue::Deferred { name, arguments } => format!("Deferred({}, [{}])", quoted(name), list(arguments)),
        PuppetValue::Opaque { ptype, fields } => {
            let field = |(key, value): &(String, PuppetValue)| format!(", {} => {}", quoted(key), literal(value));
            format!("{{'__ptype' => {}{}}}", quoted(ptype), fields.iter().map(field).collect::<String>())
        }
    }
}

/// One word for a shell, whatever it holds.
pub(super) fn quote(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:@%+=,".contains(&b);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_catalog;

    #[test]
    fn a_resource_becomes_a_manifest_and_its_secrets_are_in_no_command() {
        let catalog = r#"{"name": "n", "resources": [
            {"type": "Yumrepo", "title": "it's a \\ title", "parameters": {
                "name": "web", "enabled": true, "cost": 12, "password": "s3cret",
                "exclude": ["a", {"__ptype": "Sensitive", "__pvalue": "n3sted"}],
                "require": "File[/x]"}, "sensitive_parameters": ["password"]}]}"#;
        let (catalog, _) = read_catalog(catalog.as_bytes()).unwrap();
        let resource = catalog.resources.iter().find(|r| &*r.reference.type_name == "Yumrepo").unwrap();
        let expected = r"yumrepo { 'it\'s a \\ title':
  name => 'web',
  enabled => true,
  cost => 12,
  password => Sensitive('s3cret'),
  exclude => Sensitive(['a', 'n3sted']),
}
";
        assert_eq!(manifest(resource), expected);
        let exec = callback(resource, &Options::default());
        for key in ["cmd", "ifcmd"] {
            let text = exec.params[key].to_string();
            assert!(!text.contains("s3cret") && !text.contains("yumrepo"), "{text}");
        }
        assert!(exec.params["env"].to_string().contains("s3cret"));
        assert!(exec.sensitive.iter().any(|key| &**key == "env"));
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quote("/srv/a"), "/srv/a");
        assert_eq!(quote("it's"), "'it'\\''s'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("$(rm)"), "'$(rm)'");
    }
}
