//! `local`: persistent state of this machine, below the prefix (spec 03 §5.10).

use go_compat::os::error_text;
use go_compat::path::clean;
use mcl_value::Value;
use shared_store::{create_private_dir, write_atomically};

use crate::args::Args;
use crate::table::{Outcome, fatal, ok, streaming};
use crate::{Function, Stream, StreamContext};

pub(crate) static FUNCTIONS: &[Function] = &[
    streaming(
        "local.pool",
        "func(namespace str, uid str) int",
        "Returns a number that is unique to the uid within the namespace and never changes.",
        || Box::new(Pool),
    )
    .example(r#"local.pool("ports", "web1")"#),
    streaming(
        "local.vardir",
        "func(path str) str",
        "Creates a persistent directory for the program if it does not exist, and returns its path.",
        || Box::new(Vardir),
    )
    .example(r#"local.vardir("cache/")"#),
];

struct Pool;

impl Stream for Pool {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let (namespace, uid) = (args.text(0)?, args.text(1)?);
        for (what, name) in [("namespace", &namespace), ("uid", &uid)] {
            if name.is_empty() {
                return fatal(format!("{what} is empty"));
            }
            if name.contains('/') {
                return fatal(format!("{what} contains slash"));
            }
            if name.contains('\0') || *name == "." || *name == ".." {
                return fatal(format!("invalid {what} `{name}`: not a file name"));
            }
        }
        let dir = cx.state_dir().join("pool").join(&*namespace);
        let numbers = (|| {
            create_private_dir(&dir)?;
            let mut largest = 0i64;
            for entry in std::fs::read_dir(&dir)? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let Some(stored) = name.strip_suffix(".uid").filter(|_| !name.starts_with(".")) else { continue };
                let text = std::fs::read_to_string(entry.path())?;
                let Some(number) = text.trim_end().parse::<i64>().ok().filter(|number| *number > 0) else {
                    let message = format!("corrupt file `{}`", entry.path().display());
                    return Err(std::io::Error::other(message));
                };
                if stored == uid {
                    return Ok(number);
                }
                largest = largest.max(number);
            }
            let next = largest.checked_add(1).ok_or_else(|| std::io::Error::other("pool exhausted"))?;
            write_atomically(&dir.join(format!("{uid}.uid")), format!("{next}\n").as_bytes(), 0o666)?;
            Ok(next)
        })();
        numbers.map_or_else(|error: std::io::Error| fatal(format!("pool of `{namespace}`: {}", error_text(&error))), ok)
    }
}

struct Vardir;

impl Stream for Vardir {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let path = args.text(0)?;
        if path.starts_with('/') {
            return fatal("path must be relative");
        }
        if !path.ends_with('/') {
            return fatal("path must be a dir");
        }
        let cleaned = clean(path.as_bytes());
        if cleaned == b".." || cleaned.starts_with(b"../") {
            return fatal(format!("path must not lead outside, got: `{path}`"));
        }
        let root = cx.state_dir().join("vardir/functions");
        let dir = if cleaned == b"." { root } else { root.join(String::from_utf8_lossy(&cleaned).as_ref()) };
        match create_private_dir(&dir) {
            Ok(()) => ok(format!("{}/", dir.display())),
            Err(error) => fatal(format!("can't make directory `{}`: {}", dir.display(), error_text(&error))),
        }
    }
}
