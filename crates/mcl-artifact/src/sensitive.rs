//! The constants of a program that must not be shown, because the program marks them as sensitive.

use std::collections::BTreeSet;

use crate::program::{ConstId, Constant, EntryKind, Node, NodeIdx, Op, Operand, Program, Statement, Template};

/// The function that marks a value.
const MARK: &str = "secret.sensitive";

/// Returns the constants that the program passes to `secret.sensitive` or sets as a parameter for which
/// `is_sensitive(kind, parameter)` holds, with the parts of those that are lists, maps and structs. If it does so with a
/// value that depends on the caller, all strings are returned.
#[must_use]
pub fn sensitive_constants(program: &Program, is_sensitive: impl Fn(&str, &str) -> bool) -> BTreeSet<ConstId> {
    let mut found = Found { program, constants: BTreeSet::new(), depends_on_caller: false };
    for template in program.templates.values() {
        for Node { op, .. } in template.nodes.values() {
            if let Op::Builtin { function, args } = op
                && *program.strings[program.functions[*function].name] == *MARK
            {
                found.add_operands(template, args);
            }
        }
        for statement in template.statements.values() {
            let Statement::Resource(resource) = statement else { continue };
            for entry in &resource.entries {
                if let EntryKind::Field { name, value, .. } = &entry.kind
                    && is_sensitive(&program.strings[resource.kind], &program.strings[*name])
                {
                    found.add_operands(template, &[*value]);
                }
            }
        }
    }
    if found.depends_on_caller {
        let strings = program.constants.iter().filter(|(_, constant)| matches!(constant, Constant::Str(_)));
        found.constants.extend(strings.map(|(id, _)| id));
    }
    found.constants
}

struct Found<'p> {
    program: &'p Program,
    constants: BTreeSet<ConstId>,
    depends_on_caller: bool,
}

impl Found<'_> {
    /// Adds the constants from which the values of operands are computed.
    fn add_operands(&mut self, template: &Template, operands: &[Operand]) {
        let mut todo = operands.to_vec();
        let mut seen: BTreeSet<NodeIdx> = BTreeSet::new();
        while let Some(operand) = todo.pop() {
            match operand {
                Operand::Const(constant) => self.add_constant(constant),
                Operand::Param(_) | Operand::Capture(_) => self.depends_on_caller = true,
                Operand::Node(node) if seen.insert(node) => match &template.nodes[node].op {
                    Op::List(items) | Op::Struct(_, items) | Op::Builtin { args: items, .. } => todo.extend(items),
                    Op::Map(pairs) => todo.extend(pairs.iter().flat_map(|(key, value)| [*key, *value])),
                    Op::Func { .. } => {}
                    Op::Call { .. } | Op::CallKnown { .. } | Op::If { .. } | Op::Except { .. } => {
                        self.depends_on_caller = true;
                    }
                },
                Operand::Node(_) => {}
            }
        }
    }

    fn add_constant(&mut self, constant: ConstId) {
        let mut todo = vec![constant];
        while let Some(constant) = todo.pop() {
            if !self.constants.insert(constant) {
                continue;
            }
            match &self.program.constants[constant] {
                Constant::List(items) | Constant::Struct(_, items) => todo.extend(items.iter()),
                Constant::Map(pairs) => todo.extend(pairs.iter().flat_map(|(key, value)| [*key, *value])),
                Constant::Bool(_) | Constant::Int(_) | Constant::Float(_) | Constant::Str(_) | Constant::Hostname => {}
            }
        }
    }
}
