//! `password`: a random password for other resources to receive (spec 05 §6.17).
//!
//! The private directory has the password or, with `saved => false`, an empty file that marks its existence. In the latter
//! case the password is kept in memory only, so a restart generates a new one.

use std::fs;
use std::path::{Path, PathBuf};

use mcl_value::Value;
use resource_graph::Resource;

use crate::file_access::failure;
use crate::text_file::read;
use crate::{Context, Effects, Failure, Params, Provider, Scope, Watch};

struct Password {
    length: usize,
    saved: bool,
    check_recovery: bool,
    /// The password generated or read last.
    current: Option<String>,
    file: Option<PathBuf>,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
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

    /// Returns the current password, or `None` if one must be generated.
    fn stored(&self, cx: &Context<'_>, file: &Path) -> Result<Option<String>, Failure> {
        let Some(content) = read(cx, file)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&content).trim_end_matches('\n').to_owned();
        let problem = match (self.saved, text.is_empty()) {
            (true, true) => return Ok(None),
            (true, false) if text.len() == self.length && text.bytes().all(|b| b.is_ascii_alphabetic()) => {
                return Ok(Some(text));
            }
            (false, true) => return Ok(self.current.clone()),
            (true, false) => "it has another length or other characters than requested",
            (false, false) => "a password is stored, but `saved` is false",
        };
        if self.check_recovery {
            return Ok(None);
        }
        Err(Failure::Refused(format!("invalid stored password: {problem}; set `check_recovery => true` to replace it")))
    }
}

/// Generates a password of uniformly distributed ASCII letters.
fn generate(length: usize) -> Result<String, Failure> {
    use std::io::Read;
    const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let source = Path::new("/dev/urandom");
    let mut random = fs::File::open(source).map_err(Failure::on("open", source))?;
    let mut password = String::with_capacity(length);
    let mut buffer = [0_u8; 128];
    while password.len() < length {
        random.read_exact(&mut buffer).map_err(Failure::on("read", source))?;
        // 208 is the largest multiple of 52 in a byte; larger bytes would bias the distribution.
        let letters = buffer.iter().filter(|b| **b < 208).map(|b| char::from(LETTERS[usize::from(*b % 52)]));
        password.extend(letters.take(length - password.len()));
    }
    Ok(password)
}

impl Provider for Password {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if self.length == 0 {
            return Err(Failure::Invalid("`length` must be at least 1".to_owned()));
        }
        let stored = match cx.existing_state_dir().map(|directory| directory.join("password")) {
            Some(file) => {
                let stored = self.stored(cx, &file)?;
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
        if !cx.change("generate a password")? {
            // A notification would replace the present password, if there is one.
            cx.send("password", Some(Value::str(stored.unwrap_or_default())));
            return Ok(());
        }
        let file = cx.state_dir()?.join("password");
        let password = generate(self.length)?;
        let line = format!("{}\n", if self.saved { &password } else { "" });
        cx.files().write(&file, line.as_bytes(), 0o600).map_err(failure)?;
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
    use crate::provider_test::{ProviderTest, resource};

    fn sent(test: &mut ProviderTest) -> String {
        let outcome = test.run(true).unwrap();
        let [("password", Some(Value::Str(password)))] = &outcome.sent[..] else { panic!("{outcome:?}") };
        password.to_text().into_owned()
    }

    fn stored(test: &ProviderTest) -> PathBuf {
        test.apply_context.state.as_ref().unwrap().resource_path(&test.id).join("password")
    }

    #[test]
    fn a_saved_password_survives_a_restart() {
        let scratch = tempfile::tempdir().unwrap();
        let password = resource("password", "p").with("length", 24).with("saved", true);
        let mut test = ProviderTest::with_state(&password, scratch.path());
        let first = sent(&mut test);
        assert!(first.len() == 24 && first.bytes().all(|b| b.is_ascii_alphabetic()), "{first}");
        assert_eq!(fs::metadata(stored(&test)).unwrap().permissions().mode() & 0o777, 0o600);
        drop(test);
        let mut test = ProviderTest::with_state(&password, scratch.path());
        assert_eq!(sent(&mut test), first);
        test.refresh = true;
        assert_ne!(sent(&mut test), first);
    }

    #[test]
    fn one_that_is_not_saved_is_not_on_disk_and_is_sent_again() {
        let scratch = tempfile::tempdir().unwrap();
        let mut test = ProviderTest::with_state(&resource("password", "p"), scratch.path());
        let first = sent(&mut test);
        assert_eq!(first.len(), 64);
        assert_eq!(sent(&mut test), first);
        assert_eq!(fs::read(stored(&test)).unwrap(), b"\n");
    }

    #[test]
    fn a_store_that_does_not_fit_is_an_error_unless_recovery_is_wanted() {
        let scratch = tempfile::tempdir().unwrap();
        let password = resource("password", "p").with("saved", true);
        sent(&mut ProviderTest::with_state(&password, scratch.path()));
        let other = password.with("length", 10);
        assert!(ProviderTest::with_state(&other, scratch.path()).run(true).is_err());
        let mut recovering = ProviderTest::with_state(&other.with("check_recovery", true), scratch.path());
        assert_eq!(sent(&mut recovering).len(), 10);
    }

    #[test]
    fn noop_makes_none() {
        let scratch = tempfile::tempdir().unwrap();
        let mut test = ProviderTest::with_state(&resource("password", "p"), scratch.path());
        assert_eq!(test.run(false).unwrap().changes.len(), 1);
        assert!(!stored(&test).exists());
    }
}
