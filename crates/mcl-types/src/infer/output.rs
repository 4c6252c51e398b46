//! The end of the stage: reports what stayed unsolved, and writes the tables of the typed program.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use mcl_diagnostics::{Diagnostic, Span};
use mcl_parser::ast::ExprId;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use crate::infer::Inference;
use crate::infer::error::InferError;
use crate::scoped::{DefId, InstanceId, ModuleId, ScopeId, Scoped, TypeVars};
use crate::solver::constraint::ConstraintKind;
use crate::solver::scheme::VarOwner;
use crate::solver::types::{GenericVar, Node, Ty, Types, VarId, VarState, parts};
use crate::typed::{CallTypes, TypeId, TypeNode, TypeTable, Typed};

/// Maximum levels of nesting of a type. Artifacts and the runtime accept little more, and here an error has a span.
const MAX_TYPE_DEPTH: u32 = 400;

/// The tables of [`Typed`], without the program that they belong to. What a part of a program has no types for takes no
/// memory.
pub(crate) struct Tables {
    pub(crate) types: TypeTable,
    pub(crate) exprs: PrimaryMap<ModuleId, PrimaryMap<ExprId, TypeId>>,
    /// The types of definitions, in their order.
    pub(crate) defs: Vec<(DefId, TypeId)>,
    /// The type variables of the scopes that have some, in their order.
    pub(crate) generics: Vec<(ScopeId, TypeVars)>,
    /// The types of the variables of instances that have some, in their order.
    pub(crate) instance_types: Vec<(InstanceId, Box<[TypeId]>)>,
    /// In the order in which they were typed.
    pub(crate) call_types: CallTypes,
    /// How many of the calls are in definitions of the top level; they come first.
    pub(crate) definition_calls: usize,
}

impl Tables {
    pub(crate) fn into_typed(self, scoped: Scoped) -> Typed {
        let Tables {
            types,
            exprs,
            defs: typed_defs,
            generics: generic_scopes,
            instance_types: instances,
            mut call_types,
            ..
        } = self;
        call_types.sort();
        let mut defs: PrimaryMap<DefId, TypeId> = vec![TypeId::UNTYPED; scoped.defs.len()].into();
        typed_defs.into_iter().for_each(|(def, ty)| defs[def] = ty);
        let (mut generics, mut end) = (Vec::with_capacity(scoped.scopes.len()), 0);
        for (scope, variables) in generic_scopes {
            generics.resize(scope.index(), end..end);
            end = variables.end;
            generics.push(variables);
        }
        generics.resize(scoped.scopes.len(), end..end);
        let generics = generics.into();
        let mut instance_types: PrimaryMap<InstanceId, Box<[TypeId]>> =
            vec![Box::default(); scoped.instances.len()].into();
        instances.into_iter().for_each(|(instance, types)| instance_types[instance] = types);
        Typed { scoped, types, exprs, defs, generics, instance_types, call_types }
    }
}

