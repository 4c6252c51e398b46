//! `world` and `_collect`: the state that the hosts of a fleet share (spec 03 §5.22, §3.8).
//!
//! Resources write to the [`SharedStore`]; functions only read it.

use go_compat::os::error_text;
use mcl_value::Value;
use shared_store::{Exported, SharedStore};

use crate::args::Args;
use crate::table::{Outcome, fatal, ok, streaming};
use crate::{Function, FunctionError, Stream, StreamContext};

pub(crate) static FUNCTIONS: &[Function] = &[
    streaming(
        "world.getval",
        "func(key str) struct{value str; exists bool}",
        "Returns the shared string for a key. Updates when it changes.",
        || Box::<GetVal>::default(),
    )
    .example(r#"world.getval("leader")->value"#),
    streaming(
        "world.kvlookup",
        "func(namespace str) map{str: str}",
        "Returns the shared string of each host in a namespace. Updates when one changes.",
        || Box::<KvLookup>::default(),
    )
    .example(r#"world.kvlookup("addresses")"#),
    streaming(
        "world.schedule",
        "func(namespace str) []str",
        "Returns the hosts that are scheduled in a namespace. Updates when they change.",
        || Box::<Schedule>::default(),
    )
    .example(r#"world.schedule("web")"#),
];

pub(crate) static COLLECT: &[Function] = &[streaming(
    "world/collect.res",
    "func(kind str) []struct{name str; host str}",
    "Returns the exported resources of a kind that this host can collect. Updates when they change.",
    || Box::<CollectRes>::default(),
)
.example(r#"collect.res("file")"#)];

/// Opens the shared store for an instance, one of whose arguments must not change.
fn visit(
    cx: &mut dyn StreamContext,
    fixed: &mut Option<String>,
    what: &str,
    value: &str,
) -> Result<SharedStore, FunctionError> {
    if value.is_empty() {
        return Err(FunctionError::fatal(format!("can't use an empty {what}")));
    }
    let previous = fixed.get_or_insert_with(|| value.to_owned());
    if previous != value {
        return Err(FunctionError::fatal(format!("can't change {what}, previously: `{previous}`")));
    }
    Ok(SharedStore::new(cx.state_dir(), cx.hostname()))
}

fn unreadable(what: &str, error: &std::io::Error) -> FunctionError {
    FunctionError::fatal(format!("channel read failed on `{what}`: {}", error_text(error)))
}

#[derive(Default)]
struct GetVal(Option<String>);

impl Stream for GetVal {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let key = args.text(0)?;
        let world = visit(cx, &mut self.0, "key", &key)?;
        cx.wake_on_path(&world.string_file(&key));
        cx.wake_on_path(&world.sensitive_mark(&key));
        let was_sensitive = world.is_sensitive(&key);
        let value = world.string(&key).map_err(|error| unreadable(&key, &error))?;
        if value.is_some() && (was_sensitive || world.is_sensitive(&key)) {
            cx.mark_sensitive();
        }
        let exists = value.is_some();
        ok(Value::strukt([("value", value.unwrap_or_default().into()), ("exists", exists.into())]))
    }
}

#[derive(Default)]
struct KvLookup(Option<String>);

impl Stream for KvLookup {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let namespace = args.text(0)?;
        let world = visit(cx, &mut self.0, "namespace", &namespace)?;
        cx.wake_on_path(&world.strings_dir(&namespace));
        let unreadable = |error| unreadable(&namespace, &error);
        let was_sensitive = world.has_sensitive_strings(&namespace).map_err(unreadable)?;
        let found = world.host_strings(&namespace).map_err(unreadable)?;
        if was_sensitive || world.has_sensitive_strings(&namespace).map_err(unreadable)? {
            cx.mark_sensitive();
        }
        ok(Value::map(found.into_iter().map(|(host, value)| (host.into(), value.into()))))
    }
}

#[derive(Default)]
struct Schedule(Option<String>);

impl Stream for Schedule {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let namespace = args.text(0)?;
        let world = visit(cx, &mut self.0, "namespace", &namespace)?;
        cx.wake_on_path(&world.schedule_dir(&namespace));
        ok(Value::list(world.scheduled(&namespace).map_err(|error| unreadable(&namespace, &error))?))
    }
}

/// Returns the exported resources of a kind, and requests a call when they change.
fn exported(
    cx: &mut dyn StreamContext,
    fixed: &mut Option<String>,
    kind: &str,
) -> Result<Vec<Exported>, FunctionError> {
    let world = visit(cx, fixed, "kind", kind)?;
    for directory in world.exports_dirs(kind).map_err(|error| unreadable(kind, &error))? {
        cx.wake_on_path(&directory);
    }
    world.exported(kind).map_err(|error| unreadable(kind, &error))
}

#[derive(Default)]
struct CollectRes(Option<String>);

impl Stream for CollectRes {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
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

impl Stream for Collect {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let kind = args.text(0)?;
        if kind.is_empty() {
            return fatal("function must not have an empty kind arg");
        }
        // The selected names and hosts; an empty string selects all.
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
