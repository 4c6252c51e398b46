//! Parts of the configuration of a system.

use pp_types::{MONTHS, WEEKDAYS};

use crate::attribute::{ensure, name, parameter, property, provider};
use crate::resource_type::ResourceType;
use crate::rule::Rule;
use crate::values::Pattern;

const SPECIAL: &[&str] =
    &["reboot", "yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly", "absent"];

/// Those of [`SPECIAL`] that are times.
const TIMES: &[&str] = SPECIAL.split_at(SPECIAL.len() - 1).0;

const NOT_WITH_SPECIAL: &str = "cannot specify both a special schedule and another time";

pub(crate) static ANCHOR: ResourceType =
    ResourceType::new("anchor", "A point that others are ordered by.", &[name("name", "The name.")])
        .of_module("stdlib");

pub(crate) static CRON: ResourceType = ResourceType::new(
    "cron",
    "A command that runs at certain times.",
    &[
        name("name", "A label."),
        provider(),
        ensure(),
        property("command", "The command."),
        property("special", "A name of a time, such as `reboot` or `daily`.").words(SPECIAL),
        property("minute", "The minutes, from 0 to 59.").matching(Pattern::Crontab(0, 59, &[])),
        property("hour", "The hours, from 0 to 23.").matching(Pattern::Crontab(0, 23, &[])),
        property("weekday", "The days of the week, from 0 (Sunday) to 7, or their names.")
            .matching(Pattern::Crontab(0, 7, &WEEKDAYS)),
        property("month", "The months, from 1 to 12, or their names.").matching(Pattern::Crontab(1, 12, &MONTHS)),
        property("monthday", "The days of the month, from 1 to 31.").matching(Pattern::Crontab(1, 31, &[])),
        property("environment", "Variables of the environment, as `NAME=value`.")
            .words_or(&["absent"], Pattern::Assignment),
        property("user", "The user that runs the command."),
        property("target", "The user whose crontab has the entry."),
    ],
)
.of_module("cron_core")
.with_rules(&[
    Rule::Excludes("special", TIMES, "minute", NOT_WITH_SPECIAL),
    Rule::Excludes("special", TIMES, "hour", NOT_WITH_SPECIAL),
    Rule::Excludes("special", TIMES, "weekday", NOT_WITH_SPECIAL),
    Rule::Excludes("special", TIMES, "month", NOT_WITH_SPECIAL),
    Rule::Excludes("special", TIMES, "monthday", NOT_WITH_SPECIAL),
]);

/// A type of a module whose further attributes only the translation knows.
pub(crate) static EC2_INSTANCE: ResourceType =
    ResourceType::new("ec2_instance", "A virtual machine of EC2.", &[name("name", "The name.")])
        .of_module("aws")
        .open();

pub(crate) static HOST: ResourceType = ResourceType::new(
    "host",
    "An entry in the file of hosts.",
    &[
        name("name", "The name of the host.").matching(Pattern::Word),
        provider(),
        ensure(),
        property("ip", "The address.").matching(Pattern::Address),
        property("host_aliases", "Further names.").matching(Pattern::Word),
        property("comment", "A comment of the entry.").matching(Pattern::Line),
        property("target", "The file."),
    ],
)
.of_module("host_core");

pub(crate) static MOUNT: ResourceType = ResourceType::new(
    "mount",
    "A file system that is mounted.",
    &[
        name("name", "Where it is mounted."),
        parameter("remounts", "Whether a mounted file system can be mounted again in one step.").boolean(),
        provider(),
        property("ensure", "Whether it is in the table of file systems, and mounted.").words(&[
            "defined",
            "present",
            "unmounted",
            "absent",
            "mounted",
        ]),
        property("device", "What is mounted."),
        property("blockdevice", "The device to check, on Solaris."),
        property("fstype", "The type of the file system.").matching(Pattern::Word),
        property("options", "The options.").matching(Pattern::Word),
        property("pass", "The pass in which the file system is checked."),
        property("atboot", "Whether it is mounted when the system starts.").yes_no(),
        property("dump", "Whether it is dumped.").words(&["0", "1"]),
        property("target", "The table of file systems."),
    ],
)
.of_module("mount_core");

