//! Constructs of other languages, for which mcl has another spelling.

use mcl_diagnostics::{Code, Span};

/// A construct of Puppet, Terraform, YAML, Go, Python, JavaScript, a shell, or a template language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HabitError {
    /// The construct.
    pub kind: HabitKind,
    /// All that belongs to the construct: other errors in it are consequences.
    pub covers: Option<Span>,
}

/// The kinds of [`HabitError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HabitKind {
    /// A statement that starts with a keyword of another language.
    Keyword { word: String, instead: Instead },
    /// `$x is $y`, `$n mod 2`; with the operator to use, or what to do without one.
    WordOperator { word: String, instead: &'static str },
    /// `file { "/tmp/a": … }`.
    ResourceTitle { kind: String, title: String },
    /// `class { "foo": … }`.
    ClassResource { class: String },
    /// `File { … }`.
    ResourceDefaults { kind: String },
    /// `File["/tmp/a"] { … }`.
    ResourceOverride { kind: String },
    /// `File <| … |>`.
    Collector { kind: String },
    /// `[File["a"], File["b"]] -> Svc["c"]`.
    ListOfHalves,
    /// `file["a"] -> exec["b"]`; how the edge half is written.
    LowerCaseEdge { found: String, suggestion: String },
    /// `name: value`, `- name: value`, `---`.
    Yaml,
    /// `- a`, a line for each element; the elements as mcl writes them.
    YamlList { suggestion: String },
    /// `content: |`, `content => >` and the lines of the string.
    YamlBlock { has_colon: bool },
    /// `{"a": 1}` as a statement.
    Json,
    /// `{% if x %}`.
    TemplateTag,
    /// `{{ name }}`.
    TemplateValue { name: Option<String> },
    /// `import "a", "b"`, `import ("a" "b")`.
    ImportList { modules: Vec<String> },
    /// `include a, b`.
    IncludeList { classes: Vec<String> },
    /// `import x from "y"`, `import f "fmt"`, `import "fmt" as "f"`.
    ImportSpelling { module: String, alias: String },
    /// `$i = include c`.
    BoundInclude { alias: String, class: String },
    /// `include c "a"`.
    IncludeArguments { class: String, argument: String },
    /// `$a, $b = …`.
    SeveralVariables,
    /// `$x[0] = 1`, `$x->a = 1`, `$x += 1`, `$x++`.
    Assignment { variable: String },
    /// `if [ -f x ]`.
    ShellTest,
    /// `if c:`, `else:`.
    ColonBeforeBlock { keyword: String },
    /// `if c then …`.
    Then,
    /// `for x in a b; do …`.
    Do,
    /// `[1, 2].each |$x| { … }`, with the variable.
    BlockArgument { variable: String },
    /// `int x = 3`.
    TypeBeforeName { ty: String, name: String },
    /// `X=1`, `MAX = 1`.
    UpperCaseBinding { suggestion: String },
    /// `class a inherits b {`.
    Inherits { class: String },
    /// `a::b`, with what mcl has for it.
    DoubleColon { found: String, role: DoubleColon },
    /// `my-name`.
    DashInName { found: String, suggestion: String, is_variable: bool },
    /// `$x => $x + 1`, `x: x + 1`; the function value, if its parts are known.
    Lambda { sign: &'static str, suggestion: Option<String> },
    /// `fn($x) { … }`, `lambda x: …`.
    FunctionWord { word: String },
    /// `"a".upper()`, with the function that does it, or its likely name.
    Method { method: String, suggestion: Option<String> },
    /// `1..3`.
    Range { suggestion: String },
    /// `...$a`, `*$a`.
    Spread { operator: &'static str },
    /// `* => $map` among the entries of a resource.
    SpreadEntries,
    /// `{...$a, "b" => 1}`.
    SpreadMap { operator: &'static str },
    /// `func f(...$x) {`.
    VariableArguments,
    /// `func($x) $x + 1`.
    UnbracedBody,
    /// `$l[0:1]`.
    Slice,
    /// `(1, 2)`.
    Tuple,
    /// `{1, 2}`.
    ListInBraces,
    /// `[$x for $x in $l]`.
    Comprehension,
    /// `f"…"`.
    StringPrefix { prefix: String },
    /// `"""…"""`.
    TripleQuotes,
    /// `$(command)`.
    CommandSubstitution,
    /// `$::name`.
    TopScopeVariable { name: String },
    /// `int("3")`.
    Cast { ty: String },
    /// `map[string]int`.
    BracketMapType,
    /// `func f<T>(…)`.
    TypeParameters { name: String },
    /// `make(map[string]int)`, `new(int)`.
    Allocation { word: String },
    /// `[]str{"a"}`, `map{str: int}{…}`.
    TypedLiteral { opener: &'static str },
    /// `map{"a" => 1}`.
    MapKeyword,
    /// `struct(a => 1)`.
    StructParentheses,
    /// `Some(3)`.
    Optional { word: String },
    /// `Sensitive("a")`, `Foo()`.
    Constructor { name: String },
    /// `point{x => 1}`.
    NamedStruct { name: String },
    /// `if` without `else` as a value.
    MissingElseBranch,
    /// `1 if c else 2`.
    TrailingCondition,
    /// `test "a" {} if c`.
    ConditionAfterStatement,
    /// `if c test "a" {}`.
    BlockWithoutBraces { keyword: String },
    /// `if c {` or `for $i, $x in $l {` among the entries of a resource.
    StatementAmongEntries { keyword: String },
    /// `:name`.
    RubySymbol { name: String },
    /// `"${upper("a")}"`.
    ExpressionInString { expression: String },
    /// `"say "hello""`.
    QuotesInString {
        /// The string as it is written in mcl.
        escaped: String,
    },
    /// `file("/tmp/a", state => "exists")`.
    ResourceCall { kind: String, name: String },
    /// `file "/tmp/a", "/tmp/b" {`.
    SeveralNames { kind: String, names: String },
    /// `file "/tmp/a" [`.
    EntriesInBrackets,
    /// `1 not in [1]`.
    NotIn,
    /// `<>`, `**`, `<<`, `:=` and so on, with the way out.
    Operator { operator: &'static str, instead: &'static str },
    /// `Meta => {noop => true}`.
    MetaBlock { parameter: String },
    /// `/bin/sh`.
    UnquotedPath { path: String },
    /// `Package["a", "b"]`.
    SeveralEdgeNames { names: String },
    /// `file "/tmp/a" { … } -> file "/tmp/b" { … }`.
    ArrowAfterResource,
    /// `svc nginx {`, `file /tmp/a {`.
    UnquotedResourceName { kind: String, name: String },
    /// `File[a]`.
    UnquotedEdgeName { name: String },
    /// `File "/tmp/a" {`.
    CapitalizedKind { found: String, suggestion: String },
    /// `require => [File["a"], File["b"]]`.
    EdgeList { property: &'static str, halves: Vec<String> },
    /// `svc "nginx": {`.
    ColonAfterName,
    /// `File["a"] => File["b"]`.
    RocketBetweenHalves,
    /// `$f = file "/tmp/a" { … }`.
    BoundResource { resource: String },
    /// `include c as $i`.
    DollarBeforeAlias { name: String },
    /// `;` where a comma or the end of the line separates.
    Semicolon { in_brackets: bool, count: usize },
    /// `// …`, `/* … */`, `-- …`.
    Comment { opener: String },
}

/// Where a name has two colons, with the name as mcl writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DoubleColon {
    /// `class a::b {`, `func a::b(…)`.
    Definition { keyword: &'static str, name: String },
    /// `include a::b`.
    Include { name: String },
    /// `a::b "name" {`, `a::b(…)`.
    Other { name: String },
}

/// What mcl has instead of a keyword. The names are those of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instead {
    Binding { name: String },
    Function { name: String },
    Class { name: String },
    NegatedIf,
    If,
    Loop,
    NoCondition,
    HostName { name: String },
    EveryHost,
    Resource { kind: String, name: String },
    Variable { name: String },
    ModuleImport { name: String },
    NoBlock,
    Panic,
    Print { text: String },
    NoReturn,
    Import { module: String },
    Include { class: String },
    NoTypeDeclaration,
    NoPackageClause,
    NoModifier,
    Fallback,
    NoJump,
    NoMutation,
    FunctionCall,
    NoDeferral,
    ClosingBrace,
    NoVirtualResources,
    VisibleName,
    SameResource,
}

impl HabitError {
    pub(super) fn code(&self) -> Code {
        match self.kind {
            HabitKind::MissingElseBranch => Code::E0220,
            _ => Code::E0222,
        }
    }

    /// Whether one error of this kind is enough for a file.
    pub fn is_reported_once(&self) -> bool {
        matches!(
            self.kind,
            HabitKind::Semicolon { in_brackets: false, .. } | HabitKind::Keyword { instead: Instead::ClosingBrace, .. }
        )
    }
}

/// Returns the type of mcl for a type of Puppet or another language: `[]int` for `Optional[Array[Integer]]`. Without one,
/// it is the name itself, or nothing if that has parameters.
pub fn foreign_type(found: &str) -> String {
    let (name, parameters) = match found.split_once('[') {
        Some((name, rest)) => (name, rest.strip_suffix(']').unwrap_or(rest)),
        None => (found, ""),
    };
    let mut parameters = top_level_parts(parameters).filter(|part| !part.is_empty()).map(foreign_type);
    let mut parameter = || parameters.next().unwrap_or_else(|| "str".to_owned());
    match name {
        "String" => "str".to_owned(),
        "Integer" | "Numeric" => "int".to_owned(),
        "Boolean" => "bool".to_owned(),
        "Float" => "float".to_owned(),
        "Array" => format!("[]{}", parameter()),
        "Hash" => format!("map{{{}: {}}}", parameter(), parameter()),
        _ if name == found => found.to_owned(),
        "Enum" | "Pattern" => "str".to_owned(),
        "Optional" | "NotUndef" | "Sensitive" => parameter(),
        _ => String::new(),
    }
}

/// Divides a text at the commas that are not inside brackets.
fn top_level_parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    text.split(move |c| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
}
