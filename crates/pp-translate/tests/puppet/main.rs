//! The recorded cases: the results of this crate compared with those of Puppet for each manifest of `tests/puppet/cases`.

mod attributes;
mod edges;
mod kinds;
mod malformed_input;
mod relationships;
mod translation;
