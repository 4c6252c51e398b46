//! Functions of modules that are written in Ruby: their names and numbers of arguments.

use lib_ruby_parser::Node;
use pp_ruby_syntax::on_large_stack;

use crate::constant::{Constant, Environment};
use crate::error::TypeError;
use crate::node::{Call, pairs, statements};
use crate::tree::{MAX_BYTES, parse};

/// Maximum depth of nested modules.
const MAX_DEPTH: u32 = 8;

/// A function of a module that is written in Ruby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFunction {
    /// The name.
    pub name: String,
    /// How it is declared.
    pub api: FunctionApi,
    /// The least number of arguments; `None` if the source does not show it.
    pub least: Option<u32>,
    /// The largest number of arguments; `None` if there is none, or the source does not show it.
    pub most: Option<u32>,
}

/// How a function is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionApi {
    /// `Puppet::Functions.create_function`
    Current,
    /// `newfunction` in `Puppet::Parser::Functions`, whether or not it returns a value.
    Old {
        /// It returns a value.
        is_value: bool,
    },
}

/// Reads a file in `lib/puppet/functions` or `lib/puppet/parser/functions` without running its code.
///
/// # Errors
/// A file that is not Ruby, is too large, or declares no function.
pub fn read_function(bytes: &[u8]) -> Result<ReadFunction, TypeError> {
    on_large_stack(bytes.len().min(MAX_BYTES), || {
        let tree = parse(bytes)?;
        find(tree.root(), 0).ok_or(TypeError::NoType)
    })
}

fn find(body: Option<&Node>, depth: u32) -> Option<ReadFunction> {
    if depth > MAX_DEPTH {
        return None;
    }
    statements(body).iter().find_map(|statement| match statement {
        Node::Module(module) => find(module.body.as_deref(), depth + 1),
        other => function(Call::of(other)?),
    })
}

fn function(call: Call<'_>) -> Option<ReadFunction> {
    let environment = Environment::default();
    let name = environment.value(call.arguments.first()?)?.as_text()?.to_owned();
    match call.name {
        "create_function" => {
            let (least, most) = dispatches(call, &environment);
            Some(ReadFunction { name, api: FunctionApi::Current, least, most })
        }
        "newfunction" => {
            let option = |wanted: &str| {
                call.arguments.iter().flat_map(pairs).find_map(|pair| {
                    let Node::Pair(pair) = pair else { return None };
                    (environment.value(&pair.key)?.as_text()? == wanted).then(|| environment.value(&pair.value))?
                })
            };
            let is_value = option("type").is_some_and(|value| value.as_text() == Some("rvalue"));
            // A negative number is the least number, less one.
            let (least, most) = match option("arity") {
                Some(Constant::Integer(exact)) if exact >= 0 => (u32::try_from(exact).ok(), u32::try_from(exact).ok()),
                Some(Constant::Integer(least)) => (u32::try_from(-(least + 1)).ok(), None),
                _ => (None, None),
            };
            Some(ReadFunction { name, api: FunctionApi::Old { is_value }, least, most })
        }
        _ => None,
    }
}

/// Returns the smallest and largest number of arguments of all signatures.
fn dispatches(call: Call<'_>, environment: &Environment) -> (Option<u32>, Option<u32>) {
    let mut bounds: Option<(u32, Option<u32>)> = None;
    for statement in statements(call.block.and_then(|block| block.body)) {
        let Some(dispatch) = Call::of(statement).filter(|call| call.name == "dispatch") else { continue };
        let (mut least, mut most) = (0, Some(0));
        for statement in statements(dispatch.block.and_then(|block| block.body)) {
            let Some(parameter) = Call::of(statement) else { continue };
            let is_known = parameter.arguments.iter().all(|argument| environment.value(argument).is_some());
            match parameter.name {
                _ if !is_known => {}
                "param" | "required_param" => {
                    least += 1;
                    most = most.map(|most| most + 1);
                }
                "optional_param" => most = most.map(|most| most + 1),
                "repeated_param" | "optional_repeated_param" => most = None,
                "required_repeated_param" => {
                    least += 1;
                    most = None;
                }
                _ => {}
            }
        }
        bounds = Some(match bounds {
            None => (least, most),
            Some((l, m)) => (l.min(least), m.zip(most).map(|(m, most)| m.max(most))),
        });
    }
    match bounds {
        Some((least, most)) => (Some(least), most),
        None => (None, None),
    }
}
