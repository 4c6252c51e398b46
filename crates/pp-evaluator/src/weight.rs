//! The budget of what visits whole values: values share their parts, so that a few lines make an array of 10^12 elements.

use pp_ast::ExprId;
use pp_types::{Error, ErrorKind, Value};

use crate::evaluator::Evaluator;
use crate::stop::Eval;

/// Lighter values are not charged.
const LIGHT: u64 = 1 << 16;
/// Visiting an element is so much cheaper than evaluating an expression.
const ELEMENTS_PER_STEP: u64 = 8;
/// No value may weigh more than this part of the budget of steps.
const PART_OF_BUDGET: u64 = 4;

impl Evaluator<'_> {
    /// Charges what visits all of some values: comparing, matching, printing, passing to a function.
    pub(crate) fn charge_visit<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) -> Result<(), Error> {
        let heavy = values.into_iter().map(Value::weight).filter(|weight| *weight > LIGHT);
        let weight = heavy.fold(0, u64::saturating_add);
        if weight == 0 { Ok(()) } else { self.spend(weight / ELEMENTS_PER_STEP, 0) }
    }

    /// Checks a value that the program made.
    pub(crate) fn limit_weight(&self, value: Value) -> Result<Value, Error> {
        let most = self.options.budget.steps / PART_OF_BUDGET;
        if value.weight() <= most {
            return Ok(value);
        }
        let error = Error::new(ErrorKind::Limit, format!("a value has more than {most} elements"));
        Err(error.help("probably a list or hash holds the same list again and again"))
    }

    /// Checks a value that an expression made.
    pub(crate) fn made(&self, id: ExprId, value: Value) -> Eval {
        self.limit_weight(value).map_err(|error| self.fault(id, error))
    }
}
