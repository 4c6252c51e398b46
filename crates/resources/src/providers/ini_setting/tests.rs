use std::fs;

use mcl_value::Value;
use resource_graph::Resource;

use super::*;
use crate::provider_test::{ProviderTest, resource};
use crate::{ApplyContext, Cancel, CheckRequest};

fn style() -> IniStyle {
    IniStyle {
        separator: " = ".to_owned(),
        section_prefix: "[".to_owned(),
        section_suffix: "]".to_owned(),
        indent_char: " ".to_owned(),
        indent_width: None,
    }
}

/// Parses `[section] name = value`, `[section] name = value | value` for several ones, `[section] name` for any value, and
/// `![section] name` for none. A section may be omitted.
fn parse(line: &str) -> Setting {
    let (is_absent, line) = line.strip_prefix('!').map_or((false, line), |line| (true, line));
    let (section, rest) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).unwrap_or(("", line));
    let values = |text: &str| text.split('|').map(|value| value.trim().as_bytes().to_vec()).collect();
    let (name, wanted) = match rest.split_once(" =") {
        _ if is_absent => (rest, Wanted::Absent),
        Some((name, text)) => (name, Wanted::Values(values(text))),
        None => (rest, Wanted::Any),
    };
    Setting { section: section.to_owned(), name: name.to_owned(), wanted, style: style() }
}

fn edited(text: &[u8], settings: &[Setting]) -> Vec<u8> {
    let mut text = IniText::new(text, &style());
    for setting in settings {
        text.set(setting);
    }
    text.finish()
}

/// Edits a text together and one setting after the other, and a second time, which must not change anything.
#[track_caller]
fn check(before: &str, settings: &[&str], after: &str) {
    let settings: Vec<Setting> = settings.iter().map(|line| parse(line)).collect();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert_eq!(text(edited(before.as_bytes(), &settings)), after, "together");
    let one_by_one = settings.chunks(1).fold(before.as_bytes().to_vec(), |text, setting| edited(&text, setting));
    assert_eq!(text(one_by_one), after, "one by one");
    let mut again = IniText::new(after.as_bytes(), &style());
    assert!(!settings.iter().any(|setting| again.set(setting)), "a second time");
    assert_eq!(text(again.finish()), after, "a second time");
}

#[test]
fn a_value_is_replaced_where_it_is() {
    check("# x\n[s]\n  a  =1\n\nb = 2", &["[s] a = 3"], "# x\n[s]\n  a  =3\n\nb = 2");
    check("a=1 ; one\n[s]\na=1\n", &["a = 2"], "a=2\n[s]\na=1\n");
    check("a =\n", &["a = x = y"], "a =x = y\n");
    check("a=1\r\nb=2\r\n", &["a = 3", "c = 4"], "a=3\r\nb=2\r\nc = 4\r\n");
    check("a=1", &["a = 1"], "a=1");
    check("a=1\n", &["a =", "b", "a2"], "a=\nb = \na2 = \n");
}

#[test]
fn new_settings_are_added_to_their_section() {
    check("", &["[s] a = 1", "[t] a = 2", "b = 3"], "b = 3\n\n[s]\na = 1\n\n[t]\na = 2\n");
    check("[s]\na=1\n\n[t]\nb=1", &["[s] c = 2", "[t] c = 3"], "[s]\na=1\nc = 2\n\n[t]\nb=1\nc = 3\n");
    check("[s]\n\n\n[t]\n", &["[s] a = 1", "[s] b = 2"], "[s]\na = 1\nb = 2\n\n\n[t]\n");
    check("# about\n\n[s]\n", &["a = 1"], "# about\na = 1\n\n[s]\n");
    check("\n\n[s]\n", &["a = 1", "b = 2"], "a = 1\nb = 2\n\n\n[s]\n");
    check("[s] ; first\na=1\n", &["[s] b = 2"], "[s] ; first\na=1\nb = 2\n");
    check("[s]\na=1\n[t]\n[s]\nb=1\n", &["[s] c = 1", "[s] a = 2"], "[s]\na=2\n[t]\n[s]\nb=1\nc = 1\n");
}

#[test]
fn lines_far_to_the_right_do_not_multiply() {
    let before = format!("[s]\n{}a = 1\n", " ".repeat(1 << 20));
    let settings: Vec<Setting> = (0..1000).map(|i| parse(&format!("[s] b{i} = 2"))).collect();
    assert!(edited(before.as_bytes(), &settings).len() < before.len() + (1 << 20));
}

#[test]
fn new_settings_are_indented_like_the_others() {
    check("[s]\n    a=1\n  b=2\n", &["[s] c = 3"], "[s]\n    a=1\n  b=2\n  c = 3\n");
    check("[s]\n  a=1\n#q=3\n", &["[s] q = 2"], "[s]\n  a=1\n#q=3\n  q = 2\n");
}

#[test]
fn a_setting_that_is_commented_out_is_added_after_the_comment() {
    check("[s]\n# a = 1\n# more\n\nb=2\n", &["[s] a = 5"], "[s]\n# a = 1\na = 5\n# more\n\nb=2\n");
    check("[s]\n;a=1\n;a=2\n", &["[s] b = 1", "[s] a = 5"], "[s]\n;a=1\na = 5\n;a=2\nb = 1\n");
    check("#a=1\n[s]\n", &["[s] a = 5"], "#a=1\n[s]\na = 5\n");
}

#[test]
fn several_values_are_several_lines() {
    check("[s]\na=1\nb=1\n", &["[s] a = 2 | 3"], "[s]\na=2\na = 3\nb=1\n");
    check("[s]\na=1\nb=1\na=2\na=3\n", &["[s] a = 1 | 4"], "[s]\na=1\nb=1\na=4\n");
    check("[s]\na=1\na=2\n", &["[s] a = 3"], "[s]\na=3\n");
    check("", &["[s] a = 1 | 2"], "[s]\na = 1\na = 2\n");
}

