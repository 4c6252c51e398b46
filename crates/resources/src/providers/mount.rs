//! `mount`: a line of `/etc/fstab`, and its mounted state (spec 05 §6.13).
//!
//! Only the line of this mount point is edited, and only this mount point is mounted or unmounted. So the provider works with
//! and without systemd, and preserves comments.
//!
//! The mounted state is compared with the line by device, type, and the options that are flags. Other options (`size=1g`) are
//! not comparable; they take effect by a remount when the line changes.

use std::path::{Path, PathBuf};

use resource_graph::Resource;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use safe_fs::{Error, LastLink};

use crate::file_access::failure;
use crate::text_file::{self, Edit, with_mode};
use crate::tool::Tool;
use crate::{Cancel, Context, Effects, Failure, Params, Provider, Scope, TaskHandle, Watch, WorkerClass, systemd};

const MOUNT_TABLE: &str = "/proc/self/mountinfo";
/// More mounts than anybody stacks on one directory.
const MAX_STEPS: usize = 100;

struct Mount {
    fstab: PathBuf,
    point: String,
    exists: bool,
    entry: Entry,
}

/// A line of `fstab`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    device: String,
    point: String,
    fs_type: String,
    /// Sorted, because their order is irrelevant.
    options: Vec<String>,
    freq: i64,
    passno: i64,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Mount::read(&resources[0], Path::new("/etc/fstab"))?))
}

impl Mount {
    fn read(resource: &Resource, fstab: &Path) -> Result<Mount, Failure> {
        let params = Params::new(resource);
        let point = match params.name().trim_end_matches('/') {
            "" => "/".to_owned(),
            point => point.to_owned(),
        };
        let mut options: Vec<String> = match params.value("options") {
            None => vec!["defaults".to_owned()],
            Some(_) => {
                let option =
                    |(key, value): (String, String)| if value.is_empty() { key } else { format!("{key}={value}") };
                params.map("options")?.into_iter().map(option).collect()
            }
        };
        options.sort();
        if options.is_empty() {
            options.push("defaults".to_owned());
        }
        let text = |key: &str, default: &str| {
            let text = params.str(key)?;
            Ok::<_, Failure>(if text.is_empty() { default.to_owned() } else { text.to_owned() })
        };
        let exists = params.str("state")? == "exists";
        let entry = Entry {
            device: text("device", "none")?,
            point: point.clone(),
            fs_type: text("type", "auto")?,
            options,
            freq: params.int("freq")?,
            passno: params.int("passno")?,
        };
        if exists && params.str("device")?.is_empty() {
            return Err(Failure::Invalid("missing parameter `device`".to_owned()));
        }
        Ok(Mount { fstab: fstab.to_path_buf(), point, exists, entry })
    }

    /// Adds, replaces or removes the line. Returns whether a change was made, or would be in noop mode.
    fn check_fstab(&self, cx: &mut Context<'_>) -> Result<bool, Failure> {
        let decide = |before: Option<&[u8]>| {
            let after = edit_fstab(before.unwrap_or_default(), &self.point, self.exists.then_some(&self.entry));
            Ok(after.map(|after| {
                let verb = if self.exists { "write" } else { "remove" };
                let text = format!("{verb} the line of {} in {}", self.point, self.fstab.display());
                Edit { text, after: Some(after), is_private: false }
            }))
        };
        if !text_file::edit(cx, &self.fstab, &with_mode(0o644), decide)? {
            return Ok(false);
        }
        if !cx.apply {
            return Ok(true);
        }
        if systemd::is_running() {
            systemd::Manager::System.reload(cx.cancel())?;
        }
        Ok(true)
    }

