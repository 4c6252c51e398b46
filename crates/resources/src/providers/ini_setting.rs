//! `ini:setting`: a setting of a file with sections (spec 08 §18).
//!
//! The settings of one file are a group: the file is read, edited and replaced once for all of them.

mod text;

use std::path::PathBuf;

use resource_graph::{IniStyle, Resource, has_sensitive_parameter};
use rustc_hash::FxHashSet;

use crate::providers::ini_setting::text::{IniText, Setting, Wanted};
use crate::text_file::{self, Edit, with_mode};
use crate::{Context, Effects, Failure, Params, Provider, Scope, Watch};

/// The number of settings that the description of a change names.
const MAX_NAMED: usize = 8;

struct Settings {
    file: PathBuf,
    settings: Vec<Setting>,
    /// Whether one of the values must not be shown.
    is_private: bool,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Settings::read(resources)?))
}

impl Settings {
    fn read(resources: &[Resource]) -> Result<Settings, Failure> {
        let mut named: Vec<(&str, Setting)> = Vec::with_capacity(resources.len());
        for resource in resources {
            named.push((&resource.id.name, setting(resource)?));
        }
        // New lines are added in the order of the names, whichever resource leads the group.
        named.sort_by_key(|(name, _)| *name);
        let mut seen = FxHashSet::default();
        named.retain(|(_, setting)| seen.insert((setting.section.clone(), setting.name.clone())));
        Ok(Settings {
            file: Params::new(&resources[0]).str("path")?.into(),
            settings: named.into_iter().map(|(_, setting)| setting).collect(),
            is_private: resources.iter().any(has_sensitive_parameter),
        })
    }
}

fn setting(resource: &Resource) -> Result<Setting, Failure> {
    let params = Params::new(resource);
    let Some(style) = resource_graph::Params::of(resource).map(|p| IniStyle::of(&p)) else {
        return Err(Failure::Invalid(format!("unknown kind: {}", resource.id)));
    };
    let name = params.opt_str("setting")?.filter(|text| !text.is_empty()).unwrap_or(params.name());
    let trimmed = |value: &[u8]| value.trim_ascii().to_vec();
    let wanted = match (params.str("state")?, params.opt_bytes("value")?, params.opt_list("values")?) {
        ("absent", _, _) => Wanted::Absent,
        (_, Some(value), _) => Wanted::Values(vec![trimmed(value.as_bytes())]),
        (_, None, Some(values)) => Wanted::Values(values.iter().map(|value| trimmed(value.as_bytes())).collect()),
        (_, None, None) => Wanted::Any,
    };
    Ok(Setting { section: params.str("section")?.to_owned(), name: name.to_owned(), wanted, style })
}

impl Provider for Settings {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let decide = |before: Option<&[u8]>| {
            let Some(style) = self.settings.first().map(|setting| &setting.style) else { return Ok(None) };
            let before = before.unwrap_or_default();
            text_file::check_lines(before, &self.file)?;
            let mut text = IniText::new(before, style);
            let changed: Vec<&Setting> = self.settings.iter().filter(|setting| text.set(setting)).collect();
            Ok((!changed.is_empty()).then(|| Edit {
                text: format!("{} in {}", described(&changed), self.file.display()),
                after: Some(text.finish()),
                is_private: self.is_private,
            }))
        };
        // A service that runs as another user reads its settings. Who sets a secret restricts the file before.
        let mode = if self.is_private { 0o600 } else { 0o644 };
        text_file::edit(cx, &self.file, &with_mode(mode), decide).map(drop)
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::Path(self.file.clone(), Scope::Entry)]
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Settings::read(resources)?;
        Ok(())
    }
}

/// Describes changes: `set [a] x, [a] y and remove [b] z`.
fn described(changed: &[&Setting]) -> String {
    let (removed, set): (Vec<&Setting>, Vec<&Setting>) =
        changed.iter().partition(|setting| setting.wanted == Wanted::Absent);
    let actions = [("set", set), ("remove", removed)].into_iter().filter(|(_, settings)| !settings.is_empty());
    actions.map(|(action, settings)| format!("{action} {}", names(&settings))).collect::<Vec<_>>().join(" and ")
}

fn names(settings: &[&Setting]) -> String {
    let name = |setting: &&Setting| match &*setting.section {
        "" => setting.name.clone(),
        section => format!("[{section}] {}", setting.name),
    };
    let mut names: Vec<String> = settings.iter().take(MAX_NAMED).map(name).collect();
    if settings.len() > MAX_NAMED {
        names.push(format!("{} more settings", settings.len() - MAX_NAMED));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests;
