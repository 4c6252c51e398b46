//! The documentation as static pages: one for each module of functions and each kind, and an index with a search. They ask no
//! other server, and follow the colors of the browser.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use mcl_functions::Function;
use resource_graph::{META_FIELDS, ResourceKind};
use serde_json::json;

use crate::doc::examples::imports;
use crate::doc::find;
use crate::doc::kinds::{NOT_IMPLEMENTED, abilities, allowed, constant_name, constant_value, parameters};
use crate::documented::{first_sentence, functions, kinds};
use crate::output::{self, unusable};

const STYLE: &str = include_str!("html/style.css");
const SEARCH: &str = include_str!("html/search.js");

/// Writes all pages to a directory, which is made if it does not exist. Other files in it stay.
pub fn write(directory: &Path) -> u8 {
    if let Err(error) = std::fs::create_dir_all(directory) {
        return unusable(format_args!(
            "cannot make the directory `{}`: {}",
            directory.display(),
            output::reason(&error)
        ));
    }
    let pages = pages();
    for (name, text) in &pages {
        if let Err(status) = output::file(&directory.join(name), text.as_bytes()) {
            return status;
        }
    }
    output::stdout(
        format!("wrote {} files, start with {}\n", pages.len(), directory.join("index.html").display()).as_bytes(),
    )
}

/// Returns the files by their names.
fn pages() -> BTreeMap<String, String> {
    let mut modules: BTreeMap<&str, Vec<&Function>> = BTreeMap::new();
    for function in functions(|_| true) {
        modules.entry(function.module()).or_default().push(function);
    }
    let kinds = kinds(|_| true);
    let mut pages = BTreeMap::from([
        ("style.css".to_owned(), STYLE.to_owned()),
        ("search.js".to_owned(), SEARCH.to_owned()),
        ("names.js".to_owned(), index_data()),
        ("index.html".to_owned(), page("mcl", &index(&modules, &kinds))),
        (META_PAGE.to_owned(), page("meta parameters", &meta())),
    ]);
    for (module, functions) in &modules {
        let title = if module.is_empty() { "built-in functions" } else { module };
        pages.insert(module_page(module), page(title, &module_body(title, functions)));
    }
    for kind in &kinds {
        pages.insert(kind_page(kind.name), page(kind.name, &kind_body(kind)));
    }
    pages
}

const META_PAGE: &str = "meta.html";

fn module_page(module: &str) -> String {
    format!("module-{}.html", if module.is_empty() { "builtin".to_owned() } else { module.replace('/', "-") })
}

fn kind_page(kind: &str) -> String {
    format!("kind-{}.html", kind.replace(':', "-"))
}

/// Returns names, where they are described, and how, for the search.
fn index_data() -> String {
    let entries = find::all().into_iter().map(|found| {
        let target = match found.group {
            "functions" => {
                let module = found.name.rsplit_once('.').map_or("", |(module, _)| module);
                format!("{}#{}", module_page(module), found.name)
            }
            "meta parameters" => META_PAGE.to_owned(),
            "variables" => "index.html".to_owned(),
            "constants" => {
                let kind = found.name.strip_prefix("$const.res.").and_then(|rest| rest.split('.').next());
                kind_page(kind.unwrap_or_default())
            }
            _ => {
                let (kind, parameter) = found.name.split_once(' ').unwrap_or((&found.name, ""));
                let anchor = if parameter.is_empty() { String::new() } else { format!("#{parameter}") };
                kind_page(kind) + &anchor
            }
        };
        json!([found.name, target, found.description])
    });
    format!("const INDEX = {};\n", json!(entries.collect::<Vec<_>>()))
}

fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"style.css\">\n\
         <header><a href=\"index.html\">mcl</a><input type=\"search\" placeholder=\"Search functions, kinds, parameters  ( / )\" \
         aria-label=\"Search\"></header>\n<main>\n{body}</main>\n\
         <script src=\"names.js\"></script>\n<script src=\"search.js\"></script>\n</html>\n"
    )
}

fn index(modules: &BTreeMap<&str, Vec<&Function>>, kinds: &[&ResourceKind]) -> String {
    let mut out =
        String::from("<h1>Functions and resource kinds of mcl</h1>\n<h2>Resource kinds</h2>\n<ul class=\"list\">\n");
    let entry = |target: &str, name: &str, text: &str| {
        let (target, name, text) = (escaped(target), escaped(name), prose(text));
        format!("<li><a href=\"{target}\"><code>{name}</code></a><span>{text}</span></li>\n")
    };
    for kind in kinds {
        let mark = if kind.implemented { "" } else { " (not implemented)" };
        out += &entry(&kind_page(kind.name), kind.name, &format!("{}{mark}", first_sentence(kind.doc)));
    }
    out += &entry(META_PAGE, "Meta", "The meta parameters of all resources.");
    out += "</ul>\n<h2>Modules of functions</h2>\n<ul class=\"list\">\n";
    for (module, functions) in modules {
        let names: Vec<String> = functions.iter().map(|f| format!("`{}`", f.short_name())).collect();
        let title = if module.is_empty() { "built-in" } else { module };
        out += &entry(&module_page(module), title, &names.join(" "));
    }
    out + "</ul>\n"
}

