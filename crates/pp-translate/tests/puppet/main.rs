//! The recorded cases: what real Puppet made of each manifest (`tests/cases`), against what this crate makes of it.

mod hostile;
mod relationships;
mod translation;
