//! `kv`: one key of the string store that hosts share (spec 05 §6.16), which `world.getval` and `world.kvlookup` read.

use std::path::PathBuf;

use resource_graph::Resource;
use shared_store::SharedStore;

use crate::{Context, Failure, Kind, Params, Scope, Watch};

struct Kv {
    key: String,
    value: Option<Vec<u8>>,
    mapped: bool,
    /// Keep a greater stored value.
    keep_greater: Option<Comparison>,
    file: Option<PathBuf>,
}

#[derive(Clone, Copy)]
enum Comparison {
    Integers,
    Texts,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Kind>, Failure> {
    Ok(Box::new(Kv::read(&resources[0])?))
}

impl Kv {
    fn read(resource: &Resource) -> Result<Kv, Failure> {
        let params = Params::new(resource);
        let keep_greater = match (params.bool("skiplessthan")?, params.int("skipcmpstyle")?) {
            (false, _) => None,
            (true, 0) => Some(Comparison::Integers),
            (true, _) => Some(Comparison::Texts),
        };
        let key = match params.str("key")? {
            "" => params.name().to_string(),
            key => key.to_owned(),
        };
        let value = params.opt_bytes("value")?.map(|value| value.as_bytes().to_vec());
        Ok(Kv { key, value, mapped: params.bool("mapped")?, keep_greater, file: None })
    }

    /// The key in the store: a mapped one holds an entry for each host.
    fn key_in(&self, world: &SharedStore) -> String {
        if self.mapped { world.host_key(&self.key) } else { self.key.clone() }
    }

    /// Whether what is stored may stay although it is not what is wanted.
    fn may_stay(&self, stored: &[u8], wanted: &[u8]) -> Result<bool, Failure> {
        let integer = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| text.parse::<i64>().ok());
        Ok(match self.keep_greater {
            None => false,
            Some(Comparison::Texts) => wanted < stored,
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

impl Kind for Kv {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(world) = cx.state().map(|state| state.world()) else {
            return Err(Failure::Unavailable("there is no store of strings in this run".to_owned()));
        };
        let key = self.key_in(&world);
        let file = world.string_file(&key);
        if self.file.as_ref() != Some(&file) {
            self.file = Some(file.clone());
            cx.watch_again();
        }
        let stored = world.string(&key).map_err(Failure::on("read", &file))?;
        if stored == self.value {
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
            world.set_string(&key, self.value.as_deref()).map_err(Failure::on(text, &file))?;
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
    use crate::harness::{Bench, resource};

    fn stored(bench: &Bench, key: &str) -> Option<String> {
        let world = bench.host.state.as_ref().unwrap().world();
        world.string(key).unwrap().map(|value| String::from_utf8(value).unwrap())
    }

    #[test]
    fn keys_are_set_and_deleted() {
        let scratch = tempfile::tempdir().unwrap();
        let mut bench = Bench::with_state(&resource("kv", "a/b").with("value", "1"), scratch.path());
        bench.converges();
        assert_eq!(stored(&bench, "a/b").as_deref(), Some("1"));
        bench.kind.update(&[resource("kv", "a/b")]).unwrap();
        bench.converges();
        assert_eq!(stored(&bench, "a/b"), None);
    }

    #[test]
    fn a_mapped_key_has_an_entry_for_each_host() {
        let scratch = tempfile::tempdir().unwrap();
        let kv = resource("kv", "k").with("value", "1").with("mapped", true);
        let mut bench = Bench::with_state(&kv, scratch.path());
        bench.converges();
        let world = bench.host.state.as_ref().unwrap().world();
        assert_eq!(world.host_strings("k").unwrap(), [(crate::hostname(), b"1".to_vec())]);
        assert_eq!(stored(&bench, "k"), None);
    }

    #[test]
    fn a_greater_value_stays_until_a_notification() {
        let scratch = tempfile::tempdir().unwrap();
        let kv = |value: &str| resource("kv", "k").with("value", value).with("skiplessthan", true);
        let mut bench = Bench::with_state(&kv("10"), scratch.path());
        bench.converges();
        bench.kind.update(&[kv("9")]).unwrap();
        bench.is_right();
        bench.kind.update(&[kv("9").with("skipcmpstyle", 1)]).unwrap();
        bench.run(true).unwrap();
        assert_eq!(stored(&bench, "k").as_deref(), Some("9"));
        bench.kind.update(&[kv("3")]).unwrap();
        bench.refresh = true;
        bench.run(true).unwrap();
        assert_eq!(stored(&bench, "k").as_deref(), Some("3"));
    }
}
