//! The typed program: the output of the unify stage (spec 02 §4).
//!
//! Nothing is copied for polymorphism. Three kinds of scope are **generic**: modules (one type per import statement),
//! classes (one per include) and the functions of `func` statements (one per call). Each owns a range of type variables,
//! [`Typed::generics`]; the types of the expressions inside mention these variables and those of the enclosing scopes.
//! Each instantiation of a generic scope gives types to the variables: [`Typed::instance_types`] for includes and
//! imports, [`Typed::call_types`] for calls of functions, in the order of the range. These types may in turn mention the
//! variables of the scopes around *the instantiation*.
//!
//! A stage that executes frames therefore keeps, with each frame of a generic scope, the closed types of its variables
//! ([`TypeTable::substitute`] applied to the types of the instance or call, in the frame that contains it), and obtains the
//! concrete type of an expression by substituting the types of the current frame and its static parents. The top level of
//! the program has no variables. Nor do most scopes, and then the types in the table are final.
//!
//! Only what the program uses is typed: an unused binding, func or class has [`TypeId::UNTYPED`] everywhere. A binding that
//! one include of a class uses and another does not may have variables of its own; they are [`TypeId::UNTYPED`] for the
//! other.

mod calls;
mod id;

use std::hash::BuildHasher;
use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use hashbrown::HashTable;
use mcl_parser::ast::ExprId;
use mcl_value::{Field, FuncType, Type};
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::{Deserialize, Serialize};

use crate::invalid::InvalidProgram;
use crate::scoped::{DefId, InstanceId, ModuleId, ScopeId, Scoped, TypeVars};

pub use calls::{CallTypes, ExprKey};
pub use id::TypeId;

/// A type whose parts are in the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the variants are the types of the language")]
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

/// Interned types: each is stored once. A table may continue another one ([`TypeTable::continuing`]).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TypeTable {
    /// The table that this one continues, with the first ids.
    #[serde(skip)]
    base: Option<Arc<TypeTable>>,
    #[serde(with = "mcl_diagnostics::table")]
    nodes: PrimaryMap<TypeId, TypeNode>,
    /// Whether the type contains variables.
    #[serde(with = "mcl_diagnostics::table")]
    open: PrimaryMap<TypeId, bool>,
    /// Finds the positions of the nodes of this table.
    #[serde(skip)]
    index: HashTable<TypeId>,
}

/// Whether two tables have the same types with the same ids.
impl PartialEq for TypeTable {
    fn eq(&self, other: &TypeTable) -> bool {
        self.base == other.base && self.nodes == other.nodes
    }
}

impl Default for TypeTable {
    fn default() -> TypeTable {
        TypeTable::with_capacity(0)
    }
}

impl TypeTable {
    /// Creates a table of the types without parts, with memory for others.
    pub(crate) fn with_capacity(count: usize) -> TypeTable {
        let (nodes, open) = (PrimaryMap::with_capacity(count), PrimaryMap::with_capacity(count));
        let mut table = TypeTable { base: None, nodes, open, index: HashTable::new() };
        for node in [TypeNode::Untyped, TypeNode::Bool, TypeNode::Str, TypeNode::Int, TypeNode::Float] {
            table.intern(node);
        }
        table
    }

    /// Makes the table one that several others can continue.
    #[must_use]
    pub fn into_base(mut self) -> Arc<TypeTable> {
        self.complete_index();
        Arc::new(self)
    }

    /// Creates a table with the types of another one, and with the same ids for them.
    #[must_use]
    pub fn continuing(base: Arc<TypeTable>) -> TypeTable {
        let (nodes, open, index) = Default::default();
        TypeTable { base: Some(base), nodes, open, index }
    }

    /// Releases the index of a table to which nothing is added soon; it is rebuilt on its next use.
    pub(crate) fn release_index(&mut self) {
        self.index = HashTable::new();
        self.nodes.shrink_to_fit();
        self.open.shrink_to_fit();
    }

    /// The index is not stored in artifacts: it is rebuilt on the first use after loading.
    fn complete_index(&mut self) {
        if self.index.len() != self.nodes.len() {
            let mut index = HashTable::with_capacity(self.nodes.len());
            for (position, node) in &self.nodes {
                index.insert_unique(hash(node), position, |position| hash(&self.nodes[*position]));
            }
            self.index = index;
        }
    }

