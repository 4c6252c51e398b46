//! Parses the Puppet language.
