//! The errors of the scope stage as data, and their wording.

use std::fmt;
use std::sync::Arc;

use mcl_diagnostics::{Change, Code, Diagnostic, Fix, Span, Stage, nearest};
use mcl_modules::ImportFailure;

use crate::scope::names::{Namespace, UseForm};

/// A longer chain of names is shown by its beginning and its end.
const MAX_CHAIN_NAMES: usize = 12;

/// Returns names with arrows between them.
fn chain(names: &[Arc<str>]) -> String {
    let quoted = |names: &[Arc<str>]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" → ");
    if names.len() <= MAX_CHAIN_NAMES {
        return quoted(names);
    }
    let shown = MAX_CHAIN_NAMES / 2;
    let (start, end) = (&names[..shown], &names[names.len() - shown..]);
    format!("{} → … ({} more files) → {}", quoted(start), names.len() - MAX_CHAIN_NAMES, quoted(end))
}

/// Uses shown in the report of one cycle.
pub(crate) const MAX_CYCLE_LABELS: usize = 9;

/// Uses of an unknown name shown after the first one.
const MAX_USE_LABELS: usize = 4;

/// An error of the scope stage. The spans named `stmt` are those of whole statements.
pub(crate) enum ScopeError {
    DuplicateDefinition {
        entity: Entity,
        stmt: Span,
        name: Span,
        first: Span,
    },
    DuplicateParameter {
        name: Arc<str>,
        second: Span,
        first: Span,
    },
    DuplicateAlias {
        alias: Arc<str>,
        span: Span,
        first: Span,
    },
    DuplicateImport {
        module: Arc<str>,
        span: Span,
        stmt: Span,
    },
    DuplicateImportAlias {
        alias: Arc<str>,
        span: Span,
        first: Span,
    },
    /// The loader could not find or read the imported file.
    ImportFailed {
        failure: ImportFailure,
        module_span: Span,
    },
    UnknownModule {
        module: Arc<str>,
        module_span: Span,
    },
    ImportCycle {
        stmt: Span,
        /// The other imports of the cycle, in order.
        others: Vec<Span>,
        /// The names of the files, the first one also last; empty for a file that imports itself.
        files: Vec<Arc<str>>,
    },
    /// `stmt`, at the top level of an imported file, is not a definition.
    NotImportable {
        construct: &'static str,
        stmt: Span,
        import: Span,
    },
    /// An import with the alias `module` and an earlier `import … as *` both provide `name`.
    StarCollision {
        module: Arc<str>,
        name: Arc<str>,
        stmt: Span,
    },
    /// The uses that close the cycle, sorted, with the definition that each of them refers to.
    CyclicDefinition {
        uses: Vec<(Span, Entity)>,
    },
    ArgumentCount {
        class: Arc<str>,
        class_span: Span,
        params: Vec<Arc<str>>,
        found: usize,
        span: Span,
    },
    UnknownName {
        namespace: Namespace,
        name: String,
        form: UseForm,
        span: Span,
        /// Whether it is written with spaces, line breaks or comments between its parts.
        is_spaced: bool,
        /// Its other uses in the file.
        others: Vec<Span>,
        hint: Option<Hint>,
    },
}

/// A definition, as messages name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Entity {
    Variable(Arc<str>),
    Function(Arc<str>),
    Class(Arc<str>),
    Include(Arc<str>),
    Import(Arc<str>),
    Unknown,
}

