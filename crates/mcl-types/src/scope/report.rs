//! The messages of this stage.

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage, nearest};

use super::names::{Space, Symbol};
use super::{Scoper, Use};
use crate::scoped::{DefKind, ScopeId, ScopeKind};

/// Suggestions look at every name in scope; after so many errors they would only cost time.
const MAX_SUGGESTIONS: u32 = 50;

fn error(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Scope, message)
}

fn import_error(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Import, message)
}

pub(super) fn duplicate(space: Space, name: &str, stmt: Span, second: Span, first: Span) -> Diagnostic {
    let what = match space {
        Space::Variable => format!("variable `${name}`"),
        Space::Function => format!("function `{name}`"),
        Space::Class => format!("class `{name}`"),
    };
    let at = Span { end: second.end.max(stmt.start), ..stmt };
    error(Code::E0606, format!("the {what} is defined twice in one list of statements"))
        .at_with(at, "defined again here")
        .label(first, "first defined here")
        .help(match space {
            Space::Variable => "give one of them another name; a variable cannot be assigned to",
            Space::Function | Space::Class => "give one of them another name",
        })
}

pub(super) fn duplicate_alias(name: &str, stmt: Span, _second: Span, first: Span) -> Diagnostic {
    error(Code::E0607, format!("the alias `{name}` is used twice in one list of statements"))
        .at_with(stmt, "used again here")
        .label(first, "first used here")
        .help("choose another alias with `as`")
}

pub(super) fn unknown_module(module: &str, stmt: Span) -> Diagnostic {
    let diagnostic = import_error(Code::E0501, format!("there is no system module `{module}`")).at(stmt);
    diagnostic.help(match near_module(module) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("a directory is imported with a slash at its end: `import \"{module}/\"`"),
    })
}

/// The system module that is probably meant.
pub(super) fn near_module(module: &str) -> Option<&'static str> {
    nearest(module, mcl_functions::module_names())
}

pub(super) fn duplicate_import(module: &str, stmt: Span) -> Diagnostic {
    import_error(Code::E0508, format!("`{module}` is imported twice in one list of statements"))
        .at_with(stmt, "imported again here")
        .help("remove this import")
}

pub(super) fn duplicate_import_alias(name: &str, stmt: Span, _second: Span, first: Span) -> Diagnostic {
    import_error(Code::E0509, format!("two imports have the alias `{name}`"))
        .at_with(stmt, "this one")
        .label(first, "and this one")
        .help(format!("give one of them another alias: `as other_{name}`"))
}

pub(super) fn recursive_import(stmt: Span) -> Diagnostic {
    import_error(Code::E0510, "this import leads back to its own file").at_with(stmt, "part of a circle of imports")
}

pub(super) fn not_importable(what: &str, stmt: Span, import: Span) -> Diagnostic {
    import_error(Code::E0511, format!("{what} cannot stand at the top level of an imported file"))
        .at_with(stmt, "not a definition")
        .label(import, "the file is imported here")
        .help("put it into a class, and include that class")
}

pub(super) fn star_collision(module: &str, name: &str, stmt: Span) -> Diagnostic {
    import_error(Code::E0512, format!("an earlier `import … as *` already brings the module `{module}`"))
        .at_with(stmt, format!("brings `{module}.{name}` again"))
        .help("give one of the imports an alias of its own")
}

pub(super) fn duplicate_parameter(name: &str, second: Span, first: Span) -> Diagnostic {
    error(Code::E0609, format!("two parameters are called `${name}`"))
        .at_with(second, "named again here")
        .label(first, "first named here")
}

pub(super) fn class_arguments(
    class: &str,
    class_span: Span,
    params: Vec<Arc<str>>,
    found: usize,
    stmt: Span,
) -> Diagnostic {
    let expected = match params.len() {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    };
    let list = params.iter().map(|name| format!("${name}")).collect::<Vec<_>>().join(", ");
    error(Code::E0605, format!("class `{class}` expects {expected} but got {found}"))
        .at(stmt)
        .label(class_span, if list.is_empty() { "it has no parameters".to_owned() } else { format!("it has ({list})") })
}

