//! `lookup` and the `hiera` functions (spec 07 §5.13): their arguments, defaults and checks.

use pp_functions::{Block, DeclareClass, Host, Interrupt};
use pp_types::{Error, ErrorKind, Hash, Type, Value, describe_mismatch, is_instance};

use crate::evaluator::Evaluator;

/// What a call of `lookup` asks for.
#[derive(Default)]
struct Question {
    names: Vec<Value>,
    is_list: bool,
    value_type: Option<Type>,
    merge: Option<Value>,
    default: Option<Value>,
    overrides: Option<Value>,
    default_values: Option<Value>,
}

impl Evaluator<'_> {
    /// Calls `lookup`, `hiera`, `hiera_array`, `hiera_hash` or `hiera_include`.
    pub(crate) fn lookup_data(
        &mut self,
        function: &str,
        arguments: &[Value],
        block: Option<&Block>,
    ) -> Result<Value, Interrupt> {
        let question = match function {
            "lookup" => lookup_question(arguments),
            _ => hiera_question(function, arguments),
        };
        let value = match (self.find_data(&question)?, block, &question.default) {
            (Some(value), _, _) => value,
            (None, Some(block), _) => {
                let names = question.names.clone();
                let name = if question.is_list { Value::array(names) } else { first(names) };
                let value = self.call_block(block, &[name])?;
                check(&question, value, "Value returned from default block")?
            }
            (None, None, Some(default)) => check(&question, default.clone(), "Default value")?,
            (None, None, None) => return Err(not_found(&question).into()),
        };
        match function {
            "hiera_include" => self.declare_classes(DeclareClass::Include, &[value]),
            _ => Ok(value),
        }
    }

    fn find_data(&mut self, question: &Question) -> Result<Option<Value>, Interrupt> {
        if let Some((key, value)) = from_hash(question.overrides.as_ref(), &question.names) {
            return Ok(Some(check(question, value, &format!("Value found for key '{key}' in override hash"))?));
        }
        for name in &question.names {
            let Value::String(key) = name else { continue };
            if let Some(value) = self.data_of_key(key, question.merge.as_ref())? {
                return Ok(Some(check(question, value, "Found value")?));
            }
        }
        let Some((key, value)) = from_hash(question.default_values.as_ref(), &question.names) else { return Ok(None) };
        Ok(Some(check(question, value, &format!("Value found for key '{key}' in default values hash"))?))
    }
}

fn first(names: Vec<Value>) -> Value {
    names.into_iter().next().unwrap_or(Value::Undef)
}

/// Returns the first name that is a key of a hash, with its value.
fn from_hash(hash: Option<&Value>, names: &[Value]) -> Option<(String, Value)> {
    let Some(Value::Hash(hash)) = hash else { return None };
    names.iter().find_map(|name| Some((pp_types::interpolate(name), hash.get(name)?.clone())))
}

fn check(question: &Question, value: Value, subject: &str) -> Result<Value, Error> {
    match &question.value_type {
        Some(ty) if !is_instance(ty, &value) => {
            let text = describe_mismatch(&format!("{subject} has wrong type,"), ty, &value);
            Err(Error::new(ErrorKind::Mismatch, text))
        }
        _ => Ok(value),
    }
}

fn not_found(question: &Question) -> Error {
    not_found_error(&question.names, question.is_list)
}

/// Returns the error about names without a value.
pub(crate) fn not_found_error(names: &[Value], is_list: bool) -> Error {
    let names: Vec<String> = names.iter().map(pp_types::interpolate).collect();
    let what = if is_list {
        let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        format!("any of the names [{}]", quoted.join(", "))
    } else {
        format!("the name '{}'", names.join(", "))
    };
    let error = Error::new(ErrorKind::Evaluation, format!("Function lookup() did not find a value for {what}"));
    error.help("give a default value, or add the key to the data")
}

/// Reads the arguments of `lookup`, which match one of its signatures.
fn lookup_question(arguments: &[Value]) -> Question {
    let mut question = Question::default();
    let mut rest = arguments;
    if let [Value::Hash(options)] = arguments {
        read_options(&mut question, options);
        return question;
    }
    if let Some((names, others)) = rest.split_first() {
        set_names(&mut question, names);
        rest = others;
    }
    match rest {
        [Value::Hash(options)] => read_options(&mut question, options),
        _ => {
            if let Some(Value::Type(ty)) = rest.first() {
                question.value_type = Some(ty.clone());
            }
            question.merge = rest.get(1).filter(|merge| **merge != Value::Undef).cloned();
            question.default = rest.get(2).cloned();
        }
    }
    question
}

fn read_options(question: &mut Question, options: &Hash) {
    for (key, value) in options {
        let Value::String(key) = key else { continue };
        match &**key {
            "name" => set_names(question, value),
            "value_type" => question.value_type = if let Value::Type(ty) = value { Some(ty.clone()) } else { None },
            "merge" => question.merge = (*value != Value::Undef).then(|| value.clone()),
            "default_value" => question.default = Some(value.clone()),
            "override" => question.overrides = Some(value.clone()),
            "default_values_hash" => question.default_values = Some(value.clone()),
            _ => {}
        }
    }
}

fn set_names(question: &mut Question, names: &Value) {
    match names {
        Value::Array(names) => {
            question.names = names.to_vec();
            question.is_list = true;
        }
        name => question.names = vec![name.clone()],
    }
}

/// Reads the arguments of `hiera(key, default, level)` and its relatives.
fn hiera_question(function: &str, arguments: &[Value]) -> Question {
    let merge = match function {
        "hiera_array" | "hiera_include" => "unique",
        "hiera_hash" => "hash",
        _ => "first",
    };
    let merge = Some(Value::from(merge));
    let names = arguments.first().cloned().into_iter().collect();
    Question { names, merge, default: arguments.get(1).cloned(), ..Question::default() }
}