/// What the author of an unknown name may have meant.
pub(crate) enum Hint {
    /// A built-in variable is called.
    ReadVariable {
        name: String,
    },
    /// The name is a variable that holds a function, but it is called like a function.
    CallVariable {
        name: String,
    },
    /// The name is a function, but it is called like a variable.
    CallFunction {
        name: String,
    },
    /// The name is a function, but it is used as a value.
    WrapFunction {
        name: String,
    },
    /// The name is an alias, not one of the names it gives access to.
    IsAlias {
        name: String,
    },
    Similar {
        name: String,
    },
    SimilarAlias {
        alias: Arc<str>,
    },
    UnknownAlias {
        alias: Arc<str>,
    },
    NotImported {
        module: Arc<str>,
    },
    /// A module that is imported under another name: how the member is written.
    OtherAlias {
        module: Arc<str>,
        name: String,
    },
    /// A function of another language: how mcl writes the call.
    ForeignFunction {
        call: String,
    },
    /// `$config.port` where `$config` is a struct or map.
    FieldOfVariable {
        variable: Arc<str>,
        field: Arc<str>,
    },
    /// `sigil` is `$` for a variable.
    MemberOfClass {
        class: Arc<str>,
        member: Arc<str>,
        sigil: &'static str,
    },
    ClassOfClass {
        outer: Arc<str>,
        inner: Arc<str>,
    },
    /// `outer.inner` where `outer` is a class.
    NestedClass {
        outer: Arc<str>,
        inner: Arc<str>,
    },
    /// `class outer:inner` without a class `outer`.
    Orphan {
        outer: String,
        inner: String,
    },
    VariableOfClass {
        name: String,
        class: Arc<str>,
    },
    VariableOfBlock {
        name: String,
        block: &'static str,
    },
    FunctionScope,
    /// The name exists under an alias, or in a module that is imported: how it is written.
    Elsewhere {
        names: Vec<String>,
    },
    /// A function of that name exists in modules that are not imported.
    OtherModules {
        names: Vec<String>,
    },
    /// The predefined constants that start alike.
    Constants {
        names: Vec<String>,
    },
    /// A method of another language.
    Method {
        call: String,
    },
    /// `$facts`, `var.name` and the like.
    Foreign {
        help: &'static str,
    },
    /// `class.name` where an include of the class has an alias.
    AliasOfInclude {
        class: Arc<str>,
        alias: Arc<str>,
        name: String,
    },
}

impl Entity {
    pub(crate) fn new(namespace: Namespace, name: Arc<str>) -> Entity {
        match namespace {
            Namespace::Variable => Entity::Variable(name),
            Namespace::Function => Entity::Function(name),
            Namespace::Class => Entity::Class(name),
        }
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entity::Variable(name) => write!(f, "variable `${name}`"),
            Entity::Function(name) => write!(f, "function `{name}`"),
            Entity::Class(name) => write!(f, "class `{name}`"),
            Entity::Include(alias) => write!(f, "include `{alias}`"),
            Entity::Import(module) => write!(f, "import `{module}`"),
            Entity::Unknown => f.write_str("definition"),
        }
    }
}

impl Entity {
    /// Returns the quoted name; without the kind for a variable, which the `$` identifies.
    fn quoted(&self) -> String {
        match self {
            Entity::Variable(name) => format!("`${name}`"),
            _ => self.to_string(),
        }
    }
}

/// Returns the name of the system module with the most similar name.
pub(crate) fn similar_module(module: &str) -> Option<&'static str> {
    nearest(module, mcl_functions::module_names())
}

fn error(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Scope, message)
}

fn import_error(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Import, message)
}

