//! Instantiating generic scopes: fresh variables for the variables of a scheme, and its obligations anew.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::infer::Inference;
use crate::infer::error::InferError;
use crate::scoped::{InstanceId, InstanceKind, ScopeId, ScopeKind};
use crate::solver::constraint::InstantiationSite;
use crate::solver::generalize::MAX_VARIABLES;
use crate::solver::obligation::Obligation;
use crate::solver::scheme::{GenericVarInfo, Scheme, Snapshot, VarOwner};
use crate::solver::types::Ty;

/// The types that replace the variables of some generic scopes, innermost scope first.
pub(crate) struct Instantiation {
    substitutions: Vec<Substitution>,
}

/// The types that replace the variables of one scope.
struct Substitution {
    scope: ScopeId,
    /// For the variables of the scope itself.
    types: Rc<[Ty]>,
    /// The instance that has the types for the variables of members.
    instance: Option<InstanceId>,
    /// The types that were substituted already.
    done: FxHashMap<Ty, Ty>,
}

impl Inference<'_> {
    /// Generalizes a complete class body, file or function.
    pub(crate) fn generalize(&mut self, scope: ScopeId, snapshot: Snapshot) {
        // The strings that a function depends on are determined by the include of the class around it, not by its calls.
        let is_function = matches!(self.scoped.scope(scope).kind, ScopeKind::Function(_));
        let scheme = self.solver.generalize_scope(VarOwner::Scope(scope), snapshot, |obligation| match obligation {
            Obligation::FormatString(_) | Obligation::DecodeType(_) => !is_function,
            Obligation::ResourceName(_) | Obligation::Type(_) => true,
        });
        let generic = &mut self.generic_scopes[scope];
        generic.is_generalized = true;
        generic.scheme = (!scheme.is_trivial()).then(|| Rc::new(scheme));
    }

    /// Returns the scheme of a generalized scope; `None` if there is nothing to instantiate.
    pub(crate) fn scheme(&self, scope: ScopeId) -> Option<Rc<Scheme>> {
        self.generic_scopes[scope].scheme.clone()
    }

    /// Returns fresh variables for those of a generalized scope.
    pub(crate) fn fresh_vars(&mut self, scope: ScopeId) -> Rc<[Ty]> {
        let Some(scheme) = self.scheme(scope) else { return Rc::from([]) };
        // Classes that include others several times multiply their variables at each level.
        if scheme.origins.len() > MAX_VARIABLES {
            let is_function = matches!(self.scoped.scope(scope).kind, ScopeKind::Function(_));
            self.report(InferError::TooManyVariables { origin: scheme.origins[0], is_function, limit: MAX_VARIABLES });
            return vec![Ty::ERROR; scheme.origins.len()].into();
        }
        let level = self.solver.level;
        self.solver.fresh_vars(&scheme, level)
    }

    /// Prepares the instantiation of what belongs to `scope`, with these types for its variables, and is reached through
    /// `path`.
    pub(crate) fn instantiation(&self, scope: Option<(ScopeId, Rc<[Ty]>)>, path: &[InstanceId]) -> Instantiation {
        let mut substitutions = Vec::new();
        if let Some((scope, types)) = scope {
            substitutions.push(Substitution { scope, types, instance: None, done: FxHashMap::default() });
        }
        // An instance of a class is inside an instance of the scope around the class, which its include statement names.
        let mut work: Vec<InstanceId> = path.to_vec();
        while let Some(instance) = work.pop() {
            if let Some(scope) = self.scoped.instance_scope(instance) {
                let generic = &self.generic_scopes[scope];
                if generic.scheme.is_some() || generic.has_members {
                    let types = self.inferred.instances[instance].clone().unwrap_or_else(|| Rc::from([]));
                    let (instance, done) = (Some(instance), FxHashMap::default());
                    substitutions.push(Substitution { scope, types, instance, done });
                }
            }
            if let InstanceKind::Class(reference) = self.scoped.instance(instance).kind {
                work.extend(self.scoped.reference(reference).path);
            }
        }
        Instantiation { substitutions }
    }

    /// Returns a type with the variables of the instantiated scopes replaced. Inside a member, variables of the outside are
    /// replaced as well ([`crate::infer::member`]).
    pub(crate) fn instantiate(&mut self, instantiation: &mut Instantiation, ty: Ty) -> Ty {
        let members = &self.members.instances;
        let instantiated = instantiation.substitutions.iter_mut().fold(ty, |ty, substitution| {
            let Substitution { scope, types, instance, done } = substitution;
            let replace = |variable: GenericVarInfo| match variable.owner {
                VarOwner::Scope(owner) if owner == *scope => types.get(variable.index as usize).copied(),
                VarOwner::Member(member) => {
                    members.get(&((*instance)?, member))?.types.get(variable.index as usize).copied()
                }
                VarOwner::Scope(_) => None,
            };
            self.solver.instantiate(ty, replace, done)
        });
        self.abstracted(instantiated)
    }

    /// Adds the obligations of a scheme, instantiated. Those that the instance decides are decided for `instance`.
    pub(crate) fn instantiate_obligations(
        &mut self,
        scheme: &Scheme,
        instantiation: &mut Instantiation,
        site: InstantiationSite,
        instance: Option<InstanceId>,
    ) -> bool {
        let (constraints, others): (Vec<_>, Vec<_>) =
            scheme.obligations.iter().partition(|obligation| matches!(obligation, Obligation::Type(_)));
        for obligation in constraints {
            let Obligation::Type(constraint) = obligation else { continue };
            let constraint = constraint.clone().map_types(|ty| self.instantiate(instantiation, ty));
            self.solver.add_constraint(constraint.instantiated_at(site));
        }
        let holds = self.solve();
        let Some(instance) = instance else { return holds };
        let include = match site {
            InstantiationSite::Include(span) => Some(span),
            InstantiationSite::Call(_) | InstantiationSite::Import => None,
        };
        for obligation in others {
            match obligation.clone() {
                Obligation::Type(_) => {}
                Obligation::ResourceName(mut check) => {
                    check.ty = self.instantiate(instantiation, check.ty);
                    check.shape = self.shape_through(check.shape, &[instance]);
                    self.check_name(check, include);
                }
                Obligation::FormatString(mut check) => {
                    for (ty, _) in &mut check.values {
                        *ty = self.instantiate(instantiation, *ty);
                    }
                    check.format.enter(instance, include);
                    self.check_format(check);
                }
                Obligation::DecodeType(mut check) => {
                    check.result = self.instantiate(instantiation, check.result);
                    check.written.enter(instance, include);
                    self.check_decoded_type(check);
                }
            }
        }
        holds
    }
}