#[test]
fn settings_are_removed_with_a_section_that_becomes_empty() {
    check("[s]\na=1\na=2\nb=1\n", &["![s] a"], "[s]\nb=1\n");
    check("[s]\na=1\n[t]\nb=1\n", &["![s] a"], "[t]\nb=1\n");
    check("[s]\n# c\na=1\n", &["![s] a"], "[s]\n# c\n");
    check("[s]\n[t]\na=1\n", &["![t] a", "![s] a", "!x"], "[s]\n");
    check("a=1\n[s]\nb=1\n", &["!a"], "[s]\nb=1\n");
}

#[test]
fn a_setting_is_added_as_to_the_text_without_those_that_were_removed() {
    let edited = |before: &str, settings: &[&str]| {
        let settings: Vec<Setting> = settings.iter().map(|setting| parse(setting)).collect();
        String::from_utf8(edited(before.as_bytes(), &settings)).unwrap()
    };
    assert_eq!(edited("[s]\na=1\n[t]\nc=1\n", &["![s] a", "[s] b = 2"]), "[t]\nc=1\n\n[s]\nb = 2\n");
    assert_eq!(
        edited("[s]\na=1\n[t]\nc=1\n", &["![s] a", "[s] b = 2", "[s] d = 3"]),
        "[t]\nc=1\n\n[s]\nb = 2\nd = 3\n"
    );
    assert_eq!(edited("[s]\na=1\n[s]\nc=1\n", &["![s] c", "[s] b = 2"]), "[s]\na=1\nb = 2\n");
    assert_eq!(edited("[s]\n[t]\nc=1\n", &["[s] b = 2"]), "[s]\nb = 2\n[t]\nc=1\n");
    let comment = "[s]\n;a = 1\n  b = 1\n";
    assert_eq!(edited(comment, &["![s] b", "[s] new = 1", "[s] z = 1"]), "[s]\n;a = 1\nnew = 1\nz = 1\n");
    assert_eq!(edited("[s]\n b=1\n   c=1\n", &["![s] b", "[s] d = 1"]), "[s]\n   c=1\n   d = 1\n");
}

#[test]
fn bytes_of_any_encoding_are_kept() {
    let after = edited(b"[s]\n\xff\xfe=1\n\xe4 = \xf6\na=1\n", &[parse("[s] a = 2")]);
    assert_eq!(after, b"[s]\n\xff\xfe=1\n\xe4 = \xf6\na=2\n");
}

fn ini(path: &std::path::Path, name: &str) -> Resource {
    resource("ini:setting", name).with("path", path.to_str().unwrap()).with("section", "s")
}

#[test]
fn a_resource_converges() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("x.ini");
    ProviderTest::new(&ini(&file, "a").with("value", " 1 ")).assert_converges();
    let several =
        ini(&file, "name").with("setting", "b").with("values", Value::list(["2", "3"])).with("separator", "=");
    ProviderTest::new(&several).assert_converges();
    assert_eq!(fs::read_to_string(&file).unwrap(), "[s]\na = 1\nb=2\nb=3\n");
    let indented = ini(&file, "c").with("value", "4").with("indent_char", "\t").with("indent_width", 2);
    ProviderTest::new(&indented).assert_converges();
    ProviderTest::new(&ini(&file, "b").with("state", "absent")).assert_converges();
    assert_eq!(fs::read_to_string(&file).unwrap(), "[s]\na = 1\n\t\tc = 4\n");
}

#[test]
fn a_missing_file_has_no_settings() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("x.ini");
    ProviderTest::new(&ini(&file, "a").with("state", "absent")).assert_unchanged();
    assert!(!file.exists());
    assert!(ProviderTest::new(&ini(&scratch.path().join("no/x"), "a")).run(true).is_err());
}

#[test]
fn a_group_makes_one_change_that_names_its_settings() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("x.ini");
    fs::write(&file, "[s]\nz=1\n").unwrap();
    let group = [
        ini(&file, "b").with("value", "1"),
        ini(&file, "z").with("state", "absent"),
        ini(&file, "a").with("value", "2"),
        ini(&file, "other").with("setting", "a").with("value", "2"),
    ];
    let mut provider = build(&group).unwrap();
    let (context, cancel) = (ApplyContext { want_diffs: true, ..ApplyContext::default() }, Cancel::new());
    let mut cx = Context::new(CheckRequest::new(&group[0].id, &context, &cancel, true));
    provider.check_apply(&mut cx).unwrap();
    let changes: Vec<&str> = cx.changes().iter().map(|change| change.text.as_str()).collect();
    assert_eq!(changes, [format!("set [s] a, [s] b and remove [s] z in {}", file.display())]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "[s]\na = 2\nb = 1\n");
    assert!(!cx.changes()[0].diff.as_ref().unwrap().is_private);
}

#[test]
fn contents_with_secrets_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("x.ini");
    let mut secret = ini(&file, "password").with("value", "s3cret");
    secret.sensitive.push("value".into());
    let group = [ini(&file, "a").with("value", "1"), secret];
    let mut provider = build(&group).unwrap();
    let (context, cancel) = (ApplyContext { want_diffs: true, ..ApplyContext::default() }, Cancel::new());
    let mut cx = Context::new(CheckRequest::new(&group[0].id, &context, &cancel, true));
    provider.check_apply(&mut cx).unwrap();
    assert!(cx.changes()[0].diff.as_ref().unwrap().is_private);
    assert!(!cx.changes()[0].text.contains("s3cret"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}
