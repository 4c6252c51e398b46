//! `os` (spec 03 §5.15).

mod facts;
mod system;
mod users;
mod watched;

use mcl_value::Value;

use crate::args::Args;
use crate::table::{host, ok, pure, streaming};
use crate::{Function, distro};

pub(crate) static FUNCTIONS: &[Function] = &[
    Function {
        inlinable: true,
        ..host("os.args", "func() []str", "The arguments of the process, its name first.", |_, _| {
            ok(Value::list(std::env::args_os().map(|arg| arg.to_string_lossy().into_owned())))
        })
    },
    host(
        "os.expand_home",
        "func(0 str) str",
        "Replaces `~/` or `~user/` at the start by the home directory.",
        |_, args| users::expand_home(args.bytes(0)?),
    ),
    host(
        "os.family",
        "func() str",
        "The family of the distribution: `redhat`, `debian`, `archlinux` or nothing.",
        |_, _| {
            for (family, file) in facts::FAMILIES {
                if facts::exists(file)? {
                    return ok(family);
                }
            }
            ok("")
        },
    ),
    streaming("os.file_exists", "func(filename str) bool", "Whether the file or directory exists. Watched.", || {
        Box::new(watched::FileExists)
    }),
    host("os.home", "func(0 str) str", "The home directory of a user, with a slash at the end.", |_, args| {
        ok(users::with_slash(users::home(users::existing(args.bytes(0)?)?)))
    }),
    host("os.is_family_archlinux", "func() bool", "Whether this is Arch Linux.", |_, _| {
        ok(facts::exists("/etc/arch-release")?)
    }),
    host("os.is_family_debian", "func() bool", "Whether this is Debian, or derived from it.", |_, _| {
        ok(facts::exists("/etc/debian_version")?)
    }),
    host("os.is_family_redhat", "func() bool", "Whether this is Red Hat, or derived from it.", |_, _| {
        ok(facts::exists("/etc/redhat-release")?)
    }),
    host("os.is_virtual", "func() bool", "Whether this machine is virtual.", |_, _| ok(facts::is_virtual()?)),
    streaming("os.modinfo_loaded", "func(module str) bool", "Whether the kernel module is loaded. Watched.", || {
        Box::<watched::ModuleLoaded>::default()
    }),
    pure(
        "os.parse_distro_uid",
        "func(0 str) struct{distro str; version str; arch str}",
        "The parts of `fedora39-x86_64`; all are empty if one is missing.",
        |_, args| ok(distro::parse_uid(args.bytes(0)?)),
    ),
    streaming(
        "os.readfile",
        "func(filename str) str",
        "The contents of a file. Watched; a missing file fails catchably.",
        || Box::new(watched::ReadFile),
    ),
    host(
        "os.release",
        "func() struct{id str; variant_id str; version_id str}",
        "What `/etc/os-release` says of the distribution.",
        |_, _| facts::release(),
    ),
    streaming("os.system", "func(cmd str) str", "The last line that the shell command has printed.", || {
        Box::<system::System>::default()
    }),
    host("os.uid", "func(0 str) str", "The numeric id of a user.", |_, args| {
        ok(users::existing(args.bytes(0)?)?.uid.to_string())
    }),
    streaming("os.user_exists", "func(user str) bool", "Whether there is such a user. Watched.", || {
        Box::new(watched::UserExists)
    }),
];
