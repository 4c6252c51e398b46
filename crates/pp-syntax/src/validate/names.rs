//! The rules for names (spec 07 §5.2, §5.9).

/// The names of data types, which no class, define or function can have.
const TYPE_NAMES: &[&str] = &[
    "type",
    "any",
    "unit",
    "scalar",
    "boolean",
    "numeric",
    "integer",
    "float",
    "collection",
    "array",
    "hash",
    "tuple",
    "struct",
    "variant",
    "optional",
    "enum",
    "regexp",
    "pattern",
    "runtime",
    "init",
    "object",
    "sensitive",
    "semver",
    "semverrange",
    "string",
    "timestamp",
    "timespan",
    "typeset",
];

/// Returns whether a definition cannot have this name because a data type has it.
pub fn is_type_name(name: &str) -> bool {
    TYPE_NAMES.contains(&name)
}

fn is_word(text: &str, starts: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|first| starts(*first))
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn lower(byte: u8) -> bool {
    byte.is_ascii_lowercase()
}

fn lower_or_underscore(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte == b'_'
}

/// Returns whether a class, define or function can have this name: `[a-z]\w*(::[a-z]\w*)*`.
pub fn is_definition_name(name: &str) -> bool {
    name.split("::").all(|part| is_word(part, lower))
}

/// Returns whether a parameter can have this name: `[a-z_]\w*`.
pub fn is_parameter_name(name: &str) -> bool {
    is_word(name, lower_or_underscore)
}

/// Returns whether a name consists of digits only.
pub fn is_numeric(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// What is wrong with the name of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableNameError {
    /// It starts with a digit, but is not a decimal number without leading zeros.
    Numeric,
    /// It does not follow the rule for names.
    Name,
}

/// Checks the name of a variable: `(::)?([a-z]\w*::)*[a-z_]\w*`, or a decimal number. `true` and `false` cannot be variables
/// either: `${true}` stops Puppet.
pub fn variable_name_error(name: &str) -> Option<VariableNameError> {
    if name.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        let is_valid = is_numeric(name) && (name == "0" || !name.starts_with('0'));
        return (!is_valid).then_some(VariableNameError::Numeric);
    }
    let relative = name.strip_prefix("::").unwrap_or(name);
    let (qualifier, last) = match relative.rsplit_once("::") {
        Some((qualifier, last)) => (Some(qualifier), last),
        None => (None, relative),
    };
    let is_valid = is_word(last, lower_or_underscore)
        && qualifier.is_none_or(is_definition_name)
        && !matches!(name, "true" | "false");
    (!is_valid).then_some(VariableNameError::Name)
}

/// Returns whether a node can have this name.
pub fn is_host_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_words_or_decimal_numbers() {
        for name in ["a", "_a", "aB1", "a::b", "::a", "a::b::_c", "0", "10"] {
            assert_eq!(variable_name_error(name), None, "{name}");
        }
        for name in ["A", "", "a-b", "a::B", "_a::b", "a::1", "true"] {
            assert_eq!(variable_name_error(name), Some(VariableNameError::Name), "{name}");
        }
        for name in ["01", "1a", "0x1F", "1.5"] {
            assert_eq!(variable_name_error(name), Some(VariableNameError::Numeric), "{name}");
        }
    }

    #[test]
    fn definitions_are_qualified_words() {
        for name in ["a", "a::b", "a_b1"] {
            assert!(is_definition_name(name), "{name}");
        }
        for name in ["A", "a-b", "_a", "::a", "a::::b", "a::_b", ""] {
            assert!(!is_definition_name(name), "{name}");
        }
    }
}
