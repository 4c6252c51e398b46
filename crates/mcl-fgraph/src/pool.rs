//! The tables of a program under construction: each string, type, constant and function is stored once.

use std::hash::BuildHasher;
use std::sync::Arc;

use cranelift_entity::{EntityRef, PrimaryMap};
use hashbrown::HashTable;
use indexmap::{IndexMap, IndexSet};
use mcl_artifact::MAX_TYPE_NESTING;
use mcl_artifact::program::{ConstId, Constant, FunctionIdx, FunctionImport, StrId, TypeIdx};
use mcl_functions::Function;
use mcl_types::{TypeId, TypeNode, TypeTable};
use mcl_value::{Field, FuncType, MapValue, StructValue, Type, Value};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

/// Maximum number of parts of a composite constant, with shared parts counted at each use. Larger ones stay nodes.
const MAX_SIZE: u64 = 1 << 20;

/// Maximum nesting of a composite constant.
const MAX_DEPTH: u32 = 200;

/// Maximum size of the result of a function call that is stored in the artifact: bytes of strings plus other values.
const MAX_RESULT_SIZE: usize = 1 << 16;

/// Maximum number of parts that all types of a program have together.
pub(crate) const MAX_TYPE_PARTS: u64 = 1 << 20;

/// The tables of a program. Equal entries have one id.
#[derive(Default)]
pub(crate) struct Pool {
    pub(crate) strings: IndexSet<Arc<str>, FxBuildHasher>,
    constants: PrimaryMap<ConstId, Constant>,
    /// Finds the ids of the constants. A program may have more constants than anything else.
    constant_index: HashTable<ConstId>,
    /// The symbols of operators, as constants.
    symbols: Vec<(&'static str, ConstId)>,
    /// Value and size of the constants that are lists, maps and structs.
    composites: FxHashMap<ConstId, Composite>,
    /// By the id in the type checker's table.
    types: IndexMap<TypeId, Type, FxBuildHasher>,
    /// The extents of types, as far as computed.
    extents: FxHashMap<TypeId, Extent>,
    /// The number of parts that the stored types have.
    type_parts: u64,
    /// The first limit of artifacts that a type exceeded.
    pub(crate) exceeded: Option<TypeLimit>,
    functions: IndexMap<FunctionKey, (FunctionImport, &'static Function), FxBuildHasher>,
}

/// How large a type is. Types share their parts, so one may be exponentially larger than what it takes in memory.
#[derive(Clone, Copy)]
struct Extent {
    /// How deep it nests, as [`MAX_TYPE_NESTING`] counts.
    nesting: u32,
    /// The number of its parts, with shared parts counted at each use.
    parts: u64,
}

/// The limits of types in artifacts, where nothing is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeLimit {
    /// [`MAX_TYPE_NESTING`].
    Nesting,
    /// [`MAX_TYPE_PARTS`].
    Parts,
}

/// The finished tables, for [`mcl_artifact::program::Program`].
pub(crate) struct Tables {
    pub(crate) strings: PrimaryMap<StrId, Arc<str>>,
    pub(crate) types: PrimaryMap<TypeIdx, Type>,
    pub(crate) constants: PrimaryMap<ConstId, Constant>,
    pub(crate) functions: PrimaryMap<FunctionIdx, FunctionImport>,
}

/// A function at a type, called from a module.
#[derive(PartialEq, Eq, Hash)]
struct FunctionKey {
    name: &'static str,
    args: SmallVec<[TypeId; 4]>,
    result: TypeId,
    module_dir: StrId,
}

/// A list, map or struct.
struct Composite {
    /// `None` if it depends on the host name.
    value: Option<Value>,
    depth: u32,
    size: u64,
}

impl Pool {
    /// Returns the id of a string.
    pub(crate) fn string(&mut self, text: &str) -> StrId {
        if let Some(i) = self.strings.get_index_of(text) {
            return StrId::new(i);
        }
        StrId::new(self.strings.insert_full(text.into()).0)
    }

    /// Returns the id of a closed type.
    pub(crate) fn ty(&mut self, table: &TypeTable, id: TypeId) -> TypeIdx {
        if let Some(i) = self.types.get_index_of(&id) {
            return TypeIdx::new(i);
        }
        let ty = self.stored(table, id);
        TypeIdx::new(self.types.insert_full(id, ty).0)
    }

