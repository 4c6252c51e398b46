//! `file` (spec 05 §6.1).

use std::borrow::Cow;
use std::path::Path;

use crate::autoedge::{AutoEdgeErrorKind, AutoEdgeInput, EdgeFinder, Identity, Offers};
use crate::kinds::account::{group_exists, user_exists, want_group, want_user};
use crate::kinds::mode_change::ModeChange;
use crate::kinds::symbolic_mode::SymbolicMode;
use crate::{
    AutoEdges, Claim, Comparison, Demand, Field, KindConstant, Params, ResourceKind, Reversal, ReversalError, Traits,
    ValidationError, normalized_path,
};

pub(super) const FILE: ResourceKind = ResourceKind {
    name: "file",
    doc: "A file, directory or symbolic link: its existence, its content or the source to copy it from, its owner, group, \
          mode and SELinux label, and the entries of a directory.",
    example: r#"file "/etc/motd" {
	state => "exists",
	content => "Welcome.\n",
	owner => "root",
	mode => "u=rw,go=r",
}"#,
    fields: &[
        Field::new(
            "path",
            "str",
            "The absolute path, if the name is something else; a trailing `/` means a directory.",
        )
        .default_name()
        .compared(Comparison::Derived(file_path)),
        Field::new("dirname", "str", "Replaces the directory part of the path; must end with `/`.")
            .compared(Comparison::Ignored),
        Field::new("basename", "str", "Replaces the last component of the path; a trailing `/` makes it a directory.")
            .compared(Comparison::Ignored),
        Field::new("state", "str", "Whether it exists; if not set, it is neither created nor removed.")
            .one_of(&["exists", "absent", ""]),
        Field::new("content", "str", "The exact content; an empty string empties the file.").optional(),
        Field::new("source", "str", "The file or directory to copy, or the target of a symbolic link."),
        Field::new(
            "fragments",
            "[]str",
            "Files whose contents are concatenated in order; a directory means the files in it, sorted by name.",
        ),
        Field::new(
            "replace",
            "bool",
            "Replace the content of a file that exists; with `false` only a new file gets it.",
        )
        .default("true"),
        Field::new("owner", "str", "The owning user: a name or a number."),
        Field::new("group", "str", "The owning group: a name or a number."),
        Field::new("mode", "str", "The permissions: octal digits, or symbolic such as `u=rw,go=r`.")
            .compared(Comparison::Custom(|a, b| numeric_mode(a) == numeric_mode(b))),
        Field::new(
            "mode_change",
            "str",
            "How the permissions differ from the present ones, such as `u+x,go-w`; a new file starts with 0644, a directory \
             with 0755.",
        ),
        Field::new("recurse", "bool", "Copy, watch, create or delete the whole tree."),
        Field::new("force", "bool", "Allow a change between file, directory and symbolic link."),
        Field::new("purge", "bool", "Delete the unmanaged entries of the directory."),
        Field::new("symlink", "bool", "Make it a symbolic link to `source`."),
        Field::new(
            "selinux",
            "str",
            "The security context `USER:ROLE:TYPE:RANGE`, of which empty parts stay as they are; an empty string removes it.",
        )
        .optional(),
    ],
    constants: &[
        KindConstant::str("state", "exists", "exists"),
        KindConstant::str("state", "absent", "absent"),
        KindConstant::str("state", "undefined", ""),
    ],
    traits: Traits { autoedge: true, receive: true, ..Traits::NONE },
    validate: validate_file,
    autoedges: AutoEdges {
        is_removed: is_absent,
        offers: offer_path,
        wants: want_directory_and_accounts,
        ..AutoEdges::NONE
    },
    reversal: Some(Reversal { opposite_states: ["exists", "absent"], check: check_reversal }),
    managed_files: |p| vec![file_path(p).into_owned()],
    claims: file_claims,
    ..ResourceKind::BASE
};

