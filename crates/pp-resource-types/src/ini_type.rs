//! Types whose resources are settings of one file in the INI format (spec 09 §7).

use serde::{Deserialize, Serialize};

/// The settings of a file, of which a type has a resource each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IniType {
    /// The file; `None` if the source computes it.
    pub path: Option<String>,
    /// The attribute that replaces `path` where it is set.
    pub path_attribute: Option<String>,
    /// Where the section and the name of a setting come from.
    pub key: IniKey,
    /// The separator of a name and its value, unless `separator_attribute` is set.
    pub separator: String,
    /// The attribute that replaces `separator` where it is set, usually `key_val_separator`.
    pub separator_attribute: Option<String>,
    /// A setting with several values has one line for each. Otherwise they are joined.
    pub repeats: bool,
    /// How values are changed before they are written.
    pub munge: IniMunge,
    /// The attribute with the value that stands for no setting at all, usually `ensure_absent_val`, and its default.
    pub absent_value: Option<(String, Option<String>)>,
    /// The provider or the type has code that is not understood: resources of the type are not just settings of the file.
    pub is_custom: bool,
}

/// Where the section and the name of a setting come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IniKey {
    /// The attributes `section` and `setting`.
    Attributes,
    /// The name of the resource, `SECTION/SETTING`. Without a slash it is both.
    Name,
    /// The name of the resource is that of the setting, which is in no section.
    NameWithoutSection,
}

/// How a value is changed before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IniMunge {
    /// Whitespace around it is removed.
    Strip,
    /// Whitespace around it is removed, and `true` and `false` in any case become `True` and `False`.
    Capitalize,
    /// Whitespace around it is removed, and `true` and `false` in any case become lower case.
    Downcase,
    /// It is written as it is.
    Nothing,
    /// Whitespace around it is removed, and it is put in quotes if the attribute `quote` is set, unless it starts with one.
    Quote,
}