impl Inference<'_> {
    /// Completes the stage.
    pub(crate) fn finish(mut self) -> (Tables, Vec<Diagnostic>) {
        self.solver.solve_all();
        self.solve();
        self.report_unsolved();
        let (generics, numbers) = self.number_variables();
        let instance_types = self.instance_types(&generics, &numbers);
        let types = &mut self.solver.types;
        let interned = SecondaryMap::with_capacity(types.len());
        let table = TypeTable::default();
        let mut interner = Interner { table, interned, depths: SecondaryMap::new(), numbers, too_deep: None };
        let mut intern = |ty: Ty| interner.intern(types, ty);
        let exprs =
            self.inferred.exprs.values().map(|module| module.values().map(|ty| intern(*ty)).collect()).collect();
        let defs = self.inferred.defs.iter().filter_map(|(def, ty)| Some((def, intern(ty.expand()?)))).collect();
        let instance_types = instance_types
            .into_iter()
            .map(|(instance, types)| (instance, types.into_iter().map(&mut intern).collect()))
            .collect();
        let calls = self.inferred.calls;
        let mut call_types = CallTypes::with_capacity(calls.len(), calls.values().map(|types| types.len()).sum());
        for (call, types) in calls {
            call_types.add(call, types.iter().map(|ty| intern(*ty)));
        }
        interner.table.release_index();
        if let Some(origin) = interner.too_deep {
            self.diagnostics.push(InferError::TypeTooDeep { origin, limit: MAX_TYPE_DEPTH }.into());
        }
        let mut diagnostics = self.diagnostics;
        // The obligations of a class are checked for each include; equal errors are reported once.
        let mut seen = FxHashSet::default();
        diagnostics.retain(|diagnostic| seen.insert((diagnostic.code.name(), diagnostic.span)));
        let definition_calls = self.definition_calls;
        let tables =
            Tables { types: interner.table, exprs, defs, generics, instance_types, call_types, definition_calls };
        (tables, diagnostics)
    }

    /// Numbers the variables of each scope, including those of its members, consecutively: by scope, then by variable.
    fn number_variables(&self) -> (Vec<(ScopeId, TypeVars)>, PrimaryMap<GenericVar, u32>) {
        let scope_of = |owner: VarOwner| match owner {
            VarOwner::Scope(scope) => scope,
            VarOwner::Member(member) => self.members.table[member].scope,
        };
        let variables = self.solver.generics.iter().map(|(variable, info)| (scope_of(info.owner), variable));
        let mut variables: Vec<(ScopeId, GenericVar)> = variables.collect();
        variables.sort_unstable();
        let mut numbers: PrimaryMap<GenericVar, u32> = vec![0; variables.len()].into();
        let mut generics: Vec<(ScopeId, TypeVars)> = Vec::new();
        for (number, (scope, variable)) in (0..).zip(variables) {
            numbers[variable] = number;
            match generics.last_mut() {
                Some((last, range)) if *last == scope => range.end += 1,
                _ => generics.push((scope, number..number + 1)),
            }
        }
        (generics, numbers)
    }

    /// Returns the types that each instance gives to the variables of its class or file, if that has some; the error
    /// type for those of members that it does not use.
    fn instance_types(
        &self,
        generics: &[(ScopeId, TypeVars)],
        numbers: &PrimaryMap<GenericVar, u32>,
    ) -> Vec<(InstanceId, Vec<Ty>)> {
        let scope_of = |instance: InstanceId| self.scoped.instance_scope(instance);
        let variables = |scope: ScopeId| {
            let position = generics.binary_search_by_key(&scope, |(generic, _)| *generic).ok()?;
            Some(generics[position].1.clone())
        };
        if generics.is_empty() {
            return Vec::new();
        }
        let untyped = |instance| Some((instance, vec![Ty::ERROR; variables(scope_of(instance)?)?.len()]));
        let mut instances: Vec<(InstanceId, Vec<Ty>)> = self.scoped.instances.keys().filter_map(untyped).collect();
        let mut fill = |instance: InstanceId, scope: ScopeId, first: GenericVar, types: &[Ty]| {
            let Ok(position) = instances.binary_search_by_key(&instance, |(instance, _)| *instance) else { return };
            let Some(range) = variables(scope) else { return };
            for (variable, ty) in (first.as_u32()..).map(GenericVar::from_u32).zip(types) {
                instances[position].1[(numbers[variable] - range.start) as usize] = *ty;
            }
        };
        for (instance, types) in self.inferred.instances.iter() {
            if let (Some(types), Some(scope)) = (types, scope_of(instance))
                && let Some(scheme) = &self.generic_scopes[scope].scheme
            {
                fill(instance, scope, scheme.variables.start, types);
            }
        }
        for ((instance, member), it) in &self.members.instances {
            let member = &self.members.table[*member];
            fill(*instance, member.scope, member.scheme.variables.start, &it.types);
        }
        instances
    }

    /// Reports every variable that stayed unsolved, once per origin.
    fn report_unsolved(&mut self) {
        let mut determined = FxHashSet::default();
        let mut needed_at: FxHashMap<VarId, Span> = FxHashMap::default();
        for id in self.solver.obligations.pending() {
            let Some(constraint) = self.solver.obligations.constraint(id).cloned() else { continue };
            for ty in constraint.determined() {
                determined.extend(self.solver.types.unsolved_vars(ty));
            }
            let needs_base = match constraint.kind {
                ConstraintKind::Index { .. } | ConstraintKind::Field { .. } | ConstraintKind::FieldOr { .. } => true,
                ConstraintKind::OneOf { .. } | ConstraintKind::Comparable { .. } | ConstraintKind::Hashable { .. } => {
                    false
                }
            };
            if needs_base && let Some(var) = self.solver.types.unsolved_var(constraint.base()) {
                needed_at.entry(var).or_insert(constraint.span);
            }
        }
        // A variable that follows from another one is not a cause; but of a cycle, one must be reported.
        determined.retain(|var| !needed_at.contains_key(var));
        let mut reported = FxHashSet::default();
        for var in (0..self.solver.types.var_count()).map(VarId) {
            let types = &mut self.solver.types;
            let is_cause = types.root(var) == var
                && matches!(types.state(var), VarState::Unsolved { .. })
                && !determined.contains(&var);
            let origin = types.var_origin(var);
            if is_cause && reported.insert(origin) {
                let needed_at = needed_at.get(&var).copied().filter(|span| *span != origin);
                self.report(InferError::CannotInfer { origin, needed_at });
            }
        }
    }
}

