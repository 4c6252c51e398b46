//! What a function is.

use std::path::Path;
use std::time::Duration;

use mcl_value::{FuncType, Value};

/// A built-in function.
pub struct Function {
    /// Registered name with its module: `strings.to_upper`, `golang/math.abs`, `len`.
    pub name: &'static str,
    /// One paragraph for `mclc doc`.
    pub doc: &'static str,
    /// How its type is found.
    pub signature: Signature,
    /// If not empty: after solving, the type must be one of these (`len`, `math.mod`, `panic`; spec 03 §6). They may have
    /// unknowns of their own.
    pub choices: &'static [&'static str],
    /// Whether mgmt 1.1 registers it as a simple function: it prints its full name as a vertex, and templates may call it
    /// if its signature has no unknowns (spec 03 §1.3, §9.6).
    pub simple: bool,
    /// Whether a call may be computed at compile time.
    pub purity: Purity,
    /// The "spec" flag of spec 04 §1.8: whether mgmt 1.1 inlines calls of it.
    pub inlinable: bool,
    /// How it is computed.
    pub implementation: Implementation,
}

impl Function {
    /// Its name without the module.
    #[must_use]
    pub fn short_name(&self) -> &'static str {
        self.name.rsplit_once('.').map_or(self.name, |(_, name)| name)
    }

    /// The name that a vertex of the function graph shows (spec 03 §1.3).
    #[must_use]
    pub fn display_name(&self) -> &'static str {
        match self.name {
            "datetime.str_now" => "now",
            "encoding.decode_json_flexible" => "decode_json",
            name if self.simple => name,
            name if name.starts_with("value.get_") => "get",
            _ => self.short_name(),
        }
    }

    /// The declared type: `None` for those made at the call site.
    #[must_use]
    pub fn declared_type(&self) -> Option<FuncType> {
        match self.signature {
            Signature::Fixed(text) => FuncType::parse(text),
            Signature::CallSite(_) => None,
        }
    }
}

/// How the type of a call is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// Type text, possibly generic: `func(value ?1, index int) ?1`.
    Fixed(&'static str),
    /// Made at the call site by the type checker (spec 02 §5.5-5.7).
    CallSite(CallSite),
}

/// The functions whose signature depends on the call (spec 02 §5.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CallSite {
    Operator,
    Lookup,
    StructLookup,
    StructLookupOptional,
    Collect,
    Printf,
    Template,
    DecodeJson,
    IterRange,
    IterReduce,
    ListConcat,
}

impl CallSite {
    /// The forms in which it can be called, for people: `…` stands for more of the same. Empty for what has no name in the
    /// language.
    #[must_use]
    pub fn forms(self) -> &'static [&'static str] {
        match self {
            CallSite::Operator
            | CallSite::Lookup
            | CallSite::StructLookup
            | CallSite::StructLookupOptional
            | CallSite::Collect => &[],
            CallSite::Printf => &["func(format str, a ?1, b ?2 …) str"],
            CallSite::Template => &["func(template str) str", "func(template str, vars ?1) str"],
            CallSite::DecodeJson => &["func(json str) ?1", "func(json str, type str) ?1"],
            CallSite::IterRange => &[
                "func(stop int) []int",
                "func(start int, stop int) []int",
                "func(start int, stop int, step int) []int",
            ],
            CallSite::IterReduce => &[
                "func(inputs []?1, function func(x ?1, y ?1) ?1) ?1",
                "func(initial ?1, inputs []?1, function func(x ?1, y ?1) ?1) ?1",
            ],
            CallSite::ListConcat => &["func(list []?1, lists []?1 …) []?1"],
        }
    }
}

/// Whether a result depends on arguments alone (spec 04 §6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purity {
    /// Same arguments, same result, on every machine: foldable.
    Pure,
    /// Constant on one machine (host facts, deploy files): evaluated once at run time, never folded.
    Host,
    /// Changes by itself or has effects.
    Impure,
}

