//! The output of `mgmt-rt plan`: the pending changes, with the contents of files as a diff.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write as _};

use clap::ValueEnum;
use mcl_diagnostics::{Files, Format};
use resource_graph::{MASK, Resource, ResourceId};
use runtime::Change;
use runtime::agent::{Event, Observer, Summary};
use serde_json::json;

use crate::content_diff::{content_diff, hides_content};
use crate::output::{Output, Stream};
use crate::printable::printable;
use crate::report::{self, counted, location};

/// The output formats of `mgmt-rt plan`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanFormat {
    /// A diff
    Text,
    /// One JSON object per line
    Json,
}

/// Collects the changes that a run in noop mode reports, and prints them at the end.
pub struct PlanPrinter<'f> {
    format: PlanFormat,
    output: Output,
    color: bool,
    files: &'f Files,
    /// The place of each resource in the list.
    places: HashMap<ResourceId, usize>,
    /// The text of each resource that is listed, by its place.
    lines: BTreeMap<(usize, ResourceId), String>,
}

impl<'f> PlanPrinter<'f> {
    /// Makes a printer that lists resources by their `places`.
    pub fn new(
        format: PlanFormat,
        color: bool,
        files: &'f Files,
        places: HashMap<ResourceId, usize>,
    ) -> PlanPrinter<'f> {
        PlanPrinter { format, output: Output::new(false), color, files, places, lines: BTreeMap::new() }
    }

    fn key(&self, id: &ResourceId) -> (usize, ResourceId) {
        (self.places.get(id).copied().unwrap_or(usize::MAX), id.clone())
    }

    /// Prints the changes and the totals.
    ///
    /// # Errors
    /// They cannot be written. A reader that has closed its pipe wanted no more.
    pub fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        if self.format == PlanFormat::Text {
            for (id, on) in &summary.blocked {
                let line = format!("{}\n", printable(&format!("{id}: unknown, waiting for {on}")));
                *self.lines.entry(self.key(id)).or_default() += &line;
            }
        }
        let mut text: String = self.lines.values().map(String::as_str).collect();
        if self.format == PlanFormat::Text {
            text += &totals(summary);
            text.push('\n');
        }
        self.output.flush(false);
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    fn change(&mut self, resource: &Resource, change: &Change) {
        let mut text = String::new();
        let key = self.key(&resource.id);
        let hidden = hides_content(resource, change);
        if self.format == PlanFormat::Json {
            let diff = change.diff.as_ref().map(|diff| {
                let show = |content: &Option<Vec<u8>>| {
                    content.as_ref().map(|c| if hidden { MASK.into() } else { String::from_utf8_lossy(c).into_owned() })
                };
                json!({"path": diff.path.to_string_lossy(), "before": show(&diff.before), "after": show(&diff.after)})
            });
            let value = json!({"id": resource.id.to_string(), "change": change.text, "diff": diff});
            let value = match &change.uncertainty {
                Some(uncertainty) => with_field(value, "uncertainty", uncertainty.reason().into()),
                None => value,
            };
            let value = if resource.meta.noop { with_field(value, "noop", true.into()) } else { value };
            return *self.lines.entry(key).or_default() += &format!("{value}\n");
        }
        if !self.lines.contains_key(&key) {
            let location = location(resource, self.files).map(|l| format!("  ({l})")).unwrap_or_default();
            let name = report::paint(self.color, "1", &printable(&resource.id.to_string()));
            text += &format!("{name}{location}\n");
        }
        let uncertainty = change.uncertainty.as_ref().map(|why| format!(" ({})", printable(why.reason())));
        let uncertainty = uncertainty.unwrap_or_default();
        let noop = if resource.meta.noop { " (not made: `Meta:noop`)" } else { "" };
        text += &format!("  {}{uncertainty}{noop}\n", printable(&change.text));
        if let Some(diff) = &change.diff {
            text += &content_diff(diff, hidden, self.color);
        }
        *self.lines.entry(key).or_default() += &text;
    }
}

fn with_field(mut object: serde_json::Value, name: &str, value: serde_json::Value) -> serde_json::Value {
    object[name] = value;
    object
}

/// Returns the last line, e.g. `2 changes in 5 resources, 1 failed`.
fn totals(summary: &Summary) -> String {
    let resources = counted(summary.total, "resource");
    let verb = if summary.total == 1 { "is" } else { "are" };
    let mut text = match summary.changes {
        0 if summary.is_success() => return format!("No changes. {resources} {verb} up to date."),
        0 => format!("no changes in {resources}"),
        changes => format!("{} in {resources}", counted(changes, "change")),
    };
    for (count, state) in [(summary.failed.len(), "failed"), (summary.blocked.len(), "waiting")] {
        if count > 0 {
            text += &format!(", {count} {state}");
        }
    }
    text
}

impl Observer for PlanPrinter<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Changed { resource, change, .. } => self.change(resource, change),
            Event::Failed { resource, failure, retry: None, .. } => {
                let code = failure.code().name();
                let location = location(resource, self.files).map(|l| format!(" ({l})")).unwrap_or_default();
                let text = format!("error[{code}]: {}{location}: {failure}", resource.id);
                self.output.write(Stream::Err, format!("{}\n", printable(&text)));
            }
            Event::Problem(diagnostic) => {
                let text = report::rendered(vec![diagnostic.clone()], self.files, Format::Human);
                self.output.write(Stream::Err, text);
            }
            Event::Failed { .. }
            | Event::Message { .. }
            | Event::Swapped { .. }
            | Event::Recovered { .. }
            | Event::Converged(_)
            | Event::Diverged
            | Event::Reloading
            | Event::Reloaded(_)
            | Event::Status(_)
            | Event::Stopping(_) => {}
        }
    }
}
