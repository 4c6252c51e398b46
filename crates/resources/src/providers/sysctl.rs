//! `sysctl`: a kernel parameter, now and at boot (spec 05 §6.15).

use std::io::ErrorKind;
use std::path::PathBuf;

use resource_graph::Resource;

use crate::text_file::{self, Edit, with_mode};
use crate::{Context, Failure, Params, Provider, Scope, Watch};

struct Sysctl {
    name: String,
    value: String,
    /// The file below `/proc/sys`, if the running kernel is managed.
    kernel: Option<PathBuf>,
    /// The file that is read at boot, if it is managed.
    config: Option<PathBuf>,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Sysctl::read(&resources[0])?))
}

impl Sysctl {
    fn read(resource: &Resource) -> Result<Sysctl, Failure> {
        let params = Params::new(resource);
        let name = params.name().to_string();
        let kernel = PathBuf::from(format!("/proc/sys/{}", name.replace('.', "/")));
        let config = match params.str("path")? {
            "" => PathBuf::from(format!("/etc/sysctl.d/99-{name}.conf")),
            path => PathBuf::from(path),
        };
        Ok(Sysctl {
            value: params.str("value")?.to_owned(),
            kernel: params.opt_bool("runtime")?.unwrap_or(true).then_some(kernel),
            config: params.opt_bool("persist")?.unwrap_or(true).then_some(config),
            name,
        })
    }

    fn check_kernel(&self, cx: &mut Context<'_>, path: &PathBuf) -> Result<(), Failure> {
        let current = match std::fs::read_to_string(path) {
            Ok(current) => current,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(Failure::Unavailable(format!("unknown kernel parameter `{}`", self.name)));
            }
            Err(error) => return Err(Failure::io("read", path, error)),
        };
        // The kernel separates numbers by tabs.
        if current.split_whitespace().eq(self.value.split_whitespace()) {
            return Ok(());
        }
        if cx.change(format!("set {} to {} (currently {})", self.name, self.value, current.trim_end()))? {
            std::fs::write(path, format!("{}\n", self.value)).map_err(|error| match error.kind() {
                ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => Failure::Refused(format!(
                    "cannot set {}: {error}; `runtime => false` only writes the file for the next boot",
                    self.name
                )),
                _ => Failure::io("write", path, error),
            })?;
        }
        Ok(())
    }
}

impl Provider for Sysctl {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if let Some(path) = &self.kernel {
            self.check_kernel(cx, path)?;
        }
        let Some(path) = &self.config else { return Ok(()) };
        let decide = |before: Option<&[u8]>| {
            let after = with_parameter(before.unwrap_or_default(), &self.name, &self.value);
            Ok(after.map(|after| Edit {
                text: format!("write {} = {} to {}", self.name, self.value, path.display()),
                after: Some(after),
                is_private: false,
            }))
        };
        text_file::edit(cx, path, &with_mode(0o644), decide).map(drop)
    }

    fn watches(&self) -> Vec<Watch> {
        self.kernel.iter().chain(&self.config).map(|path| Watch::Path(path.clone(), Scope::Entry)).collect()
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Sysctl::read(&resources[0])?;
        Ok(())
    }
}

/// Returns a file in the format of `sysctl.d` with exactly one line for this parameter, which sets this value; `None` if it
/// has that. Other lines may be those of other resources and are kept.
fn with_parameter(text: &[u8], name: &str, value: &str) -> Option<Vec<u8>> {
    let line = format!("{name} = {value}\n").into_bytes();
    let mut after = Vec::with_capacity(text.len() + line.len());
    let mut is_written = false;
    for old in text.split_inclusive(|byte| *byte == b'\n') {
        match assignment(old) {
            Some((key, _)) if key == name && is_written => {}
            Some((key, found)) if key == name => {
                is_written = true;
                let is_same = found.split_whitespace().eq(value.split_whitespace());
                after.extend_from_slice(if is_same { old } else { &line });
            }
            _ => after.extend_from_slice(old),
        }
    }
    if !is_written {
        if !after.is_empty() && !after.ends_with(b"\n") {
            after.push(b'\n');
        }
        after.extend_from_slice(&line);
    }
    (after != text).then_some(after)
}

/// Returns the dotted key and the value of a line; `None` for comments and anything else.
fn assignment(line: &[u8]) -> Option<(String, &str)> {
    let line = std::str::from_utf8(line).ok()?.trim();
    // After a `-`, errors are ignored at boot.
    let (key, value) = line.strip_prefix('-').unwrap_or(line).split_once('=')?;
    let key = key.trim();
    if key.starts_with(['#', ';']) {
        return None;
    }
    // The first separator decides which one separates; the other one is then a part of a name.
    let swapped = |c| match c {
        '/' => '.',
        '.' => '/',
        c => c,
    };
    let is_path = key.find(['.', '/']).is_some_and(|at| key[at..].starts_with('/'));
    Some((if is_path { key.chars().map(swapped).collect() } else { key.to_owned() }, value.trim()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::with_parameter;
    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn the_file_for_the_next_boot_is_written() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("x.conf");
        let sysctl = resource("sysctl", "net.ipv4.ip_forward")
            .with("value", "1")
            .with("runtime", false)
            .with("path", path.to_str().unwrap());
        ProviderTest::new(&sysctl).assert_converges();
        assert_eq!(fs::read_to_string(&path).unwrap(), "net.ipv4.ip_forward = 1\n");
    }

    #[test]
    fn only_the_line_of_the_parameter_changes() {
        let check = |before: &str, after: Option<&str>| {
            let edited = with_parameter(before.as_bytes(), "net.ipv4.ip_forward", "1");
            assert_eq!(edited.map(|text| String::from_utf8(text).unwrap()).as_deref(), after, "{before:?}");
        };
        check("", Some("net.ipv4.ip_forward = 1\n"));
        check("a.b = 2", Some("a.b = 2\nnet.ipv4.ip_forward = 1\n"));
        check(
            "# net.ipv4.ip_forward = 0\nnet.ipv4.ip_forward = 0\na.b = 2\n",
            Some("# net.ipv4.ip_forward = 0\nnet.ipv4.ip_forward = 1\na.b = 2\n"),
        );
        check("-net/ipv4/ip_forward=0\nnet.ipv4.ip_forward=2\n", Some("net.ipv4.ip_forward = 1\n"));
        for same in ["net.ipv4.ip_forward=1", "a = 1\n net/ipv4/ip_forward =  1 \n", "- net.ipv4.ip_forward = 1\n"] {
            check(same, None);
        }
        let several = with_parameter(b"net.ipv4.tcp_rmem = 1\t2\t3\n", "net.ipv4.tcp_rmem", "1 2 3");
        assert_eq!(several, None);
    }

    #[test]
    fn the_running_kernel_is_read() {
        let Ok(current) = fs::read_to_string("/proc/sys/kernel/hostname") else {
            eprintln!("skipped: there is no /proc/sys here");
            return;
        };
        let plain = || resource("sysctl", "kernel.hostname").with("persist", false);
        ProviderTest::new(&plain().with("value", current.trim())).assert_unchanged();
        let outcome = ProviderTest::new(&plain().with("value", "another-name")).run(false).unwrap();
        assert_eq!(outcome.changes.len(), 1);
        let unknown = resource("sysctl", "kernel.no_such_thing").with("value", "1").with("persist", false);
        let error = ProviderTest::new(&unknown).run(true).unwrap_err().to_string();
        assert_eq!(error, "unknown kernel parameter `kernel.no_such_thing`");
    }
}