    /// Returns the number of types that the base has.
    fn base_len(&self) -> u32 {
        self.base.as_ref().map_or(0, |base| base.len() as u32)
    }

    /// Returns the table that has a type, and the position there.
    fn locate(&self, id: TypeId) -> (&TypeTable, TypeId) {
        match &self.base {
            Some(base) if id.index() < base.len() => base.locate(id),
            Some(base) => (self, TypeId(id.0 - base.len() as u32)),
            None => (self, id),
        }
    }

    /// Returns the node of a type.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &TypeNode {
        let (table, position) = self.locate(id);
        &table.nodes[position]
    }

    /// Returns the id of a type, adding it if necessary; its parts must be in the table.
    pub fn intern(&mut self, node: TypeNode) -> TypeId {
        self.complete_index();
        let hash_of_node = hash(&node);
        let mut table = Some(&*self);
        while let Some(searched) = table {
            if let Some(position) = searched.index.find(hash_of_node, |position| searched.nodes[*position] == node) {
                return TypeId(searched.base_len() + position.0);
            }
            table = searched.base.as_deref();
        }
        let open = match &node {
            TypeNode::Untyped | TypeNode::Bool | TypeNode::Str | TypeNode::Int | TypeNode::Float => false,
            TypeNode::List(element) => self.is_open(*element),
            TypeNode::Map(key, value) => self.is_open(*key) || self.is_open(*value),
            TypeNode::Struct(fields) => fields.iter().any(|(_, ty)| self.is_open(*ty)),
            TypeNode::Func(args, result) => args.iter().any(|ty| self.is_open(*ty)) || self.is_open(*result),
            TypeNode::Var(_) => true,
        };
        let position = self.nodes.push(node);
        self.open.push(open);
        self.index.insert_unique(hash_of_node, position, |position| hash(&self.nodes[*position]));
        TypeId(self.base_len() + position.0)
    }

    /// Returns whether the type contains variables of generic scopes.
    #[must_use]
    pub fn is_open(&self, id: TypeId) -> bool {
        let (table, position) = self.locate(id);
        table.open[position]
    }

    /// Checks a table that was read from a file: parts come before the types that contain them, and no type is nested too
    /// deeply to recurse over.
    ///
    /// # Errors
    /// The first violation.
    pub(crate) fn validate(&self) -> Result<(), InvalidProgram> {
        /// Levels of nesting that the recursive functions of this table and of later stages can handle.
        const MAX_DEPTH: u32 = 3000;
        let mut depths: PrimaryMap<TypeId, u32> = PrimaryMap::with_capacity(self.nodes.len());
        let mut open: PrimaryMap<TypeId, bool> = PrimaryMap::with_capacity(self.nodes.len());
        for node in self.nodes.values() {
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
            if parts.iter().any(|part| !depths.is_valid(*part)) {
                return Err(InvalidProgram::new("a type is part of itself"));
            }
            let depth = parts.iter().map(|part| depths[*part] + 1).max().unwrap_or(0);
            if depth > MAX_DEPTH {
                return Err(InvalidProgram::new("a type is too deep"));
            }
            depths.push(depth);
            open.push(matches!(node, TypeNode::Var(_)) || parts.iter().any(|part| open[*part]));
        }
        let base = TypeTable::default();
        if !self.nodes.as_values_slice().starts_with(base.nodes.as_values_slice()) || open != self.open {
            return Err(InvalidProgram::new("its types contradict one another"));
        }
        Ok(())
    }

    /// Returns the number of types.
    #[must_use]
    pub fn len(&self) -> usize {
        self.base_len() as usize + self.nodes.len()
    }

    /// Returns false: the base types are always present.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the type with every variable replaced; `lookup` returns the closed type of a variable.
    pub fn substitute(&mut self, id: TypeId, lookup: &mut dyn FnMut(u32) -> TypeId) -> TypeId {
        self.substitute_shared(id, lookup, &mut FxHashMap::default())
    }

    /// Does the same; a part that a type contains several times is replaced once.
    fn substitute_shared(
        &mut self,
        id: TypeId,
        lookup: &mut dyn FnMut(u32) -> TypeId,
        done: &mut FxHashMap<TypeId, TypeId>,
    ) -> TypeId {
        if !self.is_open(id) {
            return id;
        }
        if let Some(known) = done.get(&id) {
            return *known;
        }
        let mut part = |table: &mut TypeTable, part: TypeId| table.substitute_shared(part, lookup, done);
        let node = match self.get(id).clone() {
            TypeNode::Var(var) => return lookup(var),
            node @ (TypeNode::Untyped | TypeNode::Bool | TypeNode::Str | TypeNode::Int | TypeNode::Float) => node,
            TypeNode::List(element) => TypeNode::List(part(self, element)),
            TypeNode::Map(key, value) => TypeNode::Map(part(self, key), part(self, value)),
            TypeNode::Struct(mut fields) => {
                for (_, ty) in &mut fields {
                    *ty = part(self, *ty);
                }
                TypeNode::Struct(fields)
            }
            TypeNode::Func(mut args, result) => {
                for ty in &mut args {
                    *ty = part(self, *ty);
                }
                TypeNode::Func(args, part(self, result))
            }
        };
        let new = self.intern(node);
        done.insert(id, new);
        new
    }

    /// Whether a type has at most this many parts, with shared parts counted at each use: [`Self::to_type`] copies them all.
    #[must_use]
    pub fn has_at_most_parts(&self, id: TypeId, limit: usize) -> bool {
        let mut work = vec![id];
        let mut left = limit;
        while let Some(id) = work.pop() {
            let Some(rest) = left.checked_sub(1) else { return false };
            left = rest;
            match self.get(id) {
                TypeNode::Untyped
                | TypeNode::Bool
                | TypeNode::Str
                | TypeNode::Int
                | TypeNode::Float
                | TypeNode::Var(_) => {}
                TypeNode::List(element) => work.push(*element),
                TypeNode::Map(key, value) => work.extend([*key, *value]),
                TypeNode::Struct(fields) => work.extend(fields.iter().map(|(_, ty)| *ty)),
                TypeNode::Func(args, result) => work.extend(args.iter().chain([result])),
            }
        }
        true
    }

    /// Converts the type to the shared data type. Variables become `?1`, `?2`, … by their number; untyped becomes `nil`.
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

