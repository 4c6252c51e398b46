//! Types whose provider derives from that of `ini_setting` or `openstack_config`: settings of one file (spec 09 §7).

use lib_ruby_parser::Node;
use pp_resource_types::{IniKey, IniMunge, IniType, ReadType};
use pp_ruby_syntax::on_large_stack;

use crate::constant::{Constant, Environment};
use crate::node::{Call, statements, type_argument};
use crate::tree::{MAX_BYTES, parse};

/// The attribute with the value that stands for no setting.
const ABSENT_VALUE: &str = "ensure_absent_val";
/// The attribute with the separator.
const SEPARATOR: &str = "key_val_separator";

/// The providers that others derive from.
#[derive(Clone, Copy, PartialEq)]
enum Base {
    /// `ini_setting`, provider `ruby`.
    IniSetting,
    /// `openstack_config`, provider `ini_setting`.
    OpenstackIniSetting,
    /// `openstack_config`, provider `ruby`.
    Openstack,
}

/// Returns what settings a type stands for, if one of its providers derives from those of settings. `munge` is what the type does
/// with values.
pub(crate) fn ini_type(read: &ReadType, munge: Option<IniMunge>, providers: &[Vec<u8>]) -> Option<IniType> {
    // Which of several providers is used depends on the machine.
    let [bytes] = providers else { return None };
    let mut ini = on_large_stack(bytes.len().min(MAX_BYTES), || {
        let tree = parse(bytes).ok()?;
        statements(tree.root()).iter().find_map(|statement| provider(Call::of(statement)?, read))
    })?;
    match munge {
        // Quoting is known after removing whitespace only.
        Some(munge) if ini.munge == IniMunge::Quote => ini.is_custom |= munge != IniMunge::Strip,
        Some(munge) => ini.munge = munge,
        None => ini.is_custom = true,
    }
    Some(ini)
}

/// Reads `Puppet::Type.type(:x).provide(:y, parent: Puppet::Type.type(:ini_setting).provider(:ruby)) do … end`.
fn provider(call: Call<'_>, read: &ReadType) -> Option<IniType> {
    let environment = Environment::default();
    let text = |node: &Node| match environment.value(node) {
        Some(Constant::Text(text)) => Some(text),
        _ => None,
    };
    let own = text(type_argument(call.receiver?)?)?;
    if call.name != "provide" || *own != *read.name {
        return None;
    }
    let parent = call.arguments.iter().flat_map(crate::node::pairs).find_map(|pair| {
        let Node::Pair(pair) = pair else { return None };
        (text(&pair.key)?.as_ref() == "parent").then_some(&*pair.value)
    })?;
    let parent = Call::of(parent)?;
    let (of_type, name) = (text(type_argument(parent.receiver?)?)?, text(parent.arguments.first()?)?);
    let base = match (&*of_type, &*name) {
        ("ini_setting", "ruby") => Base::IniSetting,
        ("openstack_config", "ini_setting") => Base::OpenstackIniSetting,
        ("openstack_config", "ruby") => Base::Openstack,
        _ => return None,
    };
    let has = |name: &str| read.attribute(name).is_some();
    let mut ini = IniType {
        path: None,
        path_attribute: (base == Base::IniSetting && has("path")).then(|| "path".to_owned()),
        key: if base == Base::IniSetting { IniKey::Attributes } else { IniKey::Name },
        separator: match base {
            // The file is written by another library, which has its own spacing.
            Base::Openstack => "=".to_owned(),
            Base::IniSetting | Base::OpenstackIniSetting => {
                let default = read.attribute(SEPARATOR).and_then(|attribute| attribute.default.clone());
                default.unwrap_or_else(|| "=".to_owned())
            }
        },
        separator_attribute: (base != Base::Openstack && has(SEPARATOR)).then(|| SEPARATOR.to_owned()),
        repeats: base == Base::Openstack,
        munge: IniMunge::Nothing,
        absent_value: (base != Base::IniSetting && has(ABSENT_VALUE))
            .then(|| (ABSENT_VALUE.to_owned(), read.attribute(ABSENT_VALUE).and_then(|a| a.default.clone()))),
        is_custom: false,
    };
    for statement in statements(call.block.and_then(|block| block.body)) {
        method(statement, &environment, &mut ini);
    }
    // Without `file_path`, the settings are those of the attribute `path`.
    if base == Base::IniSetting && ini.path.is_none() && ini.path_attribute.is_none() {
        ini.is_custom = true;
    }
    Some(ini)
}

