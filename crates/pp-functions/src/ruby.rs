//! Behaviour of Ruby that programs can see: how values are shown, compared, sorted, drawn at random and matched.

pub(crate) mod compare;
pub(crate) mod inspect;
pub(crate) mod random;
pub(crate) mod regexp;
pub(crate) mod sort;
pub(crate) mod titlecase;
