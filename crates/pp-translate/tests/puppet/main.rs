//! The recorded cases: what real Puppet made of each manifest (`tests/cases`), against what this crate makes of it.

mod relationships;
mod translation;
