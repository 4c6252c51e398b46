//! `json:edit`: assignments and deletions in a JSON document (spec 05 §6.26).

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

use resource_graph::{JsonEdit, JsonStore, Resource};
use serde_json::value::RawValue;

use crate::text_file::{self, Edit, with_mode};
use crate::{Context, Effects, Failure, Params, Provider, Scope, Watch};

struct Edits {
    file: PathBuf,
    edits: Vec<JsonEdit>,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Edits::read(&resources[0])?))
}

impl Edits {
    fn read(resource: &Resource) -> Result<Edits, Failure> {
        let params = Params::new(resource);
        let store = match params.str("store")? {
            "" => params.name(),
            store => store,
        };
        let file = match JsonStore::parse(store) {
            Ok(JsonStore::File(file)) => PathBuf::from(file),
            Ok(JsonStore::Key(_)) => {
                return Err(Failure::Unavailable("documents in the store of a cluster are not supported".to_owned()));
            }
            Err(why) => return Err(Failure::Invalid(format!("invalid `store`: {why}"))),
        };
        let edits = params.list("edits")?;
        let edits = edits.iter().map(|edit| JsonEdit::parse(edit)).collect::<Result<_, _>>();
        Ok(Edits { file, edits: edits.map_err(|why| Failure::Invalid(format!("invalid `edits`: {why}")))? })
    }
}

impl Provider for Edits {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let decide = |before: Option<&[u8]>| {
            let Some(before) = before else {
                return Err(Failure::Refused(format!("{} does not exist", self.file.display())));
            };
            if before.len() > MAX_BYTES {
                let text = format!("{} is larger than {} MiB", self.file.display(), MAX_BYTES >> 20);
                return Err(Failure::Refused(text));
            }
            let document = parse(before, &self.file)?;
            let mut edited = document.clone();
            for edit in &self.edits {
                apply(&mut edited, edit)
                    .map_err(|why| Failure::Refused(format!("cannot edit {}: {why}", self.file.display())))?;
            }
            if edited == document {
                return Ok(None);
            }
            let mut after = String::new();
            print(&edited, 0, &mut after);
            after.push('\n');
            let text = format!("edit {}", self.file.display());
            Ok(Some(Edit { text, after: Some(after.into_bytes()), is_private: false }))
        };
        text_file::edit(cx, &self.file, &with_mode(0o600), decide).map(drop)
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::Path(self.file.clone(), Scope::Entry)]
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Edits::read(&resources[0])?;
        Ok(())
    }
}

/// Maximum size of a document, in bytes: in memory it takes many times that.
const MAX_BYTES: usize = 16 << 20;
/// Maximum number of levels of a document, as programs that read JSON commonly have.
const MAX_DEPTH: usize = 127;

/// A JSON value that preserves the spelling of numbers.
#[derive(Clone, Debug, PartialEq)]
enum Json {
    /// The source of `null`, a boolean or a number.
    Scalar(String),
    String(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

fn parse(bytes: &[u8], file: &Path) -> Result<Json, Failure> {
    let invalid = |error: serde_json::Error| Failure::Refused(format!("{} is not valid JSON: {error}", file.display()));
    let raw: &RawValue = serde_json::from_slice(bytes).map_err(invalid)?;
    match from_raw(raw, 0).map_err(invalid)? {
        object @ Json::Object(_) => Ok(object),
        _ => Err(Failure::Refused(format!("{} is not a JSON object", file.display()))),
    }
}

/// Converts a raw value, which the parser accepts with any number of levels.
fn from_raw(raw: &RawValue, depth: usize) -> Result<Json, serde_json::Error> {
    if depth > MAX_DEPTH {
        return Err(serde::de::Error::custom(format!("more than {MAX_DEPTH} levels")));
    }
    let text = raw.get();
    let below = |raw: &RawValue| from_raw(raw, depth + 1);
    Ok(match text.as_bytes().first() {
        Some(b'{') => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
            Json::Object(members.into_iter().map(|(k, v)| Ok((k, below(v)?))).collect::<Result<_, _>>()?)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text)?;
            Json::List(items.into_iter().map(below).collect::<Result<_, _>>()?)
        }
        Some(b'"') => Json::String(serde_json::from_str(text)?),
        _ => Json::Scalar(text.to_owned()),
    })
}

/// Why a document cannot be edited.
enum EditError {
    /// The value that would hold a key of the path is not an object.
    NotAnObject { path: String, key: String },
    /// The new value is not JSON.
    Value(serde_json::Error),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::NotAnObject { path, key } => write!(f, "what holds `{key}` of `.{path}` is not an object"),
            EditError::Value(error) => error.fmt(f),
        }
    }
}

