//! `concat_file` and `concat_fragment` of the concat module: the file gets the complete content, and the fragments become
//! `noop` resources that are ordered before it.

use mcl_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::catalog::{Catalog, CatalogResource};
use crate::translate::file::{mode, selinux};
use crate::translate::native::Native;
use crate::translate::rules::Rules;
use crate::value::PuppetValue;

/// The fragments of a catalog by target.
pub(super) struct Concat<'a> {
    fragments: FxHashMap<&'a str, Vec<&'a CatalogResource>>,
}

impl<'a> Concat<'a> {
    pub(super) fn new(catalog: &'a Catalog) -> Concat<'a> {
        let mut fragments: FxHashMap<&str, Vec<&CatalogResource>> = FxHashMap::default();
        for resource in catalog.resources.iter().filter(|r| &*r.reference.type_name == "Concat_fragment") {
            for key in [resource.text("target"), resource.text("tag")].into_iter().flatten() {
                fragments.entry(key).or_default().push(resource);
            }
        }
        Concat { fragments }
    }

    /// Returns the fragments of a file.
    pub(super) fn parts(&self, file: &CatalogResource) -> Vec<&'a CatalogResource> {
        let keys = [Some(&*file.reference.title), file.text("path"), file.text("tag")];
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let all = keys.into_iter().flatten().flat_map(|key| self.fragments.get(key).into_iter().flatten());
        all.copied().filter(|part| seen.insert(&part.reference.title)).collect()
    }

    pub(super) fn file(&self, rules: &mut Rules<'_>) -> Native {
        let resource = rules.resource;
        let mut native = Native::new("file", &*resource.reference.title);
        rules.ignore(&["show_diff", "force", "selinux_ignore_defaults", "create_empty_file"]);
        let path = rules.named("path");
        let parts = self.parts(resource);
        native.set("path", Value::str(path));
        let absent = rules.text("ensure").as_deref() == Some("absent");
        native.set("state", Value::str(if absent { "absent" } else { "exists" }));
        let numeric = rules.text("order").as_deref() == Some("numeric");
        let newline = rules.flag("ensure_newline") == Some(true);
        if absent {
            rules.ignore(&["owner", "group", "mode", "seluser", "selrole", "seltype", "selrange"]);
        } else {
            rules.carry(&mut native, "owner", "owner");
            rules.carry(&mut native, "group", "group");
            mode(rules, &mut native);
            selinux(rules, &mut native);
        }
        if rules.flag("replace") == Some(false) {
            native.set("replace", Value::Bool(false));
        }
        if rules.text("format").is_some_and(|f| f != "plain") {
            rules.unsupported("unsupported `format` other than `plain`");
        }
        if rules.take("backup").is_some_and(|b| b.scalar_text().as_deref() != Some("puppet")) {
            rules.approximate("`backup` is ignored: no backup is kept");
        }
        if rules.take("validate_cmd").is_some() {
            rules.approximate("`validate_cmd` is ignored: the new content is not validated");
        }
        if !absent {
            if parts.iter().any(|p| p.is_sensitive("content")) {
                native.sensitive.push("content");
            }
            native.set("content", Value::str(joined(rules, parts, numeric, newline)));
        }
        native
    }

    pub(super) fn fragment(&self, rules: &mut Rules<'_>) -> Native {
        rules.ignore(&["target", "content", "order", "source"]);
        Native::new("noop", rules.resource.reference.to_string())
    }
}

/// Returns the content of a file: its fragments in order.
fn joined(rules: &mut Rules<'_>, mut parts: Vec<&CatalogResource>, numeric: bool, newline: bool) -> String {
    let order =
        |r: &CatalogResource| r.parameter("order").and_then(PuppetValue::scalar_text).unwrap_or("10".to_owned());
    if numeric {
        parts.sort_by_cached_key(|r| (order(r).parse::<i64>().unwrap_or(10), r.reference.title.clone()));
    } else {
        parts.sort_by_cached_key(|r| (order(r), r.reference.title.clone()));
    }
    let mut content = String::new();
    for part in parts {
        match part.parameter("content") {
            Some(PuppetValue::Sensitive(inner)) => content.push_str(&inner.scalar_text().unwrap_or_default()),
            Some(value) => content.push_str(&value.scalar_text().unwrap_or_default()),
            None => rules.unsupported(format!("unsupported `source` of {}", part.reference)),
        }
        if newline && !content.ends_with('\n') {
            content.push('\n');
        }
    }
    content
}