/// Copies types from the solver to the final table.
struct Interner {
    table: TypeTable,
    /// The id of each type that was copied.
    interned: SecondaryMap<Ty, PackedOption<TypeId>>,
    /// How many levels each type nests.
    depths: SecondaryMap<TypeId, u32>,
    /// The number of each type variable in the program.
    numbers: PrimaryMap<GenericVar, u32>,
    /// The origin of a type that is nested too deeply.
    too_deep: Option<Span>,
}

impl Interner {
    /// Returns the final id of a type.
    fn intern(&mut self, types: &mut Types, ty: Ty) -> TypeId {
        let root = types.resolve(ty);
        if let Some(id) = primitive(&types.node(root)) {
            return id;
        }
        if let Some(id) = self.interned[root].expand() {
            return id;
        }
        let mut work: SmallVec<[Ty; 8]> = smallvec![root];
        while let Some(ty) = work.last().copied() {
            if self.interned[ty].is_some() {
                work.pop();
                continue;
            }
            let node = types.node(ty);
            let before = work.len();
            let mut depth = 0;
            let mut children: SmallVec<[Ty; 8]> = SmallVec::new();
            parts(&node, |part| children.push(part));
            for part in children {
                let part = types.resolve(part);
                match self.interned[part].expand() {
                    Some(id) => depth = depth.max(self.depths[id] + 1),
                    None => work.push(part),
                }
            }
            if work.len() > before {
                continue;
            }
            work.pop();
            let id = if depth > MAX_TYPE_DEPTH {
                self.too_deep.get_or_insert(types.origin(ty));
                TypeId::UNTYPED
            } else {
                self.intern_node(types, node)
            };
            if id != TypeId::UNTYPED {
                self.depths[id] = depth;
            }
            self.interned[ty] = id.into();
        }
        self.interned[root].expand().unwrap_or(TypeId::UNTYPED)
    }

    fn intern_node(&mut self, types: &mut Types, node: Node) -> TypeId {
        let part = |types: &mut Types, ty: Ty| {
            let ty = types.resolve(ty);
            self.interned[ty].expand().unwrap_or(TypeId::UNTYPED)
        };
        if let Some(id) = primitive(&node) {
            return id;
        }
        let node = match node {
            Node::Error | Node::Bool | Node::Str | Node::Int | Node::Float => return TypeId::UNTYPED,
            Node::Var(var) => match types.state(var) {
                VarState::Generic(variable) => TypeNode::Var(self.numbers[variable]),
                VarState::Unsolved { .. } | VarState::Solved(_) => return TypeId::UNTYPED,
            },
            Node::List(element) => TypeNode::List(part(types, element)),
            Node::Map(key, value) => {
                let key = part(types, key);
                TypeNode::Map(key, part(types, value))
            }
            Node::Struct(fields) => {
                TypeNode::Struct(fields.iter().map(|(name, ty)| (name.clone(), part(types, *ty))).collect())
            }
            Node::Func(args, result) => {
                let args = args.iter().map(|ty| part(types, *ty)).collect();
                TypeNode::Func(args, part(types, result))
            }
        };
        self.table.intern(node)
    }
}

/// Returns the final id of a type without parts.
fn primitive(node: &Node) -> Option<TypeId> {
    match node {
        Node::Error => Some(TypeId::UNTYPED),
        Node::Bool => Some(TypeId::BOOL),
        Node::Str => Some(TypeId::STR),
        Node::Int => Some(TypeId::INT),
        Node::Float => Some(TypeId::FLOAT),
        Node::Var(_) | Node::List(_) | Node::Map(..) | Node::Struct(_) | Node::Func(..) => None,
    }
}
