//! Syntax errors in words: from the failing token and what stands around it, to what the person most likely meant.
//!
//! Known mistakes come first, each with its own message; what is left gets the list of what could stand there.

use mcl_diagnostics::{Code, Diagnostic, FileId, Span, Stage};
use mcl_lexer::{TokenKind, Tokens};

use crate::MAX_DEPTH;
use crate::balance::{ends_operand, lacks_rocket, starts_statement};
use crate::recover::Sort;

/// A failed statement.
pub struct Failure<'t> {
    pub file: FileId,
    pub text: &'t str,
    pub tokens: &'t Tokens,
    /// The first token of the statement.
    pub start: u32,
    /// The token that does not fit.
    pub at: u32,
    /// The statement simply ends there: at the end of a line, a block, or the file.
    pub end_of_line: bool,
    /// The innermost open bracket.
    pub group: Option<Sort>,
    /// The terminals that would fit, as the grammar names them.
    pub expected: Vec<String>,
}

/// Told once a file.
pub fn too_deep(span: Span, what: &str) -> Diagnostic {
    let place = Span { end: span.end.min(span.start + 1), ..span };
    Diagnostic::error(Code::E0210, Stage::Parse, format!("this {what} nests more than {MAX_DEPTH} levels deep"))
        .at(place)
        .help("give inner parts a name of their own: `$part = …`")
}

/// `if {`.
pub fn no_condition(span: Span) -> Diagnostic {
    Diagnostic::error(Code::E0201, Stage::Parse, "this `if` has no condition")
        .at(span)
        .help("the condition stands before the brace: `if $name == \"x\" { … }`")
}

/// `name($x) {` with statements inside.
pub fn no_class_keyword(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::E0218,
        Stage::Parse,
        format!("`{name}` is followed by parameters and statements like a class"),
    )
    .at(span)
    .help(format!("a class starts with its keyword: `class {name}(…) {{`"))
}

/// `Other:noop => true`, `Before => "x"`.
pub fn unknown_capitalized_entry(span: Span, word: &str, colon: bool) -> Diagnostic {
    let error = |message: String| Diagnostic::error(Code::E0206, Stage::Parse, message).at(span);
    if !colon && matches!(word, "Before" | "Notify" | "Depend" | "Listen") {
        return error(format!("`{word}` takes an edge half, like `{word} => File[\"/etc/motd\"]`"));
    }
    let error = error(format!("`{word}` is no entry of a resource"));
    if colon {
        error.help("only `Meta` may stand before a colon, like `Meta:noop => true`")
    } else {
        error.help("capitalised entries are `Meta`, `Before`, `Notify`, `Depend` and `Listen`; fields are lower case")
    }
}

/// An element or entry that lacks its comma.
pub fn missing_comma(f: &Failure<'_>) -> Diagnostic {
    let what = match f.group {
        Some(Sort::Entries) => "entry",
        Some(Sort::Arguments) => "argument",
        Some(Sort::Parameters) => "parameter",
        Some(Sort::Struct) => "field",
        _ => "element",
    };
    let error = Diagnostic::error(Code::E0202, Stage::Parse, format!("expected `,` after this {what}"))
        .at_with(f.before_span(), "a comma is missing behind this");
    if f.group == Some(Sort::Entries) {
        error.help("every entry of a resource ends in a comma, the last one too")
    } else {
        error
    }
}

/// The message for a failed statement.
pub fn syntax_error(f: &Failure<'_>) -> Diagnostic {
    misplaced_statement(f)
        .or_else(|| glued(f))
        .or_else(|| at_statement_start(f))
        .or_else(|| bad_name(f))
        .or_else(|| in_head(f))
        .or_else(|| between_values(f))
        .or_else(|| in_entries(f))
        .or_else(|| bare_name(f))
        .unwrap_or_else(|| generic(f))
}

impl Failure<'_> {
    fn kind(&self, token: u32) -> Option<TokenKind> {
        if self.end_of_line && token >= self.at { None } else { self.tokens.kind(token as usize) }
    }

    fn found(&self) -> Option<TokenKind> {
        self.kind(self.at)
    }

    /// The kind of the token that stands so many tokens before the failing one, inside of the statement.
    fn before(&self, offset: u32) -> Option<TokenKind> {
        self.at.checked_sub(offset).filter(|i| *i >= self.start).and_then(|i| self.tokens.kind(i as usize))
    }

    fn text_of(&self, token: u32) -> &str {
        self.tokens.text(self.text, token as usize)
    }

    /// The token before the failing one.
    fn before_span(&self) -> Span {
        self.tokens.span(self.file, self.at.saturating_sub(1) as usize)
    }

    /// The failing token, or what stands before it when the statement just ends.
    fn span(&self) -> Span {
        if self.end_of_line && self.at > self.start || self.at as usize >= self.tokens.len() {
            self.before_span()
        } else {
            self.tokens.span(self.file, self.at as usize)
        }
    }

    fn error(&self, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, Stage::Parse, message).at(self.span())
    }

    /// What was found, in words.
    fn found_text(&self) -> String {
        match self.found() {
            None if self.at as usize >= self.tokens.len() => "the end of the file".to_owned(),
            None => "the end of the line".to_owned(),
            Some(kind) => describe(kind, self.text_of(self.at)),
        }
    }

    fn expects(&self, terminal: &str) -> bool {
        self.expected.iter().any(|e| e.trim_matches('"') == terminal)
    }
}

