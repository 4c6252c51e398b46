//! How titles name resources: `def self.title_patterns`.

use lib_ruby_parser::Node;
use pp_resource_types::{ReadTitlePattern, RubyRegex};

use crate::constant::{Constant, Environment, bound, sum};
use crate::node::{Call, statements};
use crate::source::Definitions;

/// Maximum depth of calls between methods.
const MAX_CALLS: u32 = 4;
/// Maximum depth of nested conditions.
const MAX_DEPTH: u32 = 32;

/// The method that is read.
#[derive(Clone, Copy)]
struct Place<'d, 'n> {
    definitions: &'d Definitions<'n>,
    /// The module that the method belongs to; `None` for the method of a type.
    module: Option<&'d str>,
    /// The depth of calls between methods.
    calls: u32,
}

/// Reads the body of `self.title_patterns`; `None` if the source does not show what it returns.
pub(crate) fn title_patterns(
    body: Option<&Node>,
    environment: &Environment,
    definitions: &Definitions<'_>,
) -> Option<Vec<ReadTitlePattern>> {
    result(body, environment.clone(), Place { definitions, module: None, calls: 0 })
}

fn result(body: Option<&Node>, mut environment: Environment, place: Place<'_, '_>) -> Option<Vec<ReadTitlePattern>> {
    let (last, before) = statements(body).split_last()?;
    for statement in before {
        run(statement, &mut environment, place, 0)?;
    }
    let last = if let Node::Return(returned) = last { returned.args.first()? } else { last };
    if let Some(Constant::List(patterns)) = value_of(last, &environment, place) {
        return patterns.iter().map(pattern).collect();
    }
    // A method of a module that returns the patterns.
    let call = Call::of(last)?;
    let (body, inner, module) = enter(call, &environment, place)?;
    if place.calls >= MAX_CALLS {
        return None;
    }
    result(body, inner, Place { module: Some(&module), calls: place.calls + 1, ..place })
}

/// Executes an assignment, or the branch of a condition that is known; `None` for anything else.
fn run(statement: &Node, environment: &mut Environment, place: Place<'_, '_>, depth: u32) -> Option<()> {
    match statement {
        Node::Lvasgn(assignment) => {
            let value = value_of(assignment.value.as_deref()?, environment, place);
            environment.bind(&assignment.name, value);
        }
        Node::OpAsgn(assignment) if assignment.operator == "+" => {
            let Node::Lvasgn(variable) = &*assignment.recv else { return None };
            let added = value_of(&assignment.value, environment, place);
            let sum = environment.get(&variable.name).cloned().zip(added).and_then(|(left, right)| sum(left, right));
            environment.bind(&variable.name, sum);
        }
        Node::If(choice) if depth < MAX_DEPTH => {
            let branch = if value_of(&choice.cond, environment, place)?.is_true() {
                choice.if_true.as_deref()
            } else {
                choice.if_false.as_deref()
            };
            for statement in statements(branch) {
                run(statement, environment, place, depth + 1)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// Returns the value of an expression, or of a method of a module without code but an expression.
fn value_of(node: &Node, environment: &Environment, place: Place<'_, '_>) -> Option<Constant> {
    if let Some(value) = environment.value(node) {
        return Some(value);
    }
    match node {
        Node::Array(array) => {
            let items = array.elements.iter().map(|item| value_of(item, environment, place));
            Some(Constant::List(items.collect::<Option<Vec<_>>>()?.into()))
        }
        _ if place.calls < MAX_CALLS => {
            let (body, inner, module) = enter(Call::of(node)?, environment, place)?;
            let [only] = statements(body) else { return None };
            value_of(only, &inner, Place { module: Some(&module), calls: place.calls + 1, ..place })
        }
        _ => None,
    }
}

/// Returns the body of a method of a module, `A::B.name(…)` or, in one of its methods, `name(…)`; what its parameters are; and
/// the module.
fn enter<'n>(
    call: Call<'_>,
    environment: &Environment,
    place: Place<'_, 'n>,
) -> Option<(Option<&'n Node>, Environment, String)> {
    let definitions = place.definitions;
    let module = match call.receiver {
        Some(receiver) => crate::node::constant_name(receiver)?,
        None => place.module?.to_owned(),
    };
    let of_class = definitions.statements(&module).iter().find_map(|statement| match statement {
        Node::Defs(def) if def.name == call.name => Some((def.args.as_deref(), def.body.as_deref())),
        _ => None,
    });
    let function = || definitions.methods(&module).iter().find(|def| def.name == call.name);
    let (parameters, body) = of_class.or_else(|| function().map(|def| (def.args.as_deref(), def.body.as_deref())))?;
    let inner = bound(parameters, call.arguments, environment)?;
    Some((body, inner, module))
}

/// Reads `[/regex/, [[:name], [:type, lambda { |x| x }]]]`.
fn pattern(pattern: &Constant) -> Option<ReadTitlePattern> {
    let Constant::List(parts) = pattern else { return None };
    let [Constant::Regex(regex), Constant::List(groups)] = &**parts else { return None };
    let attribute = |group: &Constant| -> Option<Option<String>> {
        let Constant::List(parts) = group else { return None };
        match &**parts {
            [Constant::Text(name)] | [Constant::Text(name), Constant::Identity] => Some(Some(name.to_string())),
            [Constant::Text(_), Constant::Code] => Some(None),
            _ => None,
        }
    };
    Some(ReadTitlePattern {
        regex: RubyRegex::new(regex),
        attributes: groups.iter().map(attribute).collect::<Option<_>>()?,
    })
}
