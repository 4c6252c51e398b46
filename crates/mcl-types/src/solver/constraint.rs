//! Constraints other than equality.

use std::sync::Arc;

use mcl_diagnostics::Span;

use crate::solver::types::Ty;

/// A set of kinds of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeKinds(u8);

impl TypeKinds {
    pub(crate) const BOOL: TypeKinds = TypeKinds(1);
    pub(crate) const STR: TypeKinds = TypeKinds(2);
    pub(crate) const INT: TypeKinds = TypeKinds(4);
    pub(crate) const FLOAT: TypeKinds = TypeKinds(8);
    pub(crate) const LIST: TypeKinds = TypeKinds(16);
    pub(crate) const MAP: TypeKinds = TypeKinds(32);
    pub(crate) const STRUCT: TypeKinds = TypeKinds(64);
    pub(crate) const FUNC: TypeKinds = TypeKinds(128);
    /// The operands of `-`, `*`, `/` and of comparisons.
    pub(crate) const NUMBERS: TypeKinds = TypeKinds::INT.or(TypeKinds::FLOAT);
    /// The operands of `+`.
    pub(crate) const ADDABLE: TypeKinds = TypeKinds::NUMBERS.or(TypeKinds::STR);

    /// Returns the union of two sets.
    pub(crate) const fn or(self, other: TypeKinds) -> TypeKinds {
        TypeKinds(self.0 | other.0)
    }

    /// Returns whether this set contains all of another one.
    pub(crate) const fn contains(self, other: TypeKinds) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A constraint, with the position that it is reported at.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) kind: ConstraintKind,
    /// The span reported in diagnostics.
    pub(crate) span: Span,
    pub(crate) provenance: Provenance,
}

/// The kinds of constraint.
#[derive(Clone, Debug)]
pub(crate) enum ConstraintKind {
    /// The type is of one of these kinds; `operation` is the operator or function that takes it.
    OneOf { ty: Ty, kinds: TypeKinds, operation: &'static str },
    /// The type contains no function: the operands of `==` and `!=`.
    Comparable { ty: Ty, operator: &'static str },
    /// The type can be the key of a map.
    Hashable { ty: Ty },
    /// `base[index]` has the type `result`.
    Index { base: Ty, index: Ty, result: Ty },
    /// `base->field` has the type `result`.
    Field { base: Ty, field: Arc<str>, result: Ty },
    /// `base->field <|> default` has the type `result`, which is also the type of the default.
    FieldOr { base: Ty, field: Arc<str>, result: Ty },
}

/// How a constraint came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provenance {
    /// The code at [`Constraint::span`] states it.
    Direct,
    /// The body of the function that is called at [`Constraint::span`] states it, at this span.
    Call { required_by: Span },
    /// The body of a class states it, for the instance that this statement includes.
    Include(Span),
}

/// A use of a generic scope. It determines what is blamed when an instantiated constraint does not hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InstantiationSite {
    /// A call: it is blamed, not the body of the function.
    Call(Span),
    /// An include: the body of the class is blamed.
    Include(Span),
    /// An import: the file is blamed.
    Import,
}

impl Constraint {
    /// Returns the type that must be known before the constraint can be solved.
    pub(crate) fn base(&self) -> Ty {
        match &self.kind {
            ConstraintKind::OneOf { ty, .. }
            | ConstraintKind::Comparable { ty, .. }
            | ConstraintKind::Hashable { ty } => *ty,
            ConstraintKind::Index { base, .. }
            | ConstraintKind::Field { base, .. }
            | ConstraintKind::FieldOr { base, .. } => *base,
        }
    }

    /// Returns the types that follow from the base.
    pub(crate) fn determined(&self) -> Vec<Ty> {
        match &self.kind {
            ConstraintKind::OneOf { .. } | ConstraintKind::Comparable { .. } | ConstraintKind::Hashable { .. } => {
                Vec::new()
            }
            ConstraintKind::Index { index, result, .. } => vec![*index, *result],
            ConstraintKind::Field { result, .. } => vec![*result],
            // A struct without the field leaves the type to the default.
            ConstraintKind::FieldOr { .. } => Vec::new(),
        }
    }

    /// Replaces the types of the constraint.
    pub(crate) fn map_types(mut self, mut f: impl FnMut(Ty) -> Ty) -> Constraint {
        match &mut self.kind {
            ConstraintKind::OneOf { ty, .. }
            | ConstraintKind::Comparable { ty, .. }
            | ConstraintKind::Hashable { ty } => *ty = f(*ty),
            ConstraintKind::Index { base, index, result } => {
                *base = f(*base);
                *index = f(*index);
                *result = f(*result);
            }
            ConstraintKind::Field { base, result, .. } | ConstraintKind::FieldOr { base, result, .. } => {
                *base = f(*base);
                *result = f(*result);
            }
        }
        self
    }

    /// Returns the constraint as it applies at a use of the generic scope that states it.
    pub(crate) fn instantiated_at(mut self, site: InstantiationSite) -> Constraint {
        match site {
            InstantiationSite::Call(span) => {
                let required_by = match self.provenance {
                    Provenance::Call { required_by } => required_by,
                    Provenance::Direct | Provenance::Include(_) => self.span,
                };
                self.provenance = Provenance::Call { required_by };
                self.span = span;
            }
            InstantiationSite::Include(span) => {
                if self.provenance == Provenance::Direct {
                    self.provenance = Provenance::Include(span);
                }
            }
            InstantiationSite::Import => {}
        }
        self
    }
}
