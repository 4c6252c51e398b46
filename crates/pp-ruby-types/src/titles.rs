//! How titles name resources: `def self.title_patterns`.

use lib_ruby_parser::Node;
use pp_resource_types::{ReadTitlePattern, RubyRegex};

use crate::constant::{Constant, Environment, bound};
use crate::node::{Call, statements};
use crate::source::Definitions;

/// Maximum number of methods that call each other.
const MAX_CALLS: u32 = 4;

/// Reads the body of `self.title_patterns`; `None` if the source does not show what it returns.
pub(crate) fn title_patterns(
    body: Option<&Node>,
    environment: &Environment,
    definitions: &Definitions<'_>,
) -> Option<Vec<ReadTitlePattern>> {
    result(body, environment.clone(), definitions, 0)
}

fn result(
    body: Option<&Node>,
    mut environment: Environment,
    definitions: &Definitions<'_>,
    calls: u32,
) -> Option<Vec<ReadTitlePattern>> {
    let (last, before) = statements(body).split_last()?;
    for statement in before {
        match statement {
            Node::Lvasgn(assignment) => {
                let value = assignment.value.as_deref()?;
                let value = value_of(value, &environment, definitions, calls);
                environment.bind(&assignment.name, value);
            }
            _ => return None,
        }
    }
    let last = if let Node::Return(returned) = last { returned.args.first()? } else { last };
    if let Some(Constant::List(patterns)) = value_of(last, &environment, definitions, calls) {
        return patterns.iter().map(pattern).collect();
    }
    // A method of a module that returns the patterns.
    let call = Call::of(last)?;
    let (def_body, inner) = enter(call, &environment, definitions)?;
    if calls >= MAX_CALLS {
        return None;
    }
    result(def_body, inner, definitions, calls + 1)
}

/// Returns the value of an expression, or of a method of a module without code but an expression.
fn value_of(node: &Node, environment: &Environment, definitions: &Definitions<'_>, calls: u32) -> Option<Constant> {
    if let Some(value) = environment.value(node) {
        return Some(value);
    }
    match node {
        Node::Array(array) => {
            let items = array.elements.iter().map(|item| value_of(item, environment, definitions, calls));
            Some(Constant::List(items.collect::<Option<Vec<_>>>()?.into()))
        }
        _ if calls < MAX_CALLS => {
            let (body, inner) = enter(Call::of(node)?, environment, definitions)?;
            let [only] = statements(body) else { return None };
            value_of(only, &inner, definitions, calls + 1)
        }
        _ => None,
    }
}

/// Returns the body of a method of a module, `A::B.name(…)`, and what its parameters are.
fn enter<'n>(
    call: Call<'_>,
    environment: &Environment,
    definitions: &Definitions<'n>,
) -> Option<(Option<&'n Node>, Environment)> {
    let module = call.receiver.and_then(crate::node::constant_name)?;
    let of_class = definitions.statements(&module).iter().find_map(|statement| match statement {
        Node::Defs(def) if def.name == call.name => Some((def.args.as_deref(), def.body.as_deref())),
        _ => None,
    });
    let function = || definitions.methods(&module).iter().find(|def| def.name == call.name);
    let (parameters, body) = of_class.or_else(|| function().map(|def| (def.args.as_deref(), def.body.as_deref())))?;
    Some((body, bound(parameters, call.arguments, environment)?))
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
