//! The native resource types of Puppet, as data.
