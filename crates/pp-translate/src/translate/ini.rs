//! `ini_setting` and the types whose resources are settings of one file, such as `nova_config` (spec 09 §7).

use std::sync::LazyLock;

use mcl_value::Value;
use pp_resource_types::{IniKey, IniMunge, IniType, clean_path};

use crate::translate::native::Native;
use crate::translate::rules::Rules;
use crate::value::PuppetValue;

/// `ini_setting` itself, whose attributes say everything.
pub(super) static INI_SETTING: LazyLock<IniType> = LazyLock::new(|| IniType {
    path: None,
    path_attribute: Some("path".to_owned()),
    key: IniKey::Attributes,
    separator: " = ".to_owned(),
    separator_attribute: Some("key_val_separator".to_owned()),
    repeats: false,
    munge: IniMunge::Strip,
    absent_value: None,
    is_custom: false,
});

pub(super) fn setting<'a>(rules: &mut Rules<'a>, ini: &'a IniType) -> Native {
    let mut native = Native::new("ini:setting", rules.resource.reference.to_string());
    if ini.is_custom {
        rules.unsupported("the provider of the type does more than setting values of a file");
    }
    path(rules, &mut native, ini);
    key(rules, &mut native, ini.key);
    let absent = match rules.text("ensure").as_deref() {
        None | Some("present") => false,
        Some("absent") => true,
        Some(other) => {
            rules.unsupported(format!("unsupported `ensure => {other}`"));
            false
        }
    };
    let is_absent = value(rules, &mut native, ini, absent);
    native.set("state", Value::str(if is_absent { "absent" } else { "exists" }));
    separator(rules, &mut native, ini);
    style(rules, &mut native);
    hide(rules, &mut native);
    native
}

fn path<'a>(rules: &mut Rules<'a>, native: &mut Native, ini: &'a IniType) {
    let own = ini.path_attribute.as_deref().and_then(|attribute| rules.text_of(attribute));
    match own.as_deref().or(ini.path.as_deref()) {
        Some(path) => native.set("path", Value::str(clean_path(path))),
        None => rules.unsupported("the path of the file is computed by the source of the type"),
    }
}

/// Sets the section and the name of the setting.
fn key(rules: &mut Rules<'_>, native: &mut Native, key: IniKey) {
    let (section, name) = match key {
        IniKey::Attributes => {
            rules.ignore(&["name"]);
            (rules.text("section").unwrap_or_default(), rules.text("setting"))
        }
        IniKey::Name => {
            let name = rules.named("name");
            match name.split_once('/') {
                Some((section, setting)) => (section.to_owned(), Some(setting.to_owned())),
                None => (name.clone(), Some(name)),
            }
        }
        IniKey::NameWithoutSection => (String::new(), Some(rules.named("name"))),
    };
    let Some(name) = name else {
        rules.unsupported("missing attribute `setting`");
        return;
    };
    native.set("section", Value::str(section));
    native.set("setting", Value::str(name.trim()));
}

/// Sets the value or values. Returns whether there is to be none: because of `ensure`, or because the value says so.
fn value<'a>(rules: &mut Rules<'a>, native: &mut Native, ini: &'a IniType, is_absent: bool) -> bool {
    let absent_value = ini.absent_value.as_ref().and_then(|(attribute, default)| {
        let given = rules.text_of(attribute);
        given.or_else(|| default.clone())
    });
    if ini.munge == IniMunge::Quote {
        rules.ignore(&["quote"]);
    }
    let Some(given) = rules.take("value") else { return is_absent };
    let given = if let PuppetValue::Sensitive(inner) = given { inner } else { given };
    let items = given.elements();
    let texts: Vec<String> = items.iter().filter_map(PuppetValue::scalar_text).collect();
    if texts.len() < items.len() {
        rules.unsupported("unexpected type of `value`");
    }
    if is_absent || (texts.len() == 1 && texts.first() == absent_value.as_ref()) {
        return true;
    }
    let mut texts: Vec<String> = texts.iter().map(|text| munged(text, ini.munge)).collect();
    // The code of the provider takes `quote => false` for set, too.
    if ini.munge == IniMunge::Quote && rules.take("quote").is_some() {
        texts.iter_mut().filter(|text| !text.starts_with('"')).for_each(|text| *text = format!("\"{text}\""));
    }
    match texts.as_slice() {
        [] => rules.unsupported("an empty list as `value`"),
        [one] => native.set("value", Value::str(one.as_str())),
        many if ini.repeats => native.set("values", Value::list(many.iter().map(|text| Value::str(text.as_str())))),
        _ => rules.unsupported("a list as `value` of a type whose settings have one value"),
    }
    false
}

fn munged(text: &str, munge: IniMunge) -> String {
    let is_boolean = text.trim().eq_ignore_ascii_case("true") || text.trim().eq_ignore_ascii_case("false");
    match munge {
        IniMunge::Capitalize if is_boolean => {
            let lower = text.trim().to_ascii_lowercase();
            [lower[..1].to_ascii_uppercase().as_str(), &lower[1..]].concat()
        }
        IniMunge::Downcase if is_boolean => text.trim().to_ascii_lowercase(),
        // The file is read without the whitespace around a value.
        IniMunge::Capitalize | IniMunge::Downcase | IniMunge::Strip | IniMunge::Nothing | IniMunge::Quote => {
            text.trim().to_owned()
        }
    }
}

fn separator<'a>(rules: &mut Rules<'a>, native: &mut Native, ini: &'a IniType) {
    let own = ini.separator_attribute.as_deref().and_then(|attribute| rules.text_of(attribute));
    native.set("separator", Value::str(own.unwrap_or_else(|| ini.separator.clone())));
}

/// How sections and new lines are written.
fn style(rules: &mut Rules<'_>, native: &mut Native) {
    rules.carry(native, "section_prefix", "section_prefix");
    rules.carry(native, "section_suffix", "section_suffix");
    let char = rules.text("indent_char");
    let width = rules.text("indent_width");
    if let Some(char) = char {
        native.set("indent_char", Value::str(char));
    }
    match width.map(|width| width.parse::<u8>()) {
        None => {}
        Some(Ok(width)) => native.set("indent_width", Value::Int(width.into())),
        Some(Err(_)) => rules.unsupported("invalid number `indent_width`"),
    }
    if rules.flag("force_new_section_creation") == Some(false) {
        rules.unsupported("unsupported `force_new_section_creation => false`");
    }
    if rules.flag("refreshonly") == Some(true) {
        rules.unsupported("unsupported `refreshonly => true`");
    }
}

/// Hides the value of a secret.
fn hide(rules: &mut Rules<'_>, native: &mut Native) {
    let is_hidden = rules.text("show_diff").is_some_and(|show| !matches!(show.as_str(), "true" | "yes"));
    if rules.flag("secret") == Some(true) || is_hidden {
        native.sensitive.extend(["value", "values"]);
    }
}
