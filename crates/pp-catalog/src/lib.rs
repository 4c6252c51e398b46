//! The catalog of the Puppet language while it is compiled, and as JSON.
