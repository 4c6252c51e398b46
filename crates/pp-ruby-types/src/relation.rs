//! Automatic relations: the block of `autorequire` and its like as a program.
//!
//! Only what has the same result whatever the machine is becomes part of a program. Everything else makes the relation one that
//! could not be read.

use lib_ruby_parser::Node;
use lib_ruby_parser::nodes::{CSend, Def, OpAsgn, OrAsgn};
use pp_resource_types::{LoopResult, Method, Operation, OperationId, Program, Relation, RelationKind, Variable};
use rustc_hash::FxHashMap;

use crate::constant::{Constant, Environment};
use crate::node::{Call, constant_name, statements, type_argument};

/// Maximum depth of nested expressions.
const MAX_DEPTH: u32 = 48;
/// Maximum number of operations of a program.
const MAX_OPERATIONS: u32 = 10_000;
/// Maximum depth of calls between methods.
const MAX_CALLS: u32 = 4;

/// Reads a relation; `None` if the type of the others is computed.
pub(crate) fn read_relation(
    kind: RelationKind,
    call: Call<'_>,
    environment: &Environment,
    methods: &FxHashMap<&str, &Def>,
) -> Option<Relation> {
    let Constant::Text(type_name) = environment.value(call.arguments.first()?)? else { return None };
    let block = call.block?;
    let mut lowering =
        Lowering { program: Program::default(), operations: 0, variables: Vec::new(), environment, methods, calls: 0 };
    let result = lowering.body(block.body, 0);
    let titles = result.map(|_| lowering.program).filter(Program::is_valid);
    Some(Relation { kind, type_name: type_name.to_lowercase(), titles })
}

struct Lowering<'a, 'n> {
    program: Program,
    operations: u32,
    /// The names of the variables.
    variables: Vec<String>,
    environment: &'a Environment,
    methods: &'a FxHashMap<&'n str, &'n Def>,
    calls: u32,
}

impl Lowering<'_, '_> {
    fn push(&mut self, operation: Operation) -> Option<OperationId> {
        self.operations += 1;
        (self.operations <= MAX_OPERATIONS).then(|| self.program.push(operation))
    }

    fn text(&mut self, text: &str) -> Option<OperationId> {
        self.push(Operation::Text(text.to_owned()))
    }

    fn nil(&mut self) -> Option<OperationId> {
        self.push(Operation::Nil)
    }

    fn call(&mut self, receiver: OperationId, method: Method, arguments: Vec<OperationId>) -> Option<OperationId> {
        self.push(Operation::Call { receiver, method, arguments })
    }

    /// Returns the variable of a name.
    fn variable(&mut self, name: &str) -> Option<Variable> {
        let at = match self.variables.iter().position(|known| known == name) {
            Some(at) => at,
            None => {
                self.variables.push(name.to_owned());
                self.variables.len() - 1
            }
        };
        Some(Variable(u16::try_from(at).ok()?))
    }

    fn body(&mut self, body: Option<&Node>, depth: u32) -> Option<OperationId> {
        match statements(body) {
            [] => self.nil(),
            [one] => self.expression(one, depth),
            several => {
                let all = several.iter().map(|node| self.expression(node, depth)).collect::<Option<_>>()?;
                self.push(Operation::Sequence(all))
            }
        }
    }

    fn constant(&mut self, value: &Constant) -> Option<OperationId> {
        match value {
            Constant::Nil => self.nil(),
            Constant::Boolean(value) => self.push(Operation::Boolean(*value)),
            Constant::Integer(value) => self.push(Operation::Integer(*value)),
            Constant::Text(text) => self.text(text),
            Constant::List(items) => {
                let items = items.iter().map(|item| self.constant(item)).collect::<Option<_>>()?;
                self.push(Operation::List(items))
            }
            Constant::Float(_)
            | Constant::Regex(_)
            | Constant::Hash(_)
            | Constant::Name(_)
            | Constant::Identity
            | Constant::Code => None,
        }
    }

