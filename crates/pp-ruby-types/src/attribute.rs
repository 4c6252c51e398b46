//! The attributes of a type: `newparam`, `newproperty`, `ensurable`.

use pp_resource_types::{ReadAttribute, Role, RubyRegex};

use crate::constant::{Constant, Environment};
use crate::node::{Block, Call, statements};

/// Reads a parameter or property; `None` if its name is computed.
pub(crate) fn attribute(call: Call<'_>, role: Role, environment: &Environment) -> Option<ReadAttribute> {
    let (name, options) = call.arguments.split_first()?;
    let Constant::Text(name) = environment.value(name)? else { return None };
    let mut read = ReadAttribute::new(&name, role);
    if role == Role::Parameter && &*name == "name" {
        read.role = Role::Name;
    }
    let mut parent = None;
    for option in options.iter().flat_map(crate::node::pairs) {
        let lib_ruby_parser::Node::Pair(pair) = option else { continue };
        let (Some(key), value) = (environment.value(&pair.key), environment.value(&pair.value)) else { continue };
        match (key.as_text(), value) {
            // A property never names a resource.
            (Some("namevar"), Some(Constant::Boolean(true))) if role == Role::Parameter => read.role = Role::Name,
            (Some("parent"), Some(Constant::Name(name))) => parent = Some(name),
            _ => {}
        }
    }
    let mut values = Values::default();
    if parent
        .as_deref()
        .is_some_and(|parent| parent.ends_with("Parameter::Boolean") || parent.ends_with("Property::Boolean"))
    {
        values.words.extend(["true", "false", "yes", "no"].map(str::to_owned));
    } else if parent.as_deref().is_some_and(|parent| parent.ends_with("Property::Ensure")) {
        values.words.extend(["present", "absent"].map(str::to_owned));
    } else if parent.is_some() {
        values.is_unknown = true;
    }
    values.body(call.block, &mut read, environment);
    values.finish(&mut read);
    Some(read)
}

/// Reads the property `ensure`.
pub(crate) fn ensure(block: Option<Block<'_>>, environment: &Environment) -> ReadAttribute {
    let mut read = ReadAttribute::new("ensure", Role::Property);
    let mut values = Values::default();
    if block.is_none() {
        values.words.extend(["present", "absent"].map(str::to_owned));
    }
    values.body(block, &mut read, environment);
    values.finish(&mut read);
    read
}

/// The values that an attribute takes, while its body is read.
#[derive(Default)]
struct Values {
    words: Vec<String>,
    patterns: Vec<RubyRegex>,
    /// Code decides.
    is_unknown: bool,
}

impl Values {
    fn body(&mut self, block: Option<Block<'_>>, read: &mut ReadAttribute, environment: &Environment) {
        for statement in statements(block.and_then(|block| block.body)) {
            let Some(call) = Call::of(statement) else {
                // A method of the attribute, such as `def unsafe_validate`, may decide.
                self.is_unknown |=
                    matches!(statement, lib_ruby_parser::Node::Def(def) if def.name.contains("validate"));
                continue;
            };
            match call.name {
                "isnamevar" if read.role == Role::Parameter => read.role = Role::Name,
                "newvalues" | "newvalue" => self.add(call, environment),
                "aliasvalue" => {
                    if let Some(word) = call.arguments.first().and_then(|node| environment.value(node)) {
                        self.words.extend(word.to_text());
                    }
                }
                "defaultvalues" => self.words.extend(["present", "absent"].map(str::to_owned)),
                "defaultto" => {
                    let default = call.arguments.first().and_then(|node| environment.value(node));
                    read.default = default.filter(|value| *value != Constant::Nil).and_then(|value| value.to_text());
                }
                "validate" | "include" | "extend" => self.is_unknown = true,
                // Newer releases of Puppet: the attribute is only reported.
                "read_only" => read.is_read_only = true,
                _ => {}
            }
        }
    }

    fn add(&mut self, call: Call<'_>, environment: &Environment) {
        for argument in call.arguments {
            let value = match argument {
                lib_ruby_parser::Node::Splat(splat) => splat.value.as_deref().and_then(|node| environment.value(node)),
                // Options such as `event` follow the value.
                lib_ruby_parser::Node::Hash(_) | lib_ruby_parser::Node::Kwargs(_) => continue,
                other => environment.value(other),
            };
            match value {
                Some(Constant::Regex(source)) => self.patterns.push(RubyRegex::new(&source)),
                Some(Constant::List(items)) => self.words.extend(items.iter().filter_map(Constant::to_text)),
                Some(value) => match value.to_text() {
                    Some(word) => self.words.push(word),
                    None => self.is_unknown = true,
                },
                None => self.is_unknown = true,
            }
            if call.name == "newvalue" {
                break;
            }
        }
    }

    fn finish(self, read: &mut ReadAttribute) {
        if !self.is_unknown {
            (read.words, read.patterns) = (self.words, self.patterns);
        }
    }
}
