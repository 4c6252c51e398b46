//! What a compilation depends on besides the manifests.

use std::sync::Arc;

use pp_functions::Strict;
use pp_resource_types::KnownTypes;
use pp_types::Hash;

/// The node and the settings.
#[derive(Clone, Debug)]
pub struct Options {
    /// The certificate name of the node, in lower case.
    pub node: Arc<str>,
    /// The name of the environment.
    pub environment: Arc<str>,
    /// The facts: `$facts`, and a variable each.
    pub facts: Hash,
    /// What an external classifier says about the node.
    pub classification: Classification,
    /// `$trusted`
    pub trusted: Hash,
    /// `$server_facts`
    pub server_facts: Hash,
    /// The variables of `$settings::`.
    pub settings: Hash,
    /// The native resource types.
    pub resource_types: KnownTypes,
    /// What happens where Puppet 8 is stricter than Puppet 7.
    pub strict: Strict,
    /// An unknown variable is an error.
    pub strict_variables: bool,
    /// The limits of the evaluation.
    pub budget: Budget,
}

/// The answer of an external node classifier (spec 07 §5.17 step 5).
#[derive(Clone, Debug, Default)]
pub struct Classification {
    /// Variables of the top scope, which hide facts of the same name.
    pub parameters: Hash,
    /// The classes of the node, with their parameters.
    pub classes: Vec<(Arc<str>, Hash)>,
}

/// Limits, so that every program ends. What exceeds one is an error.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Evaluated expressions, and elements that functions visit.
    pub steps: u64,
    /// Bytes of the values that the program makes, whether or not they are still in use.
    pub bytes: u64,
    /// Nested calls and blocks.
    pub depth: u32,
}

impl Default for Budget {
    fn default() -> Budget {
        // What does not end takes some seconds: a plain loop makes 12 million steps in one. Manifests that declare the classes of
        // public modules compile with a thousandth of the steps and a hundredth of the memory.
        Budget { steps: 20_000_000, bytes: 256 << 20, depth: 2_000 }
    }
}

impl Options {
    /// Creates the options of a node without facts, with the core types and the defaults of Puppet 7.
    #[must_use]
    pub fn new(node: impl Into<Arc<str>>) -> Options {
        Options {
            node: node.into(),
            environment: "production".into(),
            facts: Hash::default(),
            classification: Classification::default(),
            trusted: Hash::default(),
            server_facts: Hash::default(),
            settings: Hash::default(),
            resource_types: KnownTypes::core(),
            strict: Strict::Warning,
            strict_variables: false,
            budget: Budget::default(),
        }
    }
}
