//! Types that are declared as strings: signatures of built-in functions, fields of resource kinds.

use std::rc::Rc;
use std::sync::Arc;

use mcl_diagnostics::Span;
use mcl_value::{Field, FuncType, Type};

use crate::infer::Inference;
use crate::solver::types::{Node, Ty};

impl Inference<'_> {
    /// Parses the signature of a built-in function, once.
    pub(crate) fn signature(&mut self, declaration: &'static str) -> Option<Rc<FuncType>> {
        self.signatures
            .functions
            .entry(declaration)
            .or_insert_with(|| FuncType::parse(declaration).map(Rc::new))
            .clone()
    }

    /// Returns the declared type of a resource field.
    pub(crate) fn field_type(&mut self, declaration: &'static str, span: Span) -> Ty {
        if let Some(node) = primitive(declaration) {
            return self.solver.types.add(node, span);
        }
        let parsed = self.signatures.fields.entry(declaration);
        let ty = Rc::clone(parsed.or_insert_with(|| Rc::new(Type::parse(declaration).unwrap_or(Type::Nil))));
        self.declared_type(&ty, &mut Vec::new(), span)
    }

    /// Adds a declared type. Equal numbers of variables (`?1`) become the same variable; `vars` collects them.
    pub(crate) fn declared_type(&mut self, ty: &Type, vars: &mut Vec<(u32, Ty)>, span: Span) -> Ty {
        let node = match ty {
            Type::Bool => Node::Bool,
            Type::Str => Node::Str,
            Type::Int => Node::Int,
            Type::Float => Node::Float,
            Type::List(element) => Node::List(self.declared_type(element, vars, span)),
            Type::Map(parts) => {
                let key = self.declared_type(&parts.0, vars, span);
                Node::Map(key, self.declared_type(&parts.1, vars, span))
            }
            Type::Struct(fields) => {
                let field = |field: &Field| (Arc::clone(&field.name), self.declared_type(&field.ty, vars, span));
                Node::Struct(fields.iter().map(field).collect())
            }
            Type::Func(func) => {
                let args = func.args.iter().map(|arg| self.declared_type(&arg.ty, vars, span)).collect();
                Node::Func(args, self.declared_type(&func.result, vars, span))
            }
            Type::Variant | Type::Nil => return self.solver.fresh_var(span),
            Type::Var(number) => {
                if let Some((_, known)) = vars.iter().find(|(other, _)| other == number) {
                    return *known;
                }
                let var = self.solver.fresh_var(span);
                vars.push((*number, var));
                return var;
            }
        };
        self.solver.types.add(node, span)
    }
}

/// Returns the type that a declaration names, if it has no parts.
pub(crate) fn primitive(declaration: &str) -> Option<Node> {
    match declaration {
        "str" => Some(Node::Str),
        "int" => Some(Node::Int),
        "bool" => Some(Node::Bool),
        "float" => Some(Node::Float),
        _ => None,
    }
}
