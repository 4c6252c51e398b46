//! The description of a built-in function, and what its implementation is called with.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcl_value::{FuncType, Value};

use crate::{Answers, FunctionError};

/// A built-in function.
pub struct Function {
    /// The registered name with its module: `strings.to_upper`, `golang/math.abs`, `len`.
    pub name: &'static str,
    /// The description that `mclc doc` prints: one paragraph.
    pub doc: &'static str,
    /// An expression that calls it, for `mclc doc`; comparisons are true. Empty for functions without arguments, whose call says
    /// nothing new. The module is named by the last part of its name.
    pub example: &'static str,
    /// The type, or how the type checker finds it at each call.
    pub signature: Signature,
    /// If not empty, the types of which the solved type must be one (`len`, `math.mod`, `panic`; spec 03 §6). They may have
    /// type variables of their own.
    pub choices: &'static [&'static str],
    /// Whether mgmt 1.1 registers it as a simple function: its vertices show its full name, and templates can call it if its
    /// signature has no type variables (spec 03 §1.3, §9.6).
    pub simple: bool,
    /// Whether a call can be evaluated at compile time.
    pub purity: Purity,
    /// Where the result comes from, besides the arguments.
    pub origin: Origin,
    /// Whether the result must not be shown.
    pub sensitivity: Sensitivity,
    /// Whether mgmt 1.1 inlines calls of it: the "spec" flag of spec 04 §1.8.
    pub inlinable: bool,
    /// The code.
    pub implementation: Implementation,
}

impl Function {
    /// Returns the name without the module.
    #[must_use]
    pub fn short_name(&self) -> &'static str {
        self.name.rsplit_once('.').map_or(self.name, |(_, name)| name)
    }

    /// Returns the registered name of the module; empty for functions that need no import.
    #[must_use]
    pub fn module(&self) -> &'static str {
        self.name.rsplit_once('.').map_or("", |(module, _)| module)
    }

    /// Returns the call with the name by which programs call it, if it takes no arguments; otherwise its example.
    #[must_use]
    pub fn documented_example(&self) -> String {
        let takes_none = matches!(self.signature, Signature::Fixed(text) if text.starts_with("func()"));
        if self.example.is_empty() && takes_none {
            return format!("{}()", self.name.rsplit('/').next().unwrap_or(self.name));
        }
        self.example.to_owned()
    }

    /// Returns the types that a call can have, as people read them.
    #[must_use]
    pub fn signatures(&self) -> Vec<String> {
        let declared: &[&str] = match &self.signature {
            Signature::Fixed(_) if !self.choices.is_empty() => self.choices,
            Signature::Fixed(text) => std::slice::from_ref(text),
            Signature::CallSite(site) => site.overloads(),
        };
        declared.iter().map(|declared| documented_signature(declared)).collect()
    }

    /// Returns the declared type; `None` if it depends on the call.
    #[must_use]
    pub fn declared_type(&self) -> Option<FuncType> {
        match self.signature {
            Signature::Fixed(text) => FuncType::parse(text),
            Signature::CallSite(_) => None,
        }
    }
}

/// The type of a function, or the rule for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// The same type for all calls, possibly generic: `func(value ?1, index int) ?1`.
    Fixed(&'static str),
    /// A type that the type checker makes for each call (spec 02 §5.5, §5.6, §5.7).
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
    /// Returns the signatures to show in documentation; `…` means more arguments of that kind. Empty for functions that
    /// programs cannot name.
    #[must_use]
    pub fn overloads(self) -> &'static [&'static str] {
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

/// What a result depends on besides the arguments (spec 04 §6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purity {
    /// Nothing: the same arguments give the same result on every machine, so calls can be folded.
    Pure,
    /// The machine or the deployed files: evaluated once at run time, never folded.
    Host,
    /// Anything else, or the call has side effects.
    Impure,
}

/// Where the result of a function comes from, besides the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The program, its files and its resources. Times are shown in the time zone of the process.
    Program,
    /// The machine, the hosts that it shares data with, the time, or chance: a test of a program has to say what it is
    /// ([`Answers`](crate::Answers)).
    Machine,
}

/// Whether the result of a function must be hidden from plans, logs and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensitivity {
    /// If an argument is sensitive. A streaming function can also mark its value itself.
    OfArguments,
    /// Whatever the arguments are.
    Always,
    /// Even if an argument is sensitive.
    Never,
}

