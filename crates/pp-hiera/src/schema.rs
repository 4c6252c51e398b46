//! The types of a `hiera.yaml`: what it must look like is checked as a value of the language, so that messages say what is
//! wrong, and where, in the words of Puppet.

use std::sync::LazyLock;

use pp_types::{Error, ErrorKind, Type, Value, describe_mismatch, is_instance, parse_type};

const OPTIONS: &str = r"Hash[Pattern[/\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z/], Any]";

static VERSION_5: LazyLock<Option<Type>> = LazyLock::new(|| {
    let entry = format!(
        "Struct[{{name => String[1], Optional[options] => {OPTIONS}, Optional[data_hash] => String[1], \
         Optional[lookup_key] => String[1], Optional[hiera3_backend] => String[1], Optional[v3_lookup_key] => String[1], \
         Optional[data_dig] => String[1], Optional[path] => String[1], Optional[paths] => Array[String[1], 1], \
         Optional[glob] => String[1], Optional[globs] => Array[String[1], 1], Optional[uri] => String[1], \
         Optional[uris] => Array[String[1], 1], Optional[mapped_paths] => Array[String[1], 3, 3], \
         Optional[datadir] => String[1]}}]"
    );
    let defaults = format!(
        "Struct[{{Optional[options] => {OPTIONS}, Optional[data_hash] => String[1], Optional[lookup_key] => String[1], \
         Optional[data_dig] => String[1], Optional[datadir] => String[1]}}]"
    );
    let text = format!(
        "Struct[{{version => Integer[5, 5], Optional[defaults] => {defaults}, Optional[hierarchy] => Array[{entry}], \
         Optional[plan_hierarchy] => Array[{entry}], Optional[default_hierarchy] => Array[{entry}]}}]"
    );
    parse_type(&text, &|_| None).ok()
});

static VERSION_4: LazyLock<Option<Type>> = LazyLock::new(|| {
    parse_type(
        "Struct[{version => Integer[4, 4], Optional[datadir] => String[1], Optional[hierarchy] => \
         Array[Struct[{backend => String[1], name => String[1], Optional[datadir] => String[1], \
         Optional[path] => String[1], Optional[paths] => Array[String[1], 1]}]]}]",
        &|_| None,
    )
    .ok()
});

/// Checks the configuration of a version.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check(version: i64, path: &str, config: &Value) -> Result<(), Error> {
    let ty = if version == 4 { &VERSION_4 } else { &VERSION_5 };
    match &**ty {
        Some(ty) if !is_instance(ty, config) => {
            let subject = format!("The Lookup Configuration at '{path}' has wrong type,");
            let message = describe_mismatch(&subject, ty, config);
            Err(Error::new(ErrorKind::Mismatch, message.trim_start().to_owned()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_types_can_be_parsed() {
        assert!(VERSION_5.is_some() && VERSION_4.is_some());
    }
}