impl From<ScopeError> for Diagnostic {
    fn from(scope_error: ScopeError) -> Diagnostic {
        match scope_error {
            ScopeError::DuplicateDefinition { entity, stmt, name, first } => {
                error(Code::E0606, format!("duplicate {entity}"))
                    .at_with(Span { end: name.end.max(stmt.start), ..stmt }, "redefined here")
                    .label(first, "first defined here")
                    .help(match entity {
                        Entity::Variable(_) => "rename one of them: a variable cannot be reassigned in its scope",
                        _ => "rename one of them",
                    })
            }
            ScopeError::DuplicateParameter { name, second, first } => {
                error(Code::E0609, format!("duplicate parameter `${name}`"))
                    .at_with(second, "redefined here")
                    .label(first, "first defined here")
                    .help("rename one of them")
            }
            ScopeError::DuplicateAlias { alias, span, first } => {
                error(Code::E0607, format!("duplicate alias `{alias}`"))
                    .at_with(span, "used again here")
                    .label(first, "first used here")
                    .help("choose another alias with `as`")
            }
            ScopeError::DuplicateImport { module, span, stmt } => {
                import_error(Code::E0508, format!("duplicate import of `{module}`"))
                    .at_with(span, "imported again here")
                    .help("remove this import")
                    .fix(Fix::safe("remove the import", Change::Remove(stmt)))
            }
            ScopeError::DuplicateImportAlias { alias, span, first } => {
                import_error(Code::E0509, format!("duplicate import alias `{alias}`"))
                    .at_with(span, "used again here")
                    .label(first, "first used here")
                    .help(format!("give one of the imports another alias: `as other_{alias}`"))
            }
            ScopeError::ImportFailed { failure, module_span } => failure.to_diagnostic(module_span),
            ScopeError::UnknownModule { module, module_span } => {
                let error = import_error(Code::E0501, format!("unknown system module `{module}`")).at(module_span);
                match similar_module(&module) {
                    Some(near) => error
                        .help(format!("did you mean `{near}`?"))
                        .fix(Fix::replace_with(module_span, format!("\"{near}\""))),
                    None => error.help(format!(
                        "a file is imported as `import \"{module}.mcl\"`, a directory as `import \"{module}/\"`"
                    )),
                }
            }
            ScopeError::ImportCycle { stmt, others, files } => import_cycle(stmt, &others, &files),
            ScopeError::NotImportable { construct, stmt, import } => {
                import_error(Code::E0511, format!("{construct} is not allowed at the top level of an imported file"))
                    .at_with(stmt, "not a definition")
                    .label(import, "imported here")
                    .help("move it into a class, and include that class")
            }
            ScopeError::StarCollision { module, name, stmt } => {
                import_error(Code::E0512, format!("conflicting imports of the module `{module}`"))
                    .at_with(stmt, format!("imports `{module}.{name}` again"))
                    .help(format!(
                        "an earlier `import … as *` already provides `{module}`; give one of the imports its own alias"
                    ))
            }
            ScopeError::CyclicDefinition { uses } => cyclic_definition(&uses),
            ScopeError::ArgumentCount { class, class_span, params, found, span } => {
                let expected = match params.len() {
                    0 => "no arguments".to_owned(),
                    1 => "1 argument".to_owned(),
                    n => format!("{n} arguments"),
                };
                let list = params.iter().map(|name| format!("${name}")).collect::<Vec<_>>().join(", ");
                error(Code::E0605, format!("expected {expected} for class `{class}`, found {found}")).at(span).label(
                    class_span,
                    if list.is_empty() { "no parameters".to_owned() } else { format!("parameters: ({list})") },
                )
            }
            ScopeError::UnknownName { namespace, name, form, span, is_spaced, others, hint } => {
                let diagnostic = unknown_name(namespace, &name, form).at(span);
                let diagnostic = with_other_uses(diagnostic, &others);
                match hint {
                    Some(hint) => {
                        let uses: Vec<Span> = std::iter::once(span).chain(others).collect();
                        // A fix replaces names that are written in one piece.
                        let fixes = if is_spaced { Vec::new() } else { hint.fixes(&name, &uses) };
                        diagnostic.fixes(fixes).help(hint.to_string())
                    }
                    None => diagnostic,
                }
            }
        }
    }
}

fn import_cycle(stmt: Span, others: &[Span], files: &[Arc<str>]) -> Diagnostic {
    let message = match files {
        [] => "import cycle: the file imports itself".to_owned(),
        files => format!("import cycle: {}", chain(files)),
    };
    let mut diagnostic = import_error(Code::E0510, message).at_with(stmt, "leads back to its own file");
    for other in others {
        diagnostic = diagnostic.label(*other, "imports the next file");
    }
    diagnostic.help("move the definitions that both files need into a third one")
}

fn unknown_name(namespace: Namespace, name: &str, form: UseForm) -> Diagnostic {
    let (code, entity) = match (namespace, form) {
        (Namespace::Variable, UseForm::Value) => (Code::E0601, format!("variable `${name}`")),
        (Namespace::Variable, UseForm::Call) => (Code::E0603, format!("variable `${name}`")),
        (Namespace::Function, _) => (Code::E0602, format!("function `{name}`")),
        (Namespace::Class, _) => (Code::E0604, format!("class `{name}`")),
    };
    error(code, format!("no {entity} in this scope"))
}

/// Labels the other uses of an unknown name.
fn with_other_uses(mut diagnostic: Diagnostic, others: &[Span]) -> Diagnostic {
    for (shown, other) in others.iter().take(MAX_USE_LABELS).enumerate() {
        let rest = others.len() - shown - 1;
        let label = match rest {
            1.. if shown + 1 == MAX_USE_LABELS => format!("used here, and {rest} more times"),
            _ => "also used here".to_owned(),
        };
        diagnostic = diagnostic.label(*other, label);
    }
    diagnostic
}

