//! Edits the text of a file with sections and settings, and leaves everything else of it as it is (spec 08 §18).
//!
//! The text is split into lines once. Edits do not move lines: a line is replaced or removed where it is, and new lines
//! are attached to the line that they follow. So any number of edits takes time proportional to the text and to their number.
//! Text in any encoding is accepted, because only line ends and the bytes of names are compared.

use std::collections::BTreeMap;
use std::ops::Range;

use resource_graph::IniStyle;
use rustc_hash::FxHashMap;

/// How often the least indented line of a section may be indented for new lines to be indented as often.
const MAX_INDENTATION: usize = 255;

/// What one setting is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The section; empty for the lines before the first section.
    pub(super) section: String,
    /// The name.
    pub(super) name: String,
    /// What it is to be.
    pub(super) wanted: Wanted,
    /// How its lines are read and written.
    pub(super) style: IniStyle,
}

/// The state that a setting is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// One line for each of these values, in this order.
    Values(Vec<Vec<u8>>),
    /// Any value; an empty one if there is none.
    Any,
    /// No line.
    Absent,
}

/// A text while it is edited.
pub(super) struct IniText<'t> {
    lines: Vec<Line<'t>>,
    sections: Vec<Section>,
    /// The sections by name. A text may have several with one name.
    by_name: FxHashMap<&'t [u8], Namesakes<'t>>,
    /// Sections that the text does not have, with their header and lines.
    new: Vec<(Vec<u8>, Vec<Vec<u8>>)>,
    new_by_name: FxHashMap<String, usize>,
    /// How new lines end.
    line_end: &'static [u8],
}

struct Line<'t> {
    /// The line without its end.
    text: &'t [u8],
    end: &'t [u8],
    change: Change,
    /// New lines for settings that this line comments out.
    uncommented: Vec<Vec<u8>>,
    /// New lines for a setting that this line has too.
    repeated: Vec<Vec<u8>>,
    /// New lines at the end of a section.
    appended: Vec<Vec<u8>>,
}

enum Change {
    Kept,
    Replaced(Vec<u8>),
    Removed,
}

/// The lines with one header.
struct Section {
    /// The line with the header; `None` for the start of the text.
    header: Option<usize>,
    lines: Range<usize>,
    /// The last line that is not blank, the header included.
    end: Option<usize>,
    /// The number of its lines that are not removed.
    left: usize,
}

/// The sections with one name.
#[derive(Default)]
struct Namesakes<'t> {
    sections: Vec<usize>,
    /// Their lines, for each separator by which settings were looked up.
    names: FxHashMap<String, Names<'t>>,
}

/// Lines by the names of their settings.
#[derive(Default)]
struct Names<'t> {
    /// The section and the line of each setting.
    settings: FxHashMap<&'t [u8], Vec<(usize, usize)>>,
    /// The first line that comments out a setting.
    comments: FxHashMap<&'t [u8], usize>,
    /// How many settings have each indentation.
    indentations: BTreeMap<usize, usize>,
}

impl<'t> Line<'t> {
    fn new(line: &'t [u8]) -> Line<'t> {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let end = &line[text.len()..];
        Line { text, end, change: Change::Kept, uncommented: Vec::new(), repeated: Vec::new(), appended: Vec::new() }
    }
}

impl Section {
    fn new(header: Option<usize>, first: usize) -> Section {
        Section { header, lines: first..first, end: header, left: 0 }
    }

