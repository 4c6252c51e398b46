//! Obligations: requirements that could not be decided when they arose.

use std::rc::Rc;
use std::sync::Arc;

use cranelift_entity::{PrimaryMap, entity_impl};
use mcl_diagnostics::Span;
use rustc_hash::FxHashMap;

use crate::scoped::{DefId, InstanceId};
use crate::solver::constraint::Constraint;
use crate::solver::types::{Ty, VarId};
use crate::typed::ExprKey;

/// A requirement that could not be decided when it arose. Every instantiation of its scheme instantiates it.
#[derive(Clone, Debug)]
pub(crate) enum Obligation {
    /// The solver decides it, once a type variable is solved.
    Type(Constraint),
    /// The include of the class around it decides whether this is one name or a list of names.
    ResourceName(NameCheck),
    /// The include of the class around it decides which types the arguments of `printf` have.
    FormatString(FormatCheck),
    /// The include of the class around it decides the result type of `decode_json`.
    DecodeType(DecodeCheck),
}

/// The type of a resource name.
#[derive(Clone, Debug)]
pub(crate) struct NameCheck {
    pub(crate) ty: Ty,
    pub(crate) shape: NameShape,
    pub(crate) is_collect: bool,
    /// The resource or the end of an edge.
    pub(crate) span: Span,
    /// The expression.
    pub(crate) name: Span,
}

/// What the syntax tells about the type of an expression, before types are solved (spec 02 §7.1).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) enum NameShape {
    #[default]
    Unknown,
    Str,
    StrList,
    /// Neither a string nor a list of strings.
    Other,
    /// It depends on the arguments for these class parameters.
    FromParams(Rc<[DefId]>),
}

/// A call whose types depend on the value of a string.
#[derive(Clone, Debug)]
pub(crate) struct ConstStrUse {
    /// The string argument.
    pub(crate) expr: ExprKey,
    /// The instance in which the string is evaluated.
    pub(crate) path: Vec<InstanceId>,
    /// The include whose arguments determine the string.
    pub(crate) include: Option<Span>,
    /// The span of the call.
    pub(crate) span: Span,
}

/// The types of the values of a `printf` call.
#[derive(Clone, Debug)]
pub(crate) struct FormatCheck {
    pub(crate) format: ConstStrUse,
    /// The types of the values, with the spans of the arguments.
    pub(crate) values: Vec<(Ty, Span)>,
}

/// The result type of a `decode_json` call.
#[derive(Clone, Debug)]
pub(crate) struct DecodeCheck {
    pub(crate) written: ConstStrUse,
    pub(crate) result: Ty,
}

/// Index of an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObligationId(u32);
entity_impl!(ObligationId);

/// The queue of obligations.
#[derive(Default)]
pub(crate) struct Obligations {
    /// `None` for an obligation that was decided or moved to a scheme; most were, so they are boxed.
    queue: PrimaryMap<ObligationId, Option<Box<Obligation>>>,
    /// The constraints that wait for each unsolved variable.
    waiting: FxHashMap<VarId, Waiting>,
}

/// What a constraint requires of its base. Of two constraints with equal subjects, one may imply the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    Kind,
    Comparable(Ty),
    Hashable(Ty),
    Index,
    Field(Arc<str>),
    /// A field with a default of this type.
    FieldOr(Arc<str>, Ty),
}

/// The constraints that wait for one variable, in the order in which they arose.
#[derive(Default)]
struct Waiting {
    constraints: Vec<(Subject, ObligationId)>,
    /// The same by their subjects, if there are more than [`MAX_UNINDEXED`].
    index: FxHashMap<Subject, Vec<ObligationId>>,
}

/// Up to this many constraints that wait for one variable are compared one by one.
const MAX_UNINDEXED: usize = 16;

impl Waiting {
    fn push(&mut self, subject: Subject, id: ObligationId) {
        self.constraints.push((subject, id));
        let first = match self.constraints.len() {
            ..=MAX_UNINDEXED => return,
            _ if self.index.is_empty() => 0,
            len => len - 1,
        };
        for (subject, id) in &self.constraints[first..] {
            self.index.entry(subject.clone()).or_default().push(*id);
        }
    }