/// The code of a function without state. The number and types of the arguments match the signature.
pub type Plain = fn(&CallContext<'_>, &[Value]) -> Result<Value, FunctionError>;

/// The code of a function.
pub enum Implementation {
    /// A function of its arguments.
    Plain(Plain),
    /// The constructor of a stateful instance: one per call site, called again whenever it asks for it.
    Streaming(fn() -> Box<dyn Stream>),
    /// Expanded by the function engine.
    Engine(EngineFunction),
}

/// The functions that call function values, which only the function engine can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EngineFunction {
    Map,
    Filter,
    Reduce,
    Zip,
}

/// The context of a call: everything but its arguments.
pub struct CallContext<'a> {
    /// The concrete type of the call (`decode_json`, `printf`'s `%T`, `math.fortytwo`).
    pub ty: &'a FuncType,
    /// The deployed files of the program; `None` in the compiler.
    pub deploy: Option<&'a dyn Deploy>,
    /// The directory of the calling module inside the deploy; starts and ends with `/`.
    pub module_dir: &'a str,
    /// What a test says about the machine; `None` if the machine itself is asked.
    pub answers: Option<&'a Answers>,
    /// Whether the result must not be shown.
    pub sensitive: Cell<bool>,
}

impl CallContext<'_> {
    /// Marks the result of this call as sensitive: it and what is computed from it must not be shown.
    pub fn mark_sensitive(&self) {
        self.sensitive.set(true);
    }
}

/// The deployed files of a program, which `deploy.*` reads (spec 01 §6.10).
pub trait Deploy {
    /// Returns the contents of the file at an absolute path inside the deploy, for example `/files/motd`.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
    /// Returns the paths of all files below a directory, sorted. The directory ends with `/`.
    fn paths_below(&self, directory: &str) -> Vec<String> {
        let _ = directory;
        Vec::new()
    }
    /// Returns the directory of the deploy on this host, if it has one.
    fn directory(&self) -> Option<&Path>;
}

/// An instance of a streaming function, which belongs to one call site. Dropping it stops everything that it started.
pub trait Stream: Send {
    /// Returns the current value for these arguments. Called when an argument has changed, and after each wake-up that the
    /// previous call requested. Must not block.
    ///
    /// # Errors
    /// The call fails; later calls can succeed.
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Result<Value, FunctionError>;
}

/// How often a watched path has changed, and whether a process is writing to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputVersion {
    /// The number of changes that were seen so far.
    pub changes: u64,
    /// Whether a process that changed the file has not closed it yet.
    pub writing: bool,
}

/// Why a function that needs a command has no value where none may be started.
pub const COMMANDS_DISABLED: &str = "commands run only when the program is applied";

/// The function engine as a [`Stream`] sees it. A request to be called again holds until the next call.
pub trait StreamContext {
    /// Returns the context of the call.
    fn call_context(&self) -> CallContext<'_>;
    /// Requests a call after this delay.
    fn wake_after(&mut self, delay: Duration);
    /// Requests a call when the file or directory at this absolute path changes, or appears.
    fn wake_on_path(&mut self, path: &Path);
    /// Returns what is known of the changes of a path for which [`StreamContext::wake_on_path`] was called; `None` if nothing
    /// watches it. Two equal versions without a writer mean that nothing changed in between.
    fn input_version(&mut self, path: &Path) -> Option<InputVersion> {
        let _ = path;
        None
    }
    /// Marks the result of this call as not available yet. The returned value is ignored, and the nodes that depend on it
    /// wait for the next call. `why` is shown to users who wonder why nothing happens.
    fn not_ready(&mut self, why: &'static str) {
        let _ = why;
    }
    /// Marks the result of this call as sensitive: it and what is computed from it must not be shown.
    fn mark_sensitive(&mut self) {}
    /// Returns whether the function may start commands. If not, it marks its result as not ready with [`COMMANDS_DISABLED`].
    fn may_run_commands(&self) -> bool {
        true
    }
    /// Returns a handle that requests a call, from any thread.
    fn waker(&self) -> Arc<dyn Fn() + Send + Sync>;
    /// Returns the wall-clock time since the Unix epoch. It may jump in both directions.
    fn now(&self) -> Duration;
    /// Returns the time of a clock that never goes backwards. Only differences are meaningful.
    fn monotonic(&self) -> Duration;
    /// Returns the host name: the value of `$hostname`.
    fn hostname(&self) -> &str;
    /// Returns the directory, below the prefix, for the persistent state of functions (`local.*`, `value.*`, `world.*`).
    fn state_dir(&self) -> &Path;
    /// Returns what a resource of the same program offers to functions: the value of the `value` resource of that name, or
    /// the `struct{status int; output str}` of the `http:client` resource of that name. Requests a call when it changes.
    fn shared_value(&mut self, kind: &str, name: &str) -> Option<Value>;
}

