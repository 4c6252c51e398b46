//! The fallback to an installed Puppet (spec 07 §3.5, as an `exec`, without the defects named there).
//!
//! The resource becomes a manifest of its own, which `puppet apply` reads from its standard input. This needs nothing but
//! Puppet, reports types that Puppet does not know, and keeps parameters, which may be secret, out of the process list.
//! The parameters are those of the catalog, before Ruby's type layer has munged them. The vertex is named `Type[title]`, so
//! names do not collide.

use base64::Engine;
use mcl_value::Value;
use resource_graph::Resource;

use crate::catalog::CatalogResource;
use crate::translate::finish::finish;
use crate::translate::native::Native;
use crate::translate::options::TranslateOptions;
use crate::value::PuppetValue;

/// The parameters that describe the resource's relations in the catalog, which `puppet apply` does not have.
const CATALOG_PARAMETERS: &[&str] =
    &["before", "require", "notify", "subscribe", "schedule", "audit", "alias", "tag", "stage"];

/// Runs Puppet with the manifest on its standard input. Processes that Puppet starts do not inherit the manifest.
const PUPPET: &str = r#"printf %s "$manifest" | (unset manifest; exec puppet apply --detailed-exitcodes --color=false"#;
/// The search path for an installed Puppet.
const PATH: &str = "/opt/puppetlabs/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// How long Puppet may take for one resource, in milliseconds: the default of Puppet's setting `runtimeout`. A package or a
/// repository may take many minutes, and ending Puppet in between would leave half of it.
const TIMEOUT: u64 = 3_600_000;

/// Parameters that need the whole catalog: without the other resources, Puppet would remove what these declare.
const PURGING_PARAMETERS: &[(&str, &str)] = &[("File", "purge"), ("User", "purge_ssh_keys")];

/// Returns whether the fallback leaves a parameter out.
fn is_omitted(resource: &CatalogResource, parameter: &str) -> bool {
    CATALOG_PARAMETERS.contains(&parameter) || PURGING_PARAMETERS.contains(&(&resource.reference.type_name, parameter))
}

/// Returns what the fallback does not do.
pub(super) fn omissions(resource: &CatalogResource) -> impl Iterator<Item = String> + '_ {
    let is_set = |value: &PuppetValue| !matches!(value.scalar_text().as_deref(), Some("false" | "no"));
    let purges = resource.parameters.iter().filter(move |(name, value)| {
        is_set(value) && PURGING_PARAMETERS.contains(&(&resource.reference.type_name, name.as_str()))
    });
    purges.map(|(name, _)| format!("`{name}` is ignored: it would remove what other resources declare"))
}

/// Translates a resource to a run of Puppet. `parts` are resources that it needs in the same catalog.
pub(super) fn fallback(resource: &CatalogResource, parts: &[&CatalogResource], options: &TranslateOptions) -> Resource {
    let mut native = Native::new("exec", resource.reference.to_string());
    // Exit status 2 means that something was changed.
    native.set("cmd", Value::str(format!(r#"{PUPPET}); status=$?; [ $status -eq 2 ] || exit $status"#)));
    native.set("shell", Value::str("/bin/bash"));
    // Checks whether Puppet would change something. If the check fails, the command runs and reports the error.
    let check = format!(r#"output=$({PUPPET} --noop)) || [ $? -eq 2 ] || exit 0; [[ $output == *"(noop)"* ]]"#);
    native.set("ifcmd", Value::str(check));
    native.set("ifshell", Value::str("/bin/bash"));
    let text = |name: &str, value: String| (Value::str(name), Value::str(value));
    native.set(
        "env",
        Value::map([
            text("manifest", std::iter::once(&resource).chain(parts).map(|part| manifest(part)).collect()),
            text("PATH", PATH.to_owned()),
            text("LANG", "C.UTF-8".to_owned()),
        ]),
    );
    native.meta.timeout = TIMEOUT;
    native.meta.poll = i32::try_from(options.run_interval).unwrap_or(i32::MAX);
    let is_secret = |resource: &&CatalogResource| {
        resource.parameters.iter().any(|(name, value)| resource.is_sensitive(name) || value.holds_secret())
    };
    if std::iter::once(&resource).chain(parts).any(is_secret) {
        native.sensitive.extend(["env"]);
    }
    finish(native, resource)
}

/// Formats the resource in Puppet's language.
fn manifest(resource: &CatalogResource) -> String {
    let mut text =
        format!("{} {{ {}:\n", resource.reference.type_name.to_lowercase(), quoted(&resource.reference.title));
    for (name, value) in &resource.parameters {
        if is_omitted(resource, name) {
            continue;
        }
        let value = if resource.is_sensitive(name) || value.holds_secret() {
            format!("Sensitive({})", literal(value))
        } else {
            literal(value)
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

/// Quotes a string as one word for a shell.
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
    fn a_resource_becomes_a_manifest_and_commands_contain_no_secrets() {
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
        let exec = fallback(resource, &[], &TranslateOptions::default());
        for key in ["cmd", "ifcmd"] {
            let text = exec.params[key].to_string();
            assert!(!text.contains("s3cret") && !text.contains("yumrepo"), "{text}");
        }
        assert!(exec.params["env"].to_string().contains("s3cret"));
        assert!(exec.sensitive.iter().any(|key| &**key == "env"));
    }

    #[test]
    fn puppet_has_the_time_to_install_a_package() {
        let catalog = r#"{"name": "n", "resources": [{"type": "Vcsrepo", "title": "/srv/a"}]}"#;
        let (catalog, _) = read_catalog(catalog.as_bytes()).unwrap();
        let exec = fallback(&catalog.resources[0], &[], &TranslateOptions::default());
        assert_eq!(exec.meta.timeout, 60 * 60 * 1000);
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quote("/srv/a"), "/srv/a");
        assert_eq!(quote("it's"), "'it'\\''s'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("$(rm)"), "'$(rm)'");
    }
}