/// A plain computation. Arguments are as many, and of the types, that the signature says.
pub type Plain = fn(&CallContext<'_>, &[Value]) -> Result<Value, FunctionError>;

/// How a function is computed.
pub enum Implementation {
    /// A plain computation.
    Plain(Plain),
    /// A stateful instance a call site, re-evaluated when it asked for it.
    Live(fn() -> Box<dyn Live>),
    /// Expanded by the engine itself.
    Engine(EngineFunction),
}

/// Functions that take functions, so only the engine can run them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EngineFunction {
    Map,
    Filter,
    Reduce,
    Zip,
}

/// A failure. Catchable ones are replaced by the right side of `<|>`; others stop the engine (spec 03 §1.11).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionError {
    /// Whether `<|>` catches it.
    pub catchable: bool,
    /// The text.
    pub message: String,
}

impl std::fmt::Display for FunctionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FunctionError {}

impl FunctionError {
    /// A failure that `<|>` catches.
    pub fn catchable(message: impl Into<String>) -> FunctionError {
        FunctionError { catchable: true, message: message.into() }
    }

    /// A failure that stops the engine.
    pub fn fatal(message: impl Into<String>) -> FunctionError {
        FunctionError { catchable: false, message: message.into() }
    }
}

/// What a call knows besides its arguments.
pub struct CallContext<'a> {
    /// The concrete type of this call after type checking (`decode_json`, `printf`'s `%T`, `math.fortytwo`).
    pub ty: &'a FuncType,
    /// The deployed files of the program; `None` while folding.
    pub deploy: Option<&'a dyn Deploy>,
    /// Directory of the module that contains the call, inside the deployed files: starts and ends with `/`.
    pub module_dir: &'a str,
}

/// The files that `deploy.*` reads (spec 01 §6.10).
pub trait Deploy {
    /// The bytes of the file at an absolute path inside the deploy, e.g. `/files/motd`.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
    /// The paths of all files below a directory, given with its final `/`, sorted.
    fn paths_below(&self, directory: &str) -> Vec<String> {
        let _ = directory;
        Vec::new()
    }
    /// Where the deploy lies on the host, if it does.
    fn directory(&self) -> Option<&Path>;
}

/// A function instance that lives at a call site.
pub trait Live: Send {
    /// The current value for these arguments. Called when arguments changed and after each wake-up it asked for; must
    /// return quickly. State (previous samples, caches) lives in `self`; dropping it ends everything it started.
    ///
    /// # Errors
    /// As any function.
    fn call(&mut self, cx: &mut dyn LiveContext, args: &[Value]) -> Result<Value, FunctionError>;
}

/// What the engine offers to a [`Live`] instance. All requests are remembered until the next `call` of the instance.
pub trait LiveContext {
    /// What a plain call knows.
    fn call_context(&self) -> CallContext<'_>;
    /// Calls the instance again after this time.
    fn wake_after(&mut self, delay: Duration);
    /// Calls the instance again when the file or directory at this absolute path (or a parent that does not exist yet)
    /// changes.
    fn wake_on_path(&mut self, path: &Path);
    /// Says that there is no value yet, and why, for people: what this call returns is not used, and all that depends on
    /// it waits for the next call.
    fn not_ready(&mut self, why: &'static str) {
        let _ = why;
    }
    /// A handle that calls the instance again, from any thread.
    fn waker(&self) -> std::sync::Arc<dyn Fn() + Send + Sync>;
    /// Wall-clock time since the Unix epoch (injected, so that tests can hold it).
    fn now(&self) -> Duration;
    /// The host name that `$hostname` has.
    fn hostname(&self) -> &str;
    /// The directory for persistent state of functions (`local.*`, `value.*`, `world.*`), below the prefix.
    fn state_dir(&self) -> &Path;
    /// What a resource of the same program offers to functions: the value of `value` resource NAME (kind `value`), or
    /// `struct{status int; output str}` of `http:client` resource NAME. The instance is called again when it changes.
    fn shared_value(&mut self, kind: &str, name: &str) -> Option<Value>;
}
