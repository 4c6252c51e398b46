//! Paths of instances, as seen from different positions.
//!
//! A path leads from the code, through instances of classes and files, to the instance of a scope. The empty path denotes
//! the code's own instance, and all instances around it.

use crate::infer::Inference;
use crate::scoped::{InstanceId, InstanceKind, ScopeId};

impl Inference<'_> {
    /// Returns the path to the instance of `scope` that encloses the end of `path`, where `path` begins at the end of
    /// `from`.
    pub(crate) fn path_to(&self, from: &[InstanceId], path: &[InstanceId], scope: ScopeId) -> Vec<InstanceId> {
        let mut result = from.to_vec();
        for instance in path {
            self.descend(&mut result, *instance);
        }
        self.ascend(&mut result, scope);
        result
    }

    fn descend(&self, path: &mut Vec<InstanceId>, instance: InstanceId) {
        self.ascend(path, self.enclosing_scope(instance));
        path.push(instance);
    }

    /// Returns the class body or top level of a file that contains an instance.
    pub(crate) fn enclosing_scope(&self, instance: InstanceId) -> ScopeId {
        self.usage.instance_scopes[self.scoped.instance(instance).scope]
    }

    /// Changes a path to lead to the instance of `scope` around its end.
    fn ascend(&self, path: &mut Vec<InstanceId>, scope: ScopeId) {
        while let Some(instance) = path.last().copied() {
            if self.scoped.instance_scope(instance) == Some(scope) {
                return;
            }
            path.pop();
            if let InstanceKind::Class(reference) = self.scoped.instance(instance).kind {
                for instance in self.scoped.reference(reference).path {
                    self.descend(path, *instance);
                }
            }
        }
    }
}
