//! The host of the tests.

use std::sync::Arc;

use pp_functions::{
    Block, BlockId, DeclareClass, FileKind, Host, Interrupt, LogLevel, Strict, Template, call, find_function,
    find_module_function,
};
use pp_types::{Callable, Error, ErrorKind, Hash, Size, TupleType, Type, Value, interpolate, source_form};

/// What a block does.
pub(crate) type Body = fn(&[Value]) -> Result<Value, Interrupt>;

/// A host that knows a few variables and files, and writes down what functions ask of it.
#[derive(Default)]
pub(crate) struct Notebook {
    bodies: Vec<Body>,
    pub(crate) notes: Vec<String>,
    deprecated: Vec<String>,
    steps: u64,
}

/// The variable `$facts`.
const FACTS: &str = r#"{
    "hostname": "agent",
    "os": {"name": "Debian", "family": "Debian"},
    "networking": {"interfaces": {"eth0": {"ip": "192.0.2.10"}}},
    "processors": {"models": ["Example CPU", "Example CPU"]}
}"#;

/// The work that a test may do.
const BUDGET: u64 = 200_000;

impl Notebook {
    /// Makes a block of a function.
    pub(crate) fn block(&mut self, parameters: usize, body: Body) -> Block {
        self.bodies.push(body);
        let count = parameters as u64;
        let types = TupleType { types: vec![Type::Any; parameters], size: Some(Size { min: count, max: count }) };
        Block {
            id: BlockId(u32::try_from(self.bodies.len() - 1).unwrap()),
            callable: Arc::new(Callable { parameters: types, block: None, returns: None }),
            parameter_count: parameters,
            captures_rest: false,
        }
    }

    fn note(&mut self, text: String) {
        self.notes.push(text);
    }
}

fn texts(values: &[Value]) -> String {
    values.iter().map(source_form).collect::<Vec<_>>().join(", ")
}

impl Host for Notebook {
    fn call_block(&mut self, block: &Block, arguments: &[Value]) -> Result<Value, Interrupt> {
        self.charge(1, 0)?;
        match self.bodies[block.id.0 as usize](arguments) {
            Err(Interrupt::Next(value)) => Ok(value),
            result => result,
        }
    }

    fn call_function(&mut self, name: &str, arguments: &[Value], block: Option<&Block>) -> Result<Value, Interrupt> {
        match find_function(name) {
            Some(function) => call(function, self, arguments, block),
            None => Err(Error::new(ErrorKind::Unknown, format!("Unknown function: '{name}'.")).into()),
        }
    }

    fn log(&mut self, level: LogLevel, message: &str) {
        self.note(format!("{level:?}: {message}"));
    }

    fn warn(&mut self, message: &str) {
        self.note(format!("warning: {message}"));
    }

    fn deprecate(&mut self, key: &str, message: &str) {
        if !self.deprecated.iter().any(|known| known == key) {
            self.deprecated.push(key.to_owned());
            self.note(format!("deprecated: {message}"));
        }
    }

    fn strict(&self) -> Strict {
        Strict::Warning
    }

    fn charge(&mut self, steps: u64, bytes: u64) -> Result<(), Interrupt> {
        self.steps = self.steps.saturating_add(steps).saturating_add(bytes / 64);
        if self.steps > BUDGET {
            return Err(Error::new(ErrorKind::Limit, "the budget is used up").into());
        }
        Ok(())
    }

    fn variable(&mut self, name: &str) -> Option<Value> {
        match name.trim_start_matches("::") {
            "facts" => json(FACTS).pop(),
            "fqdn" => Some("agent.example.com".into()),
            "module_name" => Some("apache".into()),
            "title" => Some("apache::internal".into()),
            _ => None,
        }
    }

    fn resolve_type(&mut self, _name: &str) -> Result<Option<Type>, Interrupt> {
        Ok(None)
    }

    fn declare_classes(&mut self, how: DeclareClass, names: &[Value]) -> Result<Value, Interrupt> {
        self.note(format!("{how:?} {}", texts(names)));
        Ok(Value::array(names.to_vec()))
    }

    fn create_resources(&mut self, type_name: &str, resources: &Hash, defaults: &Hash) -> Result<Value, Interrupt> {
        let (resources, defaults) = (Value::hash(resources.clone()), Value::hash(defaults.clone()));
        self.note(format!("create {type_name} {}", texts(&[resources, defaults])));
        Ok(Value::Undef)
    }

