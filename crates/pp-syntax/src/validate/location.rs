//! What a file of a module may define (spec 07 §5.14, §10.3).

use mcl_diagnostics::Diagnostic;
use pp_ast::{Definition, Expr, ExprId, TextRange, Tree};

use crate::validate::ValidationOptions;
use crate::validate::error::{ValidationError, ValidationErrorKind};
use crate::validate::label::label;

/// A file of a module: what its path says about the names in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleFile<'a> {
    /// The path, for messages.
    pub path: &'a str,
    /// The name that the path stands for, such as `apache::vhost` for `apache/manifests/vhost.pp`.
    pub name: &'a str,
    /// Whether the file is in `functions` and holds one function of that name. A manifest holds classes and defines whose names
    /// start with it.
    pub is_function: bool,
}

/// Checks that a file of a module, whose tree is valid, contains only definitions, and that they belong there.
#[must_use]
pub fn validate_location(tree: &Tree, file: &ModuleFile<'_>) -> Vec<Diagnostic> {
    let Some(Expr::Block(list)) = tree.root.map(|root| &tree.exprs[root]) else { return Vec::new() };
    let mut errors = Vec::new();
    for statement in tree.list(*list) {
        top_level(tree, *statement, file, &mut errors);
    }
    errors.iter().map(|error| error.diagnostic(tree.file, ValidationOptions::default())).collect()
}

fn top_level(tree: &Tree, id: ExprId, file: &ModuleFile<'_>, errors: &mut Vec<ValidationError>) {
    let span = tree.focus(id);
    let range = TextRange { start: span.start, end: span.end };
    let definition = match &tree.exprs[id] {
        Expr::Definition(definition) => Some(&tree.definitions[*definition]),
        _ => None,
    };
    let name = match definition {
        Some(Definition::Class(class)) if !file.is_function => tree.str(class.name),
        Some(Definition::Define(define)) if !file.is_function => tree.str(define.name),
        Some(Definition::Function(function)) => tree.str(function.name),
        Some(Definition::TypeAlias(alias)) if !file.is_function => tree.str(alias.name),
        _ => {
            let kind = ValidationErrorKind::NotInModule { what: label(tree, id) };
            return errors.push(ValidationError { kind, range, related: None });
        }
    };
    let lower = name.to_ascii_lowercase();
    let belongs = match lower.strip_prefix(file.name) {
        Some("") => true,
        Some(rest) => !file.is_function && rest.starts_with("::"),
        None => false,
    };
    if !belongs {
        let kind = ValidationErrorKind::NameInFile { name: name.to_string(), path: file.path.to_owned() };
        errors.push(ValidationError { kind, range, related: None });
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use mcl_diagnostics::FileId;

    use super::*;
    use crate::{Mode, parse};

    fn check(text: &str, is_function: bool, expected: Expect) {
        let tree = parse(FileId(0), text, Mode::Manifest).tree;
        let found = validate_location(&tree, &ModuleFile { path: "manifests/b.pp", name: "a::b", is_function });
        expected.assert_eq(&found.iter().map(|found| format!("{}\n", found.message)).collect::<String>());
    }

    #[test]
    fn a_manifest_of_a_module_defines_names_below_its_own() {
        check("class a::b { class c { } }\ndefine a::b::d { }", false, expect![[""]]);
        check(
            "class a::c { }\nclass a::bc { }",
            false,
            expect![[r#"
            Unacceptable location. The name 'a::c' is unacceptable in file 'manifests/b.pp'
            Unacceptable location. The name 'a::bc' is unacceptable in file 'manifests/b.pp'
        "#]],
        );
    }

    #[test]
    fn a_manifest_of_a_module_has_no_statements() {
        check(
            "class a::b { }\nnotify { 'x': }\nnode default { }",
            false,
            expect![[r#"
            This Resource Statement is unacceptable as a top level construct in this location
            This Node Definition is unacceptable as a top level construct in this location
        "#]],
        );
    }

    #[test]
    fn a_function_has_the_name_of_its_file() {
        check("function a::b() { 1 }", true, expect![[""]]);
        check(
            "function a::b::c() { 1 }\nclass a::b { }",
            true,
            expect![[r#"
            Unacceptable location. The name 'a::b::c' is unacceptable in file 'manifests/b.pp'
            This Host Class Definition is unacceptable as a top level construct in this location
        "#]],
        );
    }
}