/// Returns the path of a `file`: `path` or the name, with `dirname` and `basename` replacing their parts. A directory has a
/// trailing `/`.
#[must_use]
pub fn file_path<'a>(p: &Params<'a>) -> Cow<'a, str> {
    let path = p.string_or_name("path");
    let (dirname, basename) =
        (p.given_string("dirname").unwrap_or_default(), p.given_string("basename").unwrap_or_default());
    if dirname.is_empty() && basename.is_empty() {
        return path;
    }
    let trimmed = path.strip_suffix('/').unwrap_or(&path);
    let split = trimmed.rfind('/').map_or(0, |slash| slash + 1);
    let own = path.split_at(split);
    let part = |given: Cow<'_, str>, own: &str| if given.is_empty() { own.to_owned() } else { given.into_owned() };
    Cow::Owned(part(dirname, own.0) + &part(basename, own.1))
}

/// Two files that set the same attribute of one path to different values undo each other's changes.
fn file_claims<'a>(p: &Params<'a>) -> Vec<Claim<'a>> {
    let path = file_path(p);
    let is_directory = path.ends_with('/');
    let object = normalized_path(path);
    let claim = |aspect, demand| Claim { object: object.clone(), aspect, demand };
    if is_absent(p) {
        return vec![claim("type", Demand::whole("absent")), claim("content", Demand::whole("absent"))];
    }
    let mut claims = Vec::new();
    let fragments: Vec<_> = p.strings("fragments").collect();
    let content = match (p.given_string("content"), p.string("source")) {
        (Some(state), _) => Some(Demand::Whole { form: "content", state }),
        (None, state) if !state.is_empty() => Some(Demand::Whole { form: "source", state }),
        (None, _) if fragments.is_empty() => None,
        (None, _) => Some(Demand::Whole { form: "fragments", state: fragments.join("\n").into() }),
    };
    if content.is_some() || &*p.string("state") == "exists" {
        let link_or_file = if p.bool("symlink") { "link" } else { "file" };
        claims.push(claim("type", Demand::whole(if is_directory { "directory" } else { link_or_file })));
    }
    claims.extend(content.map(|content| claim("content", content)));
    if let Ok(mode) = u32::from_str_radix(&p.string("mode"), 8) {
        claims.push(claim("mode", Demand::whole(mode.to_string())));
    }
    for (parameter, number) in [("owner", "owner id"), ("group", "group id")] {
        let name = p.string(parameter);
        let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
        if !name.is_empty() {
            // A name and a number can mean the same account.
            claims.push(claim(if is_number { number } else { parameter }, Demand::whole(name)));
        }
    }
    let named = |parameter| Some(p.string(parameter)).filter(|name| name.bytes().any(|byte| !byte.is_ascii_digit()));
    claims.extend(named("owner").map(user_exists));
    claims.extend(named("group").map(group_exists));
    claims
}

/// Returns the identity of a path.
pub(super) fn file_identity<'a>(path: impl Into<Cow<'a, str>>) -> Identity<'a> {
    Identity::new("file", path)
}

/// Returns the identity of a directory that is to be removed, with a trailing `/`. Its resource may be written without one.
fn removed_directory_identity(path: Cow<'_, str>) -> Identity<'_> {
    Identity::new("removed directory", path)
}

fn is_absent(p: &Params<'_>) -> bool {
    p.string("state") == "absent"
}

fn offer_path<'a>(input: &AutoEdgeInput<'a>, offers: &mut Offers<'a>) -> Result<(), AutoEdgeErrorKind> {
    let path = file_path(&input.params);
    if input.is_removed {
        let directory = if path.ends_with('/') { path.clone() } else { Cow::Owned(format!("{path}/")) };
        offers.add(removed_directory_identity(directory));
    }
    offers.add(file_identity(path));
    Ok(())
}

/// A file comes after its fragments, the nearest directory above it, and the accounts that it is to belong to. If both are to be
/// removed, it comes first.
fn want_directory_and_accounts(input: &AutoEdgeInput<'_>, edges: &mut EdgeFinder<'_>) -> Result<(), AutoEdgeErrorKind> {
    for fragment in input.params.strings("fragments") {
        edges.needs(&file_identity(fragment));
    }
    for directory in ancestors(&file_path(&input.params)) {
        if edges.needs(&file_identity(directory))
            || (input.is_removed && edges.needs(&removed_directory_identity(Cow::Borrowed(directory))))
        {
            break;
        }
    }
    want_user(&input.params.string("owner"), edges);
    want_group(&input.params.string("group"), edges);
    Ok(())
}

