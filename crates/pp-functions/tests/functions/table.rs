//! The table itself.

use pp_functions::{Availability, Convention, all_functions, find_function, find_module_function, tables};

#[test]
fn functions_are_sorted_and_found_by_name() {
    for table in tables() {
        for pair in table.functions.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} comes before {}", pair[0].name, pair[1].name);
        }
        for function in table.functions {
            let found = match table.module {
                Some(module) => find_module_function(module, function.name),
                None => find_function(function.name),
            };
            assert!(found.is_some_and(|found| std::ptr::eq(found, *function)), "{}", function.name);
        }
    }
    assert!(find_function("nosuch").is_none());
    assert!(find_module_function("nosuch", "each").is_none());
}

#[test]
fn every_signature_can_be_read() {
    for function in all_functions() {
        let signatures = function.signatures().unwrap_or_else(|error| panic!("{}: {error}", function.name));
        let declared = match function.convention {
            Convention::Typed { signatures, .. } => signatures.len(),
            Convention::Counted { .. } => 0,
        };
        assert_eq!(signatures.len(), declared, "{}", function.name);
    }
}

#[test]
fn every_function_is_documented() {
    for function in all_functions() {
        let documentation = function.documentation;
        assert!(documentation.ends_with('.'), "{}: the documentation is sentences", function.name);
        assert!(!documentation.contains("  "), "{}: two spaces", function.name);
        let first = documentation.chars().next().unwrap();
        assert!(first.is_ascii_uppercase() || first == '`', "{}", function.name);
        if let Availability::Unavailable(reason) = function.availability {
            assert!(!reason.is_empty() && !reason.ends_with('.'), "{}", function.name);
        }
    }
}

#[test]
fn the_functions_of_puppet_are_complete() {
    // From spec 07 §5.11.
    let names: Vec<&str> = tables()[0].functions.iter().map(|function| function.name).collect();
    assert_eq!(names.len(), 104, "{names:?}");
}