pub(crate) static SCHEDULED_TASK: ResourceType = ResourceType::new(
    "scheduled_task",
    "A task of the scheduler, on Windows.",
    &[
        name("name", "The name."),
        provider(),
        ensure(),
        property("enabled", "Whether the task runs.").yes_no(),
        property("command", "The program.").matching(Pattern::AbsolutePath),
        property("arguments", "The arguments of the program."),
        property("working_dir", "The directory in which the program runs.").matching(Pattern::AbsolutePath),
        property("user", "The user that runs the program."),
        parameter("password", "The password of the user."),
        parameter("compatibility", "The version of the scheduler that the task is for."),
        parameter("description", "The description of the task."),
        property("trigger", "When the task runs: a hash, or a list of hashes."),
    ],
)
.of_module("scheduled_task");

pub(crate) static SELBOOLEAN: ResourceType = ResourceType::new(
    "selboolean",
    "A boolean of SELinux.",
    &[
        name("name", "The name."),
        parameter("persistent", "Whether the value outlives a restart of the system.").boolean(),
        provider(),
        property("value", "The value.").words(&["on", "off", "true", "false"]),
    ],
)
.of_module("selinux_core");

pub(crate) static SELMODULE: ResourceType = ResourceType::new(
    "selmodule",
    "A module of SELinux policies.",
    &[
        name("name", "The name."),
        parameter("selmoduledir", "The directory of the module."),
        parameter("selmodulepath", "The file of the module."),
        provider(),
        ensure(),
        property("syncversion", "Whether the module is loaded again when its version differs.").boolean(),
    ],
)
.of_module("selinux_core");

pub(crate) static YUMREPO: ResourceType = ResourceType::new(
    "yumrepo",
    "A repository of packages for yum.",
    &[
        name("name", "The name."),
        parameter("target", "The file that has the repository."),
        provider(),
        ensure(),
        property("descr", "The description."),
        property("mirrorlist", "The URL of the list of mirrors."),
        property("baseurl", "The URLs of the repository."),
        property("enabled", "Whether the repository is used."),
        property("gpgcheck", "Whether signatures of packages are checked."),
        property("payload_gpgcheck", "Whether signatures of the content of packages are checked."),
        property("repo_gpgcheck", "Whether the signature of the repository is checked."),
        property("gpgkey", "The URLs of the keys."),
        property("mirrorlist_expire", "How long the list of mirrors is kept, in seconds."),
        property("include", "The URL of further configuration."),
        property("exclude", "Patterns of packages that are not used."),
        property("gpgcakey", "The URL of the key that signs keys."),
        property("includepkgs", "Patterns of packages that are used."),
        property("enablegroups", "Whether groups of packages are used."),
        property("failovermethod", "How the next mirror is chosen: `roundrobin` or `priority`."),
        property("keepalive", "Whether connections are kept."),
        property("retries", "How often a download is tried."),
        property("http_caching", "What an HTTP proxy may keep: `packages`, `all` or `none`."),
        property("timeout", "How long to wait for a connection, in seconds."),
        property("metadata_expire", "How long metadata is kept, in seconds."),
        property("protect", "Whether packages are protected from other repositories."),
        property("priority", "The priority, from 1 to 99."),
        property("minrate", "The least rate of a download, in bytes per second."),
        property("throttle", "The greatest rate of a download."),
        property("bandwidth", "The bandwidth that `throttle` is a part of."),
        property("cost", "The cost, by which repositories are compared."),
        property("proxy", "The URL of the proxy."),
        property("proxy_username", "The user at the proxy."),
        property("proxy_password", "The password at the proxy."),
        property("s3_enabled", "Whether the repository is in S3."),
        property("sslcacert", "The file or directory of authorities."),
        property("sslverify", "Whether certificates are checked."),
        property("sslclientcert", "The certificate of the client."),
        property("sslclientkey", "The key of the client."),
        property("metalink", "The URL of a metalink file."),
        property("skip_if_unavailable", "Whether a repository that cannot be reached is skipped."),
        property("assumeyes", "Whether all questions are answered with yes."),
        property("deltarpm_percentage", "How large a delta may be, as a part of the package."),
        property("deltarpm_metadata_percentage", "How large the metadata of deltas may be, as a part of the packages."),
        property("username", "The user at the repository."),
        property("password", "The password at the repository."),
        property("module_hotfixes", "Whether packages of modules may be replaced."),
    ],
)
.of_module("yumrepo_core");
