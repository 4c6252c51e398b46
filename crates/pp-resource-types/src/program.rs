//! Small programs that compute titles: what the block of an automatic relation does, without Ruby.
//!
//! A program is a list of operations. An operation refers to earlier ones only, so there is no cycle, and its depth is known
//! before it runs. It reads attributes and resources, and changes nothing. See [`crate::Evaluation`] for how it runs.

use serde::{Deserialize, Serialize};

/// Maximum depth of nested operations.
const MAX_DEPTH: u32 = 64;

/// The index of an operation in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OperationId(u32);

/// A variable of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Variable(pub u16);

/// Operations, of which the last one is the result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    operations: Vec<Operation>,
}

/// What an operation does. Symbols of Ruby are strings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Operation {
    Nil,
    Boolean(bool),
    Integer(i64),
    Text(String),
    /// `"a#{b}"`
    Concatenate(Vec<OperationId>),
    /// `[a, b]`
    List(Vec<OperationId>),
    /// `self[:name]`
    Attribute(String),
    /// `other[:name]`
    AttributeOf(OperationId, String),
    Variable(Variable),
    Assign(Variable, OperationId),
    If {
        condition: OperationId,
        then: OperationId,
        otherwise: OperationId,
    },
    And(OperationId, OperationId),
    Or(OperationId, OperationId),
    Not(OperationId),
    Sequence(Vec<OperationId>),
    /// Ends the innermost `Enter`, or the program, with a result.
    Return(OperationId),
    /// Runs the body of a method.
    Enter(OperationId),
    Call {
        receiver: OperationId,
        method: Method,
        arguments: Vec<OperationId>,
    },
    /// Evaluates the body for each item of a list.
    Loop {
        items: OperationId,
        variable: Variable,
        body: OperationId,
        result: LoopResult,
    },
    /// The resources of a type in the catalog.
    Resources(String),
    /// The resource of a type with a title.
    Resource(String, OperationId),
}

/// The methods that programs call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Method {
    Append,
    Basename,
    Capitalize,
    Compact,
    Difference,
    Dirname,
    Downcase,
    Element,
    EndWith,
    Equal,
    First,
    Flatten,
    Include,
    IsEmpty,
    IsList,
    IsNil,
    IsText,
    Join,
    JoinPath,
    Last,
    Plus,
    Replace,
    ReplaceAll,
    Reverse,
    Size,
    Slice,
    Split,
    StartWith,
    Strip,
    Title,
    ToList,
    ToText,
    Unique,
    Upcase,
}

/// What a loop returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LoopResult {
    /// The items.
    Items,
    /// What the body returns for each item.
    Results,
    /// The items for which the body is true.
    Selected,
    /// The items for which the body is false.
    Rejected,
    /// The first item for which the body is true.
    Found,
    /// Whether the body is true for an item.
    Any,
    /// Whether the body is true for all items.
    All,
}

impl Program {
    /// Adds an operation, which becomes the result.
    pub fn push(&mut self, operation: Operation) -> OperationId {
        let id = OperationId(u32::try_from(self.operations.len()).unwrap_or(u32::MAX));
        self.operations.push(operation);
        id
    }

    /// Returns the program of constant titles.
    #[must_use]
    pub fn constant(titles: &[&str]) -> Program {
        let mut program = Program::default();
        let titles = titles.iter().map(|title| program.push(Operation::Text((*title).to_owned()))).collect();
        program.push(Operation::List(titles));
        program
    }

    /// Returns whether each operation refers to earlier ones only, and none is nested too deeply. Programs from files must be
    /// checked before they run.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let mut depths: Vec<u32> = Vec::with_capacity(self.operations.len());
        for operation in &self.operations {
            let mut deepest = Some(0);
            operation.for_each_operand(&mut |id: OperationId| {
                deepest = deepest.and_then(|depth| Some(depth.max(*depths.get(id.0 as usize)?)));
            });
            match deepest {
                Some(depth) if depth < MAX_DEPTH => depths.push(depth + 1),
                _ => return false,
            }
        }
        !self.operations.is_empty()
    }

    /// Returns the constant titles, if the program is a list of them.
    #[must_use]
    pub fn constants(&self) -> Option<Vec<&str>> {
        let text = |operation: &Operation| matches!(operation, Operation::Text(_) | Operation::List(_));
        if !self.operations.iter().all(text) {
            return None;
        }
        Some(
            self.operations
                .iter()
                .filter_map(|o| if let Operation::Text(t) = o { Some(t.as_str()) } else { None })
                .collect(),
        )
    }

    pub(crate) fn operation(&self, id: OperationId) -> Option<&Operation> {
        self.operations.get(id.0 as usize)
    }

    pub(crate) fn result(&self) -> Option<OperationId> {
        Some(OperationId(u32::try_from(self.operations.len().checked_sub(1)?).ok()?))
    }
}

impl Operation {
    fn for_each_operand(&self, visit: &mut dyn FnMut(OperationId)) {
        match self {
            Operation::Nil
            | Operation::Boolean(_)
            | Operation::Integer(_)
            | Operation::Text(_)
            | Operation::Attribute(_)
            | Operation::Variable(_)
            | Operation::Resources(_) => {}
            Operation::AttributeOf(one, _)
            | Operation::Assign(_, one)
            | Operation::Not(one)
            | Operation::Return(one)
            | Operation::Enter(one)
            | Operation::Resource(_, one) => visit(*one),
            Operation::And(one, two) | Operation::Or(one, two) => [*one, *two].into_iter().for_each(visit),
            Operation::If { condition, then, otherwise } => [*condition, *then, *otherwise].into_iter().for_each(visit),
            Operation::Concatenate(all) | Operation::List(all) | Operation::Sequence(all) => {
                all.iter().copied().for_each(visit);
            }
            Operation::Call { receiver, arguments, .. } => {
                std::iter::once(*receiver).chain(arguments.iter().copied()).for_each(visit);
            }
            Operation::Loop { items, body, .. } => [*items, *body].into_iter().for_each(visit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_refer_to_earlier_ones() {
        let mut program = Program::default();
        assert!(!program.is_valid());
        let one = program.push(Operation::Nil);
        program.push(Operation::Not(one));
        assert!(program.is_valid());
        program.push(Operation::Not(OperationId(7)));
        assert!(!program.is_valid());
    }

    #[test]
    fn depth_is_limited() {
        let mut program = Program::default();
        let mut last = program.push(Operation::Nil);
        for _ in 1..MAX_DEPTH {
            last = program.push(Operation::Not(last));
        }
        assert!(program.is_valid());
        program.push(Operation::Not(last));
        assert!(!program.is_valid());
    }

    #[test]
    fn constants_are_known_without_running() {
        assert_eq!(Program::constant(&["a", "b"]).constants(), Some(vec!["a", "b"]));
        let mut program = Program::default();
        program.push(Operation::Attribute("a".to_owned()));
        assert_eq!(program.constants(), None);
    }
}
