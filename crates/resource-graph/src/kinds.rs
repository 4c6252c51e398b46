//! The table of all kinds. One file a kind or family: parameters, keys it sends, what it can do, and its conditions.

use crate::Kind;

mod account;
mod exec;
mod file;
mod package;
mod service;
mod testing;

/// Sorted by name, so that looking up a kind needs no table built at start.
static KINDS: [Kind; 10] = [
    testing::PANIC,
    exec::EXEC,
    file::FILE,
    account::GROUP,
    testing::NOOP,
    package::PKG,
    testing::PRINT,
    service::SVC,
    testing::TEST,
    account::USER,
];

/// Every kind, sorted by name.
#[must_use]
pub fn all_kinds() -> &'static [Kind] {
    &KINDS
}

/// The kind of that name.
#[must_use]
pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.binary_search_by(|k| k.name.cmp(name)).ok().map(|i| &KINDS[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name() {
        for k in all_kinds() {
            assert!(std::ptr::eq(kind(k.name).unwrap(), k), "{} is out of order", k.name);
        }
        assert!(kind("no-such-kind").is_none());
        assert!(kind("").is_none());
    }

    #[test]
    fn fields_are_documented_and_unique() {
        for k in all_kinds() {
            assert!(!k.doc.is_empty(), "{}", k.name);
            for (i, f) in k.fields.iter().enumerate() {
                assert!(f.doc.ends_with('.'), "{}.{}: {:?}", k.name, f.name, f.doc);
                assert!(k.fields[..i].iter().all(|g| g.name != f.name), "{}.{}", k.name, f.name);
            }
        }
    }
}
