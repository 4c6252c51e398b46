//! Running the lints over one file.

use mcl_diagnostics::{Code, Diagnostic};

use crate::context::{Context, Findings, Subject};
use crate::ignore::Ignored;
use crate::source_map::SourceMap;
use crate::{
    alignment, attributes, commas, definitions, expressions, facts, failures, indentation, parameters, spacing,
    strings, uses, values, variables, whitespace,
};

/// Runs all lints for which `is_on` returns true, and returns their warnings in the order of their locations.
#[must_use]
pub fn check(subject: Subject<'_>, is_on: &dyn Fn(Code) -> bool) -> Vec<Diagnostic> {
    let map = SourceMap::new(subject.tree, &subject.file.text);
    let ignored = Ignored::new(subject.file, &map);
    let mut findings = Findings::new(subject, is_on, ignored);
    let context = Context { subject, text: &subject.file.text, tree: subject.tree, map: &map };
    if !map.is_template {
        whitespace::check(&context, &mut findings);
        alignment::check(&context, &mut findings);
        indentation::check(&context, &mut findings);
        spacing::check(&context, &mut findings);
    }
    strings::check(&context, &mut findings);
    attributes::check(&context, &mut findings);
    expressions::check(&context, &mut findings);
    failures::check(&context, &mut findings);
    values::check(&context, &mut findings);
    uses::check(&context, &mut findings);
    definitions::check(&context, &mut findings);
    facts::check(&context, &mut findings);
    parameters::check(&context, &mut findings);
    variables::check(&context, &mut findings);
    commas::check(&context, &mut findings);
    findings.into_sorted()
}
