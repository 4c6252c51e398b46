//! What a manifest contains, as a tree.

use std::ops::Range;

use pp_ast::{Definition, Expr, ExprId, TextRange, Tree};

/// The kinds of what a manifest contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SymbolKind {
    Class,
    Define,
    Node,
    Function,
    TypeAlias,
    Resource,
}

/// A definition or a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name; of a resource the type and the title, as they are written.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// All of it, in bytes.
    pub range: Range<u32>,
    /// The name.
    pub name_range: Range<u32>,
    /// What it contains. Contents of conditions and blocks are one level up.
    pub children: Vec<Symbol>,
}

/// Returns the definitions and resources of a tree, in the order of the text.
#[must_use]
pub fn symbols(tree: &Tree, text: &str) -> Vec<Symbol> {
    let definitions = tree.definitions.values().map(|definition| of_definition(tree, text, definition));
    let resources = tree.resources.values().flat_map(|resource| {
        let kind = slice(text, tree.ranges[resource.type_name]);
        tree.bodies(resource.bodies).iter().map(move |body| {
            let title = tree.ranges[body.title];
            let attributes = tree.attributes(body.attributes).iter();
            let last = attributes.map(|attribute| tree.ranges[attribute.value].end).max();
            Symbol {
                name: format!("{kind} {}", slice(text, title)),
                kind: SymbolKind::Resource,
                range: title.start..last.unwrap_or(title.end).max(title.end),
                name_range: title.start..title.end,
                children: Vec::new(),
            }
        })
    });
    let mut all: Vec<Symbol> = definitions.chain(resources).collect();
    // What contains others comes first.
    all.sort_by_key(|symbol| (symbol.range.start, std::cmp::Reverse(symbol.range.end)));
    nested(all)
}

fn of_definition(tree: &Tree, text: &str, definition: &Definition) -> Symbol {
    let (kind, name, name_range, expr) = match definition {
        Definition::Class(class) => (SymbolKind::Class, tree.str(class.name).to_string(), class.name_range, class.expr),
        Definition::Define(define) => {
            (SymbolKind::Define, tree.str(define.name).to_string(), define.name_range, define.expr)
        }
        Definition::Function(function) => {
            (SymbolKind::Function, tree.str(function.name).to_string(), function.name_range, function.expr)
        }
        Definition::TypeAlias(alias) => {
            (SymbolKind::TypeAlias, tree.str(alias.name).to_string(), alias.name_range, alias.expr)
        }
        Definition::Node(node) => {
            let ranges: Vec<TextRange> = node.hosts.iter().map(|host| host_range(tree, host.0)).collect();
            let whole = tree.ranges[node.expr];
            let start = ranges.iter().map(|range| range.start).min().unwrap_or(whole.start);
            let end = ranges.iter().map(|range| range.end).max().unwrap_or(whole.start);
            let range = TextRange { start, end };
            (SymbolKind::Node, format!("node {}", slice(text, range)), range, node.expr)
        }
    };
    let range = tree.ranges[expr];
    // A range contains that of its name, also in a text with errors.
    let range = range.start.min(name_range.start)..range.end.max(name_range.end);
    Symbol { name, kind, range, name_range: name_range.start..name_range.end, children: Vec::new() }
}

fn host_range(tree: &Tree, host: ExprId) -> TextRange {
    match &tree.exprs[host] {
        Expr::Text(inner) => tree.ranges[*inner],
        _ => tree.ranges[host],
    }
}

/// Puts what is inside of another symbol below it. The symbols are sorted.
fn nested(all: Vec<Symbol>) -> Vec<Symbol> {
    let mut top: Vec<Symbol> = Vec::new();
    let mut open: Vec<Symbol> = Vec::new();
    let close = |open: &mut Vec<Symbol>, top: &mut Vec<Symbol>| {
        if let Some(done) = open.pop() {
            open.last_mut().map_or(top, |outer| &mut outer.children).push(done);
        }
    };
    for symbol in all {
        while open.last().is_some_and(|outer| outer.range.end < symbol.range.end) {
            close(&mut open, &mut top);
        }
        open.push(symbol);
    }
    while !open.is_empty() {
        close(&mut open, &mut top);
    }
    top
}

fn slice(text: &str, range: TextRange) -> &str {
    text.get(range.start as usize..range.end as usize).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mcl_diagnostics::FileId;

    use super::*;
    use crate::parse;

    fn shown(symbols: &[Symbol], text: &str) -> String {
        let one = |symbol: &Symbol| {
            let name = &text[symbol.name_range.start as usize..symbol.name_range.end as usize];
            let inside = shown(&symbol.children, text);
            let inside = if inside.is_empty() { inside } else { format!(" [{inside}]") };
            format!("{:?} {} ({name}){inside}", symbol.kind, symbol.name)
        };
        symbols.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn check(text: &str, expected: &str) {
        let (tree, _) = parse(Path::new("/nowhere/a.pp"), FileId::MAIN, text);
        assert_eq!(shown(&symbols(&tree, text), text), expected);
    }

    #[test]
    fn definitions_contain_resources() {
        check(
            "class ntp($x = 1) {\n  if $x {\n    package { 'ntp': ensure => installed }\n  }\n  class inner {}\n}\n",
            "Class ntp (ntp) [Resource package 'ntp' ('ntp'), Class ntp::inner (inner)]",
        );
        check(
            "define a::b() {\n  file { [$title, '/b']: }\n}\n",
            "Define a::b (a::b) [Resource file [$title, '/b'] ([$title, '/b'])]",
        );
        check("function a::f() { 1 }\ntype A::B = Integer\n", "Function a::f (a::f), TypeAlias A::B (A::B)");
        check(
            "node 'a', /b/ {\n  notify { 'x': ; 'y': }\n}\n",
            "Node node 'a', /b/ ('a', /b/) [Resource notify 'x' ('x'), Resource notify 'y' ('y')]",
        );
    }

    #[test]
    fn what_could_be_parsed_of_a_broken_text_is_shown() {
        let text = "class a {\n  notify { 'x': }\n}\nclass b {\n  $x = \n}\nclass c {}\n";
        let (tree, diagnostics) = parse(Path::new("/nowhere/a.pp"), FileId::MAIN, text);
        assert!(!diagnostics.is_empty());
        // Nothing panics; how much is left is decided by the parser.
        let found = symbols(&tree, text);
        assert!(found.iter().all(|symbol| symbol.range.end as usize <= text.len()));
    }
}