/// A token in words.
fn describe(kind: TokenKind, text: &str) -> String {
    let short: String =
        if text.chars().count() > 30 { text.chars().take(29).chain(['…']).collect() } else { text.into() };
    match kind {
        TokenKind::String => "a string".to_owned(),
        TokenKind::Integer | TokenKind::Float => format!("the number `{short}`"),
        TokenKind::Identifier => format!("the name `{short}`"),
        TokenKind::Capitalized => format!("the capitalised name `{short}`"),
        kind if kind.is_keyword() => format!("the keyword `{short}`"),
        _ => format!("`{short}`"),
    }
}

/// A statement inside of a resource or function, and `elseif`.
fn misplaced_statement(f: &Failure<'_>) -> Option<Diagnostic> {
    if matches!(f.text_of(f.start), "elseif" | "elsif" | "elif") {
        let place = f.tokens.span(f.file, f.start as usize);
        return Some(Diagnostic { span: Some(place), ..else_if(f) });
    }
    let line = f.tokens.newline_before(f.at as usize) && starts_statement(f.tokens, f.at);
    if !line || !f.expected.is_empty() || f.at == f.start {
        return None;
    }
    let error = |message: &str| f.error(Code::E0218, message);
    Some(match f.group? {
        Sort::Entries => error("a resource holds fields and edges, no statements")
            .help("close the resource with `}` before the next statement"),
        Sort::Body => error("the body of a function or branch is one expression, not statements")
            .help("there are no variables inside of functions; use parameters, or more functions"),
        _ => error("a statement cannot stand inside of an expression"),
    })
}

/// What touches the word or number before it: `2.5e3`, `0x1f`, `$userName`, `$name{3}`.
fn glued(f: &Failure<'_>) -> Option<Diagnostic> {
    let touches = |token: u32| token > 0 && f.tokens.end(token as usize - 1) == f.tokens.start(token as usize);
    let number = |token: u32| {
        matches!(f.tokens.kind(token as usize), Some(TokenKind::Integer | TokenKind::Float)) && touches(token + 1)
    };
    // A number is complete in the statement before: the letters behind it were taken for the start of the next one.
    let letters = if f.start > 0 && number(f.start - 1) { f.start } else { f.at };
    let kind = f.tokens.kind(letters as usize)?;
    if kind == TokenKind::Identifier && letters > 0 && number(letters - 1) {
        let whole = f.tokens.span(f.file, letters as usize - 1).to(f.tokens.span(f.file, letters as usize));
        let message = format!("`{}{}` is no number", f.text_of(letters - 1), f.text_of(letters));
        return Some(
            Diagnostic::error(Code::E0201, Stage::Parse, message)
                .at(whole)
                .help("numbers are plain decimals, like `255` or `2500.0`, without exponent, prefix or unit"),
        );
    }
    if f.before(1) != Some(TokenKind::Identifier) || !touches(f.at) {
        return None;
    }
    match f.found()? {
        TokenKind::Capitalized => {
            let whole = f.before_span().to(f.span());
            let (head, tail) = (f.text_of(f.at - 1), f.text_of(f.at));
            Some(
                Diagnostic::error(Code::E0216, Stage::Parse, format!("names are lower case, found `{head}{tail}`"))
                    .at(whole)
                    .help(format!("join words with an underscore: `{head}_{}`", tail.to_ascii_lowercase())),
            )
        }
        TokenKind::OpenCurly if f.before(2) == Some(TokenKind::Dollar) && f.at > f.start + 2 => {
            let name = f.text_of(f.at - 1);
            let past = f.kind(f.at + 1) == Some(TokenKind::Integer) && f.kind(f.at + 2) == Some(TokenKind::CloseCurly);
            let help = if past {
                format!("for an earlier value of it write `history(${name}, {})`", f.text_of(f.at + 1))
            } else {
                format!("a list or map is indexed with `${name}[…]`, a struct with `${name}->field`")
            };
            Some(f.error(Code::E0201, "braces do not follow a variable").help(help))
        }
        _ => None,
    }
}