    /// Returns the type as the artifact stores it, or a replacement if it exceeds a limit.
    fn stored(&mut self, table: &TypeTable, id: TypeId) -> Type {
        let Extent { nesting, parts } = self.extent(table, id);
        let total = self.type_parts.saturating_add(parts);
        let exceeded = if nesting > MAX_TYPE_NESTING {
            Some(TypeLimit::Nesting)
        } else if total > MAX_TYPE_PARTS {
            Some(TypeLimit::Parts)
        } else {
            None
        };
        if exceeded.is_some() {
            self.exceeded = self.exceeded.or(exceeded);
            return Type::Nil;
        }
        self.type_parts = total;
        table.to_type(id)
    }

    /// Returns how large a type is. Types may be nested as deeply as a program is long.
    fn extent(&mut self, table: &TypeTable, id: TypeId) -> Extent {
        let mut work = vec![id];
        while let Some(id) = work.last().copied() {
            let before = work.len();
            let mut extent = Extent { nesting: 0, parts: 1 };
            let mut add = |part: &TypeId| match self.extents.get(part) {
                Some(part) => {
                    extent.nesting = extent.nesting.max(part.nesting);
                    extent.parts = extent.parts.saturating_add(part.parts);
                }
                None => work.push(*part),
            };
            let levels = match table.get(id) {
                TypeNode::List(element) => {
                    add(element);
                    1
                }
                TypeNode::Map(key, value) => {
                    [key, value].into_iter().for_each(add);
                    2
                }
                TypeNode::Struct(fields) => {
                    fields.iter().map(|(_, ty)| ty).for_each(add);
                    3
                }
                TypeNode::Func(args, result) => {
                    args.iter().chain([result]).for_each(add);
                    4
                }
                TypeNode::Untyped
                | TypeNode::Bool
                | TypeNode::Str
                | TypeNode::Int
                | TypeNode::Float
                | TypeNode::Var(_) => 0,
            };
            if work.len() == before {
                work.pop();
                self.extents.insert(id, Extent { nesting: extent.nesting + levels, ..extent });
            }
        }
        self.extents[&id]
    }

    /// Returns the number of parts that the stored types have.
    pub(crate) fn type_parts(&self) -> u64 {
        self.type_parts
    }

    /// Returns a type of the pool.
    pub(crate) fn type_at(&self, id: TypeIdx) -> &Type {
        &self.types[id.index()]
    }

    /// Returns the id of a built-in function at a closed type.
    pub(crate) fn function(
        &mut self,
        table: &TypeTable,
        function: &'static Function,
        args: &[TypeId],
        result: TypeId,
        module_dir: StrId,
    ) -> FunctionIdx {
        let key = FunctionKey { name: function.name, args: args.into(), result, module_dir };
        if let Some(i) = self.functions.get_index_of(&key) {
            return FunctionIdx::new(i);
        }
        let name = self.string(function.name);
        let args = args.iter().enumerate();
        let args = args.map(|(i, ty)| Field { name: i.to_string().into(), ty: self.stored(table, *ty) }).collect();
        let func = FuncType { args, result: self.stored(table, result) };
        let import = FunctionImport { name, ty: func, module_dir };
        FunctionIdx::new(self.functions.insert_full(key, (import, function)).0)
    }

    /// Returns a function of the pool.
    pub(crate) fn function_at(&self, id: FunctionIdx) -> (&FunctionImport, &'static Function) {
        let (import, function) = &self.functions[id.index()];
        (import, function)
    }

    /// Returns the result type of a function of the pool.
    pub(crate) fn result_type(&self, id: FunctionIdx) -> TypeId {
        self.functions.get_index(id.index()).expect("ids come from this pool").0.result
    }

    /// Returns a string of the pool.
    pub(crate) fn text(&self, id: StrId) -> &Arc<str> {
        &self.strings[id.index()]
    }

    /// Returns a constant of the pool.
    pub(crate) fn constant(&self, id: ConstId) -> &Constant {
        &self.constants[id]
    }

