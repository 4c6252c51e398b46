//! What an example of a function needs around it.

/// Returns the imports that a program with an example of a function needs.
pub fn imports(example: &str, module: &'static str) -> Vec<String> {
    let alias = |module: &str| module.rsplit('/').next().unwrap_or(module).to_owned();
    let uses = |module: &str| {
        let prefix = format!("{}.", alias(module));
        example
            .match_indices(&prefix)
            .any(|(at, _)| !example[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    };
    let own = alias(module);
    let other = mcl_functions::module_names().filter(|name| !name.contains('/') && **name != own);
    let all = [module].into_iter().filter(|module| !module.is_empty()).chain(other);
    all.filter(|name| uses(name)).map(|name| format!("import \"{name}\"")).collect()
}
