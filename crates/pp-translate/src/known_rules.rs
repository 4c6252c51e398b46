//! Automatic edges of common types whose rules are code, or whose module is not on the module path.

use pp_resource_types::{CatalogView, Datum};

/// A rule: the resources of a type come after others. Each line of titles is tried in turn until one names a resource; `$name` is
/// the value of an attribute, and a title with one that is not set is left out.
struct KnownRule {
    type_name: &'static str,
    other: &'static str,
    titles: &'static [&'static str],
}

const fn rule(type_name: &'static str, other: &'static str, titles: &'static [&'static str]) -> KnownRule {
    KnownRule { type_name, other, titles }
}

/// The rules, sorted by type.
const RULES: &[KnownRule] = &[
    rule("archive", "exec", &["install_aws_cli"]),
    rule("keystone_endpoint", "keystone_service", &["$name::$type", "$name"]),
    rule("keystone_user_role", "keystone_domain", &["$user_domain"]),
    rule("keystone_user_role", "keystone_domain", &["$domain", "$project_domain"]),
    rule("keystone_user_role", "keystone_tenant", &["$project::$project_domain", "$project"]),
    rule("keystone_user_role", "keystone_user", &["$user::$user_domain", "$user"]),
    rule("mysql_database", "file", &["/root/.my.cnf"]),
    rule("mysql_grant", "file", &["/root/.my.cnf"]),
    rule("mysql_grant", "mysql_user", &["$user"]),
    rule("mysql_plugin", "file", &["/root/.my.cnf"]),
    rule("mysql_user", "file", &["/root/.my.cnf"]),
    rule("postgresql_psql", "class", &["Postgresql::Server::Service"]),
    rule("vcsrepo", "package", &["git"]),
    rule("vcsrepo", "package", &["git-core"]),
    rule("x509_cert", "file", &["$private_key"]),
    rule("x509_request", "file", &["$private_key"]),
];

/// Calls `found` for each resource that a resource comes after by these rules. `is_read` says which types of others are known from
/// the source of the type.
pub(crate) fn known_rules(
    type_name: &str,
    resource: usize,
    catalog: &dyn CatalogView,
    is_read: impl Fn(&str) -> bool,
    mut found: impl FnMut(usize),
) {
    let first = RULES.partition_point(|rule| rule.type_name < type_name);
    for rule in RULES[first..].iter().take_while(|rule| rule.type_name == type_name) {
        if is_read(rule.other) {
            continue;
        }
        let other = rule
            .titles
            .iter()
            .find_map(|title| catalog.find(rule.other, &expand(title, &|name| catalog.attribute(resource, name))?));
        other.into_iter().for_each(&mut found);
    }
}

/// Replaces `$name` by the value of an attribute; `None` if it is not set.
fn expand(title: &str, attribute: &dyn Fn(&str) -> Datum) -> Option<String> {
    let mut parts = title.split('$');
    let mut text = parts.next()?.to_owned();
    for part in parts {
        let end = part.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        match attribute(&part[..end]) {
            Datum::Text(value) => text += &value,
            _ => return None,
        }
        text += &part[end..];
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_sorted() {
        assert!(RULES.is_sorted_by_key(|rule| (rule.type_name, rule.other)));
    }

    #[test]
    fn attributes_in_titles_are_replaced() {
        let attribute = |name: &str| if name == "user" { Datum::Text("u".to_owned()) } else { Datum::Nil };
        assert_eq!(expand("$user::x", &attribute).as_deref(), Some("u::x"));
        assert_eq!(expand("/a", &attribute).as_deref(), Some("/a"));
        assert_eq!(expand("$user::$domain", &attribute), None);
    }
}