fn hash(node: &TypeNode) -> u64 {
    FxBuildHasher.hash_one(node)
}

/// The typed program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Typed {
    /// The resolved program.
    pub scoped: Scoped,
    /// The types that the tables below refer to.
    pub types: TypeTable,
    /// The types of the expressions of each module. The concrete signature of a call consists of the types of
    /// its arguments and its own type.
    #[serde(with = "mcl_diagnostics::table::nested")]
    pub exprs: PrimaryMap<ModuleId, PrimaryMap<ExprId, TypeId>>,
    /// The type of a binding, a parameter, a `func` (its function type); untyped for classes.
    #[serde(with = "mcl_diagnostics::table")]
    pub defs: PrimaryMap<DefId, TypeId>,
    /// The type variables that a module, class or `func` owns; empty for all other scopes.
    #[serde(with = "mcl_diagnostics::table")]
    pub generics: PrimaryMap<ScopeId, TypeVars>,
    /// The types of the variables of the instantiated class or module.
    #[serde(with = "mcl_diagnostics::table")]
    pub instance_types: PrimaryMap<InstanceId, Box<[TypeId]>>,
    /// For calls `f(…)` of `func` statements: the types of the function's variables. A function without variables has no
    /// entry.
    pub call_types: CallTypes,
}

impl Typed {
    /// Returns the type of an expression, in terms of the variables of the scopes around it.
    #[must_use]
    pub fn expr(&self, module: ModuleId, expr: ExprId) -> TypeId {
        self.exprs.get(module).and_then(|types| types.get(expr)).copied().unwrap_or(TypeId::UNTYPED)
    }

    /// Returns the type of a definition, in terms of the variables of its scope and those around it.
    #[must_use]
    pub fn def(&self, def: DefId) -> TypeId {
        self.defs.get(def).copied().unwrap_or(TypeId::UNTYPED)
    }

    /// Returns the types that an include or import gives to the variables of the instantiated class or module.
    #[must_use]
    pub fn instance(&self, instance: InstanceId) -> &[TypeId] {
        self.instance_types.get(instance).map_or(&[], |types| types)
    }

    /// Returns the types that a call of a `func` statement gives to the function's variables.
    #[must_use]
    pub fn call(&self, module: ModuleId, call: ExprId) -> &[TypeId] {
        self.call_types.get((module, call))
    }
}