/// Returns a declared function type without the numbers that stand for the names of arguments: `func(str) int` for
/// `func(0 str) int`.
#[must_use]
pub fn readable_signature(declared: &str) -> String {
    let mut out = String::with_capacity(declared.len());
    let mut rest = declared;
    while let Some(at) = rest.find(['(', ',']) {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        let spaces = after.len() - after.trim_start().len();
        out.push_str(&after[..spaces]);
        let name = after.trim_start();
        let unnumbered = name.trim_start_matches(|c: char| c.is_ascii_digit());
        rest = match unnumbered.strip_prefix(' ') {
            Some(ty) if unnumbered.len() < name.len() => ty,
            _ => name,
        };
    }
    out.push_str(rest);
    out
}

/// Returns a declared function type for documentation: arguments without a name get one that says their type, and type variables
/// are letters, `func(value a) a` for `func(0 ?1) ?1`.
fn documented_signature(declared: &str) -> String {
    let arguments: Vec<(&str, &str)> = top_level_arguments(declared);
    let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    let unnamed = arguments.iter().filter(|(name, _)| is_number(name)).count();
    let name_for = |index: usize, ty: &str| match ty {
        _ if unnamed > 1 => ["a", "b", "c", "d"].get(index).copied().unwrap_or("value"),
        "str" => "text",
        "int" | "float" => "number",
        ty if ty.starts_with("[]") => "list",
        ty if ty.starts_with("map") => "map",
        _ => "value",
    };
    let mut out = declared.to_owned();
    let mut taken: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
    for (index, (name, ty)) in arguments.iter().enumerate().filter(|(_, (name, _))| is_number(name)) {
        let new = name_for(index, ty);
        taken.push(new);
        out = out.replacen(&format!("{name} {ty}"), &format!("{new} {ty}"), 1);
    }
    let mut letters = ('a'..='z').filter(|letter| !taken.contains(&letter.to_string().as_str()));
    let mut out = readable_signature(&out);
    for variable in 1..=9 {
        let written = format!("?{variable}");
        if out.contains(&written)
            && let Some(letter) = letters.next()
        {
            out = out.replace(&written, &letter.to_string());
        }
    }
    out
}

/// Returns the names and types of the arguments of a declared function type.
fn top_level_arguments(declared: &str) -> Vec<(&str, &str)> {
    let Some(inside) = declared.strip_prefix("func(") else { return Vec::new() };
    let (mut depth, mut start) = (0usize, 0);
    let mut arguments = Vec::new();
    for (at, c) in inside.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ',' | ')' if depth == 0 => {
                arguments.extend(inside[start..at].trim().split_once(' '));
                start = at + 1;
                if c == ')' {
                    break;
                }
            }
            ')' | '}' => depth -= 1,
            _ => {}
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::{documented_signature, readable_signature};

    #[test]
    fn documented_arguments_have_names_and_type_variables_are_letters() {
        for (declared, expected) in [
            ("func(0 ?1) int", "func(value a) int"),
            ("func(0 map{?1: ?2}) int", "func(map map{a: b}) int"),
            ("func(0 int, 1 int) int", "func(a int, b int) int"),
            ("func(format str, a ?1, b ?2 …) str", "func(format str, a c, b d …) str"),
            ("func(inputs []?1, function func(0 ?1) ?2) []?2", "func(inputs []a, function func(a) b) []b"),
            ("func() struct{x1 float}", "func() struct{x1 float}"),
        ] {
            assert_eq!(documented_signature(declared), expected);
        }
    }

    #[test]
    fn arguments_without_names_have_no_numbers() {
        assert_eq!(readable_signature("func(0 ?1) int"), "func(?1) int");
        assert_eq!(readable_signature("func(0 int, 1 int) int"), "func(int, int) int");
        assert_eq!(
            readable_signature("func(inputs []?1, function func(0 ?1) ?2) []?2"),
            "func(inputs []?1, function func(?1) ?2) []?2"
        );
        assert_eq!(readable_signature("func() struct{x1 float}"), "func() struct{x1 float}");
    }
}
