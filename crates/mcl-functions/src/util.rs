//! `util` (spec 03 §5.20).

use crate::args::Args;
use crate::table::{fatal, host, ok};
use crate::{Function, net};

pub(crate) static FUNCTIONS: &[Function] = &[host(
    "util.hostname_mapper",
    "func(0 map{str: str}) str",
    "Returns the host name that the map assigns to a MAC address of this machine.",
    |_, args| {
        let map = args.map(0)?;
        let mut names: Vec<&[u8]> = net::hardware_addresses()?
            .into_iter()
            .filter_map(|mac| map.get(&mac.into())?.as_bytes())
            .filter(|name| !name.is_empty())
            .collect();
        names.sort_unstable();
        names.dedup();
        match names[..] {
            [] => ok(""),
            [name] => ok(name),
            _ => {
                let names: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name)).collect();
                fatal(format!("multiple hostnames found: {}", names.join(", ")))
            }
        }
    },
)
.example(r#"util.hostname_mapper({"02:00:5e:10:00:01" => "web1"})"#)];
