//! `hostname`: the pretty, static and transient names of this host (spec 05 §6.11, §7.2).
//!
//! They are read and set through systemd-hostnamed, or without it in `/etc/machine-info`, `/etc/hostname` and the kernel.

use std::path::{Path, PathBuf};

use resource_graph::Resource;
use rustix::event::{PollFd, PollFlags, poll};
use safe_fs::Decision;

use crate::bus::{Bus, BusError, MatchRule, Object};
use crate::file_access::edit_failure;
use crate::text_file::{read, with_mode};
use crate::{Cancel, Context, Failure, Params, Provider, Scope, TaskHandle, Watch, WorkerClass};

const HOSTNAMED: Object<'static> = Object {
    service: "org.freedesktop.hostname1",
    path: "/org/freedesktop/hostname1",
    interface: "org.freedesktop.hostname1",
};
const SIGNALS: MatchRule = MatchRule {
    service: HOSTNAMED.service,
    interface: "org.freedesktop.DBus.Properties",
    path_namespace: HOSTNAMED.path,
    subscribe_method: None,
};
/// Polling this file for `POLLPRI` reports changes of the host name.
const KERNEL_HOSTNAME: &str = "/proc/sys/kernel/hostname";

struct Hostname {
    /// The directory above `etc`; `/` outside tests.
    root: PathBuf,
    pretty: String,
    fixed: String,
    transient: String,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
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

    fn current(&self, variant: Variant, hostnamed: Option<&Bus>, cx: &Context<'_>) -> Result<String, Failure> {
        match hostnamed.map(|bus| bus.string_property(HOSTNAMED, variant.property(), cx.cancel())) {
            None => {}
            // The service has exited since it was found to be available.
            Some(Err(error)) if error.is_unavailable() => {}
            Some(result) => return Ok(result?),
        }
        let text =
            |path: &Path| Ok::<_, Failure>(read(cx, path)?.map(|text| String::from_utf8_lossy(&text).into_owned()));
        Ok(match variant {
            Variant::Pretty => pretty_name(&text(&self.file("machine-info"))?.unwrap_or_default()).unwrap_or_default(),
            Variant::Static => text(&self.file("hostname"))?.unwrap_or_default().trim().to_owned(),
            Variant::Transient => kernel_name(),
        })
    }

    fn set(&self, variant: Variant, name: &str, hostnamed: Option<&Bus>, cx: &Context<'_>) -> Result<(), Failure> {
        match hostnamed.map(|bus| bus.call(HOSTNAMED, variant.method(), &(name, false), cx.cancel())) {
            None => {}
            Some(Err(error)) if error.is_unavailable() => {}
            Some(Err(error @ BusError::MethodError { .. })) => {
                let text = format!("cannot set {} through systemd-hostnamed: {error}", variant.description());
                return Err(Failure::Command(text));
            }
            Some(result) => {
                result?;
                // While another static name is set, the service ignores the name of the kernel.
                if variant != Variant::Transient || kernel_name() == name {
                    return Ok(());
                }
            }
        }
        match variant {
            Variant::Pretty => {
                let info = self.file("machine-info");
                write(cx, &info, |text| with_pretty_name(text, name))
            }
            Variant::Static => write(cx, &self.file("hostname"), |_| format!("{name}\n")),
            Variant::Transient => {
                rustix::system::sethostname(name.as_bytes()).map_err(|error| Failure::io("set", "the host name", error))
            }
        }
    }
}

fn kernel_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Gives a file the content that `edit` makes of its present one.
fn write(cx: &Context<'_>, file: &Path, edit: impl Fn(&str) -> String) -> Result<(), Failure> {
    let decide = |before: Option<&[u8]>| {
        Ok(Decision::Write(edit(&String::from_utf8_lossy(before.unwrap_or_default())).into_bytes()))
    };
    cx.files().edit(file, &with_mode(0o644), decide).map(drop).map_err(edit_failure)
}

/// One of the three host names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Pretty,
    Static,
    Transient,
}