/// What cannot start a statement, and statements that fail right behind their first word.
fn at_statement_start(f: &Failure<'_>) -> Option<Diagnostic> {
    if f.at == f.start {
        let error = |message: &str| f.error(Code::E0218, message);
        return Some(match f.found()? {
            TokenKind::Else => error("this `else` belongs to no `if`"),
            TokenKind::Semicolon => {
                error("`;` is no statement").help("statements end with their line, without a semicolon")
            }
            TokenKind::Divide if matches!(f.kind(f.at + 1), Some(TokenKind::Divide | TokenKind::Multiply)) => {
                error("this starts no comment").help("a comment starts with `#` and ends with its line")
            }
            TokenKind::Capitalized
                if matches!(f.text_of(f.at), "If" | "For" | "Class" | "Import" | "Include" | "Func") =>
            {
                error("keywords are lower case")
            }
            kind @ (TokenKind::Integer
            | TokenKind::Float
            | TokenKind::String
            | TokenKind::OpenParen
            | TokenKind::OpenBracket
            | TokenKind::OpenCurly
            | TokenKind::True
            | TokenKind::False
            | TokenKind::Not
            | TokenKind::Struct) => f
                .error(Code::E0218, format!("a statement cannot start with {}", describe(kind, f.text_of(f.at))))
                .help("an expression alone is no statement; bind it to a variable: `$name = …`"),
            kind => f.error(Code::E0218, format!("a statement cannot start with {}", describe(kind, f.text_of(f.at)))),
        });
    }
    let first = f.tokens.kind(f.start as usize)?;
    let word = f.text_of(f.start);
    match first {
        TokenKind::Else if f.kind(f.start + 1) == Some(TokenKind::If) => Some(else_if(f)),
        TokenKind::Identifier if f.at == f.start + 1 => Some(match f.found() {
            Some(TokenKind::Equals) => f
                .error(Code::E0218, format!("`{word}` is defined without a dollar sign"))
                .help(format!("a bind starts with one: `${word} = …`")),
            Some(TokenKind::OpenParen) => f
                .error(Code::E0218, "a call is no statement")
                .help(format!("bind its result to a variable: `$result = {word}(…)`")),
            Some(TokenKind::Dot) => f
                .error(Code::E0218, "the kind of a resource has no dots")
                .help("its parts are joined by colons: `aws:ec2`"),
            Some(TokenKind::OpenCurly) => f
                .error(Code::E0218, format!("this {word} resource has no name"))
                .help(format!("the name stands before the brace: `{word} \"name\" {{ … }}`")),
            None => f
                .error(Code::E0218, format!("`{word}` alone is no statement"))
                .help(format!("a resource is written `{word} \"name\" {{ … }}`")),
            Some(_) => f
                .error(Code::E0218, format!("expected the name of the {word} resource, found {}", f.found_text()))
                .help("statements start with a keyword, `$name =`, or the kind of a resource and its name"),
        }),
        TokenKind::Func if f.found() == Some(TokenKind::OpenParen) && f.at == f.start + 1 => Some(
            f.error(Code::E0218, "a func statement needs a name")
                .help("write `func name($x) { … }`, or `$name = func($x) { … }`"),
        ),
        TokenKind::Identifier
            if f.tokens.kind(f.start as usize + 1) == Some(TokenKind::OpenParen)
                && f.tokens.end(f.start as usize) == f.tokens.start(f.start as usize + 1)
                && f.expects("{") =>
        {
            let call = f.tokens.span(f.file, f.start as usize).to(f.before_span());
            Some(
                Diagnostic::error(Code::E0218, Stage::Parse, "a call is no statement")
                    .at(call)
                    .help(format!("bind its result to a variable: `$result = {word}(…)`")),
            )
        }
        TokenKind::Identifier if f.tokens.kind(f.start as usize + 1) == Some(TokenKind::OpenCurly) => {
            let kind = f.tokens.span(f.file, f.start as usize);
            Some(
                Diagnostic::error(Code::E0218, Stage::Parse, format!("this {word} resource has no name"))
                    .at(kind)
                    .help(format!("the name stands before the brace: `{word} \"name\" {{ … }}`")),
            )
        }
        TokenKind::Capitalized if f.at == f.start + 1 && f.found() != Some(TokenKind::Capitalized) => {
            let lower = word.to_ascii_lowercase();
            let error = f.error(Code::E0201, format!("expected `[` after `{word}`, found {}", f.found_text()));
            Some(match lower.as_str() {
                "if" | "for" | "forkv" | "class" | "import" | "include" | "func" | "panic" | "collect" => {
                    Diagnostic::error(Code::E0216, Stage::Parse, format!("the keyword `{lower}` is lower case"))
                        .at(f.tokens.span(f.file, f.start as usize))
                }
                _ => error.help(format!(
                    "a resource is lower case, `{lower} \"name\" {{ … }}`; an edge names it in brackets, `{word}[\"name\"] -> …`"
                )),
            })
        }
        TokenKind::Dollar => in_bind_head(f),
        _ => None,
    }
}

