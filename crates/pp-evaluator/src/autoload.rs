//! Finding definitions by name: a file of a module is loaded once one of the names is needed that belong into it
//! (spec 07 §5.14).
//!
//! For a class or define `a::b::c` the files of the module `a` are loaded in this order until it is found: `manifests/init.pp`,
//! `manifests/b/c.pp`, `manifests/b.pp`. For a function it is `functions/b/c.pp`, and for a type alias `types/b/c.pp`, or the set
//! of types in `types/init_typeset.pp`.
//! Everything in a loaded file is defined from then on, and a name that is already defined makes it an error.

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Severity, Span, nearest};
use pp_ast::{ClassDefinition, DefineDefinition, Definition, Expr, FunctionDefinition, Tree, TypeAlias};
use pp_types::{Error, ErrorKind};

use crate::compilation::place;
use crate::definitions::{Defined, FunctionRef, Redefinition, plain};
use crate::environment::Origin;
use crate::evaluator::Evaluator;
use crate::stop::{Eval, Fault, Stop, unlocated};
use crate::trees::Entry;

impl<'e> Evaluator<'e> {
    /// Returns the class with a name in lower case without leading colons.
    pub(crate) fn find_class(&mut self, name: &str) -> Eval<Option<Defined<'e, ClassDefinition>>> {
        if !self.definitions.classes.contains_key(name) {
            self.load_manifests(name, |this| this.definitions.classes.contains_key(name))?;
        }
        Ok(self.definitions.classes.get(name).copied())
    }

    /// Returns the define with a name in lower case without leading colons.
    pub(crate) fn find_define(&mut self, name: &str) -> Eval<Option<Defined<'e, DefineDefinition>>> {
        if !self.definitions.defines.contains_key(name) {
            self.load_manifests(name, |this| this.definitions.defines.contains_key(name))?;
        }
        Ok(self.definitions.defines.get(name).copied())
    }

    /// Returns the function of the language with a name without leading colons.
    pub(crate) fn find_defined_function(
        &mut self,
        name: &str,
    ) -> Eval<Option<(FunctionRef, Defined<'e, FunctionDefinition>)>> {
        if !self.definitions.functions.contains_key(name)
            && let Some((module, inside)) = split(name)
        {
            self.load(module, Folder::Functions, inside)?;
        }
        Ok(self.definitions.functions.get(name).copied())
    }

    /// Returns the alias with a name in lower case without leading colons.
    pub(crate) fn find_alias(&mut self, name: &str) -> Eval<Option<Defined<'e, TypeAlias>>> {
        if !self.definitions.aliases.contains_key(name) {
            let (module, inside) = split(name).unwrap_or((name, TYPE_SET_FILE));
            self.load(module, Folder::Types, inside)?;
        }
        Ok(self.definitions.aliases.get(name).copied())
    }

    /// Loads the class or define that a variable may be of: its other names are defined from then on.
    pub(crate) fn load_class_of_variable(&mut self, class: &str) -> Eval<()> {
        self.find_class(class).map(drop)
    }

    /// Loads the files for a class or define until it is found.
    fn load_manifests(&mut self, name: &str, is_found: impl Fn(&Self) -> bool) -> Eval<()> {
        let (module, inside) = split(name).unwrap_or((name, ""));
        if name.len() > MAX_NAME || !self.has_module(module) {
            return Ok(());
        }
        self.load(module, Folder::Manifests, "init")?;
        let mut inside = inside;
        while !inside.is_empty() {
            self.load(module, Folder::Manifests, inside)?;
            if is_found(self) {
                break;
            }
            inside = inside.rsplit_once("::").map_or("", |(outer, _)| outer);
        }
        Ok(())
    }

    fn has_module(&mut self, module: &str) -> bool {
        match self.modules.get(module) {
            Some(known) => *known,
            None => {
                let is_known = is_word(module) && self.services.has_module(module);
                self.modules.insert(module.to_owned(), is_known);
                is_known
            }
        }
    }

    /// Loads a file of a module, once.
    fn load(&mut self, module: &str, folder: Folder, inside: &str) -> Eval<()> {
        if !self.has_module(module) || !inside.split("::").all(is_word) {
            return Ok(());
        }
        let path = format!("{}/{}.pp", folder.name(), inside.replace("::", "/"));
        let key = format!("{module}/{path}");
        match self.asked.get(&key) {
            Some(false) => return Ok(()),
            Some(true) => {
                // Its errors were reported.
                let mut fault = Fault::new(Error::new(ErrorKind::Evaluation, format!("{key} has errors")), None);
                fault.is_consequence = true;
                return Err(Stop::Fault(Box::new(fault)));
            }
            None => {}
        }
        let result = self.load_file(module, folder, inside, &path);
        self.asked.insert(key, result.is_err());
        result
    }

    fn load_file(&mut self, module: &str, folder: Folder, inside: &str, path: &str) -> Eval<()> {
        if let Some((tree, module)) = self.parsed_manifest(module, path) {
            return self.define(tree, module, folder, inside);
        }
        let Some(manifest) = self.services.manifest(self.next_file(), module, path) else { return Ok(()) };
        self.spend(1, manifest.file.text.len() as u64).map_err(unlocated)?;
        self.loaded.push(manifest.file);
        let (errors, warnings): (Vec<_>, Vec<_>) =
            manifest.diagnostics.into_iter().partition(|diagnostic| diagnostic.severity == Severity::Error);
        self.diagnostics.extend(warnings);
        let Some(tree) = manifest.tree.filter(|_| errors.is_empty()) else {
            return Err(self.unloadable(errors));
        };
        let entry = self.trees.add(self.loaded.len() - 1, Entry { tree, module: Some(module.into()) });
        let (tree, module) = entry
            .and_then(|entry| Some((&entry.tree, entry.module.as_ref()?)))
            .ok_or_else(|| unlocated(Error::new(ErrorKind::Limit, "too many different files")))?;
        self.define(tree, module, folder, inside)
    }

    /// Adds the definitions of a file that was loaded.
    fn define(&mut self, tree: &'e Tree, module: &'e Arc<str>, folder: Folder, inside: &str) -> Eval<()> {
        match folder {
            Folder::Manifests => {}
            Folder::Functions => {
                self.check_single(tree, SingleDefinition::Function, &format!("{module}::{inside}"))?;
            }
            Folder::Types if inside == TYPE_SET_FILE => {
                self.check_single(tree, SingleDefinition::TypeAlias, module)?;
                self.check_type_set_file(tree)?;
            }
            Folder::Types => self.check_single(tree, SingleDefinition::TypeAlias, &format!("{module}::{inside}"))?,
        }
        self.definitions.add(tree, Some(module));
        self.check_redefined()?;
        self.check_definitions(tree).map_err(|stop| stop.trace(self.call_span, "needed here"))
    }

    /// Checks that the file of a function or type alias holds it and nothing else.
    fn check_single(&self, tree: &Tree, wanted: SingleDefinition, name: &str) -> Eval<()> {
        let statements = match tree.root.map(|root| &tree.exprs[root]) {
            Some(Expr::Block(list)) => tree.list(*list),
            Some(_) | None => &[],
        };
        let defined = statements.first().and_then(|first| match &tree.exprs[*first] {
            Expr::Definition(definition) => match (wanted, &tree.definitions[*definition]) {
                (SingleDefinition::Function, Definition::Function(function)) => Some(tree.str(function.name)),
                (SingleDefinition::TypeAlias, Definition::TypeAlias(alias)) => Some(tree.str(alias.name)),
                _ => None,
            },
            _ => None,
        });
        let what = wanted.keyword();
        let problem = match (statements, defined) {
            ([], _) => format!("does not define the {what} '{name}' - it is empty."),
            (_, None) => format!("does not define the {what} '{name}' - no {what} found."),
            ([_, _, ..], _) => format!("must contain only the {what} '{name}' - it has additional definitions."),
            (_, Some(actual)) if plain(actual).to_lowercase() != name => {
                format!("produced {what} with the wrong name, expected '{name}', actual '{}'", plain(actual))
            }
            _ => return Ok(()),
        };
        let file = self.source(Span::new(tree.file, 0, 0)).map_or("", |file| &file.name);
        let error = Error::new(ErrorKind::Evaluation, format!("The code loaded from {file} {problem}"));
        Err(unlocated(error.help(format!("the file holds one definition, `{what} {}`", wanted.written(name)))))
    }

    /// Returns a manifest of a module that was parsed before the compilation, and the name of the module.
    fn parsed_manifest(&self, module: &str, path: &str) -> Option<(&'e Tree, &'e Arc<str>)> {
        let index = *self.parsed.get(&(module, path))?;
        let source = self.environment.sources.get(index)?;
        match &source.origin {
            Origin::Module { name, .. } => Some((&source.tree, name)),
            Origin::Main => None,
        }
    }

    /// Reports what the file that was loaded last defines again.
    fn check_redefined(&mut self) -> Eval<()> {
        if self.definitions.errors.is_empty() {
            return Ok(());
        }
        let redefined = std::mem::take(&mut self.definitions.errors);
        let diagnostic = |error: &Redefinition| error.diagnostic(&place(self.source(error.first), error.first));
        let errors = redefined.iter().map(diagnostic).collect();
        Err(self.unloadable(errors))
    }

    /// Keeps the errors of a file, and returns the first of them as what ends the statement that needs the file.
    fn unloadable(&mut self, errors: Vec<Diagnostic>) -> Stop {
        let (message, span, code) = match errors.first() {
            Some(first) => (first.message.clone(), first.span, first.code),
            None => ("a file of a module has errors".to_owned(), None, Code::P0501),
        };
        self.broken.push(errors);
        let fault = Fault::new(Error::new(ErrorKind::Evaluation, message), span);
        Stop::Fault(Box::new(fault)).code(code).trace(self.call_span, "needed here")
    }

    /// Returns what helps with the unknown name of a class, or of another definition in a file of a module: that its file does not
    /// define it or has the wrong name, a similar definition that is known or has a file, that there is no such module, or which
    /// file it belongs into.
    pub(crate) fn similar_in_module(
        &self,
        name: &str,
        what: &str,
        known: impl Iterator<Item = &'e str>,
    ) -> Option<String> {
        let module = name.split("::").next().unwrap_or(name);
        let files = self.files_of(module);
        let own = file_of(name);
        if files.contains(&own) {
            return Some(format!("`{own}` of the module `{module}` does not define it"));
        }
        if let Some(other) = files.iter().filter(|path| path.eq_ignore_ascii_case(&own)).min() {
            return Some(format!("rename `{other}` of the module `{module}` to `{own}`"));
        }
        let in_module = files.iter().filter_map(|path| name_of_manifest(module, path));
        let in_module: Vec<String> = in_module.filter(|name| *name == name.to_lowercase()).collect();
        let mut names: Vec<&str> = known.map(|name| name as &str).collect();
        names.extend(in_module.iter().map(String::as_str));
        // Of two equally similar names, the choice must not depend on the order in a table.
        names.sort_unstable();
        if let Some(similar) = nearest(name, names) {
            return Some(format!("did you mean the {what} `{similar}`?"));
        }
        if !is_word(module) {
            return None;
        }
        if !self.services.has_module(module) {
            return Some(self.absent_module(module));
        }
        Some(format!("the module `{module}` has no `{own}`, which is the file for it"))
    }

    /// Returns the paths of the manifests of a module in it, those of functions and types included.
    fn files_of(&self, module: &str) -> Vec<String> {
        let mut files = self.services.manifests_of(module);
        let parsed = self.parsed.keys().filter(|(of, _)| *of == module);
        files.extend(parsed.map(|(_, path)| (*path).to_owned()));
        files
    }

    /// Returns the names of the type aliases that a module has files for, sorted.
    pub(crate) fn aliases_of(&self, module: &str) -> Vec<String> {
        let files = self.files_of(module);
        let inside = files.iter().filter_map(|path| path.strip_prefix("types/")?.strip_suffix(".pp"));
        let inside = inside.filter(|inside| *inside != TYPE_SET_FILE);
        let name =
            |inside: &str| SingleDefinition::TypeAlias.written(&format!("{module}::{}", inside.replace('/', "::")));
        let mut names: Vec<String> = inside.map(name).collect();
        names.sort_unstable();
        names
    }

    /// Returns what helps with a module that is not on the module path.
    pub(crate) fn absent_module(&self, module: &str) -> String {
        self.services.absent_module(module).unwrap_or_else(|| {
            format!("there is no module `{module}` on the module path: `--puppet-module-path` names its directories")
        })
    }

    /// Returns the error of a template that does not exist, with where it was looked for.
    pub(crate) fn template_not_found(&self, name: &str) -> Stop {
        let help = match name.split_once('/') {
            Some(("", _)) => "there is no file with this path".to_owned(),
            Some((module, _)) if !self.services.has_module(module) => self.absent_module(module),
            Some((module, path)) => format!("the module `{module}` has no file `templates/{path}`"),
            None => "a template of a module is named `MODULE/PATH`, its path below `templates`".to_owned(),
        };
        let message = format!("Could not find template '{name}'");
        unlocated(Error::new(ErrorKind::Evaluation, message).help(help))
    }

    /// Returns that the module of the running code depends on modules that are not on the module path: one of them may have
    /// what is unknown.
    pub(crate) fn absent_dependencies(&self) -> Option<String> {
        let module = &*self.scopes[self.frame.scope].module;
        let absent = self.services.absent_dependencies(module);
        let list = absent.join(", ");
        (!absent.is_empty())
            .then(|| format!("the module `{module}` depends on {list}, which the module path does not have"))
    }
}

