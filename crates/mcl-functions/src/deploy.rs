//! `deploy`: the files deployed with the program (spec 03 §5.3).

use std::path::{Path, PathBuf};

use go_compat::os::error_text;
use go_compat::path::clean;
use mcl_value::Value;
use shared_store::{create_private_dir, write_atomically};

use crate::args::Args;
use crate::table::{Outcome, fatal, host, ok, pure, streaming};
use crate::{CallContext, Deploy, Function, FunctionError, Plain, Stream, StreamContext, distro};

/// Declares a function with the full interface whose result depends on the host.
const fn file(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    Function { simple: false, ..host(name, signature, doc, plain).of_program() }
}

pub(crate) static FUNCTIONS: &[Function] = &[
    file(
        "deploy.abspath",
        "func(path str) str",
        "Converts an absolute path inside the calling module to a path inside the deploy.",
        |cx, args| {
            let path = args.text(0)?;
            if path.is_empty() { ok(cx.module_dir) } else { ok(in_module(cx, &path, "path")?) }
        },
    )
    .example(r#"deploy.abspath("/files/motd")"#),
    host("deploy.binary_path", "func() str", "Returns the absolute path of the running executable.", |_, _| {
        match std::env::current_exe().and_then(|path| path.canonicalize()) {
            Ok(path) => ok(path.to_string_lossy().into_owned()),
            Err(error) => fatal(format!("can't determine binary path: {}", error_text(&error))),
        }
    }),
    pure(
        "deploy.bootstrap_packages",
        "func(0 str) []str",
        "Returns the names of the packages that mgmt needs on a distribution.",
        |_, args| match distro::bootstrap_packages(args.bytes(0)?) {
            Some(packages) => ok(Value::list(packages.iter().copied())),
            None => fatal("missing distro"),
        },
    )
    .example(r#"deploy.bootstrap_packages("debian")"#),
    Function {
        purity: crate::Purity::Host,
        ..streaming(
            "deploy.directory",
            "func(directory str) str",
            "Copies a directory of the calling module to disk and returns the path of the copy.",
            || Box::new(Directory),
        )
    }
    .example(r#"deploy.directory("/files/")"#),
    file(
        "deploy.file_exists",
        "func(filename str) bool",
        "Returns whether the calling module contains a file or directory.",
        |cx, args| {
            let path = in_module(cx, &args.text(0)?, "filename")?;
            let path = normal(&path);
            let deploy = files(cx)?;
            let below = format!("{}/", path.trim_end_matches('/'));
            ok(deploy.read(&path).is_some() || !deploy.paths_below(&below).is_empty())
        },
    )
    .example(r#"deploy.file_exists("/files/motd")"#),
    file(
        "deploy.readfile",
        "func(filename str) str",
        "Returns the contents of a file of the calling module.",
        |cx, args| {
            let name = args.text(0)?;
            let path = in_module(cx, &name, "filename")?;
            match files(cx)?.read(&normal(&path)) {
                Some(contents) => ok(contents),
                None => fatal(format!("can't read file `{name}` ({path}): {}", missing(&path))),
            }
        },
    )
    .example(r#"deploy.readfile("/files/motd")"#),
    file(
        "deploy.readfileabs",
        "func(filename str) str",
        "Returns the contents of a file of the deploy.",
        |cx, args| {
            let name = args.text(0)?;
            match files(cx)?.read(&normal(&format!("/{}", name.trim_start_matches('/')))) {
                Some(contents) => ok(contents),
                None => fatal(format!("can't read file `{name}`: {}", missing(&name))),
            }
        },
    )
    .example(r#"deploy.readfileabs("/files/motd")"#),
];

fn missing(path: &str) -> String {
    format!("open {path}: file does not exist")
}

fn files<'a>(cx: &CallContext<'a>) -> Result<&'a dyn Deploy, FunctionError> {
    cx.deploy.ok_or_else(|| FunctionError::fatal("can't load data from file system: there is no deploy"))
}

/// Converts a path inside the calling module to a path inside the deploy.
fn in_module(cx: &CallContext<'_>, path: &str, what: &str) -> Result<String, FunctionError> {
    if path.starts_with('/') {
        Ok(format!("{}{path}", cx.module_dir.trim_end_matches('/')))
    } else {
        Err(FunctionError::fatal(format!("{what} was not absolute, got: `{path}`")))
    }
}

fn normal(path: &str) -> String {
    String::from_utf8_lossy(&clean(path.as_bytes())).into_owned()
}

/// Copies the directory at the first call; a deploy does not change while the program runs.
struct Directory;

impl Stream for Directory {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let directory = args.text(0)?;
        if !directory.starts_with('/') {
            return fatal(format!("directory was not absolute, got: `{directory}`"));
        }
        if !directory.ends_with('/') {
            return fatal("directory path must be a dir");
        }
        let call = cx.call_context();
        let source = normal(&in_module(&call, &directory, "directory")?);
        let deploy = files(&call)?;
        let target = cx.state_dir().join("vardir/directory").join(source.trim_start_matches('/'));
        let below = format!("{}/", source.trim_end_matches('/'));
        match copy(deploy, &below, &target) {
            Ok(()) => ok(format!("{}/", target.display().to_string().trim_end_matches('/'))),
            Err(error) => fatal(format!("can't copy directory `{directory}`: {}", error_text(&error))),
        }
    }
}

/// Makes the target equal to a directory of the deploy: removes other entries, and leaves equal files alone.
fn copy(deploy: &dyn Deploy, below: &str, target: &Path) -> std::io::Result<()> {
    create_private_dir(target)?;
    let mut wanted: Vec<PathBuf> = Vec::new();
    for path in deploy.paths_below(below) {
        let relative = Path::new(path.strip_prefix(below).unwrap_or(&path)).to_path_buf();
        let contents = deploy.read(&path).unwrap_or_default();
        let file = target.join(&relative);
        if std::fs::read(&file).ok().as_deref() != Some(&contents) {
            if file.is_dir() {
                std::fs::remove_dir_all(&file)?;
            }
            file.parent().map_or(Ok(()), create_private_dir)?;
            write_atomically(&file, &contents, 0o666)?;
        }
        wanted.extend(relative.ancestors().map(Path::to_path_buf));
    }
    remove_others(target, Path::new(""), &wanted.into_iter().collect())
}

fn remove_others(root: &Path, relative: &Path, wanted: &rustc_hash::FxHashSet<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(root.join(relative))? {
        let entry = entry?;
        let path = relative.join(entry.file_name());
        let is_dir = entry.file_type()?.is_dir();
        match (wanted.contains(&path), is_dir) {
            (true, true) => remove_others(root, &path, wanted)?,
            (true, false) => {}
            (false, true) => std::fs::remove_dir_all(entry.path())?,
            (false, false) => std::fs::remove_file(entry.path())?,
        }
    }
    Ok(())
}