/// `$a == 1`, `$a.b = 1`, `$a: int = 1`, `$a string = …`, `$a` alone.
fn in_bind_head(f: &Failure<'_>) -> Option<Diagnostic> {
    if f.at != f.start + 2 {
        return None;
    }
    let name = f.text_of(f.start + 1);
    Some(match f.found() {
        Some(TokenKind::Eq) => f
            .error(Code::E0211, "a comparison is no statement")
            .help(format!("to define the variable write one equals sign: `${name} = …`")),
        Some(TokenKind::Dot) => f
            .error(Code::E0201, "a variable with a dot in its name cannot be defined here")
            .help("dots come from imports and includes: `import \"module\" as name`, then use `$name.variable`"),
        Some(TokenKind::Colon) => f.error(Code::E0201, "the type follows the name without a colon"),
        Some(TokenKind::Minus) => f.error(Code::E0201, "a name has no dashes").help("use an underscore: `$web_port`"),
        Some(TokenKind::Rocket) => f.error(Code::E0201, "a bind takes `=`, not `=>`"),
        Some(TokenKind::Plus | TokenKind::Multiply | TokenKind::Divide) => {
            f.error(Code::E0218, "an expression is no statement").help("a variable is defined once and never changed")
        }
        Some(TokenKind::OpenBracket | TokenKind::Arrow | TokenKind::OpenParen) => {
            f.error(Code::E0218, "an expression is no statement").help("bind it to a variable: `$name = …`")
        }
        Some(TokenKind::OpenCurly) => f
            .error(Code::E0221, "`{` starts no type")
            .help("a map type is written `map{str: int}`, a struct type `struct{a int; b str}`"),
        Some(TokenKind::Identifier) => unknown_type(f),
        None => {
            f.error(Code::E0218, format!("`${name}` alone is no statement")).help(format!("define it: `${name} = …`"))
        }
        Some(_) => f.error(Code::E0201, format!("expected `=` or a type after `${name}`, found {}", f.found_text())),
    })
}

fn unknown_type(f: &Failure<'_>) -> Diagnostic {
    let word = f.text_of(f.at);
    let error = f.error(Code::E0221, format!("there is no type `{word}`"));
    let near = match word {
        "string" | "text" => Some("str"),
        "integer" | "number" | "num" | "long" => Some("int"),
        "boolean" => Some("bool"),
        "double" | "real" => Some("float"),
        "list" | "array" => Some("[]str"),
        "dict" | "hash" | "object" => Some("map{str: str}"),
        _ => ["bool", "str", "int", "float", "map", "struct", "func"]
            .into_iter()
            .find(|ty| strsim::damerau_levenshtein(word, ty) <= 1),
    };
    match near {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(
            "the types are bool, str, int, float, []type, map{type: type}, struct{name type; …}, func(type) type",
        ),
    }
}

/// A keyword, a capital, a number or the like where a name belongs.
fn bad_name(f: &Failure<'_>) -> Option<Diagnostic> {
    let kind = f.found()?;
    let text = f.text_of(f.at);
    let wants_name = f.expects("IDENTIFIER") && f.expected.len() <= 3;
    if f.before(1) == Some(TokenKind::Dollar) {
        return Some(match kind {
            kind if kind.is_keyword() => keyword_name(f, "the name of a variable"),
            TokenKind::Capitalized => capital_name(f),
            TokenKind::Integer | TokenKind::Float => {
                f.error(Code::E0201, "the name of a variable starts with a letter")
            }
            TokenKind::OpenCurly => f
                .error(Code::E0201, "outside of strings a variable has no braces")
                .help("write `$name`; `${name}` is for strings"),
            _ => f.error(Code::E0201, format!("expected the name of a variable after `$`, found {}", f.found_text())),
        });
    }
    let entry_start =
        f.group == Some(Sort::Entries) && matches!(f.before(1), Some(TokenKind::Comma | TokenKind::OpenCurly));
    if kind.is_keyword() && (wants_name || entry_start && f.kind(f.at + 1) == Some(TokenKind::Rocket)) {
        return Some(keyword_name(f, if entry_start { "the name of a field" } else { "a name" }));
    }
    if kind == TokenKind::Capitalized && wants_name {
        return Some(capital_name(f));
    }
    if kind == TokenKind::Capitalized && matches!(text, "True" | "False") {
        return Some(f.error(Code::E0216, format!("`{text}` is written `{}`", text.to_ascii_lowercase())));
    }
    if kind == TokenKind::Capitalized && f.before(1) == Some(TokenKind::Capitalized) {
        return Some(
            f.error(Code::E0216, "only the first letter of a name may be a capital")
                .help("an edge names the kind like this: `Http:server[\"x\"]`; with underscores `Http_server[\"x\"]`"),
        );
    }
    None
}

fn keyword_name(f: &Failure<'_>, what: &str) -> Diagnostic {
    f.error(Code::E0215, format!("the keyword `{}` cannot be {what}", f.text_of(f.at))).help("choose another name")
}

fn capital_name(f: &Failure<'_>) -> Diagnostic {
    f.error(Code::E0216, format!("names are lower case, found `{}`", f.text_of(f.at)))
}

fn else_if(f: &Failure<'_>) -> Diagnostic {
    f.error(Code::E0212, "there is no `else if`")
        .help("put the second `if` inside of the braces of `else`: `else { if … { … } else { … } }`")
}

