//! The resolutions of expressions in little memory.

use cranelift_entity::{EntityRef, PrimaryMap};
use mcl_parser::ast::ExprId;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::scoped::{BuiltinId, DefId, ExprInfo, PathId, Resolution, ScopeId, Target};

/// The resolution of each expression of a tree, in four bytes each.
#[derive(Clone, Debug, PartialEq)]
pub struct ExprInfos(PrimaryMap<ExprId, Packed>);

/// An [`ExprInfo`]: the number of its variant in the lower bits, and its id in the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed(u32);

const VARIANT_BITS: u32 = 3;

/// Ids are smaller than this. A tree has fewer names and scopes, as its source has at most 4 GiB.
const MAX_IDS: usize = 1 << (u32::BITS - VARIANT_BITS);

const NONE: u32 = 0;
const UNRESOLVED: u32 = 1;
const FUNCTION: u32 = 2;
const DEF: u32 = 3;
const BUILTIN_FUNCTION: u32 = 4;
const BUILTIN_VARIABLE: u32 = 5;
const PATH: u32 = 6;

impl Packed {
    /// Returns `None` for an id that is too large.
    fn new(info: ExprInfo) -> Option<Packed> {
        let (variant, id) = match info {
            ExprInfo::None => (NONE, 0),
            ExprInfo::Unresolved => (UNRESOLVED, 0),
            ExprInfo::Function(scope) => (FUNCTION, scope.index()),
            ExprInfo::Ref(Resolution::Direct(Target::Def(def))) => (DEF, def.index()),
            ExprInfo::Ref(Resolution::Direct(Target::Function(function))) => (BUILTIN_FUNCTION, function.index()),
            ExprInfo::Ref(Resolution::Direct(Target::Variable(variable))) => (BUILTIN_VARIABLE, variable.index()),
            ExprInfo::Ref(Resolution::Inside(path)) => (PATH, path.index()),
        };
        (id < MAX_IDS).then_some(Packed((id as u32) << VARIANT_BITS | variant))
    }

    fn info(self) -> ExprInfo {
        let id = (self.0 >> VARIANT_BITS) as usize;
        let direct = |target| ExprInfo::Ref(Resolution::Direct(target));
        match self.0 & ((1 << VARIANT_BITS) - 1) {
            FUNCTION => ExprInfo::Function(ScopeId::new(id)),
            DEF => direct(Target::Def(DefId::new(id))),
            BUILTIN_FUNCTION => direct(Target::Function(BuiltinId::new(id))),
            BUILTIN_VARIABLE => direct(Target::Variable(BuiltinId::new(id))),
            PATH => ExprInfo::Ref(Resolution::Inside(PathId::new(id))),
            NONE => ExprInfo::None,
            _ => ExprInfo::Unresolved,
        }
    }
}

impl ExprInfos {
    /// Creates a table for a number of expressions without names.
    pub(crate) fn new(count: usize) -> ExprInfos {
        ExprInfos(vec![Packed(NONE); count].into())
    }

    /// Returns the number of expressions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no expressions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the tree has an expression.
    #[must_use]
    pub fn is_valid(&self, expr: ExprId) -> bool {
        self.0.is_valid(expr)
    }

    /// Returns the resolution of an expression, which the tree must have.
    #[must_use]
    pub fn get(&self, expr: ExprId) -> ExprInfo {
        self.0[expr].info()
    }

    pub(crate) fn set(&mut self, expr: ExprId, info: ExprInfo) {
        self.0[expr] = Packed::new(info).unwrap_or(Packed(UNRESOLVED));
    }

    /// Iterates over the resolutions in the order of the expressions.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ExprInfo> {
        self.0.values().map(|packed| packed.info())
    }
}

/// A table is a sequence of resolutions.
impl Serialize for ExprInfos {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for ExprInfos {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ExprInfos, D::Error> {
        let infos: Vec<ExprInfo> = Vec::deserialize(deserializer)?;
        let packed: Option<Vec<Packed>> = infos.into_iter().map(Packed::new).collect();
        let packed = packed.ok_or_else(|| D::Error::custom("the id of a name or scope is too large"))?;
        Ok(ExprInfos(packed.into()))
    }
}

#[cfg(test)]
mod tests {
    use cranelift_entity::EntityRef;
    use mcl_parser::ast::ExprId;

    use super::{ExprInfos, MAX_IDS, Packed};
    use crate::scoped::{BuiltinId, DefId, ExprInfo, PathId, Resolution, ScopeId, Target};

    fn infos(id: usize) -> [ExprInfo; 7] {
        let direct = |target| ExprInfo::Ref(Resolution::Direct(target));
        [
            ExprInfo::None,
            ExprInfo::Unresolved,
            ExprInfo::Function(ScopeId::new(id)),
            direct(Target::Def(DefId::new(id))),
            direct(Target::Function(BuiltinId::new(id))),
            direct(Target::Variable(BuiltinId::new(id))),
            ExprInfo::Ref(Resolution::Inside(PathId::new(id))),
        ]
    }

    #[test]
    fn a_packed_resolution_is_the_same() {
        for info in [0, 1, MAX_IDS - 1].into_iter().flat_map(infos) {
            assert_eq!(Packed::new(info).map(Packed::info), Some(info));
        }
        assert!(infos(MAX_IDS)[2..].iter().all(|info| Packed::new(*info).is_none()));
    }

    #[test]
    fn a_table_is_written_as_a_sequence() {
        let mut table = ExprInfos::new(7);
        for (at, info) in infos(5).into_iter().enumerate() {
            table.set(ExprId::new(at), info);
        }
        let json = serde_json::to_string(&table).expect("it is written");
        assert_eq!(json, serde_json::to_string(&infos(5)).expect("it is written"));
        let read: ExprInfos = serde_json::from_str(&json).expect("it is read");
        assert!(read == table && read.iter().eq(infos(5)));
        let too_large = serde_json::to_string(&infos(MAX_IDS)).expect("it is written");
        let error = serde_json::from_str::<ExprInfos>(&too_large).expect_err("ids are limited");
        assert!(error.to_string().contains("too large"), "{error}");
    }
}