/// Returns the directories above a path, from the nearest to `/`, each with its trailing `/`.
pub(super) fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path.strip_suffix('/').unwrap_or(path);
    std::iter::from_fn(move || {
        let slash = rest.rfind('/')?;
        let directory = &path[..=slash];
        rest = &rest[..slash];
        Some(directory)
    })
}

/// Returns an octal mode as a number; symbolic modes are compared as they are written.
fn numeric_mode<'a>(p: &Params<'a>) -> Result<u32, Cow<'a, str>> {
    let mode = p.string("mode");
    u32::from_str_radix(&mode, 8).map_err(|_| mode)
}

fn check_reversal(p: &Params<'_>) -> Result<(), ReversalError> {
    if file_path(p).ends_with('/') {
        return Err(ReversalError::Directory);
    }
    if p.is_set("source") {
        return Err(ReversalError::HasSource);
    }
    Ok(())
}

fn validate_file(p: &Params<'_>) -> Result<(), ValidationError> {
    let path = file_path(p);
    if let Some(dirname) = p.given_string("dirname").filter(|dirname| !dirname.is_empty() && !dirname.ends_with('/')) {
        return Err(ValidationError::of_value(
            "dirname",
            format!("invalid `dirname`: expected a trailing `/`, found {dirname:?}"),
        ));
    }
    if let Some(basename) = p.given_string("basename").filter(|basename| basename.starts_with('/')) {
        return Err(ValidationError::of_value(
            "basename",
            format!("invalid `basename`: unexpected leading `/` in {basename:?}"),
        ));
    }
    if !path.starts_with('/') {
        return Err(
            ValidationError::of("path", format!("expected an absolute path, found {path:?}")).help("start it with `/`")
        );
    }
    validate_sources(p, &path)?;
    validate_fragments(p, &path)?;
    let mode = p.string("mode");
    if !mode.is_empty() {
        validate_mode(&mode)?;
    }
    let change = p.string("mode_change");
    if !change.is_empty() {
        if !mode.is_empty() {
            return Err(ValidationError::of("mode_change", "`mode` and `mode_change` are mutually exclusive"));
        }
        ModeChange::parse(&change).map_err(|error| {
            ValidationError::of_value("mode_change", format!("invalid `mode_change` {change:?}: {error}"))
                .help("write it like \"u+x,go-w\"")
        })?;
    }
    Ok(())
}

