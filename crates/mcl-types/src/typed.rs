//! The typed program: the output of the unify stage (spec 02 §§4-6).
//!
//! Nothing is copied for polymorphism. Three sorts of scope are **generic**: modules (one type per import statement),
//! classes (one per include) and the functions of `func` statements (one per call). Each owns a range of type variables,
//! [`Typed::generics`]; the types of the expressions inside are written in terms of these and of those of the scopes around
//! it. Each place that makes a frame of a generic scope says which types the variables stand for there:
//! [`Typed::slot_types`] for includes and imports, [`Typed::call_types`] for calls of functions, in the order of the range,
//! and in terms of the variables of the scopes around *that place*.
//!
//! So a stage that runs through frames keeps, with each frame of a generic scope, the closed types of its variables
//! ([`Typed::substitute`] applied to the list of the slot or call, in the frame of the slot or call), and gets the concrete
//! type of an expression by `substitute(expr_type, …)` with the lists of the current frame and its static parents. The
//! program's own top level has no variables. Most scopes have none, and then the types in the table are final.
//!
//! Only what the program uses is typed: an unused bind, func or class has [`TypeId::UNTYPED`] everywhere. A bind that one
//! include of a class uses and another does not may have variables of its own; they are [`TypeId::UNTYPED`] for the other.

use std::sync::Arc;

use indexmap::IndexMap;
use mcl_parser::ast::ExprId;
use mcl_value::{Field, FuncType, Type};
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::{Deserialize, Serialize};

use crate::scoped::{DefId, ModuleId, Scoped, SlotId, TypeVars};

/// Index into [`TypeTable`]. Equal types have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TypeId(pub u32);

impl TypeId {
    /// No type: the code is not used, or it has an error that was reported.
    pub const UNTYPED: TypeId = TypeId(0);
    /// `bool`.
    pub const BOOL: TypeId = TypeId(1);
    /// `str`.
    pub const STR: TypeId = TypeId(2);
    /// `int`.
    pub const INT: TypeId = TypeId(3);
    /// `float`.
    pub const FLOAT: TypeId = TypeId(4);

    /// As an index of the table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A type whose parts are in the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum TypeNode {
    Untyped,
    Bool,
    Str,
    Int,
    Float,
    List(TypeId),
    Map(TypeId, TypeId),
    Struct(Box<[(Arc<str>, TypeId)]>),
    /// Argument names are not part of the type; [`TypeTable::to_type`] numbers them.
    Func(Box<[TypeId]>, TypeId),
    /// A variable of a generic scope.
    Var(u32),
}

/// Types, each stored once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeTable {
    nodes: Vec<TypeNode>,
    /// Whether a type contains variables, by id.
    open: Vec<bool>,
    #[serde(skip)]
    index: FxHashMap<TypeNode, TypeId>,
}

impl Default for TypeTable {
    fn default() -> TypeTable {
        let mut table = TypeTable { nodes: Vec::new(), open: Vec::new(), index: FxHashMap::default() };
        for node in [TypeNode::Untyped, TypeNode::Bool, TypeNode::Str, TypeNode::Int, TypeNode::Float] {
            table.intern(node);
        }
        table
    }
}