    /// Returns the value of a constant; `None` if it depends on the host name.
    pub(crate) fn value(&self, id: ConstId) -> Option<Value> {
        match self.constant(id) {
            Constant::Bool(value) => Some(Value::Bool(*value)),
            Constant::Int(value) => Some(Value::Int(*value)),
            Constant::Float(bits) => Some(Value::Float(f64::from_bits(*bits))),
            Constant::Str(text) => Some(Value::Str(text.clone())),
            Constant::Hostname => None,
            Constant::List(_) | Constant::Map(_) | Constant::Struct(..) => self.composites[&id].value.clone(),
        }
    }

    pub(crate) fn bool(&mut self, value: bool) -> ConstId {
        self.intern(Constant::Bool(value))
    }

    pub(crate) fn int(&mut self, value: i64) -> ConstId {
        self.intern(Constant::Int(value))
    }

    pub(crate) fn float(&mut self, value: f64) -> ConstId {
        self.intern(Constant::Float(value.to_bits()))
    }

    pub(crate) fn str(&mut self, text: &str) -> ConstId {
        let is_equal =
            |id: &ConstId| matches!(&self.constants[*id], Constant::Str(known) if known.as_bytes() == text.as_bytes());
        match self.constant_index.find(hash_string(text.as_bytes()), is_equal) {
            Some(id) => *id,
            None => self.intern(Constant::Str(text.into())),
        }
    }

    /// Returns the symbol of an operator.
    pub(crate) fn symbol(&mut self, symbol: &'static str) -> ConstId {
        if let Some((_, id)) = self.symbols.iter().find(|(known, _)| *known == symbol) {
            return *id;
        }
        let id = self.str(symbol);
        self.symbols.push((symbol, id));
        id
    }

    pub(crate) fn hostname(&mut self) -> ConstId {
        self.intern(Constant::Hostname)
    }

    fn find(&self, constant: &Constant) -> Option<ConstId> {
        self.constant_index.find(hash(constant), |id| self.constants[*id] == *constant).copied()
    }

    fn intern(&mut self, constant: Constant) -> ConstId {
        if let Some(id) = self.find(&constant) {
            return id;
        }
        let hash_of_constant = hash(&constant);
        let id = self.constants.push(constant);
        self.constant_index.insert_unique(hash_of_constant, id, |id| hash(&self.constants[*id]));
        id
    }

    fn compose(&mut self, constant: Constant, known: impl FnOnce(&Pool) -> Composite) -> ConstId {
        let next = self.constants.next_key();
        let id = self.intern(constant);
        if id == next {
            let known = known(self);
            self.composites.insert(id, known);
        }
        id
    }

    /// Returns the id of a list, unless it is too large or too deep to be a constant.
    pub(crate) fn list(&mut self, parts: &[ConstId]) -> Option<ConstId> {
        let (depth, size) = self.shape(parts)?;
        Some(self.compose(Constant::List(parts.into()), |pool| {
            let value = parts.iter().map(|id| pool.value(*id)).collect::<Option<Arc<[Value]>>>().map(Value::List);
            Composite { value, depth, size }
        }))
    }

    /// Returns the id of a map, like [`Self::list`]. The last of several equal keys wins, so all keys must be known.
    pub(crate) fn map(&mut self, pairs: &[(ConstId, ConstId)]) -> Option<ConstId> {
        // NaN keys would be equal as constants, but not as values.
        let is_plain = |id: ConstId| !matches!(self.value(id), None | Some(Value::Float(_)));
        if !pairs.iter().all(|(key, _)| is_plain(*key)) {
            return None;
        }
        let last: IndexMap<ConstId, ConstId, FxBuildHasher> = pairs.iter().copied().collect();
        let mut pairs: Vec<(ConstId, ConstId)> = last.into_iter().collect();
        pairs.sort_by(|(a, _), (b, _)| match (self.value(*a), self.value(*b)) {
            (Some(a), Some(b)) => a.display_order(&b),
            _ => std::cmp::Ordering::Equal,
        });
        let parts: Vec<ConstId> = pairs.iter().flat_map(|(key, value)| [*key, *value]).collect();
        let (depth, size) = self.shape(&parts)?;
        let value = pairs
            .iter()
            .map(|(key, value)| Some((self.value(*key)?, self.value(*value)?)))
            .collect::<Option<MapValue>>()
            .map(|map| Value::Map(Arc::new(map)));
        Some(self.compose(Constant::Map(pairs.into()), |_| Composite { value, depth, size }))
    }

