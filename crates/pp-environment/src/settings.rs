//! `environment.conf` (spec 07 §5.14).

use std::path::{Path, PathBuf};

use mcl_diagnostics::{Code, Diagnostic, Stage, nearest};

use crate::error::EnvironmentError;
use crate::read::read_file;

/// A part of a module path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ModulePathEntry {
    /// A directory.
    Directory(PathBuf),
    /// `$basemodulepath`: the directories of all environments.
    Base,
}

/// What `environment.conf` says about files. Other settings do not matter for a compilation on this host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// `manifest`: the main manifest, a file or a directory.
    pub(crate) manifest: Option<PathBuf>,
    /// `modulepath`.
    pub(crate) module_path: Option<Vec<ModulePathEntry>>,
    /// What is not a setting of environments, with the lines.
    pub(crate) unknown: Vec<(usize, String)>,
}

/// The settings of `environment.conf`, in Puppet 7.
const KNOWN: [&str; 8] = [
    "manifest",
    "modulepath",
    "config_version",
    "disable_per_environment_manifest",
    "environment_data_provider",
    "environment_timeout",
    "rich_data",
    "static_catalogs",
];

/// The name of the file with the settings of an environment.
pub(crate) const ENVIRONMENT_CONF: &str = "environment.conf";

impl Settings {
    /// Reads the settings of the environment in a directory. Without a file they are empty.
    pub(crate) fn read(directory: &Path) -> Result<Settings, EnvironmentError> {
        let path = directory.join(ENVIRONMENT_CONF);
        match read_file(&path) {
            Ok(bytes) => Settings::parse(&path, directory, &String::from_utf8_lossy(&bytes)),
            Err(EnvironmentError::Unreadable { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Settings::default())
            }
            Err(error) => Err(error),
        }
    }

    /// Returns a warning for each name that is not that of a setting. Puppet ignores it, too.
    pub(crate) fn warnings(&self, directory: &Path) -> Vec<Diagnostic> {
        let path = directory.join(ENVIRONMENT_CONF);
        let warning = |(line, name): &(usize, String)| {
            let message = format!("line {line} of `{}`: unknown setting `{name}`, which is ignored", path.display());
            let help = match nearest(name, KNOWN) {
                Some(similar) => format!("did you mean the setting `{similar}`?"),
                None => {
                    format!("the settings of an environment are {}", KNOWN.map(|name| format!("`{name}`")).join(", "))
                }
            };
            Diagnostic::warning(Code::P0703, Stage::Puppet, message).help(help)
        };
        self.unknown.iter().map(warning).collect()
    }

    fn parse(path: &Path, directory: &Path, text: &str) -> Result<Settings, EnvironmentError> {
        let mut settings = Settings::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            let is_section = line.starts_with('[') && line.ends_with(']');
            if line.is_empty() || line.starts_with(['#', ';']) || is_section {
                continue;
            }
            let Some((name, value)) = line.split_once('=') else {
                let text = line.chars().take(80).collect();
                return Err(EnvironmentError::InvalidSettings { path: path.to_owned(), line: index + 1, text });
            };
            let value = value.trim();
            match name.trim() {
                "manifest" => settings.manifest = Some(directory.join(value)),
                "modulepath" => {
                    let parts = value.split(':').filter_map(|part| match part.trim() {
                        "" => None,
                        "$basemodulepath" => Some(ModulePathEntry::Base),
                        // Any other setting, such as `$codedir/modules`, is a directory of the server.
                        part if part.starts_with('$') => None,
                        part => Some(ModulePathEntry::Directory(directory.join(part))),
                    });
                    settings.module_path = Some(parts.collect());
                }
                name if KNOWN.contains(&name) => {}
                name => settings.unknown.push((index + 1, name.chars().take(80).collect())),
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Settings, EnvironmentError> {
        Settings::parse(Path::new("/e/environment.conf"), Path::new("/e"), text)
    }

    #[test]
    fn paths_are_relative_to_the_environment() {
        let settings =
            parse("# c\n[main]\nmanifest = m/site.pp\nmodulepath = site:/opt/modules:$basemodulepath\nx=1\n");
        let expected = Settings {
            manifest: Some("/e/m/site.pp".into()),
            module_path: Some(vec![
                ModulePathEntry::Directory("/e/site".into()),
                ModulePathEntry::Directory("/opt/modules".into()),
                ModulePathEntry::Base,
            ]),
            unknown: vec![(5, "x".to_owned())],
        };
        assert_eq!(settings.expect("valid"), expected);
    }

    #[test]
    fn a_misspelled_setting_is_a_warning() {
        let settings = parse("manifset = a\nconfig_version = b\nnonsense = 1\n").expect("valid");
        let warnings = settings.warnings(Path::new("/e"));
        assert_eq!(
            warnings[0].message,
            "line 1 of `/e/environment.conf`: unknown setting `manifset`, which is ignored"
        );
        assert_eq!(warnings[0].help.as_deref(), Some("did you mean the setting `manifest`?"));
        assert!(warnings[1].message.contains("`nonsense`") && warnings.len() == 2, "{warnings:?}");
    }

    #[test]
    fn a_line_that_is_not_a_setting_is_an_error() {
        assert!(matches!(parse("a = b\nwhat"), Err(EnvironmentError::InvalidSettings { line: 2, .. })));
    }
}