/// The file in `types` of a module that holds the set of its types.
const TYPE_SET_FILE: &str = "init_typeset";

/// Why something of a module is unknown, as a relative clause.
pub(crate) const NOT_ON_MODULE_PATH: &str =
    "which is not on the module path: `--puppet-module-path` names its directory";

/// Returns the name of the class or define that a file of a module is for: `a::b` for `manifests/b.pp` of `a`. `None` for a file
/// that is not in `manifests`.
#[must_use]
pub fn name_of_manifest(module: &str, path: &str) -> Option<String> {
    let inside = path.strip_prefix("manifests/")?.strip_suffix(".pp")?;
    Some(match inside {
        "init" => module.to_owned(),
        _ => format!("{module}::{}", inside.replace('/', "::")),
    })
}

/// Returns the path of the file that a class or define of a module belongs into, in its module: the reverse of
/// [`name_of_manifest`].
fn file_of(name: &str) -> String {
    let inside = name.split_once("::").map_or("init", |(_, inside)| inside);
    format!("manifests/{}.pp", inside.replace("::", "/"))
}

/// A folder of a module with files that are found by name.
#[derive(Clone, Copy)]
enum Folder {
    /// Of classes and defines.
    Manifests,
    Functions,
    /// Of type aliases, and of the set of types.
    Types,
}

impl Folder {
    fn name(self) -> &'static str {
        match self {
            Folder::Manifests => "manifests",
            Folder::Functions => "functions",
            Folder::Types => "types",
        }
    }
}

/// The only definition in a file outside of `manifests`.
#[derive(Clone, Copy)]
enum SingleDefinition {
    Function,
    TypeAlias,
}

impl SingleDefinition {
    fn keyword(self) -> &'static str {
        match self {
            SingleDefinition::Function => "function",
            SingleDefinition::TypeAlias => "type",
        }
    }

    /// Returns a name in lower case as a definition has it.
    fn written(self, name: &str) -> String {
        match self {
            SingleDefinition::Function => name.to_owned(),
            SingleDefinition::TypeAlias => pp_catalog::capitalize(name).to_string(),
        }
    }
}

/// A longer name is not looked for in files.
const MAX_NAME: usize = 1000;

/// Splits the name of a definition into that of its module and the rest; `None` if it is not in a module.
fn split(name: &str) -> Option<(&str, &str)> {
    name.split_once("::").filter(|_| name.len() <= MAX_NAME)
}

/// Whether a part of a name can be one of a path.
fn is_word(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