    fn expression(&mut self, node: &Node, depth: u32) -> Option<OperationId> {
        if depth > MAX_DEPTH {
            return None;
        }
        let deeper = depth + 1;
        // A variable that is assigned in the block hides what it was outside.
        if !matches!(node, Node::Lvar(_))
            && let Some(value) = self.environment.value(node).filter(|_| self.variables.is_empty())
        {
            return self.constant(&value);
        }
        match node {
            Node::Nil(_)
            | Node::True(_)
            | Node::False(_)
            | Node::Int(_)
            | Node::Str(_)
            | Node::Sym(_)
            | Node::Const(_) => {
                let value = self.environment.value(node)?;
                self.constant(&value)
            }
            Node::Dstr(text) => self.concatenate(&text.parts, deeper),
            Node::Dsym(symbol) => self.concatenate(&symbol.parts, deeper),
            Node::Array(array) => self.array(&array.elements, deeper),
            Node::Begin(_) | Node::KwBegin(_) => self.body(Some(node), deeper),
            Node::Lvar(variable) => {
                if !self.variables.contains(&variable.name)
                    && let Some(value) = self.environment.get(&variable.name).cloned()
                {
                    return self.constant(&value);
                }
                let variable = self.variable(&variable.name)?;
                self.push(Operation::Variable(variable))
            }
            Node::Lvasgn(assignment) => {
                let value = self.expression(assignment.value.as_deref()?, deeper)?;
                let variable = self.variable(&assignment.name)?;
                self.push(Operation::Assign(variable, value))
            }
            Node::OpAsgn(assignment) => self.operator_assignment(assignment, deeper),
            Node::OrAsgn(assignment) => self.or_assignment(assignment, deeper),
            Node::And(and) => {
                let (left, right) = (self.expression(&and.lhs, deeper)?, self.expression(&and.rhs, deeper)?);
                self.push(Operation::And(left, right))
            }
            Node::Or(or) => {
                let (left, right) = (self.expression(&or.lhs, deeper)?, self.expression(&or.rhs, deeper)?);
                self.push(Operation::Or(left, right))
            }
            Node::If(choice) => {
                self.choice(&choice.cond, choice.if_true.as_deref(), choice.if_false.as_deref(), deeper)
            }
            Node::IfMod(choice) => {
                self.choice(&choice.cond, choice.if_true.as_deref(), choice.if_false.as_deref(), deeper)
            }
            Node::IfTernary(choice) => self.choice(&choice.cond, Some(&choice.if_true), Some(&choice.if_false), deeper),
            Node::Case(case) => self.case(case, deeper),
            Node::Return(returned) => self.returned(&returned.args, deeper),
            Node::Index(index) => {
                let [at] = index.indexes.as_slice() else { return None };
                if is_resource(&index.recv) {
                    let Constant::Text(name) = self.environment.value(at)? else { return None };
                    return self.push(Operation::Attribute(name.to_string()));
                }
                self.index(&index.recv, at, deeper)
            }
            Node::CSend(send) => self.safe_call(send, deeper),
            Node::Send(_) | Node::Block(_) => self.send(Call::of(node)?, deeper),
            _ => None,
        }
    }

    /// Lowers an array. `*list` in it contributes its elements.
    fn array(&mut self, elements: &[Node], depth: u32) -> Option<OperationId> {
        let mut items = Vec::with_capacity(elements.len());
        let mut is_nested = false;
        for element in elements {
            items.push(match element {
                Node::Splat(splat) => {
                    is_nested = true;
                    self.expression(splat.value.as_deref()?, depth)?
                }
                other => self.expression(other, depth)?,
            });
        }
        let list = self.push(Operation::List(items))?;
        if is_nested { self.call(list, Method::Flatten, Vec::new()) } else { Some(list) }
    }