/// Reads what a provider changes.
fn method(statement: &Node, environment: &Environment, ini: &mut IniType) {
    let (name, body, is_of_class) = match statement {
        Node::Def(def) => (def.name.as_str(), def.body.as_deref(), false),
        Node::Defs(def) => (def.name.as_str(), def.body.as_deref(), true),
        other => {
            // Descriptions, and confinement to machines that have the file.
            let is_known = Call::of(other).is_some_and(|call| matches!(call.name, "desc" | "confine" | "defaultfor"));
            ini.is_custom |= !is_known;
            return;
        }
    };
    if name == "exists?" && quotes(statements(body)) {
        ini.munge = IniMunge::Quote;
        return;
    }
    let [only] = statements(body) else {
        ini.is_custom |= !name.starts_with("to_") && !name.starts_with("from_");
        return;
    };
    let constant = match environment.value(only) {
        Some(Constant::Text(text)) => Some(text.to_string()),
        _ => None,
    };
    match (name, constant) {
        ("file_path", Some(path)) => ini.path = Some(path),
        ("separator", Some(separator)) => {
            ini.separator = separator;
            ini.separator_attribute = None;
        }
        ("section", Some(section)) if section.is_empty() => ini.key = IniKey::NameWithoutSection,
        ("file_path", None) if !is_of_class && is_class_path(only) => {}
        ("file_path", None) if !is_of_class && mentions_path(only) => ini.path_attribute = Some("path".to_owned()),
        ("section", None) if part_of_name(only, "first") => ini.key = IniKey::Name,
        ("setting", None) if part_of_name(only, "last") || is_name(only) => {}
        ("ensure_absent_val", None) if attribute_of_resource(only).as_deref() == Some(ABSENT_VALUE) => {
            ini.absent_value.get_or_insert((ABSENT_VALUE.to_owned(), None));
        }
        // Transformations are called by the attribute `transform_to` only.
        (name, _) if name.starts_with("to_") || name.starts_with("from_") => {}
        _ => ini.is_custom = true,
    }
}

/// The method `exists?` of a provider that puts the value in quotes where the attribute `quote` is set, unless the value says that
/// there is none, or starts with a quote.
fn quotes(body: &[Node]) -> bool {
    let [Node::If(choice), Node::ZSuper(_)] = body else { return false };
    let is_value = |node: &Node| attribute_of_resource(node).as_deref() == Some("value");
    let is_quote = |node: &Node| Environment::default().value(node) == Some(Constant::text("\""));
    let is_symbol_absent = |node: &Node| Environment::default().value(node) == Some(Constant::text("absent"));
    let is_absent = arguments(&choice.cond, "==", is_value).is_some_and(|arguments| match arguments {
        [only] => Call::of(only).is_some_and(|call| call.receiver.is_none() && call.name == ABSENT_VALUE),
        _ => false,
    });
    let Some(Node::If(quoting)) = choice.if_false.as_deref() else { return false };
    let Some(Node::If(unless)) = quoting.if_true.as_deref() else { return false };
    let starts =
        arguments(&unless.cond, "start_with?", is_value).is_some_and(|arguments| arguments.iter().all(is_quote));
    let is_opened = |node: &Node| {
        arguments(node, "+", is_quote).is_some_and(|arguments| matches!(arguments, [value] if is_value(value)))
    };
    let is_quoted = |node: &Node| {
        arguments(node, "+", is_opened).is_some_and(|arguments| matches!(arguments, [end] if is_quote(end)))
    };
    is_absent
        && assigned(choice.if_true.as_deref(), "ensure").is_some_and(is_symbol_absent)
        && attribute_of_resource(&quoting.cond).as_deref() == Some("quote")
        && quoting.if_false.is_none()
        && starts
        && unless.if_true.is_none()
        && assigned(unless.if_false.as_deref(), "value").is_some_and(is_quoted)
}

/// Returns the value that is assigned to an attribute: `resource[:attribute] = value`.
fn assigned<'n>(node: Option<&'n Node>, attribute: &str) -> Option<&'n Node> {
    let Some(Node::IndexAsgn(assignment)) = node else { return None };
    let name = index_of_resource(&assignment.recv, &assignment.indexes)?;
    if name == attribute { assignment.value.as_deref() } else { None }
}

