//! `kv`: one key of the string store (spec 05 §6.16). On a machine of its own the store is a directory of the state, one
//! file a key; a mapped key has an entry for each host, and there is one host.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use resource_graph::Resource;
use sha2::{Digest, Sha256};

use crate::kinds::text_file::read;
use crate::kinds::{Context, Failure, Kind, Params, Scope, Watch};
use crate::state::{StateDir, write_atomically};

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

/// Where the store of this state keeps a key.
pub(crate) fn key_file(state: &StateDir, key: &str, mapped: bool) -> PathBuf {
    let name = match URL_SAFE_NO_PAD.encode(key) {
        short if short.len() <= 200 => short,
        _ => format!("sha256-{}", URL_SAFE_NO_PAD.encode(Sha256::digest(key))),
    };
    state.engine().join(if mapped { "strings-by-host" } else { "strings" }).join(name)
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
        let Some(state) = cx.state() else {
            return Err(Failure::Unavailable("there is no store of strings in this run".to_owned()));
        };
        let file = key_file(state, &self.key, self.mapped);
        if self.file.as_ref() != Some(&file) {
            self.file = Some(file.clone());
            cx.watch_again();
        }
        let stored = read(&file)?;
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
            match &self.value {
                Some(value) => write(&file, value).map_err(Failure::on("write", &file))?,
                None => match std::fs::remove_file(&file) {
                    Err(error) if error.kind() != ErrorKind::NotFound => {
                        return Err(Failure::io("remove", file, error));
                    }
                    _ => {}
                },
            }
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

fn write(file: &Path, value: &[u8]) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    if let Some(directory) = file.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    write_atomically(file, value, 0o600)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::harness::{Bench, resource};

    fn stored(bench: &Bench, key: &str) -> Option<String> {
        let file = key_file(bench.host.state.as_ref().unwrap(), key, false);
        std::fs::read_to_string(file).ok()
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