/// Mistakes in the heads of statements.
fn in_head(f: &Failure<'_>) -> Option<Diagnostic> {
    let first = f.tokens.kind(f.start as usize)?;
    let found = f.found();
    let error = |message: &str| Some(f.error(Code::E0201, message));
    let at = f.at - f.start;
    match first {
        TokenKind::For | TokenKind::ForKv if !f.expects("{") && f.group.is_none() => {
            let (word, names) =
                if first == TokenKind::For { ("for", "$index, $value") } else { ("forkv", "$key, $value") };
            let commas = (f.start..f.at).filter(|i| f.tokens.kind(*i as usize) == Some(TokenKind::Comma)).count();
            let reached = (f.start..f.at).any(|i| f.tokens.kind(i as usize) == Some(TokenKind::In));
            if reached {
                return None;
            }
            let form = format!("write `{word} {names} in … {{ … }}`");
            match found {
                Some(TokenKind::In) if commas == 0 => error("a loop has two variables").map(|e| e.help(form)),
                Some(TokenKind::Comma) if commas == 1 => {
                    error("a loop has two variables, not more").map(|e| e.help(form))
                }
                Some(k) if k.is_keyword() && k != TokenKind::In => {
                    error("loop variables take no type").map(|e| e.help(form))
                }
                _ => Some(
                    f.error(Code::E0201, format!("expected `{word} {names} in`, found {}", f.found_text())).help(form),
                ),
            }
        }
        TokenKind::Class if at >= 2 && found == Some(TokenKind::Dot) => error("the name of a class has no dots")
            .map(|e| e.help("a class inside of another is written `class outer:inner { … }`")),
        TokenKind::Include => match found {
            Some(TokenKind::Colon) => {
                let [outer, inner] = [f.at - 1, f.at + 1].map(|token| f.text_of(token).to_owned());
                error("an include takes dots, not colons").map(|e| {
                    e.help(format!(
                        "write `include {outer}.{inner}`, where `{outer}` is an alias: `include … as {outer}` or an import"
                    ))
                })
            }
            Some(TokenKind::String) if at == 1 => {
                let name = f.text_of(f.at).trim_matches('"').to_owned();
                error("an include takes the name of a class without quotes")
                    .map(|e| e.help(format!("write `include {name}`")))
            }
            Some(TokenKind::Multiply) => error("the names of an include cannot be spread with `*`")
                .map(|e| e.help("give it a name: `include class as name`")),
            _ => None,
        },
        TokenKind::Import => match found {
            Some(TokenKind::Identifier) if at == 1 => {
                let name = f.text_of(f.at).to_owned();
                error("an import takes a string").map(|e| e.help(format!("write `import \"{name}\"`")))
            }
            _ if at == 1 => {
                Some(f.error(Code::E0201, format!("expected the name of a module in quotes, found {}", f.found_text())))
            }
            Some(TokenKind::Dot) => error("the alias of an import has no dots"),
            Some(TokenKind::Plus) => error("an import takes a string, not an expression"),
            _ => None,
        },
        TokenKind::Func | TokenKind::Class if f.group == Some(Sort::Parameters) => match found {
            Some(TokenKind::Identifier) if matches!(f.before(1), Some(TokenKind::OpenParen | TokenKind::Comma)) => {
                error("the name of a parameter starts with a dollar sign")
                    .map(|e| e.help(format!("write `${}`", f.text_of(f.at))))
            }
            Some(TokenKind::Equals) => {
                error("a parameter has no default").map(|e| e.help("pass the value in every call"))
            }
            Some(TokenKind::Dollar) => Some(missing_comma(f)),
            Some(TokenKind::Identifier) => Some(unknown_type(f)),
            _ => None,
        },
        TokenKind::Func => match found {
            Some(TokenKind::CloseCurly) if f.before(1) == Some(TokenKind::OpenCurly) => {
                error("the body of a function is an expression, and this one is empty")
            }
            Some(TokenKind::Arrow) => error("the type of the result follows the parameters without an arrow"),
            Some(TokenKind::Equals) if f.group == Some(Sort::Body) => error("the body of a function is one expression")
                .map(|e| e.help("there are no variables inside of functions; use more functions")),
            Some(TokenKind::Dot) if at == 2 => error("the name of a function has no dots"),
            Some(TokenKind::OpenCurly) if at == 2 => error("a function needs its parentheses")
                .map(|e| e.help(format!("write `func {}() {{ … }}`", f.text_of(f.start + 1)))),
            _ => None,
        },
        TokenKind::Panic if at == 1 => error("panic needs its parentheses").map(|e| e.help("write `panic(\"…\")`")),
        _ => None,
    }
}

