//! `ini:setting` (spec 08 §18).

mod style;

use std::borrow::Cow;

pub use style::{IniParts, IniStyle};

use crate::autoedge::{AutoEdgeErrorKind, AutoEdgeInput, EdgeFinder};
use crate::claim::parts_of_managed_files;
use crate::kinds::file::{ancestors, file_identity};
use crate::{
    AutoEdges, Check, Claim, Field, GroupKey, Grouping, Params, Repr, ResourceKind, Traits, ValidationError,
    normalized_path,
};

pub(super) const SETTING: ResourceKind = ResourceKind {
    name: "ini:setting",
    doc: "A setting of a file with sections, such as `debug = true` below `[DEFAULT]`. Comments, spacing and the order of \
          the lines stay as they are.",
    example: r#"ini:setting "log level" {
	path => "/etc/app.ini",
	section => "log",
	setting => "level",
	value => "info",
}"#,
    fields: &[
        Field::new("path", "str", "The absolute path of the file.").required().check(Check::AbsoluteFile),
        Field::new("state", "str", "Whether the setting exists.").default("\"exists\"").one_of(&["exists", "absent"]),
        Field::new("section", "str", "The section; if empty, the lines before the first section."),
        Field::new("setting", "str", "The name of the setting.").default_name(),
        Field::new("value", "str", "The value. Without `value` and `values` a setting keeps the value that it has.")
            .optional(),
        Field::new("values", "[]str", "The values of a setting that occurs once for each of them.").optional(),
        Field::new("separator", "str", "What separates the names of new settings from their values.")
            .default("\" = \"")
            .optional(),
        Field::new("section_prefix", "str", "The start of the line that opens a section.").default("\"[\""),
        Field::new("section_suffix", "str", "The end of the line that opens a section.").default("\"]\""),
        Field::new("indent_char", "str", "What new settings are indented with.").default("\" \""),
        Field::new(
            "indent_width",
            "int",
            "How often `indent_char` is repeated before a new setting. Without it, a new setting is indented like the others \
             of its section.",
        )
        .optional()
        .repr(Repr::Uint8),
    ],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate,
    autoedges: AutoEdges { is_removed: |p| p.string("state") == "absent", wants: want_file, ..AutoEdges::NONE },
    grouping: Grouping { key: |p| Some(group_key(p)), ..Grouping::NONE },
    managed_files: |p| vec![p.string("path").into_owned()],
    claims,
    ..ResourceKind::BASE
};

fn validate(p: &Params<'_>) -> Result<(), ValidationError> {
    let setting = p.string_or_name("setting");
    let separator = if p.is_set("separator") { p.string("separator") } else { Cow::Borrowed(" = ") };
    if separator.is_empty() {
        return Err(ValidationError::of_value("separator", "empty `separator`"));
    }
    let fields = ["section", "value", "separator", "section_prefix", "section_suffix", "indent_char"];
    let texts = fields.into_iter().map(|field| (field, p.string(field)));
    let values = p.strings("values").map(|value| ("values", value));
    for (field, text) in texts.chain(values).chain([("setting", setting.clone())]) {
        if text.contains(['\n', '\r', '\0']) {
            return Err(ValidationError::of_value(field, format!("invalid `{field}`: unexpected line break"))
                .help("each setting is one line of the file"));
        }
    }
    if setting.trim().is_empty() || setting.trim() != setting {
        return Err(ValidationError::of_value(
            "setting",
            format!("invalid `setting` {setting:?}: expected a name without whitespace around it"),
        ));
    }
    let style = IniStyle::of(p);
    if style.indent_char.bytes().any(|byte| !byte.is_ascii_whitespace()) {
        let text = format!("invalid `indent_char` {:?}: expected whitespace", style.indent_char);
        return Err(ValidationError::of_value("indent_char", text));
    }
    let is_trimmed = |text: &str| text.trim_ascii() == text;
    if style.section_prefix.trim_ascii().is_empty() {
        return Err(ValidationError::of_value("section_prefix", "empty `section_prefix`"));
    }
    for (field, text) in [("section_prefix", &style.section_prefix), ("section_suffix", &style.section_suffix)] {
        if !is_trimmed(text) {
            let text = format!("invalid `{field}` {text:?}: unexpected whitespace around it");
            return Err(ValidationError::of(field, text));
        }
    }
    let section = p.string("section");
    if !section.is_empty() && style.section_name(&style.header(&section)) != Some(section.as_bytes()) {
        let text = format!("invalid `section` {section:?}: no header would be read as it");
        return Err(ValidationError::of("section", text)
            .help("a name contains no `section_suffix` before a space and a comment"));
    }
    let separates = separator.trim();
    let is_split = if separates.is_empty() { setting.contains([' ', '\t']) } else { setting.contains(separates) };
    if is_split || setting.starts_with(&*style.section_prefix) || !is_read_back(p, &style, &setting) {
        return Err(ValidationError::of(
            "setting",
            format!("invalid `setting` {setting:?}: no line would be read as it"),
        )
        .help("a name contains no `separator`, and starts with neither `#`, `;` nor `section_prefix`"));
    }
    if p.is_set("values") && p.is_set("value") {
        return Err(ValidationError::of("values", "`value` and `values` are mutually exclusive"));
    }
    Ok(())
}

