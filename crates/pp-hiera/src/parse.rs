//! Reading texts outside of a hierarchy, for functions such as `parseyaml`.

use pp_types::{Error, Value};

use crate::problem::error;
use crate::{hocon, yaml};

/// Reads the first document of a text in YAML, as Ruby's Psych does; `undef` if there is none.
///
/// # Errors
/// Invalid syntax, classes of Ruby, too many or too deeply nested values.
pub fn parse_yaml(text: &str) -> Result<Value, Error> {
    let document = yaml::load(text).map_err(|invalid| error(invalid.0))?;
    Ok(document.value.unwrap_or(Value::Undef))
}

/// Reads a text in HOCON.
///
/// # Errors
/// Invalid syntax, substitutions, includes.
pub fn parse_hocon(text: &str) -> Result<Value, Error> {
    let document = hocon::load(text).map_err(|invalid| error(invalid.0))?;
    Ok(document.value.unwrap_or(Value::Undef))
}
