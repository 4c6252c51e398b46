//! Reading texts outside of a hierarchy, for functions such as `parseyaml`.

use pp_types::{Error, Value};

use crate::problem::error;
use crate::yaml::Dates;
use crate::{hocon, yaml};

/// Reads the first document of a text in YAML, as Ruby's `YAML.load` does; `undef` if there is none.
///
/// # Errors
/// Invalid syntax, aliases, classes of Ruby, too many or too deeply nested values.
pub fn parse_yaml(text: &str) -> Result<Value, Error> {
    let document = yaml::load_without_aliases(text).map_err(|invalid| error(invalid.0))?;
    Ok(document.value.unwrap_or(Value::Undef))
}

/// Does the same, and refuses what the language cannot hold: symbols of Ruby, integers of more than 64 bits, keys that are
/// neither strings nor numbers. Dates are strings.
///
/// # Errors
/// As above.
pub fn parse_plain_yaml(text: &str) -> Result<Value, Error> {
    let document = yaml::load_with(text, Dates::Strings).map_err(|invalid| error(invalid.0))?;
    match document.notes.values().find_map(|note| note.problem.as_ref()) {
        Some(problem) => Err(error(problem.reason())),
        None => Ok(document.value.unwrap_or(Value::Undef)),
    }
}

/// Reads a text in HOCON.
///
/// # Errors
/// Invalid syntax, substitutions of nothing or of themselves, includes.
pub fn parse_hocon(text: &str) -> Result<Value, Error> {
    let document = hocon::load(text).map_err(|invalid| error(invalid.0))?;
    Ok(document.value.unwrap_or(Value::Undef))
}
