//! Parts of files.

use crate::attribute::{ensure, name, parameter, property, provider};
use crate::resource_type::ResourceType;
use crate::rule::Rule;
use crate::values::Pattern;

pub(crate) static AUGEAS: ResourceType = ResourceType::new(
    "augeas",
    "Changes configuration files as trees.",
    &[
        name("name", "A label."),
        parameter("context", "The path that relative paths start from."),
        parameter("onlyif", "The condition of the changes."),
        parameter("changes", "The commands."),
        parameter("root", "The directory that file names start from."),
        parameter("load_path", "Further directories of lenses."),
        parameter("force", "Whether the changes are made even if they seem not to be needed."),
        parameter("type_check", "Whether lenses are type checked.").boolean(),
        parameter("lens", "The lens of the file in `incl`."),
        parameter("incl", "The file to load."),
        parameter("show_diff", "Whether reports show what changes.").yes_no(),
        provider(),
        property("returns", "The exit code that is expected; not to be set."),
    ],
)
.of_module("augeas_core")
.with_rules(&[Rule::AllOrNone(&["lens", "incl"], "You must specify both the lens and incl parameters, or neither.")]);

pub(crate) static CONCAT_FILE: ResourceType = ResourceType::new(
    "concat_file",
    "A file that is put together from fragments.",
    &[
        parameter("tag", "The tag of fragments that belong to the file."),
        name("path", "Where the file is.").matching(Pattern::AbsolutePath),
        parameter("owner", "The owner of the file."),
        parameter("group", "The group of the file."),
        parameter("mode", "The permissions of the file.").matching(Pattern::Mode),
        parameter("order", "How the order of fragments is compared.").words(&["alpha", "numeric"]),
        parameter("backup", "Where the old content is kept."),
        parameter("replace", "Whether the content of an existing file is replaced.").yes_no(),
        parameter("validate_cmd", "A command that must accept new content before it is used."),
        parameter("ensure_newline", "Whether each fragment ends with a newline.").yes_no(),
        parameter("format", "How fragments are merged.").words(&[
            "plain",
            "yaml",
            "json",
            "json-array",
            "json-pretty",
            "json-array-pretty",
        ]),
        parameter("force", "Whether later fragments may change keys of earlier ones.").yes_no(),
        parameter("selinux_ignore_defaults", "Whether the default contexts of SELinux are not used.").yes_no(),
        parameter("selrange", "The range of the SELinux context."),
        parameter("selrole", "The role of the SELinux context."),
        parameter("seltype", "The type of the SELinux context."),
        parameter("seluser", "The user of the SELinux context."),
        parameter("show_diff", "Whether reports show what changes in the content.").yes_no(),
        ensure(),
    ],
)
.of_module("concat");

pub(crate) static CONCAT_FRAGMENT: ResourceType = ResourceType::new(
    "concat_fragment",
    "A part of a file that is put together from fragments.",
    &[
        name("name", "A label."),
        parameter("target", "The file.").matching(Pattern::Text),
        parameter("content", "The text.").matching(Pattern::Text),
        parameter("source", "Where the text comes from."),
        parameter("order", "Where the fragment is in the file.").matching(Pattern::FragmentOrder),
        parameter("tag", "The tag by which a file selects the fragment."),
    ],
)
.of_module("concat")
.with_rules(&[
    Rule::AtLeastOne(&["target", "tag"], "No 'target' or 'tag' set"),
    Rule::AtLeastOne(&["source", "content"], "Set either 'source' or 'content'"),
    Rule::AtMostOne(&["source", "content"], "Can't use 'source' and 'content' at the same time"),
]);

pub(crate) static FILE_LINE: ResourceType = ResourceType::new(
    "file_line",
    "A line of a file.",
    &[
        name("name", "A label."),
        parameter("match", "A regular expression for the line to replace."),
        parameter("match_for_absence", "Whether `match` also finds lines to remove.").boolean(),
        parameter("multiple", "Whether several lines may match.").boolean(),
        parameter("after", "A regular expression for the line after which the new one is added."),
        parameter("path", "Where the file is.").matching(Pattern::AbsolutePath),
        parameter("replace", "Whether an existing line is replaced.").boolean(),
        parameter("replace_all_matches_not_matching_line", "Whether all lines that match are replaced.").boolean(),
        parameter("encoding", "The encoding of the file."),
        parameter("append_on_no_match", "Whether the line is added if no line matches.").boolean(),
        provider(),
        ensure(),
        property("line", "The line."),
    ],
)
.of_module("stdlib")
.with_rules(&[
    Rule::AtLeastOne(&["line", "match_for_absence"], "line is a required attribute"),
    Rule::AtLeastOne(&["path"], "path is a required attribute"),
]);