    fn check_mounted(&self, cx: &mut Context<'_>, line_changed: bool) -> Result<(), Failure> {
        // The kernel names a mount by its real path. A link that a user made could lead to any directory.
        let found = cx.files().find(Path::new(&self.point), LastLink::Follow).map_err(failure)?;
        // An open directory could not be unmounted.
        let (real, owner) = found.map(|found| (found.path, found.stat.uid)).unzip();
        let real = real.unwrap_or_else(|| PathBuf::from(&self.point));
        let mut mounts = mounts_on(&real)?;
        for _ in 0..MAX_STEPS {
            let Some(step) = self.next_step(mounts.last(), line_changed) else { return Ok(()) };
            check_point(cx, &real, owner)?;
            let (tool, words, text): (_, &[&str], _) = match step {
                Step::Mount => ("mount", &[], "mount"),
                // Without `bind`, the whole file system below would become read-only, not only this mount of it.
                Step::Remount if self.entry.is_bind() => ("mount", &["-o", "remount,bind"], "remount"),
                Step::Remount => ("mount", &["-o", "remount"], "remount"),
                Step::Unmount => ("umount", &[], "unmount"),
            };
            if step == Step::Mount {
                self.check_source()?;
            }
            let is_made = cx.change(format!("{text} {}", self.point))?;
            if is_made {
                Tool::new(tool)?.args(words).args(["--", &self.point]).run(cx.cancel())?;
            }
            if step != Step::Unmount {
                return Ok(());
            }
            // The requested file system may be mounted below the one that was unmounted.
            if is_made {
                mounts = mounts_on(&real)?;
            } else {
                mounts.pop();
            }
        }
        Err(Failure::Disturbed(format!("something is mounted on {} again and again", self.point)))
    }

    /// Returns what to do next where the last of several mounts covers the others.
    fn next_step(&self, mounted: Option<&Mounted>, line_changed: bool) -> Option<Step> {
        match (mounted, self.exists) {
            (None, false) => None,
            (None, true) => Some(Step::Mount),
            (Some(_), false) => Some(Step::Unmount),
            (Some(mounted), true) if !self.entry.is_source_of(mounted) => Some(Step::Unmount),
            (Some(mounted), true) if line_changed || !self.entry.has_flags_of(mounted) => Some(Step::Remount),
            (Some(_), true) => None,
        }
    }

    /// Checks that there is something to mount, as far as that is certain without mounting it: the file of a bind mount, or
    /// the device of a file system that needs one.
    fn check_source(&self) -> Result<(), Failure> {
        let source = Path::new(&self.entry.device);
        let is_file = self.entry.is_bind() || needs_device(&self.entry.fs_type);
        if is_file && source.is_absolute() && !source.exists() {
            Err(Failure::io("mount", source, Errno::NOENT))
        } else {
            Ok(())
        }
    }
}

/// Returns the file systems that are mounted on a directory. Each covers those before it.
fn mounts_on(point: &Path) -> Result<Vec<Mounted>, Failure> {
    let mut mounts = mount_table()?;
    mounts.retain(|mounted| Path::new(&mounted.point) == point);
    Ok(mounts)
}

fn mount_table() -> Result<Vec<Mounted>, Failure> {
    let table = std::fs::read_to_string(MOUNT_TABLE).map_err(Failure::on("read", Path::new(MOUNT_TABLE)))?;
    Ok(table.lines().filter_map(Mounted::parse).collect())
}

/// Returns the device and the directory that a bind mount of a directory has in the table; `None` if no mount holds the directory.
fn bound(table: &[Mounted], source: &Path) -> Option<(String, PathBuf)> {
    // Of several mounts on one directory, the last one covers the others.
    let holds = table.iter().filter(|mounted| source.starts_with(&mounted.point));
    let holder = holds.max_by_key(|mounted| Path::new(&mounted.point).components().count())?;
    let below = source.strip_prefix(&holder.point).ok()?;
    let directory =
        if below.as_os_str().is_empty() { holder.root.clone().into() } else { Path::new(&holder.root).join(below) };
    Some((holder.device.clone(), directory))
}

/// Returns whether the kernel mounts this type of file system only from a device. A type that it may load later does not count.
fn needs_device(fs_type: &str) -> bool {
    let types = std::fs::read_to_string("/proc/filesystems").unwrap_or_default();
    types.lines().any(|line| line.strip_prefix('\t') == Some(fs_type))
}

