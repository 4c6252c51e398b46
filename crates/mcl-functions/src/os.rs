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
        ..host(
            "os.args",
            "func() []str",
            "Returns the command line of the process, starting with the program name.",
            |_, _| ok(Value::list(std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()))),
        )
    },
    host(
        "os.expand_home",
        "func(0 str) str",
        "Replaces a leading `~/` or `~user/` with the home directory.",
        |_, args| users::expand_home(args.bytes(0)?),
    )
    .example(r#"os.expand_home("~/notes")"#),
    host(
        "os.family",
        "func() str",
        "Returns the family of the distribution: `redhat`, `debian`, `archlinux` or an empty string.",
        |_, _| {
            for (family, file) in facts::FAMILIES {
                if facts::exists(file)? {
                    return ok(family);
                }
            }
            ok("")
        },
    ),
    streaming(
        "os.file_exists",
        "func(filename str) bool",
        "Returns whether a file or directory exists. Updates when it is created or removed.",
        || Box::new(watched::FileExists),
    )
    .example(r#"os.file_exists("/etc/nologin")"#),
    host("os.home", "func(0 str) str", "Returns the home directory of a user, with a trailing slash.", |_, args| {
        ok(users::with_slash(users::home(users::existing(args.bytes(0)?)?)))
    })
    .example(r#"os.home("root") == "/root/""#),
    host("os.is_family_archlinux", "func() bool", "Returns whether the distribution is Arch Linux.", |_, _| {
        ok(facts::exists("/etc/arch-release")?)
    }),
    host(
        "os.is_family_debian",
        "func() bool",
        "Returns whether the distribution is Debian or derived from it.",
        |_, _| ok(facts::exists("/etc/debian_version")?),
    ),
    host(
        "os.is_family_redhat",
        "func() bool",
        "Returns whether the distribution is Red Hat or derived from it.",
        |_, _| ok(facts::exists("/etc/redhat-release")?),
    ),
    host("os.is_virtual", "func() bool", "Returns whether this is a virtual machine.", |_, _| ok(facts::is_virtual()?)),
    streaming(
        "os.modinfo_loaded",
        "func(module str) bool",
        "Returns whether a kernel module is loaded. Updates when modules are loaded or unloaded.",
        || Box::<watched::ModuleLoaded>::default(),
    )
    .example(r#"os.modinfo_loaded("br_netfilter")"#),
    pure(
        "os.parse_distro_uid",
        "func(0 str) struct{distro str; version str; arch str}",
        "Splits `fedora39-x86_64` into its parts; if one is missing, all are empty.",
        |_, args| ok(distro::parse_uid(args.bytes(0)?)),
    )
    .example(r#"os.parse_distro_uid("fedora39-x86_64")->arch == "x86_64""#),
    streaming(
        "os.readfile",
        "func(filename str) str",
        "Returns the contents of a file and updates when they change; a missing file is a catchable error.",
        || Box::<watched::ReadFile>::default(),
    )
    .example(r#"os.readfile("/etc/banner") <|> "no banner""#),
    host(
        "os.release",
        "func() struct{id str; variant_id str; version_id str}",
        "Returns the identification of the distribution in `/etc/os-release`.",
        |_, _| facts::release(),
    ),
    streaming(
        "os.system",
        "func(cmd str) str",
        "Runs a shell command and returns the last line of its output. Updates with each line.",
        || Box::<system::System>::default(),
    )
    .example(r#"os.system("uname -r")"#),
    host("os.uid", "func(0 str) str", "Returns the numeric id of a user.", |_, args| {
        ok(users::existing(args.bytes(0)?)?.uid.to_string())
    })
    .example(r#"os.uid("root") == "0""#),
    streaming(
        "os.user_exists",
        "func(user str) bool",
        "Returns whether a user exists. Updates when accounts change.",
        || Box::new(watched::UserExists),
    )
    .example(r#"os.user_exists("ann")"#),
];
