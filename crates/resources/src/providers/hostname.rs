//! `hostname`: the pretty, static and transient names of this host (spec 05 §6.11, §7.2).
//!
//! systemd-hostnamed is asked where it can be reached. Elsewhere the names are where everybody reads them:
//! `/etc/machine-info`, `/etc/hostname`, the kernel.

use std::path::{Path, PathBuf};

use resource_graph::Resource;

use rustix::event::{PollFd, PollFlags, poll};

use crate::bus::{Bus, BusError, Object, Rule};
use crate::text_file::{read, replace};
use crate::{Cancel, Context, Failure, Kind, Load, Params, Scope, TaskHandle, Watch};

const HOSTNAMED: Object<'static> = Object {
    service: "org.freedesktop.hostname1",
    path: "/org/freedesktop/hostname1",
    interface: "org.freedesktop.hostname1",
};
const SIGNALS: Rule = Rule {
    service: HOSTNAMED.service,
    interface: "org.freedesktop.DBus.Properties",
    below: HOSTNAMED.path,
    opening: None,
};
/// The kernel marks this file whenever the name changes.
const KERNEL: &str = "/proc/sys/kernel/hostname";

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

    fn current(&self, variant: Variant, hostnamed: Option<&Bus>, cancel: &Cancel) -> Result<String, Failure> {
        match hostnamed.map(|bus| bus.text(HOSTNAMED, variant.property(), cancel)) {
            None => {}
            // It went away since the bus was asked for it.
            Some(Err(error)) if error.is_away() => {}
            Some(result) => return Ok(result?),
        }
        let text = |path| Ok::<_, Failure>(read(path)?.map(|text| String::from_utf8_lossy(&text).into_owned()));
        Ok(match variant {
            Variant::Pretty => pretty_name(&text(&self.file("machine-info"))?.unwrap_or_default()).unwrap_or_default(),
            Variant::Static => text(&self.file("hostname"))?.unwrap_or_default().trim().to_owned(),
            Variant::Transient => rustix::system::uname().nodename().to_string_lossy().into_owned(),
        })
    }

    fn set(&self, variant: Variant, name: &str, hostnamed: Option<&Bus>, cancel: &Cancel) -> Result<(), Failure> {
        match hostnamed.map(|bus| bus.call(HOSTNAMED, variant.method(), &(name, false), cancel)) {
            None => {}
            Some(Err(error)) if error.is_away() => {}
            Some(Err(error @ BusError::Refused { .. })) => {
                let text = format!("systemd-hostnamed does not set {}: {error}", variant.words());
                return Err(Failure::Command(text));
            }
            Some(result) => return Ok(result.map(drop)?),
        }
        match variant {
            Variant::Pretty => {
                let info = self.file("machine-info");
                let text = read(&info)?.map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default();
                replace(&info, with_pretty_name(&text, name).as_bytes(), 0o644)
            }
            Variant::Static => replace(&self.file("hostname"), format!("{name}\n").as_bytes(), 0o644),
            Variant::Transient => {
                rustix::system::sethostname(name.as_bytes()).map_err(|error| Failure::io("set", "the host name", error))
            }
        }
    }
}

/// Which of the three names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Pretty,
    Static,
    Transient,
}

impl Variant {
    fn words(self) -> &'static str {
        match self {
            Variant::Pretty => "the pretty host name",
            Variant::Static => "the static host name",
            Variant::Transient => "the host name",
        }
    }

    fn property(self) -> &'static str {
        match self {
            Variant::Pretty => "PrettyHostname",
            Variant::Static => "StaticHostname",
            Variant::Transient => "Hostname",
        }
    }

    fn method(self) -> &'static str {
        match self {
            Variant::Pretty => "SetPrettyHostname",
            Variant::Static => "SetStaticHostname",
            Variant::Transient => "SetHostname",
        }
    }
}

/// The system bus, if hostnamed can be reached over it.
fn hostnamed(cancel: &Cancel) -> Result<Option<Bus>, Failure> {
    let bus = Bus::system();
    match bus.has(HOSTNAMED.service, cancel) {
        Ok(true) => Ok(Some(bus)),
        Ok(false) => Ok(None),
        Err(error) if error.is_away() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn watch_kernel(task: &TaskHandle) -> Result<(), Failure> {
    let failed = || Failure::on("watch", Path::new(KERNEL));
    let file = std::fs::File::open(KERNEL).map_err(failed())?;
    let Some(request) = task.cancel.fd() else {
        return Err(Failure::Unavailable("there are no file descriptors left to watch the host name with".to_owned()));
    };
    while !task.cancel.is_cancelled() {
        let mut fds = [PollFd::new(&file, PollFlags::PRI), PollFd::new(&request, PollFlags::IN)];
        if poll(&mut fds, None).is_ok() && fds[0].revents().intersects(PollFlags::PRI | PollFlags::ERR) {
            (task.wake)();
        }
    }
    Ok(())
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
        let hostnamed = if self.is_real() { hostnamed(cx.cancel())? } else { None };
        let wanted =
            [(Variant::Pretty, &self.pretty), (Variant::Static, &self.fixed), (Variant::Transient, &self.transient)];
        for (variant, name) in wanted {
            // A kernel is not below a scratch directory.
            if name.is_empty() || (variant == Variant::Transient && !self.is_real()) {
                continue;
            }
            let current = self.current(variant, hostnamed.as_ref(), cx.cancel())?;
            if current == *name {
                continue;
            }
            let was = if current.is_empty() { String::new() } else { format!(" (it is {current})") };
            if cx.change(format!("set {} to {name}{was}", variant.words()))? {
                self.set(variant, name, hostnamed.as_ref(), cx.cancel())?;
            }
        }
        Ok(())
    }

    fn watches(&self) -> Vec<Watch> {
        let files = [self.file("hostname"), self.file("machine-info")];
        let mut watches: Vec<Watch> = files.map(|path| Watch::Path(path, Scope::Entry)).into();
        watches.push(Watch::Task(Box::new(watch_kernel)));
        watches.push(Watch::Listen(Box::new(|wake| Box::new(Bus::system().listen(SIGNALS, move |_| wake())))));
        watches
    }

    fn load(&self) -> Load {
        Load::Waits
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
    use crate::Host;
    use crate::harness::{Bench, resource};

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
