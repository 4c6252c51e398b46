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
    /// The directory of the module that the file is in.
    pub folder: ModuleFolder,
}

/// The directories of a module with code in the Puppet language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleFolder {
    /// `manifests`: the names in a file start with that of the file.
    Manifests,
    /// `functions`: a file holds the function of its name.
    Functions,
    /// `types`: a file holds the type alias of its name.
    Types,
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
    let (name, is_exact) = match definition {
        Some(Definition::Class(class)) => (tree.str(class.name), false),
        Some(Definition::Define(define)) => (tree.str(define.name), false),
        Some(Definition::Function(function)) => (tree.str(function.name), file.folder == ModuleFolder::Functions),
        // What is wrong with an alias in a file of its own shows when it is needed.
        Some(Definition::TypeAlias(_)) if file.folder == ModuleFolder::Types => return,
        Some(Definition::TypeAlias(alias)) => (tree.str(alias.name), false),
        Some(Definition::Node(_)) | None => {
            let kind = ValidationErrorKind::NotInModule { what: label(tree, id) };
            return errors.push(ValidationError { kind, range, related: None });
        }
    };
    let lower = name.to_ascii_lowercase();
    // The name need not end where that of the file does: `a::bc` may be in `manifests/b.pp`.
    let belongs = lower.strip_prefix(file.name).is_some_and(|rest| rest.is_empty() || !is_exact);
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

    fn check(text: &str, folder: ModuleFolder, expected: Expect) {
        let tree = parse(FileId::MAIN, text, Mode::Manifest).tree;
        let found = validate_location(&tree, &ModuleFile { path: "manifests/b.pp", name: "a::b", folder });
        expected.assert_eq(&found.iter().map(|found| format!("{}\n", found.message)).collect::<String>());
    }

    #[test]
    fn a_manifest_of_a_module_defines_names_below_its_own() {
        let accepted = "class a::b { class c { } }\ndefine a::b::d { }\nclass a::bc { }\ntype A::B::T = String";
        check(accepted, ModuleFolder::Manifests, expect![[""]]);
        check(
            "class a::c { }\nclass a { }",
            ModuleFolder::Manifests,
            expect![[r#"
            Unacceptable location. The name 'a::c' is unacceptable in file 'manifests/b.pp'
            Unacceptable location. The name 'a' is unacceptable in file 'manifests/b.pp'
        "#]],
        );
    }

    #[test]
    fn a_manifest_of_a_module_has_no_statements() {
        check(
            "class a::b { }\nnotify { 'x': }\nnode default { }",
            ModuleFolder::Manifests,
            expect![[r#"
            This Resource Statement is unacceptable as a top level construct in this location
            This Node Definition is unacceptable as a top level construct in this location
        "#]],
        );
    }

    #[test]
    fn a_function_has_the_name_of_its_file() {
        check("function a::b() { 1 }", ModuleFolder::Functions, expect![[""]]);
        check(
            "function a::b::c() { 1 }\nnotify { 'x': }",
            ModuleFolder::Functions,
            expect![[r#"
            Unacceptable location. The name 'a::b::c' is unacceptable in file 'manifests/b.pp'
            This Resource Statement is unacceptable as a top level construct in this location
        "#]],
        );
    }

    #[test]
    fn a_file_of_a_type_has_no_other_definitions() {
        check("type A::B = String\ntype A::C = String", ModuleFolder::Types, expect![[""]]);
        check(
            "type A::B = String\nclass a::c { }",
            ModuleFolder::Types,
            expect![[r#"
            Unacceptable location. The name 'a::c' is unacceptable in file 'manifests/b.pp'
        "#]],
        );
    }
}
