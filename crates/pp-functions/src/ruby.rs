//! Behaviour of Ruby that programs can see: how values are shown, compared, sorted, drawn at random and matched.

pub(crate) mod compare;
pub mod inspect;
pub(crate) mod random;
pub mod regexp;
pub mod sort;
pub mod successor;
pub mod titlecase;
