//! Sets of types (spec 07 §5.6): `type Vehicle = TypeSet[{ … types => { Car => { … }, Fleet => Array[Car] } }]`.
//!
//! The types of a set see each other by their names in it, in any order, and the types of other sets by the name of a reference.
//! Outside of the set they are `Vehicle::Car` if the set is in `types/init_typeset.pp` of the module; those of other sets have no
//! name. So a set is resolved as a whole, and each of its types when the set, or another of its types, needs it first.

use std::rc::Rc;
use std::sync::Arc;

use pp_ast::{Definition, Expr, ExprId, Tree};
use pp_types::{Error, ErrorKind, Hash, Type, TypeSetReference, Value, check_type_set, define_type_set};

use crate::definitions::plain;
use crate::evaluator::Evaluator;
use crate::set_scope::SetScope;
use crate::stop::{Eval, unlocated};

impl<'e> Evaluator<'e> {
    /// Resolves a set of types.
    pub(crate) fn type_set(&mut self, name: &str, entries: &[ExprId]) -> Eval<Type> {
        let tree = self.frame.tree;
        let mut definition = Hash::default();
        let mut types = Vec::new();
        for pair in entries.chunks_exact(2) {
            let key = self.eval(pair[0])?;
            let value = match &tree.exprs[pair[1]] {
                Expr::Hash(list) if key == Value::from("types") => {
                    types = self.types_of_set(tree.list(*list))?;
                    let names = types.iter().map(|(name, _)| (Value::String(Arc::clone(name)), Value::Undef));
                    Value::hash(names.collect())
                }
                Expr::Hash(list) if key == Value::from("references") => {
                    let mut references = Hash::default();
                    for (alias, reference) in self.types_of_set(tree.list(*list))? {
                        references.insert(Value::String(alias), self.eval(reference)?);
                    }
                    Value::hash(references)
                }
                _ => self.eval(pair[1])?,
            };
            definition.insert(key, value);
        }
        let references = check_type_set(name, &definition).map_err(unlocated)?;
        for reference in &references {
            self.check_reference(name, reference)?;
        }
        let names: Vec<Arc<str>> = types.iter().map(|(name, _)| Arc::clone(name)).collect();
        let scope = Rc::new(SetScope { name: name.into(), tree, types, references });
        let outer = self.set.replace(scope);
        let resolved: Eval<Vec<_>> = names
            .into_iter()
            .map(|name| match self.type_of_set(&name)? {
                Some(ty) => Ok((name, ty)),
                None => Ok((Arc::clone(&name), Type::Reference(name))),
            })
            .collect();
        self.set = outer;
        let set = define_type_set(Some(name), &definition, resolved?).map_err(unlocated)?;
        Ok(Type::TypeSet(Arc::new(set)))
    }

    /// Returns the names of the types of a set, or of its references, and their definitions.
    fn types_of_set(&mut self, entries: &[ExprId]) -> Eval<Vec<(Arc<str>, ExprId)>> {
        let tree = self.frame.tree;
        let name = |this: &mut Self, key: ExprId| match &tree.exprs[key] {
            Expr::TypeName(name) | Expr::Name(name) | Expr::String(name) => Ok(Arc::clone(tree.str(*name))),
            _ => this.eval(key).map(|key| pp_types::interpolate(&key).into()),
        };
        entries.chunks_exact(2).map(|pair| Ok((name(self, pair[0])?, pair[1]))).collect()
    }

    /// Checks that the set of a reference is there, with a version that will do.
    fn check_reference(&mut self, name: &str, reference: &TypeSetReference) -> Eval<()> {
        let problem = |problem: String| {
            let subject = format!("TypeSet '{name}' reference to TypeSet named '{}'", reference.name);
            unlocated(Error::new(ErrorKind::TypeParameters, format!("{subject} {problem}")))
        };
        let set = match self.outside_of_sets(|this| this.find_type(&reference.name))? {
            Some(Type::TypeSet(set)) => set,
            _ => return Err(problem("cannot be resolved".to_owned())),
        };
        match &set.version {
            Some(version) if !reference.versions.contains(version) => {
                let expected = &reference.versions.source;
                Err(problem(format!("resolves to an incompatible version. Expected {expected}, got {version}")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the type that a name stands for in the set whose types are being resolved.
    pub(crate) fn type_of_set(&mut self, name: &str) -> Eval<Option<Type>> {
        let Some(set) = self.set.clone() else { return Ok(None) };
        if let Some((value, full)) = set.definition(name) {
            let key = (Arc::clone(&set.name), Arc::from(name));
            if let Some(known) = self.set_types.get(&key) {
                return Ok(Some(match known {
                    Type::Alias(alias) => Type::Alias(alias.within_definition()),
                    known => known.clone(),
                }));
            }
            let alias = self.aliases.declare(&full);
            self.set_types.insert(key.clone(), Type::Alias(alias.clone()));
            let resolved = self.resolve_alias(&alias, set.tree, value);
            match &resolved {
                Ok(Type::Alias(_)) => {}
                Ok(ty) => {
                    self.set_types.insert(key, ty.clone());
                }
                Err(_) => {
                    self.set_types.remove(&key);
                }
            }
            return resolved.map(Some);
        }
        match set.referred(name) {
            Some(other) => self.outside_of_sets(|this| this.find_type(&other)),
            None => Ok(None),
        }
    }

    /// Checks that `types/init_typeset.pp` of a module, which defines one type, defines a set.
    pub(crate) fn check_type_set_file(&self, tree: &Tree) -> Eval<()> {
        let aliases = tree.definitions.values().filter_map(|definition| match definition {
            Definition::TypeAlias(alias) => Some(alias),
            _ => None,
        });
        for alias in aliases {
            let is_set = match &tree.exprs[alias.value] {
                Expr::Access(target, _) => {
                    matches!(&tree.exprs[*target], Expr::TypeName(name) if **tree.str(*name) == *"TypeSet")
                }
                _ => false,
            };
            if !is_set {
                let span = tree.span(alias.value);
                let file = self.source(span).map_or("", |file| &file.name);
                let name = plain(tree.str(alias.name));
                let message = format!("The code loaded from {file} does not define the TypeSet '{name}'");
                let error = Error::new(ErrorKind::Evaluation, message);
                return Err(unlocated(
                    error.help("`init_typeset.pp` holds one definition, `type Name = TypeSet[{ … }]`"),
                ));
            }
        }
        Ok(())
    }

    /// Returns a type of the set in `types/init_typeset.pp` of a module, by its name in lower case.
    pub(crate) fn type_of_module_set(&mut self, key: &str) -> Eval<Option<Type>> {
        let Some((module, name)) = key.split_once("::") else { return Ok(None) };
        if self.find_alias(module)?.is_none_or(|alias| alias.module.is_none()) {
            return Ok(None);
        }
        let Some(Type::TypeSet(set)) = self.outside_of_sets(|this| this.find_type(module))? else { return Ok(None) };
        let found = set.types.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        let Some((name, ty)) = found else { return Ok(None) };
        let known = self.set_types.get(&(Arc::clone(set.name.as_ref().unwrap_or(name)), Arc::clone(name)));
        Ok(Some(known.unwrap_or(ty).clone()))
    }

    pub(crate) fn outside_of_sets<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.set.take();
        let result = work(self);
        self.set = outer;
        result
    }
}
