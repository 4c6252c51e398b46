//! `hostname`: the pretty, static and transient names of this host (spec 05 §6.11, §7.2).
//!
//! The names are read where everybody reads them: `/etc/machine-info`, `/etc/hostname`, the kernel. They are set through
//! `hostnamectl` where systemd runs, and else in those places.

use std::path::{Path, PathBuf};

use resource_graph::Resource;

use crate::kinds::text_file::{read, replace};
use crate::kinds::tool::{Tool, find};
use crate::kinds::{Context, Failure, Kind, Params, Scope, Watch, systemd};

struct Hostname {
    /// Below it are the files; `/` outside tests.
    root: PathBuf,
    pretty: String,
    fixed: String,
    transient: String,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Kind>, Failure> {
    Ok(Box::new(Hostname::read(&resources[0], Path::new("/"))?))
}

impl Hostname {
    fn read(resource: &Resource, root: &Path) -> Result<Hostname, Failure> {
        let params = Params::new(resource);
        let common = match params.str("hostname")? {
            "" => params.name(),
            name => name,
        };
        let variant = |key: &str| Ok::<_, Failure>(params.opt_str(key)?.unwrap_or(common).to_owned());
        Ok(Hostname {
            root: root.to_path_buf(),
            pretty: variant("pretty_hostname")?,
            fixed: variant("static_hostname")?,
            transient: variant("transient_hostname")?,
        })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.root.join("etc").join(name)
    }

    fn is_real(&self) -> bool {
        self.root == Path::new("/")
    }

    /// Sets one name; where systemd runs it does so.
    fn set(
        &self,
        cx: &Context<'_>,
        variant: &str,
        value: &str,
        by_hand: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.is_real() && systemd::is_running() && find("hostnamectl").is_some() {
            return Tool::new("hostnamectl")?.args([variant, "set-hostname", "--", value]).run(cx.cancel()).map(drop);
        }
        by_hand()
    }
}

/// The value of `PRETTY_HOSTNAME` in a file of shell assignments.
fn pretty_name(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.trim_start().strip_prefix("PRETTY_HOSTNAME="))?.trim_end();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let inner = quote.and_then(|q| value.strip_prefix(q)?.strip_suffix(q)).unwrap_or(value);
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quote == Some('"') => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    Some(out)
}

/// The file with that assignment, everything else as it was.
fn with_pretty_name(text: &str, name: &str) -> String {
    let mut quoted = String::from("\"");
    for c in name.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    let kept = text.lines().filter(|line| !line.trim_start().starts_with("PRETTY_HOSTNAME="));
    let assignment = format!("PRETTY_HOSTNAME={quoted}");
    kept.chain([&*assignment]).flat_map(|line| [line, "\n"]).collect()
}

impl Kind for Hostname {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if [&self.pretty, &self.fixed, &self.transient].iter().any(|name| name.contains('\n')) {
            return Err(Failure::Invalid("a host name must be one line".to_owned()));
        }
        let info = self.file("machine-info");
        let text = read(&info)?.map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default();
        if !self.pretty.is_empty()
            && pretty_name(&text).as_ref() != Some(&self.pretty)
            && cx.change(format!("set the pretty host name to {}", self.pretty))?
        {
            let content = with_pretty_name(&text, &self.pretty);
            self.set(cx, "--pretty", &self.pretty, || replace(&info, content.as_bytes(), 0o644))?;
        }
        let file = self.file("hostname");
        let present = read(&file)?.map(|text| String::from_utf8_lossy(&text).trim().to_owned());
        if !self.fixed.is_empty()
            && present.as_ref() != Some(&self.fixed)
            && cx.change(format!("set the static host name to {}", self.fixed))?
        {
            let content = format!("{}\n", self.fixed);
            self.set(cx, "--static", &self.fixed, || replace(&file, content.as_bytes(), 0o644))?;
        }
        let current = rustix::system::uname().nodename().to_string_lossy().into_owned();
        if !self.transient.is_empty()
            && self.is_real()
            && current != self.transient
            && cx.change(format!("set the host name to {} (it is {current})", self.transient))?
        {
            self.set(cx, "--transient", &self.transient, || {
                rustix::system::sethostname(self.transient.as_bytes())
                    .map_err(|error| Failure::io("set", "the host name", error))
            })?;
        }
        Ok(())
    }

    fn watches(&self) -> Vec<Watch> {
        // The kernel tells of a changed name through the file below /proc.
        let paths = [self.file("hostname"), self.file("machine-info"), PathBuf::from("/proc/sys/kernel/hostname")];
        paths.map(|path| Watch::Path(path, Scope::Entry)).into()
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Hostname::read(&resources[0], &self.root)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::kinds::Host;
    use crate::kinds::harness::{Bench, resource};

    #[test]
    fn names_are_written_where_everybody_reads_them() {
        let scratch = tempfile::tempdir().unwrap();
        let etc = scratch.path().join("etc");
        fs::create_dir(&etc).unwrap();
        fs::write(etc.join("machine-info"), "CHASSIS=vm\nPRETTY_HOSTNAME=\"old\"\n").unwrap();
        let names = resource("hostname", "web1").with("pretty_hostname", "Web \"1\"");
        let kind = Box::new(Hostname::read(&names, scratch.path()).unwrap());
        let mut bench = Bench { id: names.id.clone(), kind, host: Host::default(), refresh: false };
        bench.converges();
        assert_eq!(fs::read_to_string(etc.join("hostname")).unwrap(), "web1\n");
        let info = fs::read_to_string(etc.join("machine-info")).unwrap();
        assert_eq!(info, "CHASSIS=vm\nPRETTY_HOSTNAME=\"Web \\\"1\\\"\"\n");
    }

    #[test]
    fn the_kernels_name_is_read() {
        let current = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let only = |name: &str| {
            let r = resource("hostname", "h").with("pretty_hostname", "").with("static_hostname", "");
            r.with("transient_hostname", name)
        };
        Bench::new(&only(&current)).is_right();
        assert_eq!(Bench::new(&only("another")).run(false).unwrap().changes.len(), 1);
    }
}
