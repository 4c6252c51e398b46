//! Zones and file systems of Solaris.

use crate::attribute::{ensure, name, parameter, property, provider};
use crate::resource_type::ResourceType;

pub(crate) static ZFS: ResourceType = ResourceType::new(
    "zfs",
    "A ZFS file system.",
    &[
        name("name", "The name."),
        provider(),
        ensure(),
        property("aclinherit", "How access control lists are inherited."),
        property("aclmode", "How access control lists change with the mode."),
        property("acltype", "The type of access control lists."),
        property("atime", "Whether times of access are kept."),
        property("canmount", "Whether the file system can be mounted."),
        property("checksum", "How data is checked."),
        property("compression", "How data is compressed."),
        property("copies", "How many copies of data are kept."),
        property("dedup", "How equal data is shared."),
        property("defaultuserquota", "The quota of users."),
        property("defaultgroupquota", "The quota of groups."),
        property("devices", "Whether device files can be opened."),
        property("exec", "Whether programs can be run."),
        property("logbias", "Whether writes aim for latency or throughput."),
        property("mountpoint", "Where the file system is mounted."),
        property("nbmand", "Whether locks are mandatory."),
        property("overlay", "Whether it can be mounted over files."),
        property("primarycache", "What the memory cache keeps."),
        property("quota", "How much space it and its descendants may take."),
        property("readonly", "Whether it can be changed."),
        property("recordsize", "The size of blocks."),
        property("refquota", "How much space it may take."),
        property("refreservation", "How much space it is sure to have."),
        property("relatime", "Whether times of access are kept now and then."),
        property("reservation", "How much space it and its descendants are sure to have."),
        property("secondarycache", "What the disk cache keeps."),
        property("setuid", "Whether programs may change their user."),
        property("shareiscsi", "Whether it is shared over iSCSI."),
        property("sharenfs", "Whether it is shared over NFS."),
        property("sharesmb", "Whether it is shared over SMB."),
        property("snapdir", "Whether the directory of snapshots is visible."),
        property("sync", "When writes reach the disk."),
        property("version", "The version of the file system."),
        property("volsize", "The size of the volume."),
        property("vscan", "Whether files are scanned."),
        property("xattr", "How extended attributes are kept."),
        property("zoned", "Whether a zone manages it."),
    ],
)
.of_module("zfs_core");

pub(crate) static ZONE: ResourceType = ResourceType::new(
    "zone",
    "A zone of Solaris.",
    &[
        name("name", "The name."),
        parameter("id", "The number of the zone."),
        parameter("clone", "The zone to copy."),
        parameter("create_args", "Arguments of the creation."),
        parameter("install_args", "Arguments of the installation."),
        parameter("sysidcfg", "The configuration of the system in the zone."),
        parameter("realhostname", "The name of the host in the zone."),
        provider(),
        property("ensure", "Whether the zone exists, and how far it is set up.").words(&[
            "absent",
            "configured",
            "installed",
            "running",
        ]),
        property("path", "The directory of the zone."),
        property("pool", "The pool of resources."),
        property("shares", "The shares of the processor."),
        property("dataset", "The file systems that the zone manages."),
        property("inherit", "Directories that the zone shares."),
        property("ip", "The addresses."),
        property("iptype", "Whether the zone has its own network.").words(&["shared", "exclusive"]),
        property("autoboot", "Whether the zone starts with the system.").boolean(),
    ],
)
.of_module("zone_core");

pub(crate) static ZPOOL: ResourceType = ResourceType::new(
    "zpool",
    "A pool of disks for ZFS.",
    &[
        name("pool", "The name."),
        parameter("raid_parity", "The parity of the groups of disks."),
        provider(),
        ensure(),
        property("disk", "The disks."),
        property("mirror", "Groups of disks that mirror each other."),
        property("raidz", "Groups of disks with parity."),
        property("spare", "The spare disks."),
        property("log", "The disks of the log."),
        property("cache", "The disks of the cache."),
        property("ashift", "The size of sectors, as a power of two."),
        property("autoexpand", "Whether the pool grows with its disks."),
        property("failmode", "What happens when the pool fails."),
    ],
)
.of_module("zfs_core");
