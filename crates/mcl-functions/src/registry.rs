//! The table of all functions: the modules, sorted by name, each with its functions, sorted by name.
//!
//! The tables are static. The index of all functions by their registered names is built when the first one is looked up:
//! the compiler looks one up for each call and operator of a program.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::Function;

/// The modules by name. The functions that need no import are in the module "".
static MODULES: &[(&str, &[Function])] = &[
    ("", crate::global::FUNCTIONS),
    ("convert", crate::convert::FUNCTIONS),
    ("datetime", crate::datetime::FUNCTIONS),
    ("deploy", crate::deploy::FUNCTIONS),
    ("embedded/provisioner", crate::provisioner::FUNCTIONS),
    ("encoding", crate::encoding::FUNCTIONS),
    ("example", crate::example::FUNCTIONS),
    ("example/nested", crate::example::NESTED),
    ("fmt", crate::fmt::FUNCTIONS),
    ("golang", crate::template::FUNCTIONS),
    ("golang/html", crate::golang::html::FUNCTIONS),
    ("golang/math", crate::golang::math::FUNCTIONS),
    ("golang/math/rand", crate::golang::rand::FUNCTIONS),
    ("golang/os", crate::golang::os::FUNCTIONS),
    ("golang/os/exec", crate::golang::exec::FUNCTIONS),
    ("golang/path", crate::golang::path::FUNCTIONS),
    ("golang/path/filepath", crate::golang::path_filepath::FUNCTIONS),
    ("golang/runtime", crate::golang::runtime::FUNCTIONS),
    ("golang/strconv", crate::golang::strconv::FUNCTIONS),
    ("golang/strings", crate::golang::strings::FUNCTIONS),
    ("iter", crate::iter::FUNCTIONS),
    ("list", crate::list::FUNCTIONS),
    ("local", crate::local::FUNCTIONS),
    ("map", crate::map::FUNCTIONS),
    ("math", crate::math::FUNCTIONS),
    ("net", crate::net::FUNCTIONS),
    ("net/http", crate::values::HTTP),
    ("os", crate::os::FUNCTIONS),
    ("regexp", crate::regexp::FUNCTIONS),
    ("secret", crate::secret::FUNCTIONS),
    ("strings", crate::strings::FUNCTIONS),
    ("sys", crate::sys::FUNCTIONS),
    ("sys/fwupd", crate::sys::FWUPD),
    ("test", crate::testing::FUNCTIONS),
    ("util", crate::util::FUNCTIONS),
    ("value", crate::values::FUNCTIONS),
    ("world", crate::world::FUNCTIONS),
    ("world/collect", crate::world::COLLECT),
];

static BY_NAME: LazyLock<FxHashMap<&'static str, &'static Function>> =
    LazyLock::new(|| all_functions().map(|function| (function.name, function)).collect());

/// Returns all functions, sorted by module and name.
pub fn all_functions() -> impl Iterator<Item = &'static Function> {
    MODULES.iter().flat_map(|(_, functions)| functions.iter())
}

/// Returns the function with a registered name.
#[must_use]
pub fn function(name: &str) -> Option<&'static Function> {
    BY_NAME.get(name).copied()
}

/// Returns the functions of a system module, sorted by name. The functions that need no import are in the module "".
#[must_use]
pub fn module_functions(module: &str) -> &'static [Function] {
    MODULES.binary_search_by(|(name, _)| (*name).cmp(module)).map_or(&[], |i| MODULES[i].1)
}

/// Returns whether there is a system module with exactly this name (spec 01 §6.4).
#[must_use]
pub fn module_exists(module: &str) -> bool {
    !module.is_empty() && !module_functions(module).is_empty()
}

/// Returns the names of the system modules, sorted.
pub fn module_names() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|(name, _)| *name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;
    use mcl_value::FuncType;

    use super::*;
    use crate::Signature;

    #[test]
    fn tables_are_sorted() {
        assert!(MODULES.is_sorted_by(|a, b| a.0 < b.0));
        for (module, functions) in MODULES {
            assert!(functions.is_sorted_by(|a, b| a.name < b.name), "{module}");
            for function in *functions {
                let prefix = function.name.rsplit_once('.').map_or("", |(prefix, _)| prefix);
                assert_eq!(prefix, *module, "{}", function.name);
            }
        }
    }

    #[test]
    fn signatures_are_written_as_types_are_displayed() {
        for function in all_functions() {
            assert!(!function.doc.is_empty(), "{}", function.name);
            if let Signature::Fixed(text) = function.signature {
                let parsed = FuncType::parse(text).unwrap_or_else(|| panic!("{}: {text}", function.name));
                assert_eq!(parsed.to_string(), text, "{}", function.name);
            }
            for choice in function.choices {
                assert!(FuncType::parse(choice).is_some(), "{}: {choice}", function.name);
            }
        }
    }

    /// The names and signatures are a contract with existing programs. `UPDATE_EXPECT=1` writes the file.
    #[test]
    fn names_and_signatures_are_those_of_the_snapshot() {
        let mut actual = String::new();
        for function in all_functions() {
            let signature = match function.signature {
                _ if !function.choices.is_empty() => function.choices.join(" | "),
                Signature::Fixed(text) => text.to_owned(),
                Signature::CallSite(site) => site.overloads().join(" | "),
            };
            actual.push_str(format!("{} {signature}", function.name).trim_end());
            actual.push('\n');
        }
        expect_file!["registry/functions.txt"].assert_eq(&actual);
    }

    #[test]
    fn functions_are_found_by_name() {
        assert!(function("strings.to_upper").is_some());
        assert!(function("len").is_some());
        assert!(function("strings.nope").is_none());
        assert!(function("").is_none());
        assert!(module_exists("strings"));
        assert!(!module_exists("res"));
        assert!(!module_exists(""));
    }
}
