//! The plan of an `iter.*` call: how often its function is applied, and to what.

use std::sync::Arc;

use cranelift_entity::EntityRef;
use mcl_artifact::program::ParamIdx;
use mcl_functions::EngineFunction;
use mcl_value::{FuncValue, Value};

/// What an `iter.*` call wants built for its present arguments.
pub(crate) struct Iteration {
    /// The function to apply.
    pub(crate) callee: FuncValue,
    /// Number of applications.
    pub(crate) count: usize,
    pub(crate) accumulator: Accumulator,
    /// At least one list.
    lists: Vec<Arc<[Value]>>,
}

/// The first argument of the first application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accumulator {
    /// An element, as in all later applications: `map`, `filter`, `zip`.
    None,
    /// The initial value of `reduce`, its first argument.
    Initial,
    /// The first element of the list: `reduce` without an initial value.
    FirstElement,
}

/// A call that cannot be planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IterationError {
    /// The last argument is not a function. The compiler makes no such program.
    NotAFunction,
    /// Another argument is not a list. The compiler makes no such program.
    NotAList,
    /// There is no list. The compiler makes no such program.
    MissingList,
    /// `reduce` of an empty list without an initial value.
    EmptyReduce,
}

impl IterationError {
    pub(crate) fn message(self) -> &'static str {
        match self {
            IterationError::NotAFunction => "expected a function as the last argument of an iteration",
            IterationError::NotAList => "expected a list as the argument of an iteration",
            IterationError::MissingList => "missing list argument of an iteration",
            IterationError::EmptyReduce => "cannot reduce an empty list without an initial value",
        }
    }
}

impl Iteration {
    /// Plans the call of `function` with these arguments; the last one is the function to apply.
    ///
    /// # Errors
    /// If the arguments have the wrong types, or if a value would have to be made from an empty list.
    pub(crate) fn plan(function: EngineFunction, mut arguments: Vec<Value>) -> Result<Iteration, IterationError> {
        let Some(Value::Func(callee)) = arguments.pop() else { return Err(IterationError::NotAFunction) };
        let accumulator = match (function, arguments.len()) {
            (EngineFunction::Map | EngineFunction::Filter | EngineFunction::Zip, _) => Accumulator::None,
            (EngineFunction::Reduce, 2) => Accumulator::Initial,
            (EngineFunction::Reduce, _) => Accumulator::FirstElement,
        };
        let lists = arguments
            .into_iter()
            .skip(usize::from(accumulator == Accumulator::Initial))
            .map(|argument| if let Value::List(list) = argument { Ok(list) } else { Err(IterationError::NotAList) })
            .collect::<Result<Vec<Arc<[Value]>>, IterationError>>()?;
        let length = lists.iter().map(|list| list.len()).min().ok_or(IterationError::MissingList)?;
        let count = match accumulator {
            Accumulator::None | Accumulator::Initial => length,
            Accumulator::FirstElement => length.checked_sub(1).ok_or(IterationError::EmptyReduce)?,
        };
        Ok(Iteration { callee, count, accumulator, lists })
    }

    /// Returns the parameters that take elements in the application number `index`, with these elements.
    pub(crate) fn elements(&self, index: usize) -> impl Iterator<Item = (ParamIdx, &Value)> {
        let lists = self.lists.iter();
        // Without an initial value, the first application takes the first element as its accumulator.
        let (first, parameter, index) = match self.accumulator {
            Accumulator::None => (None, 0, index),
            Accumulator::Initial => (None, 1, index),
            Accumulator::FirstElement => (self.first_element().filter(|_| index == 0), 1, index + 1),
        };
        let elements = lists.enumerate().map(move |(i, list)| (ParamIdx::new(parameter + i), &list[index]));
        first.map(|value| (ParamIdx::new(0), value)).into_iter().chain(elements)
    }

    /// Returns the first element of the first list.
    pub(crate) fn first_element(&self) -> Option<&Value> {
        self.lists[0].first()
    }

    /// Returns the first list.
    pub(crate) fn list(&self) -> Value {
        Value::List(Arc::clone(&self.lists[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(function: EngineFunction, arguments: &[Value]) -> Result<Iteration, IterationError> {
        let callee = Value::Func(FuncValue(Arc::new(())));
        Iteration::plan(function, arguments.iter().cloned().chain([callee]).collect())
    }

    /// Checks the elements of each application.
    #[track_caller]
    fn check(function: EngineFunction, arguments: &[Value], expected: &[&[(usize, i64)]]) {
        let iteration = plan(function, arguments).ok().unwrap();
        let elements: Vec<Vec<(usize, i64)>> = (0..iteration.count)
            .map(|i| iteration.elements(i).map(|(param, value)| (param.index(), value.as_int().unwrap())).collect())
            .collect();
        assert_eq!(elements, expected);
    }

    #[test]
    fn every_element_is_an_argument_of_one_application() {
        let list = Value::list([7, 8, 9]);
        let one_list = [list.clone()];
        check(EngineFunction::Map, &one_list, &[&[(0, 7)], &[(0, 8)], &[(0, 9)]]);
        check(EngineFunction::Reduce, &one_list, &[&[(0, 7), (1, 8)], &[(1, 9)]]);
        check(EngineFunction::Zip, &[list.clone(), Value::list([1, 2])], &[&[(0, 7), (1, 1)], &[(0, 8), (1, 2)]]);
        check(EngineFunction::Reduce, &[0.into(), list], &[&[(1, 7)], &[(1, 8)], &[(1, 9)]]);
    }

    #[test]
    fn lists_too_short_for_an_application_have_none() {
        check(EngineFunction::Filter, &[Value::list::<i64>([])], &[]);
        check(EngineFunction::Reduce, &[0.into(), Value::list::<i64>([])], &[]);
        check(EngineFunction::Reduce, &[Value::list([7])], &[]);
        let empty = plan(EngineFunction::Reduce, &[Value::list::<i64>([])]);
        assert_eq!(empty.err(), Some(IterationError::EmptyReduce));
    }

    #[test]
    fn arguments_of_the_wrong_type_are_errors() {
        assert_eq!(plan(EngineFunction::Map, &[1.into()]).err(), Some(IterationError::NotAList));
        assert_eq!(plan(EngineFunction::Map, &[]).err(), Some(IterationError::MissingList));
        assert_eq!(Iteration::plan(EngineFunction::Map, vec![]).err(), Some(IterationError::NotAFunction));
    }
}
