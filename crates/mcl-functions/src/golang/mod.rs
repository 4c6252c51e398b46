//! Functions generated from Go's standard library (spec 03 §5.24).

pub(crate) mod gomath;