impl TypeTable {
    /// The node of a type.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &TypeNode {
        &self.nodes[id.index()]
    }

    /// The id of a type; its parts must be in the table.
    pub fn intern(&mut self, node: TypeNode) -> TypeId {
        if self.index.len() != self.nodes.len() {
            // Not stored in artifacts: rebuilt on the first use after loading.
            self.index = self.nodes.iter().cloned().zip((0..).map(TypeId)).collect();
        }
        if let Some(id) = self.index.get(&node) {
            return *id;
        }
        let open = match &node {
            TypeNode::Untyped | TypeNode::Bool | TypeNode::Str | TypeNode::Int | TypeNode::Float => false,
            TypeNode::List(element) => self.is_open(*element),
            TypeNode::Map(key, value) => self.is_open(*key) || self.is_open(*value),
            TypeNode::Struct(fields) => fields.iter().any(|(_, ty)| self.is_open(*ty)),
            TypeNode::Func(args, result) => args.iter().any(|ty| self.is_open(*ty)) || self.is_open(*result),
            TypeNode::Var(_) => true,
        };
        let id = TypeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 types"));
        self.nodes.push(node.clone());
        self.open.push(open);
        self.index.insert(node, id);
        id
    }

    /// Whether the type contains variables of generic scopes.
    #[must_use]
    pub fn is_open(&self, id: TypeId) -> bool {
        self.open[id.index()]
    }

    /// Checks a table from a file: parts come before what they are parts of, and nothing is too deep to recurse over.
    ///
    /// # Errors
    /// The first problem, in a few words.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        const MAX_DEPTH: u32 = 3000;
        let mut depths: Vec<u32> = Vec::with_capacity(self.nodes.len());
        let mut open: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let parts: Vec<TypeId> = match node {
                TypeNode::Untyped
                | TypeNode::Bool
                | TypeNode::Str
                | TypeNode::Int
                | TypeNode::Float
                | TypeNode::Var(_) => Vec::new(),
                TypeNode::List(element) => vec![*element],
                TypeNode::Map(key, value) => vec![*key, *value],
                TypeNode::Struct(fields) => fields.iter().map(|(_, ty)| *ty).collect(),
                TypeNode::Func(args, result) => args.iter().chain([result]).copied().collect(),
            };
            if parts.iter().any(|part| part.index() >= depths.len()) {
                return Err("a type is part of itself");
            }
            let depth = parts.iter().map(|part| depths[part.index()] + 1).max().unwrap_or(0);
            if depth > MAX_DEPTH {
                return Err("a type is too deep");
            }
            depths.push(depth);
            open.push(matches!(node, TypeNode::Var(_)) || parts.iter().any(|part| open[part.index()]));
        }
        let base = TypeTable::default();
        if !self.nodes.starts_with(&base.nodes) || open != self.open {
            return Err("its types contradict one another");
        }
        Ok(())
    }

    /// The number of types.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: the base types are always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The type with every variable replaced. `lookup` gives the closed type of a variable.
    pub fn substitute(&mut self, id: TypeId, lookup: &mut dyn FnMut(u32) -> TypeId) -> TypeId {
        if !self.is_open(id) {
            return id;
        }
        let node = match self.get(id).clone() {
            TypeNode::Var(var) => return lookup(var),
            node @ (TypeNode::Untyped | TypeNode::Bool | TypeNode::Str | TypeNode::Int | TypeNode::Float) => node,
            TypeNode::List(element) => TypeNode::List(self.substitute(element, lookup)),
            TypeNode::Map(key, value) => TypeNode::Map(self.substitute(key, lookup), self.substitute(value, lookup)),
            TypeNode::Struct(mut fields) => {
                for (_, ty) in &mut fields {
                    *ty = self.substitute(*ty, lookup);
                }
                TypeNode::Struct(fields)
            }
            TypeNode::Func(mut args, result) => {
                for ty in &mut args {
                    *ty = self.substitute(*ty, lookup);
                }
                TypeNode::Func(args, self.substitute(result, lookup))
            }
        };
        self.intern(node)
    }

    /// The type as the shared data type. Variables become `?1`, `?2`, … by their number; untyped becomes `nil`.
    #[must_use]
    pub fn to_type(&self, id: TypeId) -> Type {
        match self.get(id) {
            TypeNode::Untyped => Type::Nil,
            TypeNode::Bool => Type::Bool,
            TypeNode::Str => Type::Str,
            TypeNode::Int => Type::Int,
            TypeNode::Float => Type::Float,
            TypeNode::List(element) => Type::List(Arc::new(self.to_type(*element))),
            TypeNode::Map(key, value) => Type::Map(Arc::new((self.to_type(*key), self.to_type(*value)))),
            TypeNode::Struct(fields) => Type::Struct(
                fields.iter().map(|(name, ty)| Field { name: name.clone(), ty: self.to_type(*ty) }).collect(),
            ),
            TypeNode::Func(args, result) => Type::Func(Arc::new(FuncType {
                args: args
                    .iter()
                    .enumerate()
                    .map(|(i, ty)| Field { name: i.to_string().into(), ty: self.to_type(*ty) })
                    .collect(),
                result: self.to_type(*result),
            })),
            TypeNode::Var(var) => Type::Var(var + 1),
        }
    }
}

/// The typed program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Typed {
    /// The resolved program.
    pub scoped: Scoped,
    /// The types that the tables below refer to.
    pub types: TypeTable,
    /// By module, by expression. Enough to know the concrete signature of every call: the types of its arguments and its
    /// own type.
    pub exprs: Vec<Vec<TypeId>>,
    /// By definition: the type of a bind, a parameter, a `func` (its function type); untyped for classes.
    pub defs: Vec<TypeId>,
    /// By scope: the type variables that a module, class or `func` owns; empty for all other scopes.
    pub generics: Vec<TypeVars>,
    /// By slot: the types of the variables of the class or module instantiated there.
    pub slot_types: Vec<Box<[TypeId]>>,
    /// For calls `f(…)` of `func` statements: the types of the function's variables. No entry if it has none.
    pub call_types: IndexMap<ExprIdIn, Box<[TypeId]>, FxBuildHasher>,
}

/// An expression of a module.
pub type ExprIdIn = (ModuleId, ExprId);

impl Typed {
    /// The type of an expression, in terms of the variables of the scopes around it.
    #[must_use]
    pub fn expr(&self, module: ModuleId, expr: ExprId) -> TypeId {
        self.exprs.get(module.index()).and_then(|m| m.get(expr.0 as usize)).copied().unwrap_or(TypeId::UNTYPED)
    }

    /// The type of a definition, in terms of the variables of its scope and those around it.
    #[must_use]
    pub fn def(&self, def: DefId) -> TypeId {
        self.defs.get(def.index()).copied().unwrap_or(TypeId::UNTYPED)
    }

    /// The types that an include or import gives to the variables of what it instantiates.
    #[must_use]
    pub fn slot(&self, slot: SlotId) -> &[TypeId] {
        self.slot_types.get(slot.index()).map_or(&[], |types| types)
    }

    /// The types that a call of a `func` statement gives to its variables.
    #[must_use]
    pub fn call(&self, module: ModuleId, call: ExprId) -> &[TypeId] {
        self.call_types.get(&(module, call)).map_or(&[], |types| types)
    }
}
