//! The state that the hosts of a fleet share.

use mcl_value::Value;

use crate::table::{Outcome, fatal};
use crate::{Live, LiveContext};

#[derive(Default)]
pub(crate) struct Collect;

impl Live for Collect {
    fn call(&mut self, _: &mut dyn LiveContext, _: &[Value]) -> Outcome {
        fatal("the world is not available")
    }
}
