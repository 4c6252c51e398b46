//! The lint about the columns of `=>`, which are aligned within one list of attributes or entries.

use mcl_diagnostics::Code;
use pp_ast::{Attribute, Expr, ExprId, TextRange};

use crate::context::{Context, Findings};
use crate::source_map::range;

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    if !findings.is_on(Code::W0305) {
        return;
    }
    let tree = context.tree;
    for body in &tree.bodies {
        check_attributes(context, findings, tree.attributes(body.attributes));
    }
    let of_defaults = tree.defaults.iter().map(|defaults| defaults.attributes);
    let of_overrides = tree.overrides.iter().map(|overrides| overrides.attributes);
    let of_collectors = tree.collectors.values().filter_map(|collector| collector.attributes);
    for list in of_defaults.chain(of_overrides).chain(of_collectors) {
        check_attributes(context, findings, tree.attributes(list));
    }
    for (_, expr) in &tree.exprs {
        match expr {
            Expr::Hash(entries) => {
                let entries = tree.list(*entries).chunks_exact(2).map(|entry| (context.range(entry[0]), entry[1]));
                check_list(context, findings, entries);
            }
            Expr::Selector(_, entries) => {
                check_list(context, findings, entries.iter().map(|entry| (context.range(entry.value), entry.result)));
            }
            _ => {}
        }
    }
}

fn check_attributes(context: &Context<'_>, findings: &mut Findings<'_>, attributes: &[Attribute]) {
    check_list(context, findings, attributes.iter().map(|attribute| (attribute.name_range, attribute.value)));
}

/// Checks the entries that are the first on their line.
fn check_list(context: &Context<'_>, findings: &mut Findings<'_>, entries: impl Iterator<Item = (TextRange, ExprId)>) {
    let entries: Vec<Entry> = entries.filter_map(|(key, value)| Entry::new(context, key, value)).collect();
    let Some(expected) = entries.iter().map(|entry| entry.key_end).max().map(|longest| longest + 1) else { return };
    for entry in &entries {
        if entry.arrow_column != expected {
            let message = format!("`=>` in column {}, expected column {}", entry.arrow_column + 1, expected + 1);
            let at = entry.arrow as usize;
            findings.add(Code::W0305, range(at, at + 2), message, "align the arrows of all entries");
        }
    }
}

/// An entry whose key is the first thing on its line, with its arrow on the same line. Columns are in characters, from 0.
struct Entry {
    arrow: u32,
    arrow_column: usize,
    key_end: usize,
}

impl Entry {
    fn new(context: &Context<'_>, key: TextRange, value: ExprId) -> Option<Entry> {
        let between = TextRange { start: key.end, end: context.range(value).start };
        let find = |arrow| context.map.find_code(context.text, between, arrow);
        let arrow = find("=>").or_else(|| find("+>"))?;
        let file = context.subject.file;
        let line = file.line_of(key.start);
        let start = file.line_range(line).start;
        let before = context.text.get(start..key.start as usize)?;
        if !before.trim().is_empty() || file.line_of(arrow) != line {
            return None;
        }
        let columns = |end: u32| context.text.get(start..end as usize).map(|text| text.chars().count());
        Some(Entry { arrow, arrow_column: columns(arrow)?, key_end: columns(key.end)? })
    }
}