/// Two values side by side, and operators without one of theirs.
fn between_values(f: &Failure<'_>) -> Option<Diagnostic> {
    let before = f.before(1)?;
    let found = f.found()?;
    let text = f.text_of(f.at);
    let after_operand = ends_operand(before);
    let is_edge = f.kind(f.start) == Some(TokenKind::Capitalized);
    let comparison = |k: TokenKind| {
        matches!(
            k,
            TokenKind::Eq
                | TokenKind::Ne
                | TokenKind::Lt
                | TokenKind::Gt
                | TokenKind::Le
                | TokenKind::Ge
                | TokenKind::In
        )
    };
    match found {
        TokenKind::Integer | TokenKind::Float if after_operand && text.starts_with('-') => Some(
            f.error(Code::E0213, format!("two values without an operator: `{text}` is one number"))
                .help(format!("for a subtraction put a blank behind the minus: `- {}`", &text[1..])),
        ),
        TokenKind::Minus if !after_operand => Some(
            f.error(Code::E0214, "there is no unary minus")
                .help("subtract from zero: `0 - …`; a negative number is written `-1`"),
        ),
        TokenKind::If if before == TokenKind::Else => Some(else_if(f)),
        kind if comparison(kind) && after_operand && !f.expects("==") && f.expects("and") => {
            Some(f.error(Code::E0217, "comparisons do not chain").help("join them with `and`, or use parentheses"))
        }
        kind if comparison(kind) && after_operand && !f.expects("==") && f.expects("<|>") => Some(
            f.error(Code::E0217, "the default of a field already contains a comparison, and these do not chain")
                .help("use parentheses: `($s->field <|> default) == …`"),
        ),
        TokenKind::Elvis if f.group != Some(Sort::Entries) => Some(
            f.error(Code::E0201, "`?:` stands only in the entries of a resource")
                .help("for a value write `if condition { … } else { … }`"),
        ),
        TokenKind::Elvis => Some(f.error(Code::E0201, "an entry has one condition").help("join conditions with `and`")),
        TokenKind::OpenParen if matches!(before, TokenKind::CloseParen | TokenKind::CloseCurly) => Some(
            f.error(Code::E0201, "the result of an expression cannot be called")
                .help("bind it to a variable first: `$f = …`, then `$f(…)`"),
        ),
        TokenKind::Dot if before == TokenKind::CloseBracket || f.before(2) == Some(TokenKind::Arrow) => {
            Some(f.error(Code::E0201, "a field of a struct is looked up with `->`, not with a dot"))
        }
        TokenKind::Comma if matches!(before, TokenKind::Comma) => {
            Some(f.error(Code::E0201, "nothing stands between two commas"))
        }
        TokenKind::Comma if before.is_opener() => Some(f.error(Code::E0201, "nothing stands before this comma")),
        TokenKind::Eq if before == TokenKind::Equals => {
            Some(f.error(Code::E0201, "`===` is no operator").help("equal is `==`"))
        }
        TokenKind::Equals if before == TokenKind::Eq => {
            Some(f.error(Code::E0201, "`===` is no operator").help("equal is `==`"))
        }
        TokenKind::Equals if after_operand && f.expects("==") => {
            Some(f.error(Code::E0201, "expected an operator, found `=`").help("equal is `==`"))
        }
        TokenKind::Dot if matches!(before, TokenKind::Integer | TokenKind::Float) => Some(
            f.error(Code::E0201, "a float has digits behind its point")
                .help(format!("write `{}.0`", f.text_of(f.at - 1))),
        ),
        TokenKind::Lt if before == TokenKind::CloseBracket && f.text_of(f.at + 1) == "-" && is_edge => Some(
            f.error(Code::E0201, "an edge points to the right")
                .help("what comes first stands on the left: `First[\"a\"] -> Second[\"b\"]`"),
        ),
        TokenKind::Arrow if before == TokenKind::Identifier && f.before(2) == Some(TokenKind::Dot) => Some(
            f.error(Code::E0201, "an edge that sends a value joins two halves, not more")
                .help("write a statement for each pair: `A[\"x\"].out -> B[\"y\"].in`"),
        ),
        TokenKind::Dot if before == TokenKind::String => {
            Some(f.error(Code::E0201, "a dot does not join strings").help("strings are joined with `+`"))
        }
        TokenKind::Semicolon => Some(
            f.error(Code::E0201, "a semicolon stands only between the fields of a struct type")
                .help("statements end with their line; elements are separated by commas"),
        ),
        TokenKind::Dollar if before == TokenKind::Arrow => {
            Some(f.error(Code::E0201, "the field after `->` is a plain word").help("a map takes any key: `$map[$key]`"))
        }
        TokenKind::Panic => Some(f.error(Code::E0201, "panic is a statement, not an expression")),
        TokenKind::For | TokenKind::ForKv => Some(
            f.error(Code::E0201, "a loop is a statement, not an expression")
                .help("use `iter.map` of the module \"iter\""),
        ),
        _ => None,
    }
}