fn module_body(title: &str, functions: &[&Function]) -> String {
    let mut out = format!("<h1>{}</h1>\n", escaped(title));
    for function in functions {
        let name = escaped(function.name);
        let _ = writeln!(out, "<h2 id=\"{name}\"><a href=\"#{name}\"><code>{name}</code></a></h2>");
        for signature in function.signatures() {
            let _ = writeln!(out, "<pre class=\"signature\">{}</pre>", escaped(&signature));
        }
        let _ = writeln!(out, "<p>{}</p>", prose(function.doc));
        let example = function.documented_example();
        let lines: Vec<String> = imports(&example, function.module()).into_iter().chain([example]).collect();
        let _ = writeln!(out, "<pre>{}</pre>", escaped(&lines.join("\n")));
    }
    out
}

fn kind_body(kind: &ResourceKind) -> String {
    let mut out = format!("<h1><code>{}</code></h1>\n<p>{}</p>\n", escaped(kind.name), prose(kind.doc));
    if !kind.implemented {
        let _ = writeln!(out, "<p class=\"dim\">{NOT_IMPLEMENTED}</p>");
    }
    let _ = writeln!(out, "<pre>{}</pre>", escaped(kind.example));
    for ability in abilities(kind) {
        let _ = writeln!(out, "<p>{}</p>", prose(&ability));
    }
    if !kind.fields.is_empty() {
        out += "<h2>Parameters</h2>\n<table>\n<tr><th>name<th>type<th>default<th></tr>\n";
    }
    for field in parameters(kind) {
        let default = match (field.required, field.default) {
            (true, _) => "required".to_owned(),
            (false, default) => escaped(default),
        };
        let text = [Some(field.doc.to_owned()), allowed(kind, field)].into_iter().flatten().collect::<Vec<_>>();
        let (name, ty, text) = (escaped(field.name), escaped(field.ty), prose(&text.join(" ")));
        let _ =
            writeln!(out, "<tr id=\"{name}\"><td><code>{name}</code><td><code>{ty}</code><td>{default}<td>{text}</tr>");
    }
    if !kind.fields.is_empty() {
        out += "</table>\n";
    }
    if !kind.constants.is_empty() {
        out += "<h2>Constants</h2>\n<table>\n<tr><th>name<th>value</tr>\n";
        for constant in kind.constants {
            let (name, value) = (constant_name(kind, constant), constant_value(constant));
            let _ = writeln!(out, "<tr><td><code>{}</code><td><code>{}</code></tr>", escaped(&name), escaped(&value));
        }
        out += "</table>\n";
    }
    out
}

fn meta() -> String {
    let head = "<h1>Meta parameters</h1>\n<table>\n<tr><th>name<th>type<th>default<th></tr>\n".to_owned();
    let rows = META_FIELDS.iter().map(|field| {
        let (name, ty, default) = (escaped(field.name), escaped(field.ty), escaped(field.default));
        format!("<tr><td><code>Meta:{name}</code><td><code>{ty}</code><td>{default}<td>{}</tr>\n", prose(field.doc))
    });
    head + &rows.collect::<String>() + "</table>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escapes a text, and shows what is between backquotes as code.
fn prose(text: &str) -> String {
    let parts = text.split('`').map(escaped).enumerate();
    parts.map(|(i, part)| if i % 2 == 1 { format!("<code>{part}</code>") } else { part }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_leads_to_a_page_and_nothing_comes_from_elsewhere() {
        let pages = pages();
        for (name, text) in pages.iter().filter(|(name, _)| name.ends_with(".html")) {
            for attribute in ["href=\"", "src=\""] {
                for (at, _) in text.match_indices(attribute) {
                    let target = text[at + attribute.len()..].split('"').next().unwrap_or_default();
                    let file = target.split('#').next().unwrap_or_default();
                    assert!(file.is_empty() || pages.contains_key(file), "{name}: {target}");
                }
            }
        }
        let index = pages["names.js"].trim_start_matches("const INDEX = ").trim_end().trim_end_matches(';');
        let index: Vec<[String; 3]> = serde_json::from_str(index).expect("JSON");
        for [name, target, _] in &index {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let page = pages.get(file).unwrap_or_else(|| panic!("{name}: {target}"));
            assert!(anchor.is_empty() || page.contains(&format!("id=\"{anchor}\"")), "{name}: {target}");
        }
        assert!(index.len() > 500);
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(prose("a `<b>` & \"c\""), "a <code>&lt;b&gt;</code> &amp; &quot;c&quot;");
    }
}