fn apply(document: &mut Json, edit: &JsonEdit) -> Result<(), EditError> {
    let path = match edit {
        JsonEdit::Assign { path, .. } | JsonEdit::Delete { path } => path,
    };
    let Some((last, way)) = path.split_last() else { return Ok(()) };
    let mut at = document;
    for key in way {
        let Json::Object(members) = at else { return Err(not_an_object(path, key)) };
        at = match edit {
            JsonEdit::Assign { .. } => members.entry(key.clone()).or_insert_with(|| Json::Object(BTreeMap::new())),
            JsonEdit::Delete { .. } => match members.get_mut(key) {
                Some(member) => member,
                None => return Ok(()),
            },
        };
    }
    let Json::Object(members) = at else { return Err(not_an_object(path, last)) };
    match edit {
        JsonEdit::Assign { value, .. } => {
            let raw: &RawValue = serde_json::from_str(value).map_err(EditError::Value)?;
            members.insert(last.clone(), from_raw(raw, path.len()).map_err(EditError::Value)?);
        }
        JsonEdit::Delete { .. } => {
            members.remove(last);
        }
    }
    Ok(())
}

fn not_an_object(path: &[String], key: &str) -> EditError {
    EditError::NotAnObject { path: path.join("."), key: key.to_owned() }
}

fn print(json: &Json, depth: usize, out: &mut String) {
    let separate = |out: &mut String, first: bool| {
        out.push_str(if first { "\n" } else { ",\n" });
        out.extend(std::iter::repeat_n('\t', depth + 1));
    };
    let close = |out: &mut String| {
        out.push('\n');
        out.extend(std::iter::repeat_n('\t', depth));
    };
    match json {
        Json::Scalar(text) => out.push_str(text),
        Json::String(text) => print_text(text, out),
        Json::List(items) if items.is_empty() => out.push_str("[]"),
        Json::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                separate(out, i == 0);
                print(item, depth + 1, out);
            }
            close(out);
            out.push(']');
        }
        Json::Object(members) if members.is_empty() => out.push_str("{}"),
        Json::Object(members) => {
            out.push('{');
            for (i, (key, value)) in members.iter().enumerate() {
                separate(out, i == 0);
                print_text(key, out);
                out.push_str(": ");
                print(value, depth + 1, out);
            }
            close(out);
            out.push('}');
        }
    }
}

fn print_text(text: &str, out: &mut String) {
    for c in serde_json::Value::from(text).to_string().chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mcl_value::Value;

    use crate::provider_test::{ProviderTest, resource};

    #[track_caller]
    fn check(before: &str, edits: &[&str], after: Result<&str, &str>) {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("f.json");
        fs::write(&file, before).unwrap();
        let edit = resource("json:edit", file.to_str().unwrap()).with("edits", Value::list(edits.iter().copied()));
        let mut test = ProviderTest::new(&edit);
        test.assert_content(&file, before, after);
    }

    #[test]
    fn values_are_set_and_deleted() {
        check(
            "{\"b\": 1.50}",
            &[".a.x = [1, {}]"],
            Ok("{\n\t\"a\": {\n\t\t\"x\": [\n\t\t\t1,\n\t\t\t{}\n\t\t]\n\t},\n\t\"b\": 1.50\n}\n"),
        );
        check(
            "{\"a\": {\"b\": 1, \"c\": 2}}",
            &["del(.a.b)", "del(.x.y)"],
            Ok("{\n\t\"a\": {\n\t\t\"c\": 2\n\t}\n}\n"),
        );
        check("{}", &[".t = \"<&>\""], Ok("{\n\t\"t\": \"\\u003c\\u0026\\u003e\"\n}\n"));
    }

    #[test]
    fn numbers_stay_as_written() {
        let big = "{\"n\": 123456789012345678901234567890.10}";
        check(big, &["del(.x)"], Ok(big));
    }

    #[test]
    fn other_documents_are_refused() {
        check("[1]", &[".a = 1"], Err("is not a JSON object"));
        check("{", &[".a = 1"], Err("is not valid JSON"));
        check("{\"a\": 1}", &[".a.b = 1"], Err("is not an object"));
        check(&"[".repeat(100_000), &[".a = 1"], Err("is not valid JSON"));
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        check(&format!("{{\"a\": {}}}", nested(200_000)), &[".b = 1"], Err("more than 127 levels"));
        check("{}", &[&format!(".a = {}", nested(200_000))], Err("more than 127 levels"));
        check("{}", &[&format!("{} = {}", ".a".repeat(100), nested(100))], Err("more than 127 levels"));
        check(&format!("{{\"a\": [{}0]}}", "0,".repeat(8 << 20)), &[".a = 1"], Err("is larger than 16 MiB"));
    }

    #[test]
    fn a_missing_document_is_an_error() {
        let edit = resource("json:edit", "/no/such/file").with("edits", Value::list([".a = 1"]));
        assert!(ProviderTest::new(&edit).run(true).is_err());
    }
}