/// Mistakes in resource bodies, maps, structs and types.
fn in_entries(f: &Failure<'_>) -> Option<Diagnostic> {
    let before = f.before(1)?;
    // On a line of its own too, where the statement could be taken to end.
    let quoted = f.tokens.kind(f.at as usize) == Some(TokenKind::String);
    if quoted
        && matches!(f.group, Some(Sort::Entries | Sort::Struct))
        && matches!(before, TokenKind::Comma | TokenKind::OpenCurly)
    {
        let place = f.tokens.span(f.file, f.at as usize);
        let message = "the name of a field stands without quotes";
        return Some(Diagnostic::error(Code::E0201, Stage::Parse, message).at(place));
    }
    if f.group == Some(Sort::Entries)
        && before == TokenKind::Identifier
        && matches!(f.before(2), Some(TokenKind::Comma | TokenKind::OpenCurly))
        && lacks_rocket(f.tokens, f.at as usize - 1)
    {
        let name = f.text_of(f.at - 1);
        let message = format!("expected `=>` between the field `{name}` and its value");
        let error = Diagnostic::error(Code::E0201, Stage::Parse, message).at(f.before_span());
        return Some(error.help(format!("write `{name} => …,`")));
    }
    let found = f.found()?;
    match f.group? {
        Sort::Parameters => match found {
            TokenKind::Colon if before == TokenKind::Identifier => {
                let help = format!("write `${} type`", f.text_of(f.at - 1));
                Some(f.error(Code::E0201, "the type follows the name without a colon").help(help))
            }
            TokenKind::TypeBool | TokenKind::TypeStr | TokenKind::TypeInt | TokenKind::TypeFloat
                if matches!(before, TokenKind::Comma | TokenKind::OpenParen) =>
            {
                let help = format!("write `$name {}`", f.text_of(f.at));
                Some(f.error(Code::E0201, "the type of a parameter follows its name").help(help))
            }
            _ => None,
        },
        Sort::Entries => match found {
            TokenKind::Equals if before == TokenKind::Identifier => {
                Some(f.error(Code::E0201, "a field takes `=>`, not `=`"))
            }
            TokenKind::Colon if before == TokenKind::Identifier && f.text_of(f.at - 1) == "meta" => {
                Some(f.error(Code::E0201, "meta parameters are written `Meta:`, with a capital letter"))
            }
            TokenKind::Colon if before == TokenKind::Identifier => {
                Some(f.error(Code::E0201, "a field takes `=>`, not `:`"))
            }
            TokenKind::Capitalized
                if before == TokenKind::Rocket
                    && f.before(2) == Some(TokenKind::Identifier)
                    && f.kind(f.at + 1) == Some(TokenKind::OpenBracket) =>
            {
                let word = match f.text_of(f.at - 2) {
                    "require" | "depend" => "Depend",
                    "notify" => "Notify",
                    "subscribe" | "listen" => "Listen",
                    _ => "Before",
                };
                let error = f.error(Code::E0201, "an edge stands behind `Before`, `Notify`, `Depend` or `Listen`");
                Some(error.help(format!("write `{word} => {}[…],` with a capital letter", f.text_of(f.at))))
            }
            TokenKind::Arrow => Some(f.error(Code::E0201, "an edge entry takes one half, no chain")),
            TokenKind::Dot if before == TokenKind::CloseBracket => Some(
                f.error(Code::E0201, "an edge entry has no field")
                    .help("send and receive with a statement: `A[\"x\"].out -> B[\"y\"].in`"),
            ),
            _ => None,
        },
        Sort::Map | Sort::Struct => match found {
            TokenKind::Colon | TokenKind::Equals if ends_operand(before) => {
                let what = if f.group == Some(Sort::Map) { "the key of a map" } else { "the field of a struct" };
                Some(f.error(Code::E0201, format!("{what} takes `=>`, not `{}`", f.text_of(f.at))))
            }
            TokenKind::Rocket if before == TokenKind::Identifier && f.group == Some(Sort::Map) => Some(
                f.error(Code::E0219, format!("the key `{}` is a bare word", f.text_of(f.at - 1)))
                    .at(f.before_span())
                    .help("for a struct write `struct{…}`; the key of a map is an expression, like a string in quotes"),
            ),
            _ => None,
        },
        Sort::Type => match found {
            TokenKind::CloseCurly if before == TokenKind::Semicolon => {
                Some(f.error(Code::E0201, "a struct type does not end in `;`").help("`;` stands only between fields"))
            }
            TokenKind::Comma => Some(f.error(Code::E0201, "the fields of a struct type are separated by `;`")),
            TokenKind::Rocket | TokenKind::Equals => {
                Some(f.error(Code::E0201, "key and value of a map type are joined by `:`"))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A name in an expression that is neither a variable nor called.
fn bare_name(f: &Failure<'_>) -> Option<Diagnostic> {
    if f.before(1) != Some(TokenKind::Identifier) || !f.expects("(") {
        return None;
    }
    if matches!(f.before(2), Some(TokenKind::Dollar)) {
        return None;
    }
    let mut first = f.at - 1;
    while first >= f.start + 2
        && f.tokens.kind(first as usize - 1) == Some(TokenKind::Dot)
        && f.tokens.kind(first as usize - 2) == Some(TokenKind::Identifier)
    {
        first -= 2;
    }
    if first > f.start && f.tokens.kind(first as usize - 1) == Some(TokenKind::Dollar) {
        return None;
    }
    let span = f.tokens.span(f.file, first as usize).to(f.before_span());
    let name: String = (first..f.at).map(|i| f.text_of(i)).collect();
    if name == "return" {
        let error = Diagnostic::error(Code::E0219, Stage::Parse, "there is no `return`").at(span);
        return Some(error.help("the body of a function is one expression, and that is its result"));
    }
    let error =
        Diagnostic::error(Code::E0219, Stage::Parse, format!("the bare name `{name}` means nothing here")).at(span);
    Some(match name.as_str() {
        "null" | "nil" | "undef" | "none" => {
            error.help("there is no null; leave the field out, or use `cond ?: value`")
        }
        _ if f.found() == Some(TokenKind::Rocket) && f.group == Some(Sort::Arguments) => {
            Diagnostic { message: "arguments have no names, only an order".to_owned(), ..error }
        }
        _ if f.kind(f.at) == Some(TokenKind::Rocket)
            && f.group == Some(Sort::Entries)
            && first > f.start + 1
            && f.tokens.newline_before(first as usize)
            && f.tokens.kind(first as usize - 1) == Some(TokenKind::Rocket) =>
        {
            let field = f.text_of(first - 2);
            let at = f.tokens.span(f.file, first as usize - 2);
            Diagnostic { message: format!("the entry `{field}` has no value"), span: Some(at), ..error }
        }
        _ if first > f.start && f.tokens.kind(first as usize - 1) == Some(TokenKind::Rocket) => {
            error.help(format!("a text stands in quotes, `\"{name}\"`; a variable is written `${name}`"))
        }
        _ => error.help(format!("a variable is written `${name}`, a call `{name}(…)`")),
    })
}

fn generic(f: &Failure<'_>) -> Diagnostic {
    let expected = expected_text(f);
    let code = if f.end_of_line { Code::E0220 } else { Code::E0201 };
    let after_operand = f.before(1).is_some_and(ends_operand);
    let starts_value = f.found().is_some_and(|k| {
        matches!(
            k,
            TokenKind::Identifier
                | TokenKind::Integer
                | TokenKind::Float
                | TokenKind::String
                | TokenKind::Dollar
                | TokenKind::True
                | TokenKind::False
                | TokenKind::OpenBracket
                | TokenKind::OpenCurly
                | TokenKind::Struct
        )
    });
    if after_operand && starts_value && f.expects("+") {
        let error = f.error(Code::E0213, format!("expected an operator{}, found {}", closing_text(f), f.found_text()));
        return error.label(f.before_span(), "the expression could end here");
    }
    if f.found() == Some(TokenKind::Identifier) && f.expects("bool") && f.expects("variant") && !f.expects("STRING") {
        return unknown_type(f);
    }
    if f.end_of_line && f.expected.len() == 1 && f.expects(".") && f.before(1) == Some(TokenKind::CloseBracket) {
        return f
            .error(code, "this half of the edge names no field, but the other half does")
            .help("both halves name one to send a value: `A[\"x\"].out -> B[\"y\"].in`; or neither, for order alone");
    }
    let error = match (expected, f.found()) {
        (Some(expected), _) => f.error(code, format!("expected {expected}, found {}", f.found_text())),
        (None, Some(_)) => f.error(code, format!("{} does not fit here", f.found_text())),
        (None, None) => f.error(code, format!("{} comes too early", f.found_text())),
    };
    if f.end_of_line { error.help("the statement is not complete") } else { error }
}

/// What may follow a complete operand besides operators.
fn closing_text(f: &Failure<'_>) -> &'static str {
    match f.group {
        Some(Sort::Arguments | Sort::Parameters) => ", `,` or `)`",
        Some(Sort::List) => ", `,` or `]`",
        Some(Sort::Map | Sort::Struct) => ", `,` or `}`",
        Some(Sort::Entries) => " or `,`",
        Some(Sort::Parentheses) => " or `)`",
        Some(Sort::Index | Sort::EdgeName) => " or `]`",
        Some(Sort::Body) => " or `}`",
        Some(Sort::Type) => "",
        None => " or the end of the statement",
    }
}

/// The terminals that fit, in groups, unless there are too many to tell.
fn expected_text(f: &Failure<'_>) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    if f.expects("STRING") && f.expects("INTEGER") {
        parts.push("an expression".to_owned());
    } else if f.expects("+") || f.expects("or") {
        parts.push("an operator".to_owned());
    }
    if f.expects("bool") && f.expects("variant") {
        parts.push("a type".to_owned());
    }
    let whole = !parts.is_empty();
    for terminal in &f.expected {
        let terminal = terminal.trim_matches('"');
        let part = match terminal {
            "ERROR_VALUE" | "ERROR_ITEM" | "DEFAULT" | "||" => continue,
            "IDENTIFIER" if whole => continue,
            "IDENTIFIER" => "a name".to_owned(),
            "CAPITALIZED" => "a capitalised name".to_owned(),
            "INTEGER" | "FLOAT" | "STRING" if whole => continue,
            "STRING" => "a string".to_owned(),
            "INTEGER" | "FLOAT" => "a number".to_owned(),
            "," | ")" | "]" | "}" | "=" | "=>" | "?:" | ":" => format!("`{terminal}`"),
            _ if whole => continue,
            _ => format!("`{terminal}`"),
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    match parts.len() {
        0 => Some("the end of the statement".to_owned()),
        1 => parts.pop(),
        2..=5 => {
            let last = parts.pop().unwrap_or_default();
            Some(format!("{} or {last}", parts.join(", ")))
        }
        _ => None,
    }
}
