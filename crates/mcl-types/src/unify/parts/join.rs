//! Joining the tables of parts.

use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use mcl_parser::ast::ExprId;
use smallvec::{SmallVec, smallvec};

use crate::infer::Part;
use crate::infer::output::Tables;
use crate::scoped::{ScopeId, Scoped, TypeVars};
use crate::typed::{CallTypes, TypeId, TypeNode, TypeTable};

/// Joins the tables of the parts of a program to those of the whole.
pub(crate) fn joined(scoped: &Scoped, parts: &[Part], mut tables: Vec<Tables>) -> Tables {
    let generics = joined_generics(&tables);
    let part_exprs: Vec<_> = tables.iter_mut().map(|tables| std::mem::take(&mut tables.exprs)).collect();
    let part_calls: Vec<_> = tables.iter_mut().map(|tables| std::mem::take(&mut tables.call_types)).collect();
    let mut join = Join::new(&tables, &generics);
    let module = scoped.scope(scoped.root()).module;
    let length = scoped.module(module).exprs.len();
    let mut exprs: PrimaryMap<ExprId, TypeId> = PrimaryMap::with_capacity(length);
    // What was copied is dropped.
    for (number, (part, part_exprs)) in parts.iter().zip(part_exprs).enumerate() {
        let first = part.exprs.as_ref().map_or(0, |range| range.start as usize);
        exprs.extend(std::iter::repeat_n(TypeId::UNTYPED, first.saturating_sub(exprs.len())));
        exprs.extend(part_exprs[module].values().map(|ty| join.ty(number, *ty)));
    }
    exprs.extend(std::iter::repeat_n(TypeId::UNTYPED, length.saturating_sub(exprs.len())));
    let defs = in_order(&tables, |tables| &tables.defs);
    let defs = defs.map(|(number, (def, ty))| (*def, join.ty(number, *ty))).collect();
    let instance_types = in_order(&tables, |tables| &tables.instance_types);
    let instance_types = instance_types
        .map(|(number, (instance, types))| (*instance, types.iter().map(|ty| join.ty(number, *ty)).collect()))
        .collect();
    let mut call_types = CallTypes::with_capacity(
        part_calls.iter().map(CallTypes::len).sum(),
        part_calls.iter().map(|calls| calls.types().len()).sum(),
    );
    let mut add_calls = |number: usize, calls: &CallTypes, range: Range<usize>| {
        for (call, types) in calls.range(range) {
            call_types.add(call, types.iter().map(|ty| join.ty(number, *ty)));
        }
    };
    // The definitions of all parts are typed before the other statements.
    for (number, (tables, calls)) in tables.iter().zip(&part_calls).enumerate() {
        add_calls(number, calls, 0..tables.definition_calls);
    }
    for (number, (tables, calls)) in tables.iter().zip(part_calls).enumerate() {
        add_calls(number, &calls, tables.definition_calls..calls.len());
    }
    let definition_calls = tables.iter().map(|tables| tables.definition_calls).sum();
    let exprs = [exprs].into_iter().collect();
    join.table.release_index();
    Tables { types: join.table, exprs, defs, generics, instance_types, call_types, definition_calls }
}

/// Returns the entries of a table of all parts in their order, each with the number of its part. No two parts have types
/// for one entry, and each has its own in their order.
fn in_order<'t, K: Ord + Copy + 't, V: 't>(
    tables: &'t [Tables],
    table: impl Fn(&'t Tables) -> &'t Vec<(K, V)>,
) -> impl Iterator<Item = (usize, &'t (K, V))> {
    let mut rest: Vec<&'t [(K, V)]> = tables.iter().map(|tables| &table(tables)[..]).collect();
    // The part that has the next entries, and how many.
    let (mut part, mut count) = (0, 0);
    std::iter::from_fn(move || {
        if count == 0 {
            let first = |part: usize| Some((rest[part].first()?.0, part));
            part = (0..rest.len()).filter_map(first).min()?.1;
            let end = (0..rest.len()).filter(|other| *other != part).filter_map(first).min();
            count = end.map_or(rest[part].len(), |(end, _)| rest[part].partition_point(|(key, _)| *key < end));
        }
        let (entry, others) = rest[part].split_first()?;
        (rest[part], count) = (others, count.checked_sub(1)?);
        Some((part, entry))
    })
}

/// Returns the type variables of each scope in the whole program.
fn joined_generics(tables: &[Tables]) -> Vec<(ScopeId, TypeVars)> {
    let mut end = 0;
    let ranges = in_order(tables, |tables| &tables.generics).map(|(_, (scope, range))| {
        let start = end;
        end += range.len() as u32;
        (*scope, start..end)
    });
    ranges.collect()
}

/// Copies types from the tables of the parts to the joint one.
struct Join<'a> {
    table: TypeTable,
    sources: Vec<Source<'a>>,
}

/// The types of a part.
struct Source<'a> {
    types: &'a TypeTable,
    /// The joint number of each type variable.
    numbers: Vec<u32>,
    /// The joint id of each type that was copied.
    known: SecondaryMap<TypeId, PackedOption<TypeId>>,
}

impl<'a> Join<'a> {
    fn new(tables: &'a [Tables], generics: &[(ScopeId, TypeVars)]) -> Join<'a> {
        let table = TypeTable::with_capacity(tables.iter().map(|part| part.types.len()).sum());
        let source = |part: &'a Tables| {
            let mut known = SecondaryMap::with_capacity(part.types.len());
            // Types without parts have the same id in every table.
            for id in (0..table.len()).map(TypeId::new) {
                known[id] = id.into();
            }
            let joint = |(scope, _): &(ScopeId, TypeVars)| {
                let position = generics.binary_search_by_key(scope, |(scope, _)| *scope).ok()?;
                Some(generics[position].1.clone())
            };
            let numbers = part.generics.iter().filter_map(joint).flatten().collect();
            Source { types: &part.types, numbers, known }
        };
        let sources = tables.iter().map(source).collect();
        Join { table, sources }
    }

    /// Returns the joint id of a type of a part; parts of types are copied in the order in which unify makes them.
    fn ty(&mut self, part: usize, id: TypeId) -> TypeId {
        let Source { types, numbers, known } = &mut self.sources[part];
        if let Some(id) = known[id].expand() {
            return id;
        }
        let mut work: SmallVec<[TypeId; 8]> = smallvec![id];
        while let Some(id) = work.last().copied() {
            if known[id].is_some() {
                work.pop();
                continue;
            }
            let mut node = types.get(id).clone();
            let before = work.len();
            for_each_part(&mut node, |part| match known[*part].expand() {
                Some(joint) => *part = joint,
                None => work.push(*part),
            });
            if work.len() > before {
                continue;
            }
            work.pop();
            if let TypeNode::Var(number) = &mut node {
                *number = numbers.get(*number as usize).copied().unwrap_or(*number);
            }
            known[id] = self.table.intern(node).into();
        }
        known[id].expand().unwrap_or(TypeId::UNTYPED)
    }
}

fn for_each_part(node: &mut TypeNode, mut visit: impl FnMut(&mut TypeId)) {
    match node {
        TypeNode::Untyped | TypeNode::Bool | TypeNode::Str | TypeNode::Int | TypeNode::Float | TypeNode::Var(_) => {}
        TypeNode::List(element) => visit(element),
        TypeNode::Map(key, value) => {
            visit(key);
            visit(value);
        }
        TypeNode::Struct(fields) => fields.iter_mut().for_each(|(_, ty)| visit(ty)),
        TypeNode::Func(args, result) => {
            args.iter_mut().for_each(&mut visit);
            visit(result);
        }
    }
}
