//! Keywords of other languages, and misspelled ones.

use strsim::damerau_levenshtein;

/// A misspelled word differs from the keyword in at most this many letters.
const MAX_DISTANCE: usize = 2;

/// Returns the number of letters in which a word differs from a keyword, if it may be meant.
pub fn distance(word: &str, keyword: &str) -> Option<usize> {
    // Short words are near to many others.
    Some(damerau_levenshtein(word, keyword)).filter(|distance| *distance <= MAX_DISTANCE.min(keyword.len() / 3))
}

/// What a keyword of another language introduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Binding,
    Function,
    Class,
    NegatedIf,
    Switch,
    Loop,
    ConditionalLoop,
    Node,
    Resource,
    Variable,
    Module,
    Block,
    Throw,
    Print,
    Return,
    Import,
    Include,
    TypeDeclaration,
    PackageClause,
    Modifier,
    Try,
    Jump,
    Mutation,
    Call,
    Deferral,
    End,
    Realize,
    Declare,
    DeclareOnce,
    Inherit,
}

/// Returns what a word introduces in Puppet, Terraform, Go, Python, JavaScript, Rust, Ruby or a shell. None of the words is
/// a keyword or a resource kind of mcl.
pub fn role(word: &str) -> Option<Role> {
    Some(match word {
        "let" | "var" | "const" | "val" | "my" | "auto" | "set" => Role::Binding,
        "def" | "function" | "fn" | "fun" | "proc" | "sub" | "method" => Role::Function,
        "define" => Role::Class,
        "unless" => Role::NegatedIf,
        "case" | "switch" | "match" => Role::Switch,
        "foreach" | "each" | "loop" => Role::Loop,
        "while" | "until" | "repeat" => Role::ConditionalLoop,
        "node" => Role::Node,
        "resource" | "data" => Role::Resource,
        "variable" | "locals" | "output" => Role::Variable,
        "module" => Role::Module,
        "provider" | "terraform" | "backend" | "provisioner" | "lifecycle" | "dynamic" => Role::Block,
        "raise" | "throw" | "assert" | "fail" | "die" | "abort" => Role::Throw,
        "echo" | "print" | "println" | "printf" | "puts" | "notice" | "warning" | "info" | "debug" | "log"
        | "notify" => Role::Print,
        "return" => Role::Return,
        "from" | "use" | "using" | "require" | "source" => Role::Import,
        "contain" | "hiera_include" => Role::Include,
        "inherit" => Role::Inherit,
        "realize" => Role::Realize,
        "create_resources" => Role::Declare,
        "ensure_resource" | "ensure_resources" | "ensure_packages" => Role::DeclareOnce,
        "type" | "enum" | "interface" | "typedef" | "trait" | "impl" | "record" => Role::TypeDeclaration,
        "package" | "namespace" => Role::PackageClause,
        "public" | "private" | "protected" | "static" | "async" | "pub" | "abstract" | "final" | "export" => {
            Role::Modifier
        }
        "try" | "begin" | "do" | "with" => Role::Try,
        "break" | "continue" | "goto" | "pass" | "next" => Role::Jump,
        "del" | "delete" | "unset" | "global" | "nonlocal" => Role::Mutation,
        "call" => Role::Call,
        "defer" | "go" | "await" | "spawn" => Role::Deferral,
        "fi" | "done" | "esac" | "end" | "endif" | "endfor" | "endwhile" => Role::End,
        _ => return None,
    })
}

/// Returns what to write in place of a word that is used like an operator, or after a statement.
pub fn word_operator(word: &str) -> Option<&'static str> {
    Some(match word {
        "is" | "eq" | "equals" => "equality is written `==`",
        "isnt" | "ne" => "inequality is written `!=`",
        "lt" => "write `<`",
        "gt" => "write `>`",
        "le" | "lte" => "write `<=`",
        "ge" | "gte" => "write `>=`",
        "mod" | "rem" => "for the remainder import \"math\" and call `math.mod(a, b)`",
        "div" => "division is written `/`",
        "xor" => "write `!=` between two values of type `bool`",
        "matches" | "like" => "import \"regexp\" and call `regexp.match(\"pattern\", $string)`",
        "contains" => "write `$element in $list`",
        "between" => "write two comparisons, joined with `and`",
        "unless" => {
            "a conditional statement is written `if not (…) { … }`, a conditional field `field => $c ?: value,`"
        }
        "then" => "a conditional value is written `if … { … } else { … }`",
        _ => return None,
    })
}