    /// Returns the id of a struct, like [`Self::list`].
    pub(crate) fn strukt(&mut self, ty: TypeIdx, parts: &[ConstId]) -> Option<ConstId> {
        let (depth, size) = self.shape(parts)?;
        let Type::Struct(fields) = self.type_at(ty).clone() else { return None };
        Some(self.compose(Constant::Struct(ty, parts.into()), |pool| {
            let fields = fields
                .iter()
                .zip(parts)
                .map(|(field, id)| Some((field.name.clone(), pool.value(*id)?)))
                .collect::<Option<Vec<_>>>();
            let value = fields.map(|fields| Value::Struct(Arc::new(StructValue { fields })));
            Composite { value, depth, size }
        }))
    }

    /// Returns depth and size of a composite, unless they are too large.
    fn shape(&self, parts: &[ConstId]) -> Option<(u32, u64)> {
        let parts = parts.iter().map(|id| self.composites.get(id).map_or((0, 1), |part| (part.depth, part.size)));
        let (depth, size) =
            parts.fold((0, 1u64), |(depth, size), part| (depth.max(part.0 + 1), size.saturating_add(part.1)));
        (depth <= MAX_DEPTH && size <= MAX_SIZE).then_some((depth, size))
    }

    /// Returns the constant for a computed value of a type; `None` if it is too large or contains a function.
    pub(crate) fn result(&mut self, table: &mut TypeTable, value: &Value, ty: TypeId) -> Option<ConstId> {
        let mut left = MAX_RESULT_SIZE;
        self.result_part(table, value, ty, &mut left)
    }

    /// Recurses as deep as the type.
    fn result_part(&mut self, table: &mut TypeTable, value: &Value, ty: TypeId, left: &mut usize) -> Option<ConstId> {
        let cost = if let Value::Str(string) = value { string.as_bytes().len() } else { 1 };
        *left = left.checked_sub(cost)?;
        match (value, table.get(ty).clone()) {
            (Value::Bool(value), TypeNode::Bool) => Some(self.bool(*value)),
            (Value::Int(value), TypeNode::Int) => Some(self.int(*value)),
            (Value::Float(value), TypeNode::Float) => Some(self.float(*value)),
            (Value::Str(value), TypeNode::Str) => Some(self.intern(Constant::Str(value.clone()))),
            (Value::List(values), TypeNode::List(element)) => {
                let parts = values
                    .iter()
                    .map(|value| self.result_part(table, value, element, left))
                    .collect::<Option<Vec<_>>>()?;
                self.list(&parts)
            }
            (Value::Map(map), TypeNode::Map(key, value)) => {
                let pairs = map
                    .iter()
                    .map(|(k, v)| {
                        Some((self.result_part(table, k, key, left)?, self.result_part(table, v, value, left)?))
                    })
                    .collect::<Option<Vec<_>>>()?;
                self.map(&pairs)
            }
            (Value::Struct(value), TypeNode::Struct(fields)) if value.fields.len() == fields.len() => {
                let parts = value
                    .fields
                    .iter()
                    .zip(fields)
                    .map(|((_, value), (_, ty))| self.result_part(table, value, ty, left))
                    .collect::<Option<Vec<_>>>()?;
                let ty = self.ty(table, ty);
                self.strukt(ty, &parts)
            }
            _ => None,
        }
    }

    /// Returns the tables of the program.
    pub(crate) fn into_tables(self) -> Tables {
        Tables {
            strings: self.strings.into_iter().collect(),
            types: self.types.into_values().collect(),
            constants: self.constants,
            functions: self.functions.into_values().map(|(import, _)| import).collect(),
        }
    }
}

fn hash(constant: &Constant) -> u64 {
    match constant {
        Constant::Str(text) => hash_string(text.as_bytes()),
        other => FxBuildHasher.hash_one(other),
    }
}

/// Returns the hash of a constant string.
fn hash_string(bytes: &[u8]) -> u64 {
    FxBuildHasher.hash_one(bytes)
}
