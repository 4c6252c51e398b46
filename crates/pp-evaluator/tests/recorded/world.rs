//! One manifest as an environment, and the node of the recordings.

use std::path::PathBuf;
use std::sync::Arc;

use mcl_diagnostics::{Diagnostic, FileId, Files, Severity};
use pp_ast::Tree;
use pp_evaluator::{Compilation, Environment, LogEntry, Options, Origin, Services, Source, compile};
use pp_functions::{FileKind, LogLevel, Strict};
use pp_syntax::{Mode, Parsed, ValidationOptions, parse, validate};
use pp_types::{Error, ErrorKind, Hash, Value};

/// Files with absolute paths, and templates.
pub struct World;

impl Services for World {
    fn parse_epp(&self, file: FileId, text: &str) -> Result<Tree, Vec<Diagnostic>> {
        let (tree, errors) = parse_valid(file, text, Mode::Template, Some(Severity::Warning));
        if errors.is_empty() { Ok(tree) } else { Err(errors) }
    }

    fn find_file(&self, _: FileKind, module: Option<&str>, path: &str) -> Option<Arc<str>> {
        (module.is_none() && std::path::Path::new(path).exists()).then(|| path.into())
    }

    fn read_file(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        std::fs::read(path).map(Into::into).map_err(|e| Error::new(ErrorKind::Evaluation, e.to_string()))
    }

    fn module_directory(&self, _: &str) -> Option<Arc<str>> {
        None
    }
}

/// A program after the attempt to compile it.
pub struct Compiled {
    pub files: Files,
    /// Errors of the parser, or of the compilation.
    pub errors: Vec<Diagnostic>,
    /// The parser has rejected it.
    pub is_rejected_early: bool,
    pub compilation: Compilation,
}

pub fn recordings() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet")
}

pub fn options(strict: bool) -> Options {
    let text = std::fs::read_to_string(recordings().join("facts.yaml")).expect("facts.yaml");
    let text = text.split_once('\n').map_or("", |(_, rest)| rest);
    let facts: serde_json::Value = serde_norway::from_str(text).expect("facts");
    let mut options = Options::new("agent.example.com");
    options.facts = hash(&facts["values"]);
    options.trusted = hash(&serde_json::json!({
        "authenticated": "local", "certname": "agent.example.com", "domain": "example.com", "extensions": {},
        "external": {}, "hostname": "agent",
    }));
    options.server_facts = hash(&serde_json::json!({
        "serverversion": "7.23.0", "servername": "puppet.example.com", "serverip": "192.0.2.1",
        "environment": "production",
    }));
    options.settings = hash(&serde_json::json!({"environment": "production"}));
    options.settings.insert("strict".into(), if strict { "error" } else { "warning" }.into());
    if strict {
        options.strict = Strict::Error;
        options.strict_variables = true;
    }
    options
}

fn hash(json: &serde_json::Value) -> Hash {
    match convert(json) {
        Value::Hash(hash) => hash.0.clone(),
        other => panic!("not a hash: {other:?}"),
    }
}

/// Parses and validates a manifest. Returns the errors.
pub fn parse_manifest(file: FileId, code: &str, options: &Options) -> (Tree, Vec<Diagnostic>) {
    let duplicate_keys = match options.strict {
        Strict::Off => None,
        Strict::Warning => Some(Severity::Warning),
        Strict::Error => Some(Severity::Error),
    };
    parse_valid(file, code, Mode::Manifest, duplicate_keys)
}

fn parse_valid(file: FileId, code: &str, mode: Mode, duplicate_keys: Option<Severity>) -> (Tree, Vec<Diagnostic>) {
    let Parsed { tree, diagnostics, .. } = parse(file, code, mode);
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    let mut errors: Vec<Diagnostic> = diagnostics.into_iter().filter(is_error).collect();
    if errors.is_empty() {
        let found = validate(&tree, code, ValidationOptions { duplicate_keys });
        errors.extend(found.into_iter().filter(is_error));
    }
    (tree, errors)
}

/// Parses and compiles a manifest.
pub fn compile_program(code: &str, options: &Options) -> Compiled {
    let mut files = Files::default();
    let file = files.add("", code);
    let (tree, errors) = parse_manifest(file, code, options);
    if !errors.is_empty() {
        return Compiled { files, errors, is_rejected_early: true, compilation: Compilation::default() };
    }
    let sources = vec![Source { origin: Origin::Main, tree }];
    let environment = Environment { files: files.clone(), sources };
    let compilation = compile(&environment, options, &World);
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    let errors = compilation.diagnostics.iter().filter(is_error).cloned().collect();
    files.files.extend(compilation.loaded.iter().cloned());
    Compiled { files, errors, is_rejected_early: false, compilation }
}

impl Compiled {
    /// The line and column of the first error.
    pub fn place(&self) -> Option<(u32, u32)> {
        let span = self.errors.first()?.span?;
        let place = self.files.line_col(span.file, span.start);
        Some((place.line, place.col))
    }

    pub fn message(&self) -> &str {
        self.errors.first().map_or("", |error| &error.message)
    }

    /// The messages of the program in the form of the recordings; debug is not recorded.
    pub fn logs(&self) -> Vec<String> {
        let logs = self.compilation.log.iter().filter(|entry| entry.level != LogLevel::Debug);
        logs.map(|entry| self.log_line(entry)).collect()
    }

    fn log_line(&self, entry: &LogEntry) -> String {
        let level = match entry.level {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Notice => "notice",
            LogLevel::Warning => "warning",
            LogLevel::Err => "err",
            LogLevel::Alert => "alert",
            LogLevel::Emerg => "emerg",
            LogLevel::Crit => "crit",
        };
        let scope = match entry.scope.as_deref() {
            None | Some("Class[main]") => String::new(),
            Some(scope) => format!("Scope({scope}): "),
        };
        let place = match (&entry.scope, entry.span) {
            (None, Some(span)) => {
                let place = self.files.line_col(span.file, span.start);
                format!(" (line: {}, column: {})", place.line, place.col)
            }
            _ => String::new(),
        };
        format!("{level}: {scope}{}{place}", entry.message)
    }
}

fn convert(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Undef,
        serde_json::Value::Bool(b) => Value::Boolean(*b),
        serde_json::Value::Number(n) => {
            n.as_i64().map_or_else(|| Value::from(n.as_f64().unwrap_or(0.0)), Value::Integer)
        }
        serde_json::Value::String(s) => Value::from(&**s),
        serde_json::Value::Array(a) => Value::array(a.iter().map(convert).collect()),
        serde_json::Value::Object(o) => Value::hash(o.iter().map(|(k, v)| (Value::from(&**k), convert(v))).collect()),
    }
}
