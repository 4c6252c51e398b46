//! The last step: entries of the tables that nothing refers to are dropped, from templates down to strings.

use cranelift_entity::PrimaryMap;
use mcl_artifact::program::{
    Closure, ConstId, Constant, EntryKind, FunctionIdx, Half, Op, Operand, Program, Statement, StrId, Template,
    TemplateId, TypeIdx,
};

use crate::marks::Marks;
use crate::visit;

/// Drops unused templates, constants, functions, types and strings. The others keep their order.
pub(crate) fn compact(program: &mut Program) {
    templates(&mut program.templates);
    let mut ids = Ids {
        strings: Marks::new(program.strings.len()),
        types: Marks::new(program.types.len()),
        constants: Marks::new(program.constants.len()),
        functions: Marks::new(program.functions.len()),
        renumber: false,
    };
    ids.visit(program);
    ids.strings.number();
    ids.types.number();
    ids.constants.number();
    ids.functions.number();
    ids.renumber = true;
    ids.visit(program);
    ids.strings.retain(&mut program.strings);
    ids.types.retain(&mut program.types);
    ids.constants.retain(&mut program.constants);
    ids.functions.retain(&mut program.functions);
}

/// Templates refer only to earlier ones, and the last one is the program.
fn templates(templates: &mut PrimaryMap<TemplateId, Template>) {
    let mut marks = Marks::new(templates.len());
    if let Some((last, _)) = templates.last() {
        marks.mark(last);
    }
    for (id, template) in templates.iter_mut().rev() {
        if marks.is_used(id) {
            closures(template, &mut |closure| marks.mark(closure.template));
        }
    }
    marks.number();
    marks.retain(templates);
    for template in templates.values_mut() {
        closures(template, &mut |closure| closure.template = marks.new_id(closure.template));
    }
}

fn closures(template: &mut Template, f: &mut dyn FnMut(&mut Closure)) {
    template.nodes.values_mut().for_each(|node| visit::op_closures(&mut node.op, f));
    template.statements.values_mut().for_each(|statement| visit::statement_closures(statement, f));
}

/// Visits all ids of a program: first to mark them, then to renumber them.
struct Ids {
    strings: Marks<StrId>,
    types: Marks<TypeIdx>,
    constants: Marks<ConstId>,
    functions: Marks<FunctionIdx>,
    renumber: bool,
}

impl Ids {
    fn visit(&mut self, program: &mut Program) {
        for template in program.templates.values_mut() {
            if let Some(label) = &mut template.label {
                self.string(label);
            }
            for node in template.nodes.values_mut() {
                visit::op(&mut node.op, &mut |_, operand| self.operand(operand));
                match &mut node.op {
                    Op::Struct(ty, _) | Op::Func { ty, .. } => self.ty(ty),
                    Op::Builtin { function, .. } => self.function(function),
                    Op::List(_)
                    | Op::Map(_)
                    | Op::Call { .. }
                    | Op::CallKnown { .. }
                    | Op::If { .. }
                    | Op::Except { .. } => {}
                }
            }
            template.root.iter_mut().for_each(|root| self.operand(root));
            template.keep.iter_mut().for_each(|keep| self.operand(keep));
            for statement in template.statements.values_mut() {
                visit::statement(statement, &mut |_, operand| self.operand(operand));
                self.statement(statement);
            }
        }
        // Parts come before their composites.
        for (id, constant) in program.constants.iter_mut().rev() {
            if self.constants.is_used(id) {
                match constant {
                    Constant::List(parts) => parts.iter_mut().for_each(|part| self.constant(part)),
                    Constant::Map(pairs) => {
                        for (key, value) in pairs {
                            self.constant(key);
                            self.constant(value);
                        }
                    }
                    Constant::Struct(ty, parts) => {
                        self.ty(ty);
                        parts.iter_mut().for_each(|part| self.constant(part));
                    }
                    Constant::Bool(_)
                    | Constant::Int(_)
                    | Constant::Float(_)
                    | Constant::Str(_)
                    | Constant::Hostname => {}
                }
            }
        }
        for (id, function) in &mut program.functions {
            if self.functions.is_used(id) {
                self.string(&mut function.name);
                self.string(&mut function.module_dir);
            }
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Resource(resource) => {
                self.string(&mut resource.kind);
                for entry in &mut resource.entries {
                    match &mut entry.kind {
                        EntryKind::Field { name, ty, .. } => {
                            self.string(name);
                            self.ty(ty);
                        }
                        EntryKind::Edge { half, .. } => self.half(half),
                        EntryKind::Meta { property, .. } => self.string(property),
                    }
                }
            }
            Statement::Edge { halves, .. } => halves.iter_mut().for_each(|half| self.half(half)),
            Statement::If { .. } | Statement::For { .. } | Statement::ForKv { .. } => {}
        }
    }

    fn half(&mut self, half: &mut Half) {
        self.string(&mut half.kind);
        half.key.iter_mut().for_each(|key| self.string(key));
    }

    fn operand(&mut self, operand: &mut Operand) {
        if let Operand::Const(id) = operand {
            self.constant(id);
        }
    }

    fn string(&mut self, id: &mut StrId) {
        self.strings.visit(id, self.renumber);
    }

    fn ty(&mut self, id: &mut TypeIdx) {
        self.types.visit(id, self.renumber);
    }

    fn constant(&mut self, id: &mut ConstId) {
        self.constants.visit(id, self.renumber);
    }

    fn function(&mut self, id: &mut FunctionIdx) {
        self.functions.visit(id, self.renumber);
    }
}