    fn resource_attributes(&mut self, type_name: &str, title: &str) -> Option<Hash> {
        let mut attributes = Hash::default();
        attributes.insert("ensure".into(), "installed".into());
        (type_name == "package" && title == "old").then_some(attributes)
    }

    fn realize(&mut self, references: &[Value]) -> Result<Value, Interrupt> {
        self.note(format!("realize {}", texts(references)));
        Ok(Value::Undef)
    }

    fn is_defined(&mut self, argument: &Value) -> Result<bool, Interrupt> {
        Ok(interpolate(argument) == "file")
    }

    fn add_tags(&mut self, names: &[Value]) -> Result<(), Interrupt> {
        self.note(format!("tag {}", texts(names)));
        Ok(())
    }

    fn is_tagged(&mut self, names: &[Value]) -> bool {
        names.iter().all(|name| interpolate(name) == "here")
    }

    fn node_name(&self) -> Arc<str> {
        "agent.example.com".into()
    }

    fn find_file(&mut self, kind: FileKind, name: &str) -> Result<Option<Arc<str>>, Interrupt> {
        Ok(match (kind, name) {
            (FileKind::Files, "m/text" | "m/binary") => Some(format!("/modules/m/files/{}", &name[2..]).into()),
            (FileKind::Templates, "m/page.epp") => Some("/modules/m/templates/page.epp".into()),
            _ => None,
        })
    }

    fn read_file(&mut self, path: &str) -> Result<Arc<[u8]>, Interrupt> {
        Ok(if path.ends_with("binary") { Arc::from(*b"\xff\x00") } else { Arc::from(*b"text\n") })
    }

    fn find_path(&mut self, path: &str) -> Option<Arc<str>> {
        path.starts_with("/modules/m/files/").then(|| path.into())
    }

    fn knows_function(&mut self, name: &str) -> bool {
        find_function(name).is_some()
    }

    fn has_resource_default(&mut self, type_name: &str, attribute: &str) -> bool {
        type_name == "File" && attribute == "mode"
    }

    fn module_directory(&mut self, module: &str) -> Option<Arc<str>> {
        (module == "m").then(|| "/modules/m".into())
    }

    fn erb(&mut self, template: Template<'_>) -> Result<Value, Interrupt> {
        self.note(format!("{template:?}"));
        Ok("rendered".into())
    }

    fn epp(&mut self, template: Template<'_>, parameters: Option<&Hash>) -> Result<Value, Interrupt> {
        let parameters =
            parameters.map_or_else(String::new, |parameters| source_form(&Value::hash(parameters.clone())));
        self.note(format!("{template:?} {parameters}"));
        Ok("rendered".into())
    }

    fn lookup(&mut self, function: &str, arguments: &[Value], _block: Option<&Block>) -> Result<Value, Interrupt> {
        self.note(format!("{function}({})", texts(arguments)));
        Ok("found".into())
    }
}

/// Calls a function, and returns the source form of the result, or the error, after the lines of the log.
pub(crate) fn run(host: &mut Notebook, name: &str, arguments: &[Value], block: Option<&Block>) -> String {
    let function = match name.split_once("/") {
        Some((module, name)) => find_module_function(module, name),
        None => find_function(name),
    };
    let Some(function) = function else { return format!("no function {name}") };
    let result = match call(function, host, arguments, block) {
        Ok(value) => source_form(&value),
        Err(Interrupt::Error(error)) => format!("error: {error}"),
        Err(Interrupt::Break) => "break".to_owned(),
        Err(Interrupt::Next(value)) => format!("next {}", source_form(&value)),
        Err(Interrupt::Return(value)) => format!("return {}", source_form(&value)),
    };
    let mut lines = std::mem::take(&mut host.notes);
    lines.push(result);
    lines.join("\n")
}

/// Reads arguments from JSON.
pub(crate) fn json(arguments: &str) -> Vec<Value> {
    let parsed: serde_json::Value = serde_json::from_str(&format!("[{arguments}]")).expect(arguments);
    parsed.as_array().expect("an array").iter().map(value).collect()
}

fn value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Undef,
        serde_json::Value::Bool(value) => Value::Boolean(*value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::from(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::from(text.as_str()),
        serde_json::Value::Array(values) => Value::array(values.iter().map(value).collect()),
        serde_json::Value::Object(entries) => {
            Value::hash(entries.iter().map(|(name, entry)| (Value::from(name.as_str()), value(entry))).collect())
        }
    }
}