    fn with_subject(&self, subject: &Subject) -> Vec<ObligationId> {
        if self.index.is_empty() {
            let equal = self.constraints.iter().filter(|(other, _)| other == subject);
            return equal.map(|(_, id)| *id).collect();
        }
        self.index.get(subject).cloned().unwrap_or_default()
    }
}

impl ConstStrUse {
    /// Moves the use into an instance of the scope that contains it. The innermost include is blamed.
    pub(crate) fn enter(&mut self, instance: InstanceId, include: Option<Span>) {
        self.path.insert(0, instance);
        self.include = self.include.or(include);
    }
}

impl Obligation {
    /// Returns the position of the obligation among those of a scheme: type constraints come first, because what they
    /// decide the others depend on.
    pub(crate) fn rank(&self) -> u32 {
        match self {
            Obligation::Type(_) => 0,
            Obligation::ResourceName(_) => 1,
            Obligation::FormatString(_) | Obligation::DecodeType(_) => 2,
        }
    }
}

impl Obligations {
    /// Returns the id that the next obligation will get.
    pub(crate) fn next_id(&self) -> ObligationId {
        self.queue.next_key()
    }

    /// Adds an obligation that an include decides.
    pub(crate) fn push(&mut self, obligation: Obligation) {
        self.queue.push(Some(Box::new(obligation)));
    }

    /// Adds a constraint that waits for a variable.
    pub(crate) fn push_waiting(&mut self, constraint: Constraint, subject: Subject, var: VarId) {
        let id = self.queue.push(Some(Box::new(Obligation::Type(constraint))));
        self.waiting.entry(var).or_default().push(subject, id);
    }

    /// Returns the constraints with a subject that wait for a variable.
    pub(crate) fn waiting_for(&self, var: VarId, subject: &Subject) -> Vec<Constraint> {
        let ids = self.waiting.get(&var).map_or_else(Vec::new, |waiting| waiting.with_subject(subject));
        ids.into_iter().filter_map(|id| self.constraint(id)).cloned().collect()
    }

    /// Takes the constraints that waited for a variable.
    pub(crate) fn wake(&mut self, var: VarId) -> Vec<Constraint> {
        let waiting = self.waiting.remove(&var).unwrap_or_default();
        waiting.constraints.into_iter().filter_map(|(_, id)| self.take_constraint(id)).collect()
    }

    /// Forgets which constraints wait for a variable: it became a type variable, and will never be solved.
    pub(crate) fn forget_waiting(&mut self, var: VarId) {
        self.waiting.remove(&var);
    }

    /// Returns the ids of the pending obligations, from `start` on.
    pub(crate) fn pending_since(&self, start: ObligationId) -> Vec<ObligationId> {
        let ids = start.as_u32()..self.queue.next_key().as_u32();
        ids.map(ObligationId::from_u32).filter(|id| self.queue[*id].is_some()).collect()
    }

    /// Returns the ids of all pending obligations.
    pub(crate) fn pending(&self) -> Vec<ObligationId> {
        self.pending_since(ObligationId(0))
    }

    /// Returns a pending obligation.
    pub(crate) fn get(&self, id: ObligationId) -> Option<&Obligation> {
        self.queue.get(id)?.as_deref()
    }

    /// Returns a pending obligation, if it is a constraint.
    pub(crate) fn constraint(&self, id: ObligationId) -> Option<&Constraint> {
        match self.get(id)? {
            Obligation::Type(constraint) => Some(constraint),
            Obligation::ResourceName(_) | Obligation::FormatString(_) | Obligation::DecodeType(_) => None,
        }
    }

    /// Removes a pending obligation.
    pub(crate) fn take(&mut self, id: ObligationId) -> Option<Obligation> {
        self.queue.get_mut(id)?.take().map(|obligation| *obligation)
    }

    /// Makes an obligation pending again.
    pub(crate) fn put_back(&mut self, id: ObligationId, obligation: Obligation) {
        self.queue[id] = Some(Box::new(obligation));
    }

    /// Removes a pending obligation, if it is a constraint.
    pub(crate) fn take_constraint(&mut self, id: ObligationId) -> Option<Constraint> {
        self.constraint(id)?;
        match self.take(id)? {
            Obligation::Type(constraint) => Some(constraint),
            Obligation::ResourceName(_) | Obligation::FormatString(_) | Obligation::DecodeType(_) => None,
        }
    }
}