/// Checks the source of the content, and the parameters that exclude each other.
fn validate_sources(p: &Params<'_>, path: &str) -> Result<(), ValidationError> {
    let is_directory = path.ends_with('/');
    let (source, state) = (p.string("source"), p.string("state"));
    let (content, fragments) = (p.is_set("content"), !p.list("fragments").is_empty());
    let (symlink, recurse, purge) = (p.bool("symlink"), p.bool("recurse"), p.bool("purge"));
    let given = [("content", content), ("source", !source.is_empty()), ("fragments", fragments)];
    let mut sources = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
    let first = sources.next();
    if let (Some(first), Some(second)) = (first, sources.next()) {
        return Err(ValidationError::of(second, format!("`{first}` and `{second}` are mutually exclusive")));
    }
    if symlink && source.is_empty() && state == "exists" {
        return Err(ValidationError::of("source", "`symlink` requires `source`, the target of the link"));
    }
    if state == "absent" {
        let unwanted = first.or(p.is_set("selinux").then_some("selinux"));
        if let Some(unwanted) = unwanted {
            return Err(ValidationError::of(unwanted, format!("`{unwanted}` conflicts with the state \"absent\"")));
        }
    }
    if !source.is_empty() && !symlink && source.ends_with('/') != is_directory {
        let (what, other) = if is_directory { ("directory", "file") } else { ("file", "directory") };
        return Err(ValidationError::of(
            "source",
            format!("cannot copy the {other} {source:?} to the {what} {path:?}"),
        )
        .help("a path with a trailing `/` is a directory: write it for both paths or for neither"));
    }
    if is_directory {
        let unwanted = [("content", content), ("fragments", fragments), ("symlink", symlink)];
        if let Some((unwanted, _)) = unwanted.iter().find(|(_, given)| *given) {
            return Err(ValidationError::of(
                unwanted,
                format!("`{unwanted}` is not allowed for the directory {path:?}"),
            ));
        }
        if !source.is_empty() && !recurse {
            return Err(ValidationError::of("recurse", "copying a directory requires `recurse`"));
        }
    }
    if purge && !recurse {
        return Err(ValidationError::of("purge", "`purge` requires `recurse`"));
    }
    if !source.is_empty() && !symlink && !is_directory && recurse {
        return Err(ValidationError::of("recurse", "`recurse` is not allowed for a copy of one file"));
    }
    if purge && (content || fragments) {
        return Err(ValidationError::of("purge", "`purge` is only allowed for directories"));
    }
    if symlink {
        let unwanted = [("content", content), ("fragments", fragments), ("recurse", recurse), ("purge", purge)];
        if let Some((unwanted, _)) = unwanted.iter().find(|(_, given)| *given) {
            return Err(ValidationError::of(unwanted, format!("`{unwanted}` is not allowed for a symbolic link")));
        }
    }
    Ok(())
}

fn validate_fragments(p: &Params<'_>, path: &str) -> Result<(), ValidationError> {
    for fragment in p.strings("fragments") {
        if !fragment.starts_with('/') {
            return Err(ValidationError::of_value(
                "fragments",
                format!("invalid path in `fragments`: expected an absolute path, found {fragment:?}"),
            ));
        }
        if is_inside(path, &fragment) {
            return Err(ValidationError::of(
                "fragments",
                format!("the file {path:?} cannot be its own fragment: {fragment:?} contains it"),
            ));
        }
    }
    Ok(())
}

/// Returns whether a path equals another one or is below it, comparing components.
fn is_inside(path: &str, ancestor: &str) -> bool {
    Path::new(&*normalized_path(path)).starts_with(&*normalized_path(ancestor))
}

fn validate_mode(mode: &str) -> Result<(), ValidationError> {
    if mode.bytes().all(|b| b.is_ascii_digit()) {
        return match u32::from_str_radix(mode, 8) {
            Ok(0..=0o7777) => Ok(()),
            Ok(_) => Err(ValidationError::of_value("mode", format!("invalid `mode` {mode:?}: expected at most 7777"))),
            Err(_) => Err(ValidationError::of_value("mode", format!("invalid `mode` {mode:?}: expected octal digits"))),
        };
    }
    match SymbolicMode::parse(mode) {
        Ok(_) => Ok(()),
        Err(error) => Err(ValidationError::of_value("mode", format!("invalid `mode` {mode:?}: {error}"))
            .help("write it like \"0644\" or \"u=rw,go=r\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::tests::check;
    use crate::{Resource, ResourceId};

    fn file(name: &str) -> Resource {
        Resource::new(ResourceId::new("file", name))
    }

    #[test]
    fn ancestors_are_listed_from_the_nearest() {
        assert_eq!(ancestors("/a/b/c").collect::<Vec<_>>(), ["/a/b/", "/a/", "/"]);
        assert_eq!(ancestors("/a/b/").collect::<Vec<_>>(), ["/a/", "/"]);
        assert_eq!(ancestors("/").count(), 0);
        assert_eq!(ancestors("").count(), 0);
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
        for good in ["u+x", "u+rw,go-w", "g=u", "a+X"] {
            check(file("/a").with("mode_change", good), None);
        }
        for bad in ["644", "u", "x+r", "u=X"] {
            check(file("/a").with("mode_change", bad), Some("mode_change"));
        }
        check(file("/a").with("mode", "644").with("mode_change", "u+x"), Some("mode_change"));
    }
}