impl Variant {
    fn description(self) -> &'static str {
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

/// Returns the system bus if systemd-hostnamed is available on it.
fn connect_hostnamed(cancel: &Cancel) -> Result<Option<Bus>, Failure> {
    let bus = Bus::system();
    match bus.is_available(HOSTNAMED.service, cancel) {
        Ok(true) => Ok(Some(bus)),
        Ok(false) => Ok(None),
        Err(error) if error.is_unavailable() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn watch_kernel(task: &TaskHandle) -> Result<(), Failure> {
    let failed = || Failure::on("watch", Path::new(KERNEL_HOSTNAME));
    let file = std::fs::File::open(KERNEL_HOSTNAME).map_err(failed())?;
    let Some(request) = task.cancel.fd() else {
        return Err(Failure::Unavailable("no file descriptors left to watch the host name".to_owned()));
    };
    while !task.cancel.is_cancelled() {
        let mut fds = [PollFd::new(&file, PollFlags::PRI), PollFd::new(&request, PollFlags::IN)];
        if poll(&mut fds, None).is_ok() && fds[0].revents().intersects(PollFlags::PRI | PollFlags::ERR) {
            (task.wake)();
        }
    }
    Ok(())
}

/// Returns the value of `PRETTY_HOSTNAME` in a file of shell assignments.
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

/// Returns the file with `PRETTY_HOSTNAME` set to `name` and all other lines unchanged.
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

impl Provider for Hostname {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if [&self.pretty, &self.fixed, &self.transient].iter().any(|name| name.contains('\n')) {
            return Err(Failure::Invalid("invalid host name: it contains a line break".to_owned()));
        }
        let hostnamed = if self.is_real() { connect_hostnamed(cx.cancel())? } else { None };
        let wanted =
            [(Variant::Pretty, &self.pretty), (Variant::Static, &self.fixed), (Variant::Transient, &self.transient)];
        let mut planned = None;
        for (variant, name) in wanted {
            // The kernel's name does not depend on the root directory.
            if name.is_empty() || (variant == Variant::Transient && !self.is_real()) {
                continue;
            }
            let current = self.current(variant, hostnamed.as_ref(), cx)?;
            // The service sets the kernel's name, too.
            let follows = variant == Variant::Transient && hostnamed.is_some() && planned == Some(name);
            if current == *name || follows {
                continue;
            }
            let previous = if current.is_empty() { String::new() } else { format!(" (currently {current})") };
            if cx.change(format!("set {} to {name}{previous}", variant.description()))? {
                self.set(variant, name, hostnamed.as_ref(), cx)?;
            } else if variant == Variant::Static {
                planned = Some(name);
            }
        }
        Ok(())
    }

    fn watches(&self) -> Vec<Watch> {
        let files = [self.file("hostname"), self.file("machine-info")];
        let mut watches: Vec<Watch> = files.map(|path| Watch::Path(path, Scope::Entry)).into();
        watches.push(Watch::Task(Box::new(watch_kernel)));
        watches.push(Watch::Listen(Box::new(|wake| Box::new(Bus::system().subscribe(SIGNALS, move |_| wake())))));
        watches
    }

    fn worker_class(&self) -> WorkerClass {
        WorkerClass::Blocking
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
    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn names_are_written_to_their_files() {
        let scratch = tempfile::tempdir().unwrap();
        let etc = scratch.path().join("etc");
        fs::create_dir(&etc).unwrap();
        fs::write(etc.join("machine-info"), "CHASSIS=vm\nPRETTY_HOSTNAME=\"old\"\n").unwrap();
        let names = resource("hostname", "web1").with("pretty_hostname", "Web \"1\"");
        let provider = Box::new(Hostname::read(&names, scratch.path()).unwrap());
        let mut test = ProviderTest::of(&names, provider);
        test.assert_converges();
        assert_eq!(fs::read_to_string(etc.join("hostname")).unwrap(), "web1\n");
        let info = fs::read_to_string(etc.join("machine-info")).unwrap();
        assert_eq!(info, "CHASSIS=vm\nPRETTY_HOSTNAME=\"Web \\\"1\\\"\"\n");
    }

    #[test]
    fn the_name_of_the_kernel_is_read() {
        let current = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let only = |name: &str| {
            let r = resource("hostname", "h").with("pretty_hostname", "").with("static_hostname", "");
            r.with("transient_hostname", name)
        };
        ProviderTest::new(&only(&current)).assert_unchanged();
        assert_eq!(ProviderTest::new(&only("another")).run(false).unwrap().changes.len(), 1);
    }
}