    /// Lowers `variable += value` and the like.
    fn operator_assignment(&mut self, assignment: &OpAsgn, depth: u32) -> Option<OperationId> {
        let Node::Lvasgn(target) = &*assignment.recv else { return None };
        let method = match assignment.operator.as_str() {
            "+" => Method::Plus,
            "-" => Method::Difference,
            "<<" => Method::Append,
            _ => return None,
        };
        let value = self.expression(&assignment.value, depth)?;
        let variable = self.variable(&target.name)?;
        let old = self.push(Operation::Variable(variable))?;
        let value = self.call(old, method, vec![value])?;
        self.push(Operation::Assign(variable, value))
    }

    /// Lowers `variable ||= value`.
    fn or_assignment(&mut self, assignment: &OrAsgn, depth: u32) -> Option<OperationId> {
        let Node::Lvasgn(target) = &*assignment.recv else { return None };
        let value = self.expression(&assignment.value, depth)?;
        let variable = self.variable(&target.name)?;
        let value = self.push(Operation::Assign(variable, value))?;
        let old = self.push(Operation::Variable(variable))?;
        self.push(Operation::Or(old, value))
    }

    fn returned(&mut self, values: &[Node], depth: u32) -> Option<OperationId> {
        let value = match values {
            [] => self.nil()?,
            [only] => self.expression(only, depth)?,
            _ => return None,
        };
        self.push(Operation::Return(value))
    }

    /// Lowers `receiver&.method(arguments)`.
    fn safe_call(&mut self, send: &CSend, depth: u32) -> Option<OperationId> {
        let receiver = self.expression(&send.recv, depth)?;
        let condition = self.call(receiver, Method::IsNil, Vec::new())?;
        let then = self.nil()?;
        let otherwise = self.method(receiver, &send.method_name, &send.args, depth)?;
        self.push(Operation::If { condition, then, otherwise })
    }

    fn concatenate(&mut self, parts: &[Node], depth: u32) -> Option<OperationId> {
        let parts = parts.iter().map(|part| self.expression(part, depth)).collect::<Option<_>>()?;
        self.push(Operation::Concatenate(parts))
    }

    fn choice(
        &mut self,
        condition: &Node,
        then: Option<&Node>,
        otherwise: Option<&Node>,
        depth: u32,
    ) -> Option<OperationId> {
        let condition = self.expression(condition, depth)?;
        let (then, otherwise) = (self.body(then, depth)?, self.body(otherwise, depth)?);
        self.push(Operation::If { condition, then, otherwise })
    }

    fn case(&mut self, case: &lib_ruby_parser::nodes::Case, depth: u32) -> Option<OperationId> {
        let subject = self.expression(case.expr.as_deref()?, depth)?;
        let mut result = self.body(case.else_body.as_deref(), depth)?;
        for branch in case.when_bodies.iter().rev() {
            let Node::When(when) = branch else { return None };
            let body = self.body(when.body.as_deref(), depth)?;
            for pattern in &when.patterns {
                // `nil`, booleans, numbers and texts match what they are equal to.
                let pattern = self.environment.value(pattern)?;
                let pattern = self.constant(&pattern)?;
                let condition = self.call(subject, Method::Equal, vec![pattern])?;
                result = self.push(Operation::If { condition, then: body, otherwise: result })?;
            }
        }
        Some(result)
    }

    fn index(&mut self, receiver: &Node, at: &Node, depth: u32) -> Option<OperationId> {
        if let Node::Irange(range) = at {
            let receiver = self.expression(receiver, depth)?;
            let from = self.expression(range.left.as_deref()?, depth)?;
            let to = match range.right.as_deref() {
                Some(to) => self.expression(to, depth)?,
                None => self.push(Operation::Integer(-1))?,
            };
            return self.call(receiver, Method::Slice, vec![from, to]);
        }
        let value = self.environment.value(at);
        let receiver = self.expression(receiver, depth)?;
        match value {
            Some(Constant::Text(name)) => self.push(Operation::AttributeOf(receiver, name.to_string())),
            Some(at @ Constant::Integer(_)) => {
                let at = self.constant(&at)?;
                self.call(receiver, Method::Element, vec![at])
            }
            _ => None,
        }
    }

