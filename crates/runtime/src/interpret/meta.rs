//! Meta parameters from values (spec 04 §3.5, spec 05 §2.2).

use mcl_diagnostics::nearest;
use mcl_value::Value;
use resource_graph::{META_FIELDS, Meta, ResourceKind};

/// Sets one meta parameter, or all of them with `Meta => struct{…}`, whose name is empty or `meta`.
pub(crate) fn set(meta: &mut Meta, kind: &ResourceKind, name: &str, value: &Value) -> Result<(), String> {
    let name = name.to_ascii_lowercase();
    if let Value::Struct(all) = value
        && (name.is_empty() || name == "meta")
    {
        return all.fields.iter().try_for_each(|(name, value)| set_one(meta, kind, name, value));
    }
    set_one(meta, kind, &name, value)
}

fn set_one(meta: &mut Meta, kind: &ResourceKind, name: &str, value: &Value) -> Result<(), String> {
    let traits = kind.traits;
    match (name, value) {
        ("noop", Value::Bool(v)) => meta.noop = *v,
        ("retryreset", Value::Bool(v)) => meta.retryreset = *v,
        ("reset", Value::Bool(v)) => meta.reset = *v,
        ("rewatch", Value::Bool(v)) => meta.rewatch = *v,
        ("realize", Value::Bool(v)) => meta.realize = *v,
        ("dollar", Value::Bool(v)) => meta.dollar = *v,
        ("hidden", Value::Bool(v)) => meta.hidden = *v,
        // Kinds that cannot do it ignore these.
        ("reverse", Value::Bool(v)) => meta.reverse = *v && traits.reverse,
        ("autoedge", Value::Bool(v)) => meta.autoedge = *v || !traits.autoedge,
        ("autogroup", Value::Bool(v)) => meta.autogroup = *v || !traits.autogroup,
        ("retry", Value::Int(n)) => {
            meta.retry = i16::try_from(*n)
                .map_err(|_| format!("`Meta:retry` is {n}, and must be between -1 (for ever) and {}", i16::MAX))?;
        }
        ("delay", Value::Int(n)) => meta.delay = milliseconds("delay", *n)?,
        ("timeout", Value::Int(n)) => meta.timeout = milliseconds("timeout", *n)?,
        ("poll", Value::Int(n)) => {
            meta.poll = i32::try_from(*n)
                .map_err(|_| format!("`Meta:poll` is {n}, and must be a number of seconds up to {}", i32::MAX))?;
        }
        ("burst", Value::Int(n)) => meta.burst = *n,
        ("limit", Value::Float(x)) => meta.limit = *x,
        ("sema", Value::List(items)) => meta.sema = texts("sema", items)?,
        ("export", Value::List(items)) => meta.export = texts("export", items)?,
        _ => return Err(refused(name, value)),
    }
    Ok(())
}

/// The value of a meta parameter, where mcl can express it.
pub(crate) fn get(meta: &Meta, name: &str) -> Option<Value> {
    Some(match name {
        "noop" => meta.noop.into(),
        "retry" => i64::from(meta.retry).into(),
        "retryreset" => meta.retryreset.into(),
        "delay" => i64::try_from(meta.delay).ok()?.into(),
        "timeout" => i64::try_from(meta.timeout).ok()?.into(),
        "poll" => i64::from(meta.poll).into(),
        "limit" => meta.limit.into(),
        "burst" => meta.burst.into(),
        "reset" => meta.reset.into(),
        "sema" => Value::list(meta.sema.iter().map(String::as_str)),
        "rewatch" => meta.rewatch.into(),
        "realize" => meta.realize.into(),
        "dollar" => meta.dollar.into(),
        "hidden" => meta.hidden.into(),
        "export" => Value::list(meta.export.iter().map(String::as_str)),
        "reverse" => meta.reverse.into(),
        "autoedge" => meta.autoedge.into(),
        "autogroup" => meta.autogroup.into(),
        _ => return None,
    })
}

fn milliseconds(name: &str, n: i64) -> Result<u64, String> {
    u64::try_from(n).map_err(|_| format!("`Meta:{name}` is {n}, and a number of milliseconds cannot be negative"))
}

fn texts(name: &str, items: &[Value]) -> Result<Vec<String>, String> {
    items
        .iter()
        .map(|item| match item {
            Value::Str(s) => Ok(s.to_text().into_owned()),
            other => Err(refused(name, other)),
        })
        .collect()
}

fn refused(name: &str, value: &Value) -> String {
    match META_FIELDS.iter().find(|f| f.name == name) {
        Some(field) => format!("`Meta:{name}` is of type {}, and this is of kind {}", field.ty, value.kind()),
        None => {
            let meant = nearest(name, META_FIELDS.iter().map(|f| f.name));
            let hint = meant.map_or_else(String::new, |m| format!("; did you mean `Meta:{m}`?"));
            format!("there is no meta parameter `Meta:{name}`{hint}")
        }
    }
}

#[cfg(test)]
mod tests {
    use resource_graph::kind;

    use super::*;

    #[track_caller]
    fn refused_with(name: &str, value: impl Into<Value>, expected: &str) {
        let mut meta = Meta::default();
        let error = set(&mut meta, kind("test").unwrap(), name, &value.into()).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn ranges_are_checked() {
        refused_with("retry", 40_000, "`Meta:retry` is 40000");
        refused_with("delay", -1, "cannot be negative");
        refused_with("timeout", -1, "cannot be negative");
        refused_with("poll", 1_i64 << 40, "`Meta:poll`");
        refused_with("retyr", 1, "did you mean `Meta:retry`?");
        refused_with("noop", 1, "of type bool");
    }

    #[test]
    fn names_ignore_case_and_a_struct_sets_all() {
        let mut meta = Meta::default();
        let test = kind("test").unwrap();
        set(&mut meta, test, "NoOp", &true.into()).unwrap();
        set(&mut meta, test, "", &Value::strukt([("retry", 3.into()), ("sema", Value::list(["x"]))])).unwrap();
        assert!(meta.noop);
        assert_eq!((meta.retry, meta.sema), (3, vec!["x".to_owned()]));
    }

    #[test]
    fn traits_that_a_kind_lacks_are_ignored() {
        let mut meta = Meta::default();
        set(&mut meta, kind("test").unwrap(), "reverse", &true.into()).unwrap();
        assert!(!meta.reverse);
        set(&mut meta, kind("file").unwrap(), "reverse", &true.into()).unwrap();
        assert!(meta.reverse);
    }
}
