//! `password`: a random password for other resources to receive (spec 05 §6.17).
//!
//! The private directory holds the password, or with `saved => false` an empty token that says that there is one. Then the
//! password lives only as long as the resource does: after a restart nobody could tell receivers what it was, so a new one
//! is made.

use std::fs;
use std::path::PathBuf;

use mcl_value::Value;
use resource_graph::Resource;

use crate::text_file::read;
use crate::write_atomically;
use crate::{Context, Failure, Kind, Params, Scope, Watch};

struct Password {
    length: usize,
    saved: bool,
    check_recovery: bool,
    /// The one made or read last.
    current: Option<String>,
    file: Option<PathBuf>,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Kind>, Failure> {
    Ok(Box::new(Password::read(&resources[0])?))
}

impl Password {
    fn read(resource: &Resource) -> Result<Password, Failure> {
        let params = Params::new(resource);
        let length = params.opt_int("length")?.unwrap_or(64);
        Ok(Password {
            length: usize::try_from(length)
                .map_err(|_| Failure::Invalid("`length` must not be negative".to_owned()))?,
            saved: params.bool("saved")?,
            check_recovery: params.bool("check_recovery")?,
            current: None,
            file: None,
        })
    }

    /// The password that is in force; none if one has to be made.
    fn stored(&self, file: &std::path::Path) -> Result<Option<String>, Failure> {
        let Some(content) = read(file)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&content).trim_end_matches('\n').to_owned();
        let problem = match (self.saved, text.is_empty()) {
            (true, true) => return Ok(None),
            (true, false) if text.len() == self.length && text.bytes().all(|b| b.is_ascii_alphabetic()) => {
                return Ok(Some(text));
            }
            (false, true) => return Ok(self.current.clone()),
            (true, false) => "it does not have the length or the letters that are wanted",
            (false, false) => "it is there, and `saved` is false",
        };
        if self.check_recovery {
            return Ok(None);
        }
        Err(Failure::Refused(format!(
            "the stored password does not fit: {problem}; `check_recovery => true` would make a new one"
        )))
    }
}

/// Letters, each equally likely.
fn generate(length: usize) -> Result<String, Failure> {
    use std::io::Read;
    const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let source = std::path::Path::new("/dev/urandom");
    let mut random = fs::File::open(source).map_err(Failure::on("open", source))?;
    let mut password = String::with_capacity(length);
    let mut buffer = [0_u8; 128];
    while password.len() < length {
        random.read_exact(&mut buffer).map_err(Failure::on("read", source))?;
        // Bytes from 208 on would make some letters likelier than others.
        let letters = buffer.iter().filter(|b| **b < 208).map(|b| char::from(LETTERS[usize::from(*b % 52)]));
        password.extend(letters.take(length - password.len()));
    }
    Ok(password)
}

impl Kind for Password {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if self.length == 0 {
            return Err(Failure::Invalid("a password needs a `length` of at least 1".to_owned()));
        }
        let stored = match cx.existing_state_dir().map(|directory| directory.join("password")) {
            Some(file) => {
                let stored = self.stored(&file)?;
                if stored.is_some() && self.file.as_ref() != Some(&file) {
                    self.file = Some(file);
                    cx.watch_again();
                }
                stored
            }
            None => self.current.clone(),
        };
        if let (false, Some(password)) = (cx.refresh(), &stored) {
            cx.send("password", Some(Value::str(password.as_str())));
            self.current = stored;
            return Ok(());
        }
        if !cx.change("make a new password")? {
            // There may be an old one that a notification would replace; else there is nothing to tell yet.
            cx.send("password", Some(Value::str(stored.unwrap_or_default())));
            return Ok(());
        }
        let file = cx.state_dir()?.join("password");
        let password = generate(self.length)?;
        let line = format!("{}\n", if self.saved { &password } else { "" });
        write_atomically(&file, line.as_bytes(), 0o600).map_err(Failure::on("write", &file))?;
        if self.file.as_ref() != Some(&file) {
            self.file = Some(file);
            cx.watch_again();
        }
        cx.send("password", Some(Value::str(password.as_str())));
        self.current = Some(password);
        Ok(())
    }

    fn watches(&self) -> Vec<Watch> {
        self.file.iter().map(|file| Watch::Path(file.clone(), Scope::Entry)).collect()
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        let (current, file) = (self.current.take(), self.file.take());
        *self = Password { current, file, ..Password::read(&resources[0])? };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::harness::{Bench, resource};

    fn sent(bench: &mut Bench) -> String {
        let outcome = bench.run(true).unwrap();
        let [("password", Some(Value::Str(password)))] = &outcome.sent[..] else { panic!("{outcome:?}") };
        password.to_text().into_owned()
    }

    fn stored(bench: &Bench) -> PathBuf {
        bench.host.state.as_ref().unwrap().resource_path(&bench.id).join("password")
    }

    #[test]
    fn a_saved_password_survives_a_restart() {
        let scratch = tempfile::tempdir().unwrap();
        let password = resource("password", "p").with("length", 24).with("saved", true);
        let mut bench = Bench::with_state(&password, scratch.path());
        let first = sent(&mut bench);
        assert!(first.len() == 24 && first.bytes().all(|b| b.is_ascii_alphabetic()), "{first}");
        assert_eq!(fs::metadata(stored(&bench)).unwrap().permissions().mode() & 0o777, 0o600);
        drop(bench);
        let mut bench = Bench::with_state(&password, scratch.path());
        assert_eq!(sent(&mut bench), first);
        bench.refresh = true;
        assert_ne!(sent(&mut bench), first);
    }

    #[test]
    fn one_that_is_not_saved_is_not_on_disk_and_is_sent_again() {
        let scratch = tempfile::tempdir().unwrap();
        let mut bench = Bench::with_state(&resource("password", "p"), scratch.path());
        let first = sent(&mut bench);
        assert_eq!(first.len(), 64);
        assert_eq!(sent(&mut bench), first);
        assert_eq!(fs::read(stored(&bench)).unwrap(), b"\n");
    }

    #[test]
    fn a_store_that_does_not_fit_is_an_error_unless_recovery_is_wanted() {
        let scratch = tempfile::tempdir().unwrap();
        let password = resource("password", "p").with("saved", true);
        sent(&mut Bench::with_state(&password, scratch.path()));
        let other = password.with("length", 10);
        assert!(Bench::with_state(&other, scratch.path()).run(true).is_err());
        let mut recovering = Bench::with_state(&other.with("check_recovery", true), scratch.path());
        assert_eq!(sent(&mut recovering).len(), 10);
    }

    #[test]
    fn noop_makes_none() {
        let scratch = tempfile::tempdir().unwrap();
        let mut bench = Bench::with_state(&resource("password", "p"), scratch.path());
        assert_eq!(bench.run(false).unwrap().changes.len(), 1);
        assert!(!stored(&bench).exists());
    }
}
