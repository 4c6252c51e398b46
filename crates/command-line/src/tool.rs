//! What is particular to each of the tools.

/// A name and how to get its value.
pub type Fact = (&'static str, fn() -> String);

/// What is particular to a tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// The name of the binary.
    pub name: &'static str,
    /// The environment variable with which a shell asks for completions.
    pub completion_variable: &'static str,
    /// What `--version --verbose` says beside the build, by name.
    pub facts: &'static [Fact],
    /// Returns a way out of an error of the command line, beyond what clap suggests.
    pub advice: fn(&clap::Error) -> Option<&'static str>,
}