/// Whether every line that is written for a setting is one of it. Otherwise each run would add another.
fn is_read_back(p: &Params<'_>, style: &IniStyle, setting: &str) -> bool {
    let (value, values) = (p.string("value"), p.strings("values"));
    let is_whole = |value: &str| {
        let (name, value) = (setting.as_bytes(), value.trim_ascii().as_bytes());
        let line = style.line(style.indent_width.unwrap_or(0), name, value);
        style.section_name(&line).is_none()
            && style.parts(&line).is_some_and(|parts| parts.name == name && parts.value == value)
    };
    is_whole(&value) && values.into_iter().all(|value| is_whole(&value))
}

/// The settings of a file are edited together if they read its sections in the same way.
fn group_key<'a>(p: &Params<'a>) -> GroupKey<'a> {
    vec![normalized_path(p.string("path")), p.string("section_prefix"), p.string("section_suffix")]
}

/// A setting comes after the resource of its file, or else of the nearest directory above it.
fn want_file(input: &AutoEdgeInput<'_>, edges: &mut EdgeFinder<'_>) -> Result<(), AutoEdgeErrorKind> {
    let path = normalized_path(input.params.string("path"));
    if !edges.needs(&file_identity(&*path)) {
        let _ = ancestors(&path).find(|directory| edges.needs(&file_identity(*directory)));
    }
    Ok(())
}

/// Two resources that give one setting different values contradict each other.
fn claims<'a>(p: &Params<'a>) -> Vec<Claim<'a>> {
    let mut claims = parts_of_managed_files(p);
    let path = normalized_path(p.string("path"));
    let object = format!("setting:{path}: [{}] {}", p.string("section"), p.string_or_name("setting"));
    let state = match &*p.string("state") {
        "absent" => "absent".to_owned(),
        _ if p.is_set("values") => format!("= {}", p.strings("values").collect::<Vec<_>>().join("\n= ")),
        _ if p.is_set("value") => format!("= {}", p.string("value").trim()),
        _ => return claims,
    };
    claims.push(Claim::whole(object, "value", state));
    claims
}

#[cfg(test)]
mod tests {
    use crate::{Resource, ResourceId, validate};

    fn setting(name: &str) -> Resource {
        Resource::new(ResourceId::new("ini:setting", name)).with("path", "/etc/x.ini")
    }

    #[track_caller]
    fn check(resource: &Resource, part: &str) {
        let error = validate(resource).expect_err("invalid").to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn what_would_not_be_read_as_the_setting_is_rejected() {
        for good in ["a", "a b", "a.b-c", "a/b:c", "A[]"] {
            assert!(validate(&setting(good).with("value", "1 = 2")).is_ok(), "{good}");
        }
        check(&setting("a=b"), "no line would be read as it");
        check(&setting("#a"), "no line would be read as it");
        check(&setting("[a]"), "no line would be read as it");
        check(&setting(" a"), "without whitespace around it");
        check(&setting("x").with("setting", "a b").with("separator", " "), "no line would be read as it");
        check(&setting("a").with("value", "1\n[x]"), "unexpected line break");
        check(&setting("a").with("section", "x\n"), "unexpected line break");
        check(&setting("a").with("section", "x] # y"), "no header would be read as it");
        check(&setting("a").with("section", "x").with("section_prefix", " ["), "unexpected whitespace");
        check(&setting("a").with("section", "x").with("section_suffix", "] "), "unexpected whitespace");
        check(&setting("a").with("indent_char", "#"), "expected whitespace");
        check(&setting("a=").with("separator", "=="), "no line would be read as it");
        check(&setting("a").with("separator", ""), "empty `separator`");
        check(&setting("a").with("path", "x.ini"), "absolute path");
        check(&setting("a").with("path", "/etc/"), "directory");
    }
}
