//! `file` (spec 05 §6.1).

use std::borrow::Cow;

use crate::mode::SymbolicMode;
use crate::validate::{Params, ValidationError};
use crate::{Field, ResourceKind, Traits};

pub(super) const FILE: ResourceKind = ResourceKind {
    name: "file",
    doc: "A file, directory or symbolic link: whether it exists, its content, where that is copied from, its owner, \
          group, mode and SELinux label, and which entries of a directory may stay.",
    fields: &[
        Field::new(
            "path",
            "str",
            "The absolute path, when the name is something else; a trailing `/` means a directory.",
        )
        .default_name(),
        Field::new("dirname", "str", "Replaces the directory part of the path; must end with `/`."),
        Field::new(
            "basename",
            "str",
            "Replaces the last part of the path; may end with `/`, which makes it a directory.",
        ),
        Field::new("state", "str", "Whether it exists; when not set it is neither created nor removed.")
            .one_of(&["exists", "absent", ""]),
        Field::new("content", "str", "The exact content; an empty text empties the file.").optional(),
        Field::new("source", "str", "The file or directory to copy from, or the text of a symbolic link."),
        Field::new(
            "fragments",
            "[]str",
            "Files whose contents are joined in order; a directory stands for the files in it, sorted by name.",
        ),
        Field::new("owner", "str", "The owning user: a name or a number."),
        Field::new("group", "str", "The owning group: a name or a number."),
        Field::new("mode", "str", "The permissions: octal digits, or symbolic like `u=rw,go=r`."),
        Field::new("recurse", "bool", "Copy, watch, create or delete the whole tree."),
        Field::new("force", "bool", "Allow a file to become a directory or a symbolic link, and the reverse."),
        Field::new("purge", "bool", "Delete the entries of this directory that nothing manages."),
        Field::new("symlink", "bool", "Make the path a symbolic link with the text of `source`."),
        Field::new("selinux", "str", "The security context; an empty text removes it.").optional(),
    ],
    sends: &[],
    traits: Traits { autoedge: true, receive: true, reverse: true, ..Traits::NONE },
    validate: validate_file,
};

/// The path that a `file` is about: `path` or the name, with `dirname` and `basename` replacing their parts. It ends with
/// `/` for a directory.
#[must_use]
pub fn file_path<'a>(p: &Params<'a>) -> Cow<'a, str> {
    let path = p.text_or_name("path");
    // Neither has a default.
    let (dirname, basename) = (p.set_text("dirname").unwrap_or_default(), p.set_text("basename").unwrap_or_default());
    if dirname.is_empty() && basename.is_empty() {
        return path;
    }
    let trimmed = path.strip_suffix('/').unwrap_or(&path);
    let split = trimmed.rfind('/').map_or(0, |slash| slash + 1);
    let own = path.split_at(split);
    let part = |given: Cow<'_, str>, own: &str| if given.is_empty() { own.to_owned() } else { given.into_owned() };
    Cow::Owned(part(dirname, own.0) + &part(basename, own.1))
}

fn validate_file(p: &Params<'_>) -> Result<(), ValidationError> {
    let path = file_path(p);
    if let Some(dirname) = p.set_text("dirname").filter(|dirname| !dirname.is_empty() && !dirname.ends_with('/')) {
        return Err(ValidationError::of("dirname", format!("`dirname` must end with `/`, and {dirname:?} does not")));
    }
    if let Some(basename) = p.set_text("basename").filter(|basename| basename.starts_with('/')) {
        return Err(ValidationError::of(
            "basename",
            format!("`basename` must not start with `/`, and {basename:?} does"),
        ));
    }
    if !path.starts_with('/') {
        return Err(ValidationError::of("path", format!("the path of a file must be absolute, and {path:?} is not"))
            .help("start it with `/`"));
    }
    validate_sources(p, &path)?;
    validate_fragments(p, &path)?;
    let mode = p.text("mode");
    if !mode.is_empty() {
        validate_mode(&mode)?;
    }
    Ok(())
}

/// Where the content comes from, and what may be said together.
fn validate_sources(p: &Params<'_>, path: &str) -> Result<(), ValidationError> {
    let is_directory = path.ends_with('/');
    let (source, state) = (p.text("source"), p.text("state"));
    let (content, fragments) = (p.is_set("content"), !p.list("fragments").is_empty());
    let (symlink, recurse, purge) = (p.bool("symlink"), p.bool("recurse"), p.bool("purge"));
    let given = [("content", content), ("source", !source.is_empty()), ("fragments", fragments)];
    let mut sources = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
    let first = sources.next();
    if let (Some(first), Some(second)) = (first, sources.next()) {
        return Err(ValidationError::of(
            second,
            format!("`{first}` and `{second}` exclude each other: there is one content"),
        ));
    }
    if symlink && source.is_empty() && state == "exists" {
        return Err(ValidationError::of("source", "`symlink` needs `source`, the text of the link"));
    }
    if state == "absent" {
        let unwanted = first.or(p.is_set("selinux").then_some("selinux"));
        if let Some(unwanted) = unwanted {
            return Err(ValidationError::of(
                unwanted,
                format!("`{unwanted}` has no meaning for a file that is absent"),
            ));
        }
    }
    if !source.is_empty() && !symlink && source.ends_with('/') != is_directory {
        let (what, other) = if is_directory { ("directory", "file") } else { ("file", "directory") };
        return Err(ValidationError::of(
            "source",
            format!("a {what} cannot be copied from a {other}: {path:?} from {source:?}"),
        )
        .help("a path with a final `/` is a directory: both paths must have it, or none"));
    }
    if is_directory {
        let unwanted = [("content", content), ("fragments", fragments), ("symlink", symlink)];
        if let Some((unwanted, _)) = unwanted.iter().find(|(_, given)| *given) {
            return Err(ValidationError::of(
                unwanted,
                format!("`{unwanted}` has no meaning for the directory {path:?}"),
            ));
        }
        if !source.is_empty() && !recurse {
            return Err(ValidationError::of("recurse", "to copy a directory `recurse` must be true"));
        }
    }
    if purge && !recurse {
        return Err(ValidationError::of("purge", "`purge` needs `recurse`"));
    }
    if !source.is_empty() && !symlink && !is_directory && recurse {
        return Err(ValidationError::of("recurse", "`recurse` has no meaning when one file is copied"));
    }
    if purge && (content || fragments) {
        return Err(ValidationError::of("purge", "`purge` is for directories, and this is a file with content"));
    }
    if symlink {
        let unwanted = [("content", content), ("fragments", fragments), ("recurse", recurse), ("purge", purge)];
        if let Some((unwanted, _)) = unwanted.iter().find(|(_, given)| *given) {
            return Err(ValidationError::of(unwanted, format!("`{unwanted}` has no meaning for a symbolic link")));
        }
    }
    Ok(())
}