    fn send(&mut self, call: Call<'_>, depth: u32) -> Option<OperationId> {
        let is_own = call.receiver.is_none_or(is_resource);
        if is_own && call.block.is_none() {
            match (call.name, call.arguments) {
                ("value" | "should" | "parameter" | "[]", [name]) => {
                    let Constant::Text(name) = self.environment.value(name)? else { return None };
                    return self.push(Operation::Attribute(name.to_string()));
                }
                ("title", []) => return self.push(Operation::Attribute("title".to_owned())),
                ("name", []) => return self.push(Operation::Attribute("name".to_owned())),
                ("Array", [value]) if call.receiver.is_none() => {
                    let value = self.expression(value, depth)?;
                    return self.call(value, Method::ToList, Vec::new());
                }
                // Messages are not part of the result.
                ("debug" | "info" | "notice" | "warning", _) if call.receiver.is_none() => return self.nil(),
                (name, arguments) if call.receiver.is_none() => return self.enter(name, arguments, depth),
                _ => {}
            }
        }
        let receiver = call.receiver?;
        if let Some(operation) = self.catalog(receiver, call, depth) {
            return Some(operation);
        }
        if let Some(name) = constant_name(receiver) {
            return self.static_method(&name, call, depth);
        }
        match call.block {
            Some(_) => self.repeat(receiver, call, depth),
            None => {
                if let ([Node::BlockPass(_)], "map" | "collect") = (call.arguments, call.name) {
                    return None;
                }
                // `parameter(:x).value`: attributes are values already.
                let is_attribute = Call::of(receiver).is_some_and(|inner| inner.name == "parameter")
                    || matches!(receiver, Node::Index(index) if matches!(&*index.recv, Node::Ivar(_)));
                if is_attribute && matches!(call.name, "value" | "should") && call.arguments.is_empty() {
                    return self.expression(receiver, depth);
                }
                let receiver = self.expression(receiver, depth)?;
                self.method(receiver, call.name, call.arguments, depth)
            }
        }
    }