/// The first use in the source is blamed.
fn cyclic_definition(uses: &[(Span, Entity)]) -> Diagnostic {
    let Some(((first, entity), rest)) = uses.split_first() else {
        return error(Code::E0608, "cyclic definition");
    };
    let name = entity.quoted();
    let mut diagnostic =
        error(Code::E0608, format!("cyclic definition of {name}")).at_with(*first, format!("uses {name}"));
    for (span, entity) in rest.iter().take(MAX_CYCLE_LABELS - 1) {
        diagnostic = diagnostic.label(*span, format!("uses {}", entity.quoted()));
    }
    diagnostic.help("definitions cannot be recursive, and an inner name cannot read the outer name that it shadows")
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hint::CallVariable { name } => {
                write!(f, "`${name}` is a variable; call the function it holds with `${name}(…)`")
            }
            Hint::ReadVariable { name } => write!(f, "`${name}` is a variable; write it without parentheses"),
            Hint::CallFunction { name } => {
                write!(f, "`{name}` is a function, not a variable; call it with `{name}(…)`")
            }
            Hint::WrapFunction { name } => {
                write!(f, "`{name}` is a function; wrap it to use it as a value: `func($x) {{ {name}($x) }}`")
            }
            Hint::IsAlias { name } => write!(f, "`{name}` is an alias; add the name to use from it: `{name}.…`"),
            Hint::Similar { name } => write!(f, "did you mean `{name}`?"),
            Hint::SimilarAlias { alias } => write!(f, "did you mean the alias `{alias}`?"),
            Hint::UnknownAlias { alias } => write!(f, "no import or include in this scope has the alias `{alias}`"),
            Hint::NotImported { module } => write!(f, "import the module first: `import \"{module}\"`"),
            Hint::OtherAlias { module, name } => {
                write!(f, "the module \"{module}\" is imported under another name: `{name}`")
            }
            Hint::ForeignFunction { call } => write!(f, "write {call}"),
            Hint::FieldOfVariable { variable, field } => write!(
                f,
                "`${variable}` is a variable: a field of a struct is `${variable}->{field}`, a value in a map \
                 `${variable}[\"{field}\"]`"
            ),
            Hint::MemberOfClass { class, member, sigil } => write!(
                f,
                "`{class}` is a class: give its include an alias, `include {class} as x`, then use `{sigil}x.{member}`"
            ),
            Hint::ClassOfClass { outer, inner } => write!(
                f,
                "`{outer}` is a class: include it with an alias, `include {outer} as x`, then `include x.{inner}`"
            ),
            Hint::NestedClass { outer, inner } => write!(
                f,
                "`{inner}` is defined inside the class `{outer}`: `include {outer} as x`, then `include x.{inner}`"
            ),
            Hint::Orphan { outer, inner } => {
                write!(f, "`class {outer}:{inner}` belongs to a class `{outer}`, which is not defined in that scope")
            }
            Hint::VariableOfClass { name, class } => {
                write!(f, "the class `{class}` defines a `${name}`: `include {class} as x`, then use `$x.{name}`")
            }
            Hint::VariableOfBlock { name, block } => {
                write!(f, "a `${name}` is defined inside {block}, and is not visible outside of it")
            }
            Hint::Elsewhere { names } => write!(f, "did you mean {}?", quoted_list(names)),
            Hint::OtherModules { names } => {
                let module = names.first().and_then(|name| name.rsplit_once('.')).map_or("", |(module, _)| module);
                write!(f, "did you mean {}? Import its module: `import \"{module}\"`", quoted_list(names))
            }
            Hint::Constants { names } => write!(f, "the constants are {}", quoted_list(names)),
            Hint::Method { call } => write!(f, "there are no methods; write {call}"),
            Hint::Foreign { help } => f.write_str(help),
            Hint::AliasOfInclude { class, alias, name } => {
                write!(f, "the include of the class `{class}` has the alias `{alias}`: `{name}`")
            }
            Hint::FunctionScope => {
                f.write_str("a function sees its own parameters and the scope of its definition, not its callers'")
            }
        }
    }
}

/// Lists names: `` `a`, `b` or `c` ``.
fn quoted_list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}
