//! The options of a compilation that follow from a node and its facts (spec 07 §5.15).

use std::sync::Arc;

use pp_evaluator::Options;
use pp_types::{Hash, Value};

use crate::facts::Facts;

/// The version of Puppet that manifests see.
pub const EMULATED_VERSION: &str = "7.23.0";

/// Returns the options of the node with a name, compiled on its own machine. Without a name the facts say it.
#[must_use]
pub fn node_options(name: Option<&str>, facts: Facts) -> Options {
    let name: Arc<str> = match name {
        Some(name) => name.to_lowercase().into(),
        None => {
            facts.node.clone().or_else(|| string(&facts.values, &["networking", "fqdn"])).unwrap_or("localhost".into())
        }
    };
    let mut options = Options::new(Arc::clone(&name));
    options.trusted = trusted(&name);
    options.server_facts = server_facts(&name, &options.environment, &facts.values);
    options.settings = settings(&name, &options.environment);
    options.facts = facts.values;
    options
}

/// `$trusted` of a compilation without a server.
fn trusted(name: &Arc<str>) -> Hash {
    let (host, domain) = name.split_once('.').map_or((&**name, Value::Undef), |(host, rest)| (host, Value::from(rest)));
    [
        ("authenticated", Value::from("local")),
        ("certname", Value::String(Arc::clone(name))),
        ("extensions", Value::hash(Hash::default())),
        ("hostname", Value::from(host)),
        ("domain", domain),
        ("external", Value::hash(Hash::default())),
    ]
    .into_iter()
    .map(|(key, value)| (Value::from(key), value))
    .collect()
}

/// `$server_facts` of a machine that is its own server.
fn server_facts(name: &Arc<str>, environment: &Arc<str>, facts: &Hash) -> Hash {
    let server = string(facts, &["networking", "fqdn"]).unwrap_or_else(|| Arc::clone(name));
    let mut values = vec![
        ("serverversion", Value::from(EMULATED_VERSION)),
        ("servername", Value::String(server)),
        ("environment", Value::String(Arc::clone(environment))),
    ];
    for (key, fact) in [("serverip", "ip"), ("serverip6", "ip6")] {
        values.extend(string(facts, &["networking", fact]).map(|address| (key, Value::String(address))));
    }
    values.into_iter().map(|(key, value)| (Value::from(key), value)).collect()
}

/// The variables of `$settings::` that do not depend on a server.
fn settings(name: &Arc<str>, environment: &Arc<str>) -> Hash {
    [
        ("certname", Value::String(Arc::clone(name))),
        ("environment", Value::String(Arc::clone(environment))),
        ("node_name_value", Value::String(Arc::clone(name))),
    ]
    .into_iter()
    .map(|(key, value)| (Value::from(key), value))
    .collect()
}

/// Returns a fact that is a string.
fn string(facts: &Hash, path: &[&str]) -> Option<Arc<str>> {
    let (last, parents) = path.split_last()?;
    let mut hash = facts;
    for name in parents {
        match hash.get(&Value::from(*name)) {
            Some(Value::Hash(inner)) => hash = inner,
            _ => return None,
        }
    }
    match hash.get(&Value::from(*last)) {
        Some(Value::String(text)) => Some(Arc::clone(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_named_by_the_command_line_or_its_facts() {
        let facts = || Facts { node: Some("a.example.com".into()), values: Hash::default() };
        assert_eq!(&*node_options(Some("B.Example.com"), facts()).node, "b.example.com");
        assert_eq!(&*node_options(None, facts()).node, "a.example.com");
        assert_eq!(&*node_options(None, Facts::default()).node, "localhost");
    }

    #[test]
    fn trusted_facts_split_the_name() {
        let options = node_options(Some("web.example.com"), Facts::default());
        assert_eq!(options.trusted.get(&Value::from("domain")), Some(&Value::from("example.com")));
        assert_eq!(
            node_options(Some("web"), Facts::default()).trusted.get(&Value::from("domain")),
            Some(&Value::Undef)
        );
    }
}
