//! `world` and collecting: the state that the hosts of a fleet share (spec 03 §5.22, §3.8).
//!
//! [`World`] is the only way to it. This one is for a single host: everything is a file below the state directory, so it
//! outlives the program, and changes are noticed as changes of files. Resources write to it, functions read.

use std::path::{Path, PathBuf};

use mcl_value::Value;

use crate::args::Args;
use crate::files::{create_private_dir, write_atomically};
use crate::golang::os::go_error;
use crate::table::{Outcome, fatal, live, ok};
use crate::{Function, FunctionError, Live, LiveContext};

pub(crate) static FUNCTIONS: &[Function] = &[
    live(
        "world.getval",
        "func(key str) struct{value str; exists bool}",
        "The shared text under a key. Watched.",
        || Box::<GetVal>::default(),
    ),
    live(
        "world.kvlookup",
        "func(namespace str) map{str: str}",
        "The text of each host in a namespace. Watched.",
        || Box::<KvLookup>::default(),
    ),
    live("world.schedule", "func(namespace str) []str", "The hosts that are chosen in a namespace. Watched.", || {
        Box::<Schedule>::default()
    }),
];

pub(crate) static COLLECT: &[Function] = &[live(
    "world/collect.res",
    "func(kind str) []struct{name str; host str}",
    "The exported resources of a kind that this host may see. Watched.",
    || Box::<CollectRes>::default(),
)];

/// A resource that a host exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The name of the resource.
    pub name: String,
    /// The host that exported it.
    pub host: String,
    /// The encoded resource.
    pub data: String,
}

/// The shared state, as one host sees it.
#[derive(Clone, Debug)]
pub struct World {
    root: PathBuf,
    hostname: String,
}

/// File names of values end so; directories have no ending, so a key can be a part of another one.
const VALUE: &str = ".value";

impl World {
    /// The world whose state lies below `state_dir`, seen by the host of that name.
    #[must_use]
    pub fn new(state_dir: &Path, hostname: &str) -> World {
        World { root: state_dir.join("world"), hostname: hostname.to_owned() }
    }

    /// The text under a key.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn string(&self, key: &str) -> std::io::Result<Option<Vec<u8>>> {
        read(&self.string_file(key))
    }

    /// Sets the text under a key, or removes it.
    ///
    /// # Errors
    /// When the state cannot be written.
    pub fn set_string(&self, key: &str, value: Option<&[u8]>) -> std::io::Result<()> {
        write(&self.string_file(key), value)
    }

    /// The text of each host in a namespace.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn host_strings(&self, namespace: &str) -> std::io::Result<Vec<(String, Vec<u8>)>> {
        let mut found = Vec::new();
        for (host, path) in list(&self.strings_dir(namespace))? {
            found.extend(read(&path)?.map(|value| (host, value)));
        }
        Ok(found)
    }

    /// Sets the text of this host in a namespace, or removes it.
    ///
    /// # Errors
    /// When the state cannot be written.
    pub fn set_host_string(&self, namespace: &str, value: Option<&[u8]>) -> std::io::Result<()> {
        self.set_string(&format!("{namespace}/{}", self.hostname), value)
    }

    /// The hosts chosen in a namespace: of one host, that one, if it takes part.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn scheduled(&self, namespace: &str) -> std::io::Result<Vec<String>> {
        Ok(list(&self.schedule_dir(namespace))?.into_iter().map(|(host, _)| host).collect())
    }

    /// Says whether this host takes part in the schedule of a namespace.
    ///
    /// # Errors
    /// When the state cannot be written.
    pub fn set_scheduled(&self, namespace: &str, takes_part: bool) -> std::io::Result<()> {
        let file = value_file(&self.schedule_dir(namespace), &self.hostname);
        write(&file, takes_part.then_some(b""))
    }

    /// The exported resources of a kind that this host may see, sorted by name and host.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn exported(&self, kind: &str) -> std::io::Result<Vec<Exported>> {
        let mut found = Vec::new();
        for (name, directory) in list_dirs(&self.exports_dir(kind))? {
            for (host, path) in list(&directory)? {
                let Some(record) = read(&path)? else { continue };
                // A line of hosts, then the data.
                let record = String::from_utf8_lossy(&record).into_owned();
                let (hosts, data) = record.split_once('\n').unwrap_or((&record, ""));
                if hosts.split(' ').any(|to| to == "*" || decode(to) == self.hostname) {
                    found.push(Exported { name: name.clone(), host, data: data.to_owned() });
                }
            }
        }
        Ok(found)
    }

    /// Exports a resource to hosts (`*` is every host), or takes it back.
    ///
    /// # Errors
    /// When the state cannot be written.
    pub fn export(&self, kind: &str, name: &str, to: &[&str], data: Option<&str>) -> std::io::Result<()> {
        let directory = self.exports_dir(kind).join(encode(name));
        let hosts: Vec<String> =
            to.iter().map(|host| if *host == "*" { "*".to_owned() } else { encode(host) }).collect();
        let record = data.map(|data| format!("{}\n{data}", hosts.join(" ")));
        write(&value_file(&directory, &self.hostname), record.as_ref().map(|record| record.as_bytes()))
    }

    fn strings_dir(&self, namespace: &str) -> PathBuf {
        namespace.split('/').fold(self.root.join("strings"), |dir, part| dir.join(encode(part)))
    }

    fn string_file(&self, key: &str) -> PathBuf {
        match key.rsplit_once('/') {
            Some((dir, name)) => value_file(&self.strings_dir(dir), name),
            None => value_file(&self.root.join("strings"), key),
        }
    }

    fn schedule_dir(&self, namespace: &str) -> PathBuf {
        self.root.join("schedule").join(encode(namespace))
    }

    fn exports_dir(&self, kind: &str) -> PathBuf {
        self.root.join("exports").join(encode(kind))
    }
}