/// Returns the arguments of a call of a method of certain receivers.
fn arguments<'n>(node: &'n Node, name: &str, is_receiver: impl Fn(&Node) -> bool) -> Option<&'n [Node]> {
    let call = Call::of(node).filter(|call| call.name == name && call.receiver.is_some_and(is_receiver))?;
    Some(call.arguments)
}

/// `self.class.file_path`
fn is_class_path(node: &Node) -> bool {
    Call::of(node).is_some_and(|call| {
        call.name == "file_path" && call.receiver.and_then(Call::of).is_some_and(|inner| inner.name == "class")
    })
}

/// `resource[:path]`, also as one of two choices.
fn mentions_path(node: &Node) -> bool {
    let branches = match node {
        Node::If(choice) => [choice.if_true.as_deref(), choice.if_false.as_deref()],
        Node::IfTernary(choice) => [Some(&*choice.if_true), Some(&*choice.if_false)],
        Node::Or(or) => [Some(&*or.lhs), Some(&*or.rhs)],
        other => return attribute_of_resource(other).as_deref() == Some("path"),
    };
    let is_known = |branch: &Node| is_class_path(branch) || attribute_of_resource(branch).as_deref() == Some("path");
    branches.into_iter().all(|branch| branch.is_some_and(is_known))
}

/// `resource[:name].split('/', 2).first`
fn part_of_name(node: &Node, part: &str) -> bool {
    let Some(call) = Call::of(node).filter(|call| call.name == part) else { return false };
    let Some(split) = call.receiver.and_then(Call::of).filter(|call| call.name == "split") else { return false };
    split.receiver.is_some_and(is_name)
}

fn is_name(node: &Node) -> bool {
    attribute_of_resource(node).as_deref() == Some("name")
}

/// `resource[:name]`
fn attribute_of_resource(node: &Node) -> Option<String> {
    let Node::Index(index) = node else { return None };
    index_of_resource(&index.recv, &index.indexes)
}

/// Returns `name` of `resource[:name]`.
fn index_of_resource(receiver: &Node, indexes: &[Node]) -> Option<String> {
    let call = Call::of(receiver)?;
    let [name] = indexes else { return None };
    match Environment::default().value(name)? {
        Constant::Text(name) if call.name == "resource" => Some(name.to_string()),
        _ => None,
    }
}

/// Returns what the body of the property `value` does with its values; `None` if that is not understood.
pub(crate) fn munge(body: Option<&Node>) -> Option<IniMunge> {
    let munge = statements(body).iter().find_map(|statement| {
        let call = Call::of(statement)?;
        if call.name == "munge" { call.block } else { None }
    });
    let Some(block) = munge else { return Some(IniMunge::Nothing) };
    let names = block.names()?;
    let [name] = names.as_slice() else { return None };
    let mut munge = IniMunge::Nothing;
    for statement in statements(block.body) {
        match statement {
            // `value = value.to_s.strip`
            Node::Lvasgn(assignment) if assignment.name == *name => {
                let strip = Call::of(assignment.value.as_deref()?).filter(|call| call.name == "strip")?;
                let text = strip.receiver?;
                let of_name = Call::of(text).filter(|call| call.name == "to_s").and_then(|call| call.receiver);
                is_variable(of_name.unwrap_or(text), name).then_some(())?;
                munge = IniMunge::Strip;
            }
            // `value.capitalize! if value =~ /^(true|false)$/i`
            Node::IfMod(choice) if munge == IniMunge::Strip && choice.if_false.is_none() => {
                let change = Call::of(choice.if_true.as_deref()?)?;
                (change.receiver.is_some_and(|node| is_variable(node, name)) && is_boolean_test(&choice.cond))
                    .then_some(())?;
                munge = match change.name {
                    "capitalize!" => IniMunge::Capitalize,
                    "downcase!" => IniMunge::Downcase,
                    _ => return None,
                };
            }
            other if is_variable(other, name) => {}
            _ => return None,
        }
    }
    Some(munge)
}

fn is_variable(node: &Node, name: &str) -> bool {
    matches!(node, Node::Lvar(variable) if variable.name == name)
}

/// `value =~ /^(true|false)$/i`
fn is_boolean_test(node: &Node) -> bool {
    let argument = match node {
        Node::Send(send) if send.method_name == "=~" => send.args.first(),
        _ => None,
    };
    let value = argument.and_then(|node| Environment::default().value(node));
    matches!(value, Some(Constant::Regex(source)) if source.contains("(true|false)") && source.starts_with("(?i"))
}
