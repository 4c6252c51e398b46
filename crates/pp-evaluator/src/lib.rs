//! Evaluates Puppet manifests to a catalog.