/// Checks that there is a directory to mount on, which has an owner, and that no user can put another one in its place while `mount` looks for it.
fn check_point(cx: &Context<'_>, point: &Path, owner: Option<u32>) -> Result<(), Failure> {
    let Some(entry_owner) = owner else { return Err(Failure::io("mount on", point, Errno::NOENT)) };
    let Some(parent) = point.parent() else { return Ok(()) };
    match cx.files().check_path_protected(parent) {
        // Only its owner can move an entry of a directory with the sticky bit.
        Err(Error::Unprotected { path, owner: 0, mode, .. })
            if path == parent && mode & 0o1000 != 0 && entry_owner == 0 =>
        {
            Ok(())
        }
        result => result.map_err(failure),
    }
}

/// A change of the mounted state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Mount,
    Remount,
    Unmount,
}

impl Provider for Mount {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let line_changed = self.check_fstab(cx)?;
        self.check_mounted(cx, line_changed)
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::Path(self.fstab.clone(), Scope::Entry), Watch::Task(Box::new(watch_mounts))]
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Mount::read(&resources[0], &self.fstab)?;
        Ok(())
    }

    fn worker_class(&self) -> WorkerClass {
        WorkerClass::Blocking
    }

    fn effects(&self) -> Effects {
        Effects::Programs
    }
}

/// Wakes the engine on each change of the mount table, which the kernel reports as `POLLPRI`.
fn watch_mounts(task: &TaskHandle) -> Result<(), Failure> {
    let table = std::fs::File::open(MOUNT_TABLE).map_err(Failure::on("watch", Path::new(MOUNT_TABLE)))?;
    let cancel: &Cancel = &task.cancel;
    let Some(request) = cancel.fd() else {
        return Err(Failure::Unavailable("no file descriptors left to watch mounts".to_owned()));
    };
    while !cancel.is_cancelled() {
        let mut fds = [PollFd::new(&table, PollFlags::PRI), PollFd::new(&request, PollFlags::IN)];
        if poll(&mut fds, None).is_ok() && fds[0].revents().intersects(PollFlags::PRI | PollFlags::ERR) {
            (task.wake)();
        }
    }
    Ok(())
}

impl Entry {
    fn parse(line: &str) -> Option<Entry> {
        // Other whitespace is a part of a field, as for `mount`.
        let fields = line.trim_end_matches(['\n', '\r']).split([' ', '\t']).filter(|field| !field.is_empty());
        let mut fields = fields.filter(|_| !line.trim_start_matches([' ', '\t']).starts_with('#'));
        let (device, point) = (fields.next()?, fields.next()?);
        let (fs_type, options) = (fields.next()?, fields.next().unwrap_or("defaults"));
        let mut options: Vec<String> = options.split(',').map(unescaped).collect();
        options.sort();
        let number = |field: Option<&str>| field.and_then(|text| text.parse().ok()).unwrap_or(0);
        let (freq, passno) = (number(fields.next()), number(fields.next()));
        Some(Entry {
            device: unescaped(device),
            point: unescaped(point),
            fs_type: unescaped(fs_type),
            options,
            freq,
            passno,
        })
    }
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [device, point, fs_type] = [&self.device, &self.point, &self.fs_type].map(|text| escaped(text));
        let options = escaped(&self.options.join(","));
        write!(f, "{device} {point} {fs_type} {options} {} {}", self.freq, self.passno)
    }
}

/// Escapes what would end a field, a line or an escape as octal numbers, and what would start a comment.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' ' | '\t' | '\n' | '\r' | '\\' => out.push_str(&format!("\\{:03o}", c as u32)),
            '#' if out.is_empty() => out.push_str("\\043"),
            c => out.push(c),
        }
    }
    out
}

fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let octal = bytes.get(at + 1..at + 4).filter(|_| bytes[at] == b'\\');
        let number = octal.and_then(|d| u8::from_str_radix(std::str::from_utf8(d).ok()?, 8).ok());
        match number {
            Some(byte) => {
                out.push(byte);
                at += 4;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// An entry of the kernel's mount table.
#[derive(Debug, PartialEq, Eq)]
struct Mounted {
    /// The number of the file system's device.
    device: String,
    /// The directory of the file system that is mounted.
    root: String,
    point: String,
    /// The options of the mount.
    options: Vec<String>,
    /// The options of the file system, which all of its mounts share.
    shared_options: Vec<String>,
    fs_type: String,
    source: String,
}

impl Mounted {
    fn parse(line: &str) -> Option<Mounted> {
        let (mount, file_system) = line.split_once(" - ")?;
        let (mut mount, mut file_system) = (mount.split(' ').skip(2), file_system.split(' '));
        let (device, root, point, options) = (mount.next()?, mount.next()?, mount.next()?, mount.next()?);
        let (fs_type, source, shared) = (file_system.next()?, file_system.next()?, file_system.next().unwrap_or(""));
        let list = |options: &str| options.split(',').map(unescaped).collect();
        Some(Mounted {
            device: device.to_owned(),
            root: unescaped(root),
            point: unescaped(point),
            options: list(options),
            shared_options: list(shared),
            fs_type: unescaped(fs_type),
            source: unescaped(source),
        })
    }
}

/// Options that the kernel reports exactly if they are set.
const FLAGS: &[&str] = &["ro", "nosuid", "nodev", "noexec", "noatime", "nodiratime", "sync", "dirsync"];

impl Entry {
    fn is_bind(&self) -> bool {
        self.has("bind") || self.has("rbind")
    }

    fn has(&self, option: &str) -> bool {
        self.options.iter().any(|have| have == option)
    }

    /// Returns whether device and type match the line. Values that cannot be compared count as matching.
    fn is_source_of(&self, mounted: &Mounted) -> bool {
        if self.has("move") {
            return true;
        }
        // Bind mounts report the device of the file system below.
        if self.is_bind() {
            let source = std::fs::canonicalize(&self.device).ok();
            let found = source.and_then(|source| bound(&mount_table().ok()?, &source));
            return found.is_none_or(|found| found == (mounted.device.clone(), PathBuf::from(&mounted.root)));
        }
        // The kernel reports `nfs` as `nfs4`.
        let is_type = matches!(&*self.fs_type, "auto" | "none") || mounted.fs_type.starts_with(&*self.fs_type);
        let sources = device(&self.device).zip(backing(&mounted.source));
        is_type && sources.is_none_or(|(wanted, mounted)| wanted == mounted)
    }

    /// Returns whether the mount has exactly the flags of the line; `defaults` permits any.
    fn has_flags_of(&self, mounted: &Mounted) -> bool {
        let is_default = self.options == ["defaults"];
        // Mounts by ordinary users have implicit restrictions.
        let is_restricted = ["user", "users", "owner", "group"].iter().any(|option| self.has(option));
        is_default
            || FLAGS.iter().all(|flag| {
                // A bind mount cannot change what it shares with other mounts.
                let shared = mounted.shared_options.iter().filter(|_| !self.is_bind());
                let has = mounted.options.iter().chain(shared).any(|option| option == flag);
                has == self.has(flag) || (has && is_restricted && *flag != "ro")
            })
    }
}

/// Returns the file of a device in `fstab`.
fn device(text: &str) -> Option<PathBuf> {
    let path = match text.split_once('=') {
        Some((tag, value)) => {
            let directory = format!("/dev/disk/by-{}", tag.to_lowercase());
            Path::new(&directory).join(value.trim_matches('"'))
        }
        None => PathBuf::from(text),
    };
    path.is_absolute().then(|| std::fs::canonicalize(path).ok()).flatten()
}

/// Returns the file of a mounted device; for a loop device, its backing file.
fn backing(source: &str) -> Option<PathBuf> {
    let path = device(source)?;
    let name = path.strip_prefix("/dev").ok().and_then(Path::to_str).filter(|name| name.starts_with("loop"));
    let file = name.and_then(|name| std::fs::read_to_string(format!("/sys/block/{name}/loop/backing_file")).ok());
    Some(file.map_or(path, |file| PathBuf::from(file.trim_end_matches('\n'))))
}

/// Returns the file with exactly this line for the mount point, or without one; `None` if nothing changes. Other lines keep every
/// byte, in whatever encoding.
fn edit_fstab(text: &[u8], point: &str, wanted: Option<&Entry>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() + 80);
    let (mut written, mut changed) = (false, false);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match Entry::parse(&String::from_utf8_lossy(line)) {
            Some(entry) if entry.point.trim_end_matches('/') == point.trim_end_matches('/') => match wanted {
                Some(wanted) if !written => {
                    written = true;
                    if entry == *wanted {
                        out.extend_from_slice(line);
                    } else {
                        changed = true;
                        out.extend_from_slice(format!("{wanted}\n").as_bytes());
                    }
                }
                _ => changed = true,
            },
            _ => out.extend_from_slice(line),
        }
    }
    if let Some(wanted) = wanted.filter(|_| !written) {
        changed = true;
        if !out.is_empty() && !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        out.extend_from_slice(format!("{wanted}\n").as_bytes());
    }
    changed.then_some(out)
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;
    use crate::provider_test::resource;

    fn entry(r: &Resource) -> Entry {
        Mount::read(r, Path::new("/no/such/fstab")).unwrap().entry
    }

    fn data() -> Resource {
        resource("mount", "/srv/my data/").with("state", "exists").with("device", "UUID=1").with("type", "ext4")
    }

    const FSTAB: &str = "# comment\nUUID=0 / ext4 defaults 0 1\n\nUUID=9  /srv/my\\040data ext4 ro,noatime 0 2 # old\n";

    fn edit_fstab(text: &str, point: &str, wanted: Option<&Entry>) -> Option<String> {
        super::edit_fstab(text.as_bytes(), point, wanted).map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn other_lines_keep_their_bytes() {
        let before = b"# Gr\xf6\xdfe\n/dev/a /\xe4 ext4 defaults 0 0\r\n";
        let after = super::edit_fstab(before, "/srv/my data", Some(&entry(&data()))).unwrap();
        assert_eq!(after, [&before[..], b"UUID=1 /srv/my\\040data ext4 defaults 0 0\n"].concat());
        assert_eq!(super::edit_fstab(&after, "/srv/my data", None).unwrap(), before);
    }

    #[test]
    fn no_value_makes_another_line_or_field() {
        let odd = "#a b\tc\u{a0}d\u{2028}e\u{b}f\rg\nh\\011i";
        let mount = resource("mount", &format!("/srv/{odd}")).with("state", "exists").with("device", odd);
        let options = Value::map([(odd.into(), odd.into()), ("ro".into(), "".into())]);
        let wanted = entry(&mount.with("type", odd).with("options", options));
        let after = edit_fstab("/dev/a /a ext4 defaults 0 0\n", &wanted.point, Some(&wanted)).unwrap();
        assert_eq!(after.lines().count(), 2, "{after}");
        assert_eq!(Entry::parse(after.lines().last().unwrap()).as_ref(), Some(&wanted));
        assert_eq!(edit_fstab(&after, &wanted.point, Some(&wanted)), None);
        assert_eq!(edit_fstab(&after, &wanted.point, None).as_deref(), Some("/dev/a /a ext4 defaults 0 0\n"));
    }

    #[test]
    fn only_the_line_of_the_mount_point_changes() {
        let wanted = entry(&data());
        let after = edit_fstab(FSTAB, "/srv/my data", Some(&wanted)).unwrap();
        assert_eq!(after, "# comment\nUUID=0 / ext4 defaults 0 1\n\nUUID=1 /srv/my\\040data ext4 defaults 0 0\n");
        assert_eq!(edit_fstab(&after, "/srv/my data", Some(&wanted)), None);
        let without = edit_fstab(&after, "/srv/my data", None).unwrap();
        assert_eq!(without, "# comment\nUUID=0 / ext4 defaults 0 1\n\n");
        assert_eq!(edit_fstab(&without, "/srv/my data", None), None);
        assert_eq!(edit_fstab("a / b c 0 0", "/x", Some(&entry(&data()))).unwrap().lines().count(), 2);
    }

    #[test]
    fn options_are_compared_without_their_order() {
        let options = Value::map([("ro".into(), "".into()), ("size".into(), "1m".into())]);
        let wanted = entry(&data().with("options", options));
        assert_eq!(edit_fstab("UUID=1 /srv/my\\040data ext4 size=1m,ro 0 0\n", "/srv/my data", Some(&wanted)), None);
    }

    #[test]
    fn mounts_of_the_kernel_are_read_and_compared() {
        let mounted = |options: &str| {
            let line = format!("36 35 98:0 /mnt1 /srv/my\\040data {options} master:1 - ext4 tmpfs rw,errors=continue");
            Mounted::parse(&line).unwrap()
        };
        assert_eq!(mounted("rw,noatime").point, "/srv/my data");
        let with = |options: &[(&str, &str)]| {
            entry(&data().with("options", Value::map(options.iter().map(|(k, v)| ((*k).into(), (*v).into())))))
        };
        assert!(entry(&data()).has_flags_of(&mounted("ro,nosuid")), "the defaults leave it as it is");
        assert!(with(&[("ro", ""), ("size", "1m")]).has_flags_of(&mounted("ro,relatime")));
        assert!(!with(&[("ro", "")]).has_flags_of(&mounted("rw,relatime")));
        assert!(!with(&[("rw", "")]).has_flags_of(&mounted("ro,relatime")));
        assert!(with(&[("user", "")]).has_flags_of(&mounted("rw,nosuid,nodev,noexec")));
        assert!(entry(&data()).is_source_of(&mounted("rw")), "only devices that are files are compared");
        assert!(!entry(&data().with("type", "xfs")).is_source_of(&mounted("rw")));
        assert!(!entry(&data().with("device", "/")).is_source_of(&Mounted { source: "/etc".into(), ..mounted("rw") }));
    }

    #[test]
    fn bind_mounts_are_compared_by_what_they_show() {
        let table: Vec<Mounted> = [
            "1 0 8:1 / / rw - ext4 /dev/a rw",
            "2 1 0:30 /@sub /srv rw - btrfs /dev/b rw",
            "3 2 0:40 / /srv/m rw - tmpfs tmpfs ro",
            "4 2 0:41 / /srv/m rw - tmpfs tmpfs rw",
        ]
        .iter()
        .map(|line| Mounted::parse(line).unwrap())
        .collect();
        let bound = |path: &str| {
            let (device, root) = bound(&table, Path::new(path)).unwrap();
            format!("{device} {}", root.display())
        };
        assert_eq!(bound("/etc/a"), "8:1 /etc/a");
        assert_eq!(bound("/srv"), "0:30 /@sub");
        assert_eq!(bound("/srv/m2/x"), "0:30 /@sub/m2/x");
        assert_eq!(bound("/srv/m/x"), "0:41 /x", "the last one covers the others");
        // It cannot change that the file system is mounted read-only elsewhere.
        let mounted = |shared| Mounted::parse(&format!("5 1 8:1 / /b rw - ext4 /dev/a {shared}")).unwrap();
        let entry = |options: &str| Entry::parse(&format!("/ /b none {options} 0 0")).unwrap();
        assert!(entry("bind").has_flags_of(&mounted("ro")) && !entry("rw").has_flags_of(&mounted("ro")));
        assert!(!entry("bind").is_source_of(&Mounted { device: "0:0".into(), ..mounted("rw") }));
    }

    #[test]
    fn an_absent_mount_needs_no_device() {
        let absent = resource("mount", "/srv/x").with("state", "absent");
        assert!(Mount::read(&absent, Path::new("/no/such/fstab")).is_ok());
        assert!(Mount::read(&absent.with("state", "exists"), Path::new("/no/such/fstab")).is_err());
    }
}
