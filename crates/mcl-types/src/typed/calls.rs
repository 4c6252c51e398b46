//! The types of calls.

use std::ops::Range;

use mcl_parser::ast::ExprId;
use serde::{Deserialize, Serialize};

use crate::invalid::InvalidProgram;
use crate::scoped::ModuleId;
use crate::typed::id::TypeId;

/// An expression of the program.
pub type ExprKey = (ModuleId, ExprId);

/// The types that calls of `func` statements give to the variables of the functions. All are in one table: a program has
/// many calls, and most give one type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallTypes {
    calls: Vec<Call>,
    types: Vec<TypeId>,
}

/// A call, and its part of the table of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Call {
    call: ExprKey,
    start: u32,
    end: u32,
}

impl Call {
    fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl CallTypes {
    pub(crate) fn with_capacity(calls: usize, types: usize) -> CallTypes {
        CallTypes { calls: Vec::with_capacity(calls), types: Vec::with_capacity(types) }
    }

    /// Adds a call, which must not be in the table.
    pub(crate) fn add(&mut self, call: ExprKey, types: impl Iterator<Item = TypeId>) {
        let start = self.types.len() as u32;
        self.types.extend(types);
        self.calls.push(Call { call, start, end: self.types.len() as u32 });
    }

    /// Returns calls by the order in which they were added, before [`Self::sort`].
    pub(crate) fn range(&self, calls: Range<usize>) -> impl Iterator<Item = (ExprKey, &[TypeId])> {
        self.calls.get(calls).unwrap_or_default().iter().map(|call| (call.call, self.types_of(call)))
    }

    /// Makes all calls known to [`Self::get`].
    pub(crate) fn sort(&mut self) {
        self.calls.sort_unstable_by_key(|call| call.call);
    }

    /// Returns the types that a call gives; none for a call of a function without variables.
    #[must_use]
    pub fn get(&self, call: ExprKey) -> &[TypeId] {
        match self.calls.binary_search_by_key(&call, |call| call.call) {
            Ok(position) => self.types_of(&self.calls[position]),
            Err(_) => &[],
        }
    }

    fn types_of(&self, call: &Call) -> &[TypeId] {
        self.types.get(call.range()).unwrap_or_default()
    }

    /// Returns the number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Returns whether there are no calls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Returns the types of all calls.
    pub(crate) fn types(&self) -> &[TypeId] {
        &self.types
    }

    /// Checks a table that was read from a file.
    ///
    /// # Errors
    /// The first violation.
    pub(crate) fn validate(&self) -> Result<(), InvalidProgram> {
        let is_valid = |call: &Call| call.start <= call.end && call.end as usize <= self.types.len();
        if !self.calls.iter().all(is_valid) {
            return Err(InvalidProgram::new("the types of a call do not exist"));
        }
        if !self.calls.is_sorted_by(|a, b| a.call < b.call) {
            return Err(InvalidProgram::new("its calls are not in order"));
        }
        Ok(())
    }
}