fn validate_fragments(p: &Params<'_>, path: &str) -> Result<(), ValidationError> {
    for fragment in p.texts("fragments") {
        if !fragment.starts_with('/') {
            return Err(ValidationError::of(
                "fragments",
                format!("`fragments` must be absolute paths, and {fragment:?} is not"),
            ));
        }
        if is_inside(path, &fragment) {
            return Err(ValidationError::of(
                "fragments",
                format!("the file {path:?} would be a part of itself: it is in {fragment:?}"),
            ));
        }
    }
    Ok(())
}

/// Whether a path is another one or lies below it, component by component.
fn is_inside(path: &str, ancestor: &str) -> bool {
    let components = |path: &'_ str| -> Vec<String> {
        let mut parts: Vec<String> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part.to_owned()),
            }
        }
        parts
    };
    components(path).starts_with(&components(ancestor))
}

fn validate_mode(mode: &str) -> Result<(), ValidationError> {
    if mode.bytes().all(|b| b.is_ascii_digit()) {
        return match u32::from_str_radix(mode, 8) {
            Ok(0..=0o7777) => Ok(()),
            Ok(_) => Err(ValidationError::of("mode", format!("`mode` must be at most 7777, not {mode:?}"))),
            Err(_) => {
                Err(ValidationError::of("mode", format!("`mode` must have octal digits only, and {mode:?} has others")))
            }
        };
    }
    match SymbolicMode::parse(mode) {
        Ok(_) => Ok(()),
        Err(why) => Err(ValidationError::of("mode", format!("`mode` is neither octal nor symbolic: {mode:?} {why}"))
            .help("write it like \"0644\" or \"u=rw,go=r\"")),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Params, Resource, ResourceId, file_path, validate};

    fn file(name: &str) -> Resource {
        Resource::new(ResourceId::new("file", name))
    }

    #[test]
    fn path_parts_are_replaced() {
        let path = |r: &Resource| file_path(&Params::of(r).unwrap()).into_owned();
        assert_eq!(path(&file("/a/b")), "/a/b");
        assert_eq!(path(&file("/a/b/").with("basename", "c")), "/a/c");
        assert_eq!(path(&file("/a/b").with("dirname", "/x/")), "/x/b");
        assert_eq!(path(&file("/a/b/").with("dirname", "/x/")), "/x/b/");
        assert_eq!(path(&file("n").with("dirname", "/x/").with("basename", "y/")), "/x/y/");
        assert_eq!(path(&file("n").with("path", "/p/q").with("basename", "y")), "/p/y");
        assert_eq!(path(&file("/").with("basename", "y")), "y");
    }

    #[track_caller]
    fn check(r: Resource, param: Option<&str>) {
        let result = validate(&r);
        assert_eq!(result.as_ref().err().and_then(|e| e.param.as_deref()), param, "{result:?}");
    }

    #[test]
    fn contradictions_name_their_parameter() {
        let list = |items: &[&str]| mcl_value::Value::list(items.iter().copied());
        check(file("/a").with("content", ""), None);
        check(file("a"), Some("path"));
        check(file("/a").with("dirname", "/x"), Some("dirname"));
        check(file("/a").with("basename", "/x"), Some("basename"));
        check(file("/a").with("state", "present"), Some("state"));
        check(file("/a").with("content", "x").with("source", "/b"), Some("source"));
        check(file("/a").with("symlink", true).with("state", "exists"), Some("source"));
        check(file("/a").with("symlink", true).with("source", "b"), None);
        check(file("/a").with("state", "absent").with("content", ""), Some("content"));
        check(file("/a/").with("content", ""), Some("content"));
        check(file("/a/").with("source", "/b/"), Some("recurse"));
        check(file("/a/").with("source", "/b").with("recurse", true), Some("source"));
        check(file("/a").with("source", "/b").with("recurse", true), Some("recurse"));
        check(file("/a/").with("purge", true), Some("purge"));
        check(file("/a").with("fragments", list(&["b"])), Some("fragments"));
        check(file("/a/b").with("fragments", list(&["/a/"])), Some("fragments"));
        check(file("/ab").with("fragments", list(&["/a/"])), None);
    }

    #[test]
    fn modes() {
        for good in ["644", "0644", "7777", "u=rw,go=r", "a=rx", "=r", "u=rws,o="] {
            check(file("/a").with("mode", good), None);
        }
        for bad in ["888", "100000", "u+x", "u=rw,u=r", "a=r,u=w", "u=q", "u=r=w", "x", "0o644"] {
            check(file("/a").with("mode", bad), Some("mode"));
        }
    }
}