/// `uses` are the uses that close the circle, with what each one uses; the first in the source is to blame.
pub(super) fn circular(uses: Vec<(Span, String)>) -> Diagnostic {
    let Some((first, what)) = uses.first() else {
        return error(Code::E0608, "this definition uses itself");
    };
    let message = if uses.len() == 1 {
        format!("the {what} uses itself")
    } else {
        format!("the {what} uses itself through others")
    };
    let mut diagnostic = error(Code::E0608, message).at_with(*first, format!("uses the {what}"));
    for (span, what) in uses.iter().skip(1).take(8) {
        diagnostic = diagnostic.label(*span, format!("uses the {what}"));
    }
    diagnostic.help("there is no recursion in mcl; an inner name that hides an outer one cannot read it either")
}

impl Scoper<'_> {
    /// Reports a name that was not found, with what may have been meant.
    pub(super) fn report_unknown(&mut self, space: Space, parts: &[Symbol], scope: ScopeId, span: Span, call: bool) {
        let name = self.joined(parts);
        if space == Space::Variable && name.contains("__") {
            return; // No such variable can be used, whatever is defined (E0310).
        }
        if parts.len() > 1 && self.meant.contains(&parts[0]) {
            return; // It follows from the import (E0501).
        }
        let (code, what) = match (space, call) {
            (Space::Variable, false) => (Code::E0601, format!("variable `${name}`")),
            (Space::Variable, true) => (Code::E0603, format!("function value `${name}`")),
            (Space::Function, _) => (Code::E0602, format!("function `{name}`")),
            (Space::Class, _) => (Code::E0604, format!("class `{name}`")),
        };
        let mut diagnostic = error(code, format!("the {what} does not exist in this scope")).at(span);
        if self.suggestions < MAX_SUGGESTIONS {
            self.suggestions += 1;
            if let Some(help) = self.hint(space, parts, scope, call) {
                diagnostic = diagnostic.help(help);
            }
        }
        self.report(scope, diagnostic);
    }

    fn hint(&mut self, space: Space, parts: &[Symbol], scope: ScopeId, call: bool) -> Option<String> {
        let name = self.joined(parts);
        let exists = |scoper: &mut Scoper<'_>, space| scoper.lookup(Use { space, parts }, scope).is_some();
        match space {
            Space::Function if exists(self, Space::Variable) => {
                return Some(format!("`${name}` is a variable; call the function it holds with `${name}(…)`"));
            }
            Space::Variable if call && exists(self, Space::Function) => {
                return Some(format!("`{name}` is a function, not a variable; call it with `{name}(…)`"));
            }
            Space::Variable if exists(self, Space::Function) => {
                return Some(format!(
                    "`{name}` is a function; wrap it to use it as a value: `func($x) {{ {name}($x) }}`"
                ));
            }
            Space::Variable | Space::Function | Space::Class => {}
        }
        if space == Space::Class
            && let Some(help) = self.class_elsewhere(parts, scope)
        {
            return Some(help);
        }
        let sigil = if space == Space::Variable { "$" } else { "" };
        if let [prefix @ .., last] = parts {
            if let [alias] = prefix {
                return match self.alias_names(space, *alias, scope) {
                    Some(names) => {
                        let wrong = Arc::clone(self.symbols.text(*last));
                        let near = nearest(&wrong, names.iter().map(|name| &**name))?;
                        Some(format!("did you mean `{sigil}{}.{near}`?", self.symbols.text(*alias)))
                    }
                    None => self.dotted(*alias, *last, sigil, scope).or_else(|| self.missing_alias(*alias, scope)),
                };
            }
            if !prefix.is_empty() {
                return None;
            }
            if self.alias_names(space, *last, scope).is_some() {
                return Some(format!("`{name}` is an alias; name what is behind it: `{sigil}{name}.…`"));
            }
        }
        let names = self.visible_names(space, scope);
        if let Some(near) = nearest(&name, names.iter().map(|name| &**name)) {
            return Some(format!("did you mean `{sigil}{near}`?"));
        }
        if space == Space::Variable
            && let Some(help) = self.variable_elsewhere(&name)
        {
            return Some(help);
        }
        (space == Space::Variable && self.in_function(scope))
            .then(|| "a function sees its own parameters and the scope of its definition, not its callers'".to_owned())
    }

    /// Where a variable of that name is, if not where it is used.
    fn variable_elsewhere(&self, name: &str) -> Option<String> {
        let def = self.out.defs.iter().find(|def| matches!(def.kind, DefKind::Bind { .. }) && *def.name == *name)?;
        let place = match self.out.scope(def.scope).kind {
            ScopeKind::Loop => "a loop".to_owned(),
            ScopeKind::Block => "a branch of an `if`".to_owned(),
            ScopeKind::Class(class) => {
                let class = &self.out.def(class).name;
                return Some(format!(
                    "there is a `${name}` in the class `{class}`: `include {class} as x`, then `$x.{name}`"
                ));
            }
            ScopeKind::Module | ScopeKind::Function(_) => return None,
        };
        Some(format!("there is a `${name}` inside of {place}, which is not visible outside of it"))
    }

    /// How to include a class that is defined inside of another one.
    fn class_elsewhere(&mut self, parts: &[Symbol], scope: ScopeId) -> Option<String> {
        let last = Arc::clone(self.symbols.text(*parts.last()?));
        if let [first, _] = parts
            && self.lookup(Use { space: Space::Class, parts: &[*first] }, scope).is_some()
        {
            let first = self.symbols.text(*first);
            return Some(format!(
                "`{first}` is a class: include it with an alias, `include {first} as x`, then `include x.{last}`"
            ));
        }
        if parts.len() > 1 {
            return None;
        }
        self.out.defs.iter().find_map(|def| {
            if !matches!(def.kind, DefKind::Class { .. }) {
                return None;
            }
            if let Some((outer, inner)) = def.name.rsplit_once(':').filter(|(_, inner)| *inner == &*last) {
                return Some(format!(
                    "`class {outer}:{inner}` belongs into a class `{outer}`, which is not defined here"
                ));
            }
            let ScopeKind::Class(outer) = self.out.scope(def.scope).kind else { return None };
            let outer = &self.out.def(outer).name;
            (*def.name == *last).then(|| {
                format!("`{last}` is inside of the class `{outer}`: `include {outer} as x`, then `include x.{last}`")
            })
        })
    }

    /// `$config.port`, where `$config` is a struct, or `config` a class.
    fn dotted(&mut self, first: Symbol, last: Symbol, sigil: &str, scope: ScopeId) -> Option<String> {
        let parts = [first];
        let mut exists = |space| self.lookup(Use { space, parts: &parts }, scope).is_some();
        let (variable, class) = (sigil == "$" && exists(Space::Variable), exists(Space::Class));
        let (first, last) = (self.symbols.text(first), self.symbols.text(last));
        if variable {
            return Some(format!(
                "`${first}` is a variable: a field of a struct is `${first}->{last}`, a value in a map `${first}[\"{last}\"]`"
            ));
        }
        class.then(|| {
            format!("`{first}` is a class: give its include an alias, `include {first} as x`, then `{sigil}x.{last}`")
        })
    }

    fn missing_alias(&mut self, alias: Symbol, scope: ScopeId) -> Option<String> {
        let text = Arc::clone(self.symbols.text(alias));
        if mcl_functions::module_exists(&text) {
            return Some(format!("write `import \"{text}\"` to use it"));
        }
        let aliases = self.visible_aliases(scope);
        nearest(&text, aliases.iter().map(|name| &**name))
            .map(|near| format!("did you mean the alias `{near}`?"))
            .or_else(|| Some(format!("no import or include has the alias `{text}` here")))
    }

    fn visible_aliases(&self, scope: ScopeId) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        let mut current = Some(scope);
        while let Some(scope) = current {
            names.extend(self.table(scope).aliases.keys().map(|symbol| Arc::clone(self.symbols.text(*symbol))));
            current = self.out.scope(scope).parent;
        }
        names
    }
}