    fn add(&mut self, index: usize, line: &Line<'_>) {
        self.lines.end = index + 1;
        self.left += 1;
        if !line.text.trim_ascii().is_empty() {
            self.end = Some(index);
        }
    }
}

impl<'t> Namesakes<'t> {
    fn names(&mut self, sections: &[Section], lines: &[Line<'t>], style: &IniStyle) -> &mut Names<'t> {
        let found =
            self.sections.iter().flat_map(|section| sections[*section].lines.clone().map(|line| (*section, line)));
        self.names.entry(style.separator.trim().to_owned()).or_insert_with(|| {
            let mut names = Names::default();
            for (section, line) in found {
                let text = lines[line].text;
                if let Some(parts) = style.parts(text) {
                    names.settings.entry(parts.name).or_default().push((section, line));
                    *names.indentations.entry(parts.indentation).or_default() += 1;
                } else if let Some(name) = style.commented_name(text) {
                    names.comments.entry(name).or_insert(line);
                }
            }
            names
        })
    }
}

impl<'t> IniText<'t> {
    /// Splits a text. All settings that are edited must write the headers of sections as this style does.
    pub(super) fn new(text: &'t [u8], style: &IniStyle) -> IniText<'t> {
        let lines: Vec<Line<'t>> = text.split_inclusive(|byte| *byte == b'\n').map(Line::new).collect();
        let line_end: &[u8] = if lines.first().is_some_and(|line| line.end == b"\r\n") { b"\r\n" } else { b"\n" };
        let mut sections = vec![Section::new(None, 0)];
        let mut by_name: FxHashMap<&[u8], Namesakes<'_>> = FxHashMap::default();
        for (index, line) in lines.iter().enumerate() {
            if let Some(name) = style.section_name(line.text) {
                by_name.entry(name).or_default().sections.push(sections.len());
                sections.push(Section::new(Some(index), index + 1));
            } else if let Some(section) = sections.last_mut() {
                section.add(index, line);
            }
        }
        // A header without a name is not the start of the text.
        by_name.insert(b"", Namesakes { sections: vec![0], ..Namesakes::default() });
        IniText { lines, sections, by_name, new: Vec::new(), new_by_name: FxHashMap::default(), line_end }
    }

    /// Brings a setting into its state. Returns whether that changes the text. Each setting may be set once.
    pub(super) fn set(&mut self, setting: &Setting) -> bool {
        let found = self.find(setting);
        match &setting.wanted {
            Wanted::Absent => {
                found.iter().for_each(|(section, line)| self.remove(setting, *section, *line));
                !found.is_empty()
            }
            Wanted::Any if found.is_empty() => {
                self.insert(setting, None, &[Vec::new()]);
                true
            }
            Wanted::Any => false,
            Wanted::Values(values) => self.set_values(setting, &found, values),
        }
    }

    /// Replaces the values of the lines that exist, removes superfluous ones, and adds missing ones after the last.
    fn set_values(&mut self, setting: &Setting, found: &[(usize, usize)], values: &[Vec<u8>]) -> bool {
        let mut is_changed = found.len() != values.len();
        for (&(_, line), value) in found.iter().zip(values) {
            let line = &mut self.lines[line];
            let Some(parts) = setting.style.parts(line.text) else { continue };
            if parts.value != value.as_slice() {
                line.change = Change::Replaced([&line.text[..parts.value_start], value].concat());
                is_changed = true;
            }
        }
        found.iter().skip(values.len()).for_each(|(section, line)| self.remove(setting, *section, *line));
        if found.len() < values.len() {
            self.insert(setting, found.last().map(|(_, line)| *line), &values[found.len()..]);
        }
        is_changed
    }

    /// Returns the lines of a setting, with the section of each.
    fn find(&mut self, setting: &Setting) -> Vec<(usize, usize)> {
        let Some(namesakes) = self.by_name.get_mut(setting.section.as_bytes()) else { return Vec::new() };
        let names = namesakes.names(&self.sections, &self.lines, &setting.style);
        names.settings.get(setting.name.as_bytes()).cloned().unwrap_or_default()
    }

    /// Removes a line, and the header of its section if nothing else is left of it. What is set afterwards is set as in the text
    /// without them.
    fn remove(&mut self, setting: &Setting, section: usize, line: usize) {
        let indentation = setting.style.parts(self.lines[line].text).map(|parts| parts.indentation);
        if let (Some(indentation), Some(namesakes)) = (indentation, self.by_name.get_mut(setting.section.as_bytes())) {
            let names = namesakes.names(&self.sections, &self.lines, &setting.style);
            if let Some(count) = names.indentations.get_mut(&indentation) {
                *count -= 1;
                if *count == 0 {
                    names.indentations.remove(&indentation);
                }
            }
        }
        self.lines[line].change = Change::Removed;
        let section = &mut self.sections[section];
        section.left = section.left.saturating_sub(1);
        if let Some(header) = section.header.filter(|_| section.left == 0) {
            self.lines[header].change = Change::Removed;
        }
    }

    /// Whether a section was removed with its last line.
    fn is_removed(&self, section: usize) -> bool {
        self.sections[section].header.is_some_and(|header| matches!(self.lines[header].change, Change::Removed))
    }

    /// Adds lines for a setting: after a line that has it, else after one that comments it out, else at the end of its last
    /// section, else in a new section.
    fn insert(&mut self, setting: &Setting, after: Option<usize>, values: &[Vec<u8>]) {
        let (style, name) = (&setting.style, setting.name.as_bytes());
        let sections = self.by_name.get(setting.section.as_bytes()).map_or(&[][..], |namesakes| &namesakes.sections);
        let last = sections.iter().copied().rev().find(|section| !self.is_removed(*section));
        let (mut comment, mut indent) = (None, style.indent_width);
        if let Some(namesakes) = self.by_name.get_mut(setting.section.as_bytes()) {
            let names = namesakes.names(&self.sections, &self.lines, style);
            comment = names.comments.get(name).copied();
            indent = indent.or_else(|| names.indentations.first_key_value().map(|(least, _)| *least));
            // Settings after this one are indented like it, too.
            *names.indentations.entry(indent.unwrap_or(0)).or_default() += values.len();
        }
        let indent = indent.unwrap_or(0).min(MAX_INDENTATION);
        let added = values.iter().map(|value| style.line(indent, name, value));
        if let Some(line) = after {
            self.lines[line].repeated.extend(added);
        } else if let Some(line) = comment {
            self.lines[line].uncommented.extend(added);
        } else if let Some((section, line)) = last.and_then(|section| Some((section, self.sections[section].end?))) {
            self.lines[line].appended.extend(added);
            self.sections[section].left += values.len();
        } else {
            let header = style.header(&setting.section);
            let new = *self.new_by_name.entry(setting.section.clone()).or_insert_with(|| {
                self.new.push((header, Vec::new()));
                self.new.len() - 1
            });
            self.new[new].1.extend(added);
        }
    }

    /// Returns the edited text.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut out = Output { text: Vec::new(), line_end: self.line_end };
        let (start, new): (Vec<_>, Vec<_>) = self.new.into_iter().partition(|(header, _)| header.is_empty());
        out.lines(start.into_iter().flat_map(|(_, lines)| lines));
        if !out.text.is_empty() && self.lines.first().is_some_and(|line| !line.text.trim_ascii().is_empty()) {
            out.line(b"");
        }
        for line in self.lines {
            let text = match &line.change {
                Change::Kept => Some(line.text),
                Change::Replaced(text) => Some(text.as_slice()),
                Change::Removed => None,
            };
            if let Some(text) = text {
                out.text.extend_from_slice(text);
                out.text.extend_from_slice(line.end);
            }
            out.lines([line.repeated, line.uncommented, line.appended].into_iter().flatten());
        }
        for (header, lines) in new {
            if !out.text.is_empty() {
                out.line(b"");
            }
            out.line(&header);
            out.lines(lines);
        }
        out.text
    }
}

struct Output {
    text: Vec<u8>,
    line_end: &'static [u8],
}

impl Output {
    /// Adds a line, after the end of the one before.
    fn line(&mut self, line: &[u8]) {
        if self.text.last().is_some_and(|byte| *byte != b'\n') {
            self.text.extend_from_slice(self.line_end);
        }
        self.text.extend_from_slice(line);
        self.text.extend_from_slice(self.line_end);
    }

    fn lines(&mut self, lines: impl IntoIterator<Item = Vec<u8>>) {
        lines.into_iter().for_each(|line| self.line(&line));
    }
}
