//! `kv`: one key of the string store that hosts share (spec 05 §6.16), which `world.getval` and `world.kvlookup` read.

use std::io;
use std::path::{Path, PathBuf};

use resource_graph::{Resource, is_sensitive};
use shared_store::SharedStore;

use crate::{Context, Failure, Params, Provider, Scope, Watch};

struct Kv {
    key: String,
    value: Option<Vec<u8>>,
    /// Whether the value must not be shown.
    sensitive: bool,
    mapped: bool,
    /// How to compare if a greater stored value is kept.
    keep_greater: Option<Comparison>,
    file: Option<PathBuf>,
}

#[derive(Clone, Copy)]
enum Comparison {
    Integers,
    Strings,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Kv::read(&resources[0])?))
}

impl Kv {
    fn read(resource: &Resource) -> Result<Kv, Failure> {
        let params = Params::new(resource);
        let keep_greater = match (params.bool("skiplessthan")?, params.int("skipcmpstyle")?) {
            (false, _) => None,
            (true, 0) => Some(Comparison::Integers),
            (true, _) => Some(Comparison::Strings),
        };
        let key = match params.str("key")? {
            "" => params.name().to_string(),
            key => key.to_owned(),
        };
        let value = params.opt_bytes("value")?.map(|value| value.as_bytes().to_vec());
        let sensitive = is_sensitive(resource, "value");
        Ok(Kv { key, value, sensitive, mapped: params.bool("mapped")?, keep_greater, file: None })
    }

    /// Returns the key in the store; a mapped key has an entry for each host.
    fn key_in(&self, store: &SharedStore) -> String {
        if self.mapped { store.host_key(&self.key) } else { self.key.clone() }
    }

    /// Returns whether a stored value that differs from the requested one is kept.
    fn may_stay(&self, stored: &[u8], wanted: &[u8]) -> Result<bool, Failure> {
        let integer = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| text.parse::<i64>().ok());
        Ok(match self.keep_greater {
            None => false,
            Some(Comparison::Strings) => wanted < stored,
            Some(Comparison::Integers) => match (integer(wanted), integer(stored)) {
                (None, _) => {
                    return Err(Failure::Invalid(format!("the value of key `{}` is not an integer", self.key)));
                }
                (Some(_), None) => false,
                (Some(wanted), Some(stored)) => wanted < stored,
            },
        })
    }
}

/// Returns the failure for an error of the store. An error that does not come from the system names the file itself.
fn failed(action: &'static str, file: &Path) -> impl FnOnce(io::Error) -> Failure {
    move |error| match error.get_ref() {
        Some(cause) if cause.is::<safe_fs::Error>() => Failure::Refused(error.to_string()),
        _ => Failure::on(action, file)(error),
    }
}

impl Provider for Kv {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(store) = cx.state().map(|state| state.shared_store()) else {
            return Err(Failure::Unavailable("`kv` requires a state directory".to_owned()));
        };
        let key = self.key_in(&store);
        let file = store.string_file(&key);
        if self.file.as_ref() != Some(&file) {
            self.file = Some(file.clone());
            cx.watch_again();
        }
        let stored = store.string(&key).map_err(failed("read", &file))?;
        if stored == self.value && (stored.is_none() || store.is_sensitive(&key) == self.sensitive) {
            return Ok(());
        }
        if let (Some(stored), Some(wanted)) = (&stored, &self.value)
            && !cx.refresh()
            && self.may_stay(stored, wanted)?
        {
            return Ok(());
        }
        let text = if self.value.is_some() { "set" } else { "delete" };
        if cx.change(format!("{text} key {}", self.key))? {
            store.set_string(&key, self.value.as_deref(), self.sensitive).map_err(failed(text, &file))?;
        }
        Ok(())
    }

    fn watches(&self) -> Vec<Watch> {
        self.file.iter().map(|file| Watch::Path(file.clone(), Scope::Entry)).collect()
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        let file = self.file.take();
        *self = Kv { file, ..Kv::read(&resources[0])? };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn an_error_names_the_file_once() {
        let link = PathBuf::from("/state/kv/a");
        let refused = safe_fs::Error::UntrustedLink { link: link.clone(), owner: 7 };
        for error in [io::Error::other(refused), io::ErrorKind::PermissionDenied.into()] {
            let text = failed("read", &link)(error).to_string();
            assert_eq!(text.matches("/state/kv/a").count(), 1, "{text}");
        }
    }

    fn stored(test: &ProviderTest, key: &str) -> Option<String> {
        let store = test.apply_context.state.as_ref().unwrap().shared_store();
        store.string(key).unwrap().map(|value| String::from_utf8(value).unwrap())
    }

    #[test]
    fn keys_are_set_and_deleted() {
        let scratch = tempfile::tempdir().unwrap();
        let mut test = ProviderTest::with_state(&resource("kv", "a/b").with("value", "1"), scratch.path());
        test.assert_converges();
        assert_eq!(stored(&test, "a/b").as_deref(), Some("1"));
        test.provider.update(&[resource("kv", "a/b")]).unwrap();
        test.assert_converges();
        assert_eq!(stored(&test, "a/b"), None);
    }

    #[test]
    fn a_sensitive_value_is_marked_in_the_store() {
        let scratch = tempfile::tempdir().unwrap();
        let plain = resource("kv", "a/b").with("value", "1");
        let mut hidden = plain.clone();
        hidden.sensitive.push("value".into());
        let mut test = ProviderTest::with_state(&plain, scratch.path());
        let store = test.apply_context.state.as_ref().unwrap().shared_store();
        for (resource, is_hidden) in [(&plain, false), (&hidden, true), (&plain, false)] {
            test.provider.update(std::slice::from_ref(resource)).unwrap();
            test.assert_converges();
            assert_eq!(store.is_sensitive("a/b"), is_hidden);
            assert_eq!(store.has_sensitive_strings("a").unwrap(), is_hidden);
        }
    }

    #[test]
    fn a_mapped_key_has_an_entry_for_each_host() {
        let scratch = tempfile::tempdir().unwrap();
        let kv = resource("kv", "k").with("value", "1").with("mapped", true);
        let mut test = ProviderTest::with_state(&kv, scratch.path());
        test.assert_converges();
        let store = test.apply_context.state.as_ref().unwrap().shared_store();
        assert_eq!(store.host_strings("k").unwrap(), [(crate::hostname(), b"1".to_vec())]);
        assert_eq!(stored(&test, "k"), None);
    }

    #[test]
    fn a_greater_value_stays_until_a_notification() {
        let scratch = tempfile::tempdir().unwrap();
        let kv = |value: &str| resource("kv", "k").with("value", value).with("skiplessthan", true);
        let mut test = ProviderTest::with_state(&kv("10"), scratch.path());
        test.assert_converges();
        test.provider.update(&[kv("9")]).unwrap();
        test.assert_unchanged();
        test.provider.update(&[kv("9").with("skipcmpstyle", 1)]).unwrap();
        test.run(true).unwrap();
        assert_eq!(stored(&test, "k").as_deref(), Some("9"));
        test.provider.update(&[kv("3")]).unwrap();
        test.refresh = true;
        test.run(true).unwrap();
        assert_eq!(stored(&test, "k").as_deref(), Some("3"));
    }
}
