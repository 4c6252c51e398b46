//! Files and what is about files.

use crate::attribute::{name, parameter, property, provider};
use crate::resource_type::{ResourceType, TitlePattern};
use crate::rule::Rule;
use crate::values::Pattern;

pub(crate) static FILE: ResourceType = ResourceType::new(
    "file",
    "A file, a directory or a symbolic link.",
    &[
        name("path", "Where the file is: an absolute path.").matching(Pattern::AbsolutePath),
        parameter("backup", "Where the old content is kept: a file bucket, a suffix, or nowhere.")
            .words_or(&["true", "false"], Pattern::Text),
        parameter("recurse", "Whether the contents of a directory are managed, too.")
            .words(&["true", "false", "remote"]),
        parameter("recurselimit", "How many levels of directories are managed.").matching(Pattern::Digits),
        parameter("max_files", "How many files a recursion may find; 0 for a warning, -1 for no limit.")
            .matching(Pattern::DigitsOrMinusOne),
        parameter("replace", "Whether the content of an existing file is replaced.").yes_no(),
        parameter("force", "Whether directories are removed, or replaced by files.").yes_no(),
        parameter("ignore", "Patterns of names that a recursion leaves out.").matching(Pattern::Text),
        parameter("links", "Whether links are copied as links or followed.").words(&["follow", "manage"]),
        parameter("purge", "Whether files that are not managed are removed from a directory.").yes_no(),
        parameter("sourceselect", "Whether the first source of a recursion is used, or all.").words(&["first", "all"]),
        parameter("show_diff", "Whether reports show what changes in the content.").yes_no(),
        parameter("staging_location", "Where new content is kept while it is checked.").matching(Pattern::AbsolutePath),
        parameter("validate_cmd", "A command that must accept new content before it is used."),
        parameter("validate_replacement", "What stands for the file in `validate_cmd`."),
        provider(),
        parameter("checksum", "How contents are compared, such as `sha256` or `mtime`."),
        parameter("source", "Where the content comes from: paths and URIs, of which the first that exists is used.")
            .matching(Pattern::Source),
        parameter("source_permissions", "Whether owner, group and mode of the source are copied.").words(&[
            "use",
            "use_when_creating",
            "ignore",
        ]),
        parameter("selinux_ignore_defaults", "Whether the default contexts of SELinux are not used.").boolean(),
        property("ensure", "What the file is; any other text is the target of a link.")
            .words_or(&["absent", "false", "file", "present", "directory", "link"], Pattern::NotEmpty),
        property("content", "The content.").matching(Pattern::Text),
        property("checksum_value", "The checksum that the content must have."),
        property("target", "What a link points to.").words_or(&["notlink"], Pattern::NotEmpty),
        property("owner", "The name or ID of the owner."),
        property("group", "The name or ID of the group."),
        property("mode", "The permissions, as a string.").matching(Pattern::Mode),
        property("type", "What the file is; cannot be set.").read_only(),
        property("seluser", "The user of the SELinux context."),
        property("selrole", "The role of the SELinux context."),
        property("seltype", "The type of the SELinux context."),
        property("selrange", "The range of the SELinux context."),
        property("ctime", "When the metadata changed; cannot be set.").read_only(),
        property("mtime", "When the content changed; cannot be set.").read_only(),
    ],
)
.titled(TitlePattern::Path)
.with_rules(&[
    Rule::AtMostOne(&["content", "source", "target"], "You cannot specify more than one of content, source, target"),
    Rule::Needs("recurse", &["remote"], &["source"], "You cannot specify a remote recursion without a source"),
]);

pub(crate) static FILEBUCKET: ResourceType = ResourceType::new(
    "filebucket",
    "A store of old contents of files.",
    &[
        name("name", "The name."),
        parameter("server", "The server that has the store."),
        parameter("port", "The port of the server."),
        parameter("path", "The directory of a local store."),
    ],
);

pub(crate) static TIDY: ResourceType = ResourceType::new(
    "tidy",
    "Removes files that are old or large.",
    &[
        name("path", "The directory or file."),
        parameter("recurse", "Whether directories are searched, and how deep.")
            .words_or(&["true", "false", "inf"], Pattern::Digits),
        parameter("max_files", "How many files may be found; 0 for a warning.").matching(Pattern::Digits),
        parameter("matches", "Patterns of names."),
        parameter("backup", "Where the old content is kept."),
        parameter("age", "How old files must be: a number and a unit such as `2d`.").matching(Pattern::Age),
        parameter("size", "How large files must be: a number and a unit such as `10m`.").matching(Pattern::FileSize),
        parameter("type", "Which time of a file is its age.").words(&["atime", "mtime", "ctime"]),
        parameter("rmdirs", "Whether directories that become empty are removed.").yes_no(),
    ],
)
.not_isomorphic()
.with_rules(&[Rule::Needs("matches", &[], &["recurse"], "Tidy can't use matches with recurse 0, false, or undef")]);
