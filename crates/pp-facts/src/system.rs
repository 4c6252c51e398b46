//! The facts about the running system: uptime, load, time zone, the process that asks, kernel features.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use nix::unistd::{Gid, Group, Uid, User};
use pp_types::Value;

use crate::fact::{FactSet, Fields, integer};
use crate::machine::Machine;

/// `load_averages`
pub(crate) fn load(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    let text = machine.read("/proc/loadavg").unwrap_or_default();
    let averages: Vec<f64> = text.split_whitespace().take(3).filter_map(|word| word.parse().ok()).collect();
    if let [one, five, fifteen] = averages.as_slice() {
        let mut fields = Fields::default();
        fields.set("15m", *fifteen);
        fields.set("1m", *one);
        fields.set("5m", *five);
        facts.set("load_averages", fields.finish());
    }
    facts
}

/// `system_uptime` and its legacy names.
pub(crate) fn uptime(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    let text = machine.read("/proc/uptime").unwrap_or_default();
    let Some(seconds) = text.split(['.', ' ']).next().and_then(|seconds| seconds.parse::<u64>().ok()) else {
        return facts;
    };
    let (days, hours) = (seconds / 86_400, seconds / 3_600);
    let uptime = match days {
        0 => format!("{hours}:{:02} hours", seconds / 60 % 60),
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    };
    let mut fields = Fields::default();
    fields.set("days", integer(days));
    fields.set("hours", integer(hours));
    fields.set("seconds", integer(seconds));
    fields.set("uptime", &*uptime);
    facts.legacy("uptime", Value::from(uptime));
    facts.legacy("uptime_days", integer(days));
    facts.legacy("uptime_hours", integer(hours));
    facts.legacy("uptime_seconds", integer(seconds));
    facts.set("system_uptime", fields.finish());
    facts
}

/// `timezone`: the abbreviation that is in use now.
pub(crate) fn timezone(machine: &Machine) -> FactSet {
    let zone = match &machine.process.time_zone {
        Some(name) if !name.is_empty() => {
            TimeZone::posix(name).or_else(|_| TimeZone::get(name.trim_start_matches(':'))).ok()
        }
        _ => machine.read_bytes("/etc/localtime").and_then(|bytes| TimeZone::tzif("local", &bytes).ok()),
    };
    let zone = zone.unwrap_or(TimeZone::UTC);
    let mut facts = FactSet::default();
    facts.set("timezone", Value::from(zone.to_offset_info(Timestamp::now()).abbreviation()));
    facts
}

/// `identity`, `id` and `gid`: the user and the group that gather the facts.
pub(crate) fn identity(machine: &Machine) -> FactSet {
    let (uid, gid) = (machine.process.uid, machine.process.gid);
    // Files first: a directory service may be slow, or gone.
    let user = name_in(machine, "/etc/passwd", uid);
    let group = name_in(machine, "/etc/group", gid);
    let local = machine.is_local();
    let user =
        user.or_else(|| User::from_uid(Uid::from_raw(uid)).ok().flatten().filter(|_| local).map(|user| user.name));
    let group =
        group.or_else(|| Group::from_gid(Gid::from_raw(gid)).ok().flatten().filter(|_| local).map(|group| group.name));
    let mut facts = FactSet::default();
    facts.legacy("id", user.as_deref().map(Value::from));
    facts.legacy("gid", group.as_deref().map(Value::from));
    let mut fields = Fields::default();
    fields.set("gid", i64::from(gid));
    fields.maybe("group", group);
    fields.set("privileged", uid == 0);
    fields.set("uid", i64::from(uid));
    fields.maybe("user", user);
    facts.set("identity", fields.finish());
    facts
}

fn name_in(machine: &Machine, file: &str, id: u32) -> Option<String> {
    let text = machine.read(file)?;
    let mut entries = text.lines().filter_map(|line| {
        let mut fields = line.split(':');
        Some((fields.next()?, fields.nth(1)?.parse::<u32>().ok()?))
    });
    entries.find(|(_, known)| *known == id).map(|(name, _)| name.to_owned())
}

/// `path`
pub(crate) fn path(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    facts.set("path", machine.process.path.as_deref().map(Value::from));
    facts
}

/// `filesystems`: those that the kernel can mount from a device.
pub(crate) fn filesystems(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    let text = machine.read("/proc/filesystems").unwrap_or_default();
    let mut names: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("nodev"))
        .map(str::trim)
        .filter(|name| !name.is_empty() && *name != "fuseblk")
        .collect();
    names.sort_unstable();
    facts.set("filesystems", (!names.is_empty()).then(|| Value::from(names.join(","))));
    facts
}

/// `fips_enabled`
pub(crate) fn fips(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    let enabled = machine.read_line("/proc/sys/crypto/fips_enabled").as_deref() == Some("1");
    facts.set("fips_enabled", Value::Boolean(enabled));
    facts
}

/// `augeas`: the version of the library, where the package manager keeps it in a file.
pub(crate) fn augeas(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    let status = machine.read("/var/lib/dpkg/status").unwrap_or_default();
    let package = status.split("\n\n").find(|entry| entry.trim_start().starts_with("Package: libaugeas0\n"));
    let version = package.and_then(|entry| entry.lines().find_map(|line| line.strip_prefix("Version: ")));
    if let Some(version) = version.map(|version| version.split('-').next().unwrap_or(version)) {
        let mut fields = Fields::default();
        fields.set("version", version);
        facts.set("augeas", fields.finish());
        facts.legacy("augeasversion", Value::from(version));
    }
    facts
}
