//! The documentation as JSON.

use mcl_functions::{Function, Signature};
use resource_graph::{META_FIELDS, ResourceKind};
use serde_json::{Value, json};

use crate::doc::find::Match;
use crate::doc::kinds::{allowed, constant_name, constant_value, parameters};

/// Returns the documentation of functions and kinds.
pub fn documents(functions: &[&Function], kinds: &[&ResourceKind]) -> String {
    let functions: Vec<Value> = functions.iter().map(|f| function_json(f)).collect();
    let kinds: Vec<Value> = kinds.iter().map(|kind| kind_json(kind)).collect();
    format!("{:#}\n", json!({"functions": functions, "kinds": kinds}))
}

/// Returns what a word was found in.
pub fn matches(matches: &[Match]) -> String {
    let matches = matches.iter().map(|found| json!({"in": found.group, "name": found.name, "doc": found.description}));
    format!("{:#}\n", json!({"matches": matches.collect::<Vec<_>>()}))
}

fn function_json(function: &Function) -> Value {
    let fixed = match function.signature {
        Signature::Fixed(text) => Some(text),
        Signature::CallSite(_) => None,
    };
    json!({
        "name": function.name,
        "type": fixed,
        "signatures": function.signatures(),
        "doc": function.doc,
        "example": function.documented_example(),
    })
}

fn kind_json(kind: &ResourceKind) -> Value {
    let fields: Vec<Value> = parameters(kind)
        .into_iter()
        .map(|f| {
            let default = (!f.default.is_empty()).then_some(f.default);
            json!({
                "name": f.name,
                "type": f.ty,
                "required": f.required,
                "default": default,
                "doc": f.doc,
                "allowed": allowed(kind, f),
                "secret": f.sensitive,
            })
        })
        .collect();
    let sends: Vec<Value> = kind.sends.iter().map(|send| json!({"name": send.name, "type": send.ty})).collect();
    let constants = kind.constants.iter();
    let constants = constants.map(|c| json!({"name": constant_name(kind, c), "value": constant_value(c)}));
    json!({
        "name": kind.name,
        "doc": kind.doc,
        "implemented": kind.implemented,
        "example": kind.example,
        "parameters": fields,
        "constants": constants.collect::<Vec<_>>(),
        "sends": sends,
        "receives": kind.traits.receive,
    })
}

/// Returns the documentation of the meta parameters.
pub fn meta() -> String {
    let field =
        |f: &resource_graph::MetaField| json!({"name": f.name, "type": f.ty, "default": f.default, "doc": f.doc});
    format!("{:#}\n", json!({"meta": META_FIELDS.iter().map(field).collect::<Vec<_>>()}))
}