    /// Enters a method of the type.
    fn enter(&mut self, name: &str, arguments: &[Node], depth: u32) -> Option<OperationId> {
        let def = *self.methods.get(name)?;
        if self.calls >= MAX_CALLS {
            return None;
        }
        let parameters = match def.args.as_deref() {
            None => &[][..],
            Some(Node::Args(args)) => &args.args,
            Some(_) => return None,
        };
        if parameters.len() != arguments.len() {
            return None;
        }
        let mut all = Vec::new();
        let mut names: Vec<(String, String)> = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let Node::Arg(parameter) = parameter else { return None };
            let value = self.expression(argument, depth)?;
            let inner = format!("{}@{}", parameter.name, self.variables.len());
            let variable = self.variable(&inner)?;
            all.push(self.push(Operation::Assign(variable, value))?);
            names.push((inner, parameter.name.clone()));
        }
        // The method has names of its own, so those of the caller are hidden while it is read.
        let hidden: Vec<String> = self.variables.iter_mut().map(std::mem::take).collect();
        for (at, variable) in self.variables.iter_mut().enumerate() {
            *variable = match names.iter().find(|(inner, _)| *inner == hidden[at]) {
                Some((_, name)) => name.clone(),
                None => format!("hidden {at}"),
            };
        }
        let count = hidden.len();
        self.calls += 1;
        let result = self.body(def.body.as_deref(), depth + 1);
        self.calls -= 1;
        for (variable, name) in self.variables.iter_mut().zip(hidden) {
            *variable = name;
        }
        for (at, variable) in self.variables.iter_mut().enumerate().skip(count) {
            *variable = format!("hidden {at}");
        }
        all.push(self.push(Operation::Enter(result?))?);
        self.push(Operation::Sequence(all))
    }

    /// `catalog.resource(:file, '/a')`, `catalog.resources.select { |r| r.is_a?(Puppet::Type.type(:file)) && … }`.
    fn catalog(&mut self, receiver: &Node, call: Call<'_>, depth: u32) -> Option<OperationId> {
        let is_catalog = |node: &Node| {
            Call::of(node).is_some_and(|call| call.name == "catalog" && call.receiver.is_none_or(is_resource))
        };
        if is_catalog(receiver)
            && let ("resource", [type_name, title]) = (call.name, call.arguments)
        {
            let Constant::Text(type_name) = self.environment.value(type_name)? else { return None };
            let title = self.expression(title, depth)?;
            return self.push(Operation::Resource(type_name.to_lowercase(), title));
        }
        let inner = Call::of(receiver)?;
        if inner.name != "resources" || !inner.receiver.is_some_and(is_catalog) {
            return None;
        }
        let block = call.block?;
        let result = loop_result(call.name)?;
        let names = block.names()?;
        let ([name], [condition]) = (names.as_slice(), statements(block.body)) else { return None };
        let mut conditions = Vec::new();
        let type_name = self.of_type(name, condition, &mut conditions, depth)?;
        let items = self.push(Operation::Resources(type_name))?;
        let variable = self.variable(name)?;
        let mut body = self.push(Operation::Boolean(true))?;
        for condition in conditions {
            let condition = self.expression(condition, depth)?;
            body = self.push(Operation::And(body, condition))?;
        }
        self.push(Operation::Loop { items, variable, body, result })
    }

    /// Splits `r.is_a?(Puppet::Type.type(:x)) && a && b` into the name of the type and the other conditions.
    fn of_type<'t>(&self, name: &str, condition: &'t Node, rest: &mut Vec<&'t Node>, depth: u32) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        if let Node::And(and) = condition {
            let found = self.of_type(name, &and.lhs, rest, depth + 1)?;
            rest.push(&and.rhs);
            return Some(found);
        }
        let call = Call::of(condition)?;
        let [argument] = call.arguments else { return None };
        let is_item = |node: &Node| matches!(node, Node::Lvar(variable) if variable.name == name);
        let type_name = match call.name {
            "is_a?" | "kind_of?" | "instance_of?" if call.receiver.is_some_and(is_item) => {
                self.environment.value(type_argument(argument)?)?
            }
            "==" => {
                let left = Call::of(call.receiver?)?;
                match (left.name, left.receiver) {
                    ("type", Some(receiver)) if is_item(receiver) => self.environment.value(argument)?,
                    ("to_s", Some(receiver)) => {
                        let class = Call::of(receiver)?;
                        if class.name != "class" || !class.receiver.is_some_and(is_item) {
                            return None;
                        }
                        let Constant::Text(name) = self.environment.value(argument)? else { return None };
                        Constant::text(name.strip_prefix("Puppet::Type::")?)
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(type_name.as_text()?.to_lowercase())
    }

    fn static_method(&mut self, class: &str, call: Call<'_>, depth: u32) -> Option<OperationId> {
        let arguments =
            call.arguments.iter().map(|argument| self.expression(argument, depth)).collect::<Option<Vec<_>>>()?;
        match (class, call.name, arguments.as_slice()) {
            ("File", "dirname", [path]) => self.call(*path, Method::Dirname, Vec::new()),
            ("File", "basename", [path]) => self.call(*path, Method::Basename, Vec::new()),
            ("File", "join", _) => {
                let parts = self.push(Operation::List(arguments))?;
                self.call(parts, Method::JoinPath, Vec::new())
            }
            ("Pathname", "new", [path]) => Some(*path),
            ("Puppet", "debug" | "info" | "notice" | "warning", _) => self.nil(),
            _ => None,
        }
    }

    fn repeat(&mut self, receiver: &Node, call: Call<'_>, depth: u32) -> Option<OperationId> {
        let block = call.block?;
        let result = loop_result(call.name)?;
        let items = self.expression(receiver, depth)?;
        let names = block.names()?;
        let [name] = names.as_slice() else { return None };
        let variable = self.variable(name)?;
        let body = self.body(block.body, depth)?;
        let looped = self.push(Operation::Loop { items, variable, body, result })?;
        if call.name == "flat_map" { self.call(looped, Method::Flatten, Vec::new()) } else { Some(looped) }
    }

    fn method(&mut self, receiver: OperationId, name: &str, given: &[Node], depth: u32) -> Option<OperationId> {
        if let ("is_a?" | "kind_of?", [class]) = (name, given) {
            let method = match constant_name(class)?.as_str() {
                "String" => Method::IsText,
                "Array" => Method::IsList,
                _ => return None,
            };
            return self.call(receiver, method, Vec::new());
        }
        let mut arguments =
            given.iter().map(|argument| self.expression(argument, depth)).collect::<Option<Vec<_>>>()?;
        let method = match name {
            // Of a path.
            "absolute?" if arguments.is_empty() => {
                arguments.push(self.text("/")?);
                Method::StartWith
            }
            "<<" | "push" | "append" => Method::Append,
            "+" | "concat" => Method::Plus,
            "-" => Method::Difference,
            "==" | "eql?" => Method::Equal,
            "!=" => {
                let equal = self.call(receiver, Method::Equal, arguments)?;
                return self.push(Operation::Not(equal));
            }
            "!" => return self.push(Operation::Not(receiver)),
            "basename" => Method::Basename,
            "capitalize" => Method::Capitalize,
            "compact" => Method::Compact,
            "dirname" | "parent" => Method::Dirname,
            "downcase" => Method::Downcase,
            "empty?" => Method::IsEmpty,
            "end_with?" => Method::EndWith,
            "first" => Method::First,
            "flatten" => Method::Flatten,
            "gsub" => Method::ReplaceAll,
            "include?" | "member?" => Method::Include,
            "join" => Method::Join,
            "last" => Method::Last,
            "length" | "size" | "count" => Method::Size,
            "name" | "title" => Method::Title,
            "nil?" => Method::IsNil,
            "reverse" => Method::Reverse,
            "should" | "[]" if matches!(given, [_]) => {
                let Constant::Text(name) = self.environment.value(&given[0])? else { return None };
                return self.push(Operation::AttributeOf(receiver, name.to_string()));
            }
            "split" => Method::Split,
            "start_with?" => Method::StartWith,
            "strip" => Method::Strip,
            "sub" => Method::Replace,
            "to_a" => Method::ToList,
            "to_s" | "to_sym" | "to_str" => Method::ToText,
            "uniq" => Method::Unique,
            "upcase" => Method::Upcase,
            "dup" | "freeze" | "clone" if arguments.is_empty() => return Some(receiver),
            _ => return None,
        };
        self.call(receiver, method, arguments)
    }
}

/// Returns whether an expression is the resource itself: `self`, `resource`, or its table of parameters.
fn is_resource(node: &Node) -> bool {
    match node {
        Node::Self_(_) => true,
        Node::Ivar(variable) => matches!(variable.name.as_str(), "@parameters" | "@original_parameters" | "@resource"),
        other => Call::of(other).is_some_and(|call| {
            call.receiver.is_none()
                && call.arguments.is_empty()
                && matches!(call.name, "resource" | "original_parameters" | "parameters")
        }),
    }
}

fn loop_result(method: &str) -> Option<LoopResult> {
    Some(match method {
        "each" => LoopResult::Items,
        "map" | "collect" | "flat_map" => LoopResult::Results,
        "select" | "filter" | "find_all" => LoopResult::Selected,
        "reject" => LoopResult::Rejected,
        "find" | "detect" => LoopResult::Found,
        "any?" => LoopResult::Any,
        "all?" => LoopResult::All,
        _ => return None,
    })
}
