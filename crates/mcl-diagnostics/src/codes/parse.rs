//! Codes of the range E02.

codes! {
    E0201: "syntax error",
        "The text does not follow the grammar here. The message says what was found and what could stand in its place.";
    E0202: "missing comma",
        "Every entry of a resource ends in a comma, the last one too; elements of lists, maps, structs, parameters and \
arguments have commas between them.

    file \"/tmp/x\" {
        state => \"exists\"       # wrong: no comma
        mode => \"u=rw\",         # right
    }";
    E0203: "unclosed bracket",
        "A bracket is opened here and never closed before the next statement starts, or before another bracket around it \
closes.

    $a = [1, 2          # wrong
    $a = [1, 2]         # right";
    E0204: "bracket that closes nothing",
        "A closing bracket has no opening partner, or its partner is of another kind.

    $a = (1 + 2]        # wrong
    $a = (1 + 2)        # right";
    E0205: "literal of another type than its annotation",
        "The variable is declared with a type, and its value is a literal of another one.

    $port int = \"80\"    # wrong: a str
    $port int = 80        # right";
    E0206: "unknown capitalised entry",
        "Capitalised words in a resource body are `Meta` (`Meta:noop => true`, or `Meta => struct{noop => true}`) and the \
edges `Before`, `Notify`, `Depend` and `Listen`, which take one edge half: `Before => File[\"/tmp/x\"]`. Fields are lower \
case.";
    E0207: "duplicate field in a struct type",
        "A struct type names each field once.

    $s struct{a int; a str} = …    # wrong
    $s struct{a int; b str} = …    # right";
    E0208: "duplicate argument name in a func type",
        "The names in a func type are optional, but must differ.

    $f func($x int, $x int) int = …    # wrong
    $f func($x int, $y int) int = …    # right
    $f func(int, int) int = …          # right";
    E0209: "`||` is no logical or",
        "The logical or is written `or`. Old programs use `||` behind a lookup for a fallback, `$list[0] || 5`; this is \
now `<|>`, and works behind any expression: the right side is taken when the left one fails.";
    E0210: "nested too deeply",
        "Expressions, statements and types may nest a thousand levels deep: brackets in brackets, blocks in blocks, lookups \
         of lookups. A chain of operators (`$a + $b + …`) is no nesting, it may be of any length.\n\
         \n\
         Give inner parts names of their own: `$part = …`.";
    E0211: "comparison instead of a bind",
        "A statement that starts with a variable defines it, with one equals sign.

    $a == 1     # wrong: a comparison is no statement
    $a = 1      # right";
    E0212: "else if",
        "There is no `else if`: put another `if` inside of the braces of `else`.

    if $a { … } else if $b { … }            # wrong
    if $a { … } else { if $b { … } }        # right";
    E0213: "two values without an operator",
        "Two values stand side by side. A minus sign directly before a digit belongs to the number, so `5-2` is 5 and \
then -2.

    $a = 5-2      $b = $n -1      # wrong
    $a = 5 - 2    $b = $n - 1     # right: blanks on both sides";
    E0214: "unary minus",
        "A minus sign makes a negative number only directly before its digits. There is no unary minus before variables, \
calls or parentheses.

    $a = -$b      # wrong
    $a = 0 - $b   # right";
    E0215: "keyword used as a name",
        "Keywords cannot be names, except that `map` and `collect` may name variables and functions that are called. The \
keywords are: if else for forkv in and or not true false func class include import as panic collect bool str int float map \
struct variant.";
    E0216: "capital letter in a name",
        "Names are lower case; only the kinds in edges (`File[\"x\"]`), `Meta`, and edge words like `Before` start with a \
capital letter, and even there only the first letter is one.";
    E0217: "comparisons do not chain",
        "`a < b < c` has no meaning; write `a < b and b < c`, or parentheses: `(a == b) == c`. The default of a field, \
`$s->field <|> a == b`, already contains the comparison.";
    E0218: "not a statement",
        "Statements are: binds (`$x = …`), resources (`kind name { … }`), edges (`A[\"x\"] -> B[\"y\"]`), `if`, `for`, \
`forkv`, `func`, `class`, `include`, `import`, `panic`, `collect`. Expressions and calls are no statements: bind the \
result to a variable.";
    E0219: "bare name in an expression",
        "A variable is written with a dollar sign, and a function is called with parentheses; a bare word means nothing, \
and functions are no values by their name (wrap one: `func($x) { f($x) }`). There is no null.

    $a = other        # wrong
    $a = $other       # right: the variable
    $a = other()      # right: the result of the function";
    E0220: "the statement breaks off",
        "The line ends, or the next statement starts, before this statement is complete.";
    E0221: "unknown type",
        "The types are bool, str, int, float, []type, map{type: type}, struct{name type; …}, and func(type, …) type.";
}