fn value_file(directory: &Path, name: &str) -> PathBuf {
    directory.join(encode(name) + VALUE)
}

/// A text as a file name: letters, digits and `_` stay, also `-` and `.` but at the start.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => out.push(char::from(byte)),
            b'-' | b'.' if i > 0 => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02x}")),
        }
    }
    if out.is_empty() { "%".to_owned() } else { out }
}

fn decode(name: &str) -> String {
    let (mut out, mut bytes) = (Vec::new(), name.bytes());
    while let Some(byte) = bytes.next() {
        let mut digit = || char::from(bytes.next()?).to_digit(16);
        match byte {
            b'%' => out.extend(digit().zip(digit()).and_then(|(high, low)| u8::try_from(high * 16 + low).ok())),
            byte => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn read(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(contents) => Ok(Some(contents)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn write(path: &Path, value: Option<&[u8]>) -> std::io::Result<()> {
    match value {
        Some(value) if read(path)?.as_deref() == Some(value) => Ok(()),
        Some(value) => {
            path.parent().map_or(Ok(()), create_private_dir)?;
            write_atomically(path, value)
        }
        None => match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
    }
}

/// The values in a directory: name and path, sorted by name.
fn list(directory: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    entries(directory, |name| name.strip_suffix(VALUE).map(decode))
}

/// The directories in a directory.
fn list_dirs(directory: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    entries(directory, |name| (!name.ends_with(VALUE)).then(|| decode(name)))
}

fn entries(directory: &Path, name: impl Fn(&str) -> Option<String>) -> std::io::Result<Vec<(String, PathBuf)>> {
    let read = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    let mut found = Vec::new();
    for entry in read {
        let entry = entry?;
        // Names that start with a dot are files being written.
        let file_name = entry.file_name().to_string_lossy().into_owned();
        if let Some(name) = name(&file_name).filter(|_| !file_name.starts_with('.')) {
            found.push((name, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// The world of an instance, and the argument that must stay the same while it lives.
fn visit(
    cx: &mut dyn LiveContext,
    fixed: &mut Option<String>,
    what: &str,
    value: &str,
) -> Result<World, FunctionError> {
    if value.is_empty() {
        return Err(FunctionError::fatal(format!("can't use an empty {what}")));
    }
    let previous = fixed.get_or_insert_with(|| value.to_owned());
    if previous != value {
        return Err(FunctionError::fatal(format!("can't change {what}, previously: `{previous}`")));
    }
    Ok(World::new(cx.state_dir(), cx.hostname()))
}

fn unreadable(what: &str, error: &std::io::Error) -> FunctionError {
    FunctionError::fatal(format!("channel read failed on `{what}`: {}", go_error(error)))
}

#[derive(Default)]
struct GetVal(Option<String>);

impl Live for GetVal {
    fn call(&mut self, cx: &mut dyn LiveContext, args: &[Value]) -> Outcome {
        let key = args.text(0)?;
        let world = visit(cx, &mut self.0, "key", &key)?;
        cx.wake_on_path(&world.string_file(&key));
        let value = world.string(&key).map_err(|error| unreadable(&key, &error))?;
        let exists = value.is_some();
        ok(Value::strukt([("value", value.unwrap_or_default().into()), ("exists", exists.into())]))
    }
}

#[derive(Default)]
struct KvLookup(Option<String>);

impl Live for KvLookup {
    fn call(&mut self, cx: &mut dyn LiveContext, args: &[Value]) -> Outcome {
        let namespace = args.text(0)?;
        let world = visit(cx, &mut self.0, "namespace", &namespace)?;
        cx.wake_on_path(&world.strings_dir(&namespace));
        let found = world.host_strings(&namespace).map_err(|error| unreadable(&namespace, &error))?;
        ok(Value::map(found.into_iter().map(|(host, value)| (host.into(), value.into()))))
    }
}

#[derive(Default)]
struct Schedule(Option<String>);

impl Live for Schedule {
    fn call(&mut self, cx: &mut dyn LiveContext, args: &[Value]) -> Outcome {
        let namespace = args.text(0)?;
        let world = visit(cx, &mut self.0, "namespace", &namespace)?;
        cx.wake_on_path(&world.schedule_dir(&namespace));
        ok(Value::list(world.scheduled(&namespace).map_err(|error| unreadable(&namespace, &error))?))
    }
}

/// The exported resources of a kind; the engine is told to look again when one appears or changes.
fn exported(cx: &mut dyn LiveContext, fixed: &mut Option<String>, kind: &str) -> Result<Vec<Exported>, FunctionError> {
    let world = visit(cx, fixed, "kind", kind)?;
    let directory = world.exports_dir(kind);
    cx.wake_on_path(&directory);
    for (_, records) in list_dirs(&directory).map_err(|error| unreadable(kind, &error))? {
        cx.wake_on_path(&records);
    }
    world.exported(kind).map_err(|error| unreadable(kind, &error))
}

#[derive(Default)]
struct CollectRes(Option<String>);

impl Live for CollectRes {
    fn call(&mut self, cx: &mut dyn LiveContext, args: &[Value]) -> Outcome {
        let kind = args.text(0)?;
        if kind.is_empty() {
            return fatal("resource kind is empty");
        }
        let found = exported(cx, &mut self.0, &kind)?;
        let entry = |e: Exported| Value::strukt([("name", e.name.into()), ("host", e.host.into())]);
        ok(Value::list(found.into_iter().map(entry)))
    }
}

#[derive(Default)]
pub(crate) struct Collect(Option<String>);

impl Live for Collect {
    fn call(&mut self, cx: &mut dyn LiveContext, args: &[Value]) -> Outcome {
        let kind = args.text(0)?;
        if kind.is_empty() {
            return fatal("function must not have an empty kind arg");
        }
        // Name and host that are asked for; an empty one stands for any.
        let any_host = |name: &Value| Some((name.as_bytes()?.to_vec(), Vec::new()));
        let pair = |value: &Value| match value {
            Value::Struct(st) => Some((st.get("name")?.as_bytes()?.to_vec(), st.get("host")?.as_bytes()?.to_vec())),
            name => any_host(name),
        };
        let wanted = match args.any(1)? {
            Value::List(items) => items.iter().map(pair).collect::<Option<Vec<_>>>(),
            name => any_host(name).map(|pair| vec![pair]),
        };
        let Some(wanted) = wanted else { return fatal(format!("unexpected type: {}", args.any(1)?.kind())) };
        let mut found = exported(cx, &mut self.0, &kind)?;
        let fits = |wanted: &[u8], found: &str| wanted.is_empty() || wanted == found.as_bytes();
        found.retain(|e| wanted.iter().any(|(name, host)| fits(name, &e.name) && fits(host, &e.host)));
        let entry =
            |e: Exported| Value::strukt([("name", e.name.into()), ("host", e.host.into()), ("data", e.data.into())]);
        ok(Value::list(found.into_iter().map(entry)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_world_of_one_host_persists() -> std::io::Result<()> {
        let dir = tempfile::tempdir()?;
        let world = World::new(dir.path(), "h1");
        assert_eq!(world.string("a")?, None);
        world.set_string("a", Some(b"1"))?;
        world.set_string("a/b c", Some(b"2"))?;
        world.set_host_string("a", Some(b"3"))?;
        world.set_scheduled("s", true)?;
        world.export("file", "/tmp/x", &["*"], Some("data\nmore"))?;
        world.export("file", "/tmp/y", &["other"], Some("secret"))?;

        let again = World::new(dir.path(), "h1");
        assert_eq!(again.string("a")?, Some(b"1".to_vec()));
        assert_eq!(again.host_strings("a")?, [("b c".to_owned(), b"2".to_vec()), ("h1".to_owned(), b"3".to_vec())]);
        assert_eq!(again.scheduled("s")?, ["h1"]);
        let exported = Exported { name: "/tmp/x".to_owned(), host: "h1".to_owned(), data: "data\nmore".to_owned() };
        assert_eq!(again.exported("file")?, [exported]);

        again.export("file", "/tmp/x", &["*"], None)?;
        again.set_string("a", None)?;
        again.set_scheduled("s", false)?;
        assert_eq!((world.exported("file")?, world.string("a")?, world.scheduled("s")?), (vec![], None, vec![]));
        Ok(())
    }

    #[test]
    fn names_are_file_names_and_back() {
        for name in ["a/b", "..", "", "é%", "web-1.example.com"] {
            let encoded = encode(name);
            assert!(!encoded.contains('/') && !encoded.starts_with('.') && !encoded.is_empty());
            assert_eq!(decode(&encoded), name);
        }
    }
}
