//! Expressions, names and types as other languages write them.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::error::{HabitError, HabitKind, SyntaxError};
use crate::failure::Failure;
use crate::foreign_keywords::word_operator;
use crate::method::call_for_method;
use crate::token_set::{NUMBER, OPERAND_END, SIMPLE_TYPE, STRING_LIKE, TokenSet, WORD};

/// The types that are a keyword, and those that start with one.
const TYPE_KEYWORD: TokenSet = SIMPLE_TYPE.union(TokenSet::new(&[TokenKind::Map, TokenKind::Struct, TokenKind::Func]));

/// The loop of a comprehension is looked for among this many tokens.
const MAX_LOOP_DISTANCE: usize = 100;

/// Returns the error for a construct of another language, inside a statement.
pub fn construct(f: &Failure<'_>) -> Option<SyntaxError> {
    dash_in_name(f)
        .or_else(|| in_head(f))
        .or_else(|| name(f))
        .or_else(|| literal(f))
        .or_else(|| function(f))
        .or_else(|| method(f))
        .or_else(|| operator(f))
        .or_else(|| list(f))
        .or_else(|| condition(f))
        .or_else(|| resource(f))
}

fn habit(kind: HabitKind) -> HabitError {
    HabitError { kind, covers: None }
}

fn at_failure(f: &Failure<'_>, kind: HabitKind) -> Option<SyntaxError> {
    Some(f.error(habit(kind)))
}

/// An error at the tokens from `first` to `last`.
fn over(f: &Failure<'_>, first: TokenIdx, last: TokenIdx, kind: HabitKind) -> Option<SyntaxError> {
    Some(SyntaxError::new(habit(kind), f.span_of(first).to(f.span_of(last))))
}

/// Returns the text from one token to another, inclusive.
fn text_over<'t>(f: &Failure<'t>, first: TokenIdx, last: TokenIdx) -> &'t str {
    f.text.get(f.tokens.start(first) as usize..f.tokens.end(last) as usize).unwrap_or("")
}

/// `my-name`: words that are joined by minus signs without whitespace.
fn dash_in_name(f: &Failure<'_>) -> Option<SyntaxError> {
    let is_part = |token: TokenIdx| WORD.has(f.tokens.kind(token)) || f.tokens.kind(token) == Some(TokenKind::Minus);
    let is_joined = |token: TokenIdx| f.tokens.is_adjacent_to_previous(token) && is_part(token);
    // The last part of the name is at most this far before the failure: `$my-lib.y` fails after `y`.
    let mut minus = f.at;
    for _ in 0..4 {
        if f.tokens.kind(minus) == Some(TokenKind::Minus) && minus > f.start {
            break;
        }
        minus = minus.previous().filter(|token| *token >= f.start)?;
    }
    if f.tokens.kind(minus) != Some(TokenKind::Minus) {
        return None;
    }
    let mut first = minus;
    while first > f.start && f.tokens.is_adjacent_to_previous(first) && first.previous().is_some_and(is_part) {
        first = first.previous()?;
    }
    let mut last = minus;
    while is_joined(last + 1) {
        last = last + 1;
    }
    if first == minus || last == minus || f.tokens.kind(last) == Some(TokenKind::Minus) {
        return None;
    }
    let is_variable =
        first > f.start && first.previous().and_then(|token| f.tokens.kind(token)) == Some(TokenKind::Dollar);
    let first = if is_variable { first.previous()? } else { first };
    let found = text_over(f, first, last).to_owned();
    let is_bound = first == f.start && f.tokens.kind(last + 1) == Some(TokenKind::Equals);
    let suggestion = found.replace('-', "_");
    over(f, first, last, HabitKind::DashInName { found, suggestion, is_variable: is_variable && !is_bound })
}

/// `class a inherits b {`, `class a::b {`, `include a::b`, `func f<T>(…)`, `return` in a function.
fn in_head(f: &Failure<'_>) -> Option<SyntaxError> {
    let first = f.tokens.kind(f.start)?;
    let second = f.start + 2;
    match first {
        TokenKind::Class if matches!(f.text_of(second.min(f.last().max(f.at))), "inherits" | "extends") => {
            let class = f.tokens.kind(second + 1).map_or("base", |_| f.text_of(second + 1)).to_owned();
            over(f, second, second, HabitKind::Inherits { class })
        }
        TokenKind::Class | TokenKind::Include | TokenKind::Func | TokenKind::Identifier
            if f.found_kind() == Some(TokenKind::Colon)
                && f.context.is_none()
                && (f.before(1) == Some(TokenKind::Colon) || f.kind(f.at + 1) == Some(TokenKind::Colon))
                && dollar_of_name(f).is_none() =>
        {
            let mut first_word = f.at;
            while first_word > f.start
                && first_word
                    .previous()
                    .is_some_and(|token| matches!(f.tokens.kind(token), Some(TokenKind::Colon | TokenKind::Identifier)))
                && f.tokens.is_adjacent_to_previous(first_word)
            {
                first_word = first_word.previous()?;
            }
            let mut last = f.at;
            while f.tokens.is_adjacent_to_previous(last + 1)
                && matches!(f.tokens.kind(last + 1), Some(TokenKind::Colon | TokenKind::Identifier))
            {
                last = last + 1;
            }
            let separator = match first {
                TokenKind::Include => ".",
                TokenKind::Func => "_",
                _ => ":",
            };
            let suggestion = text_over(f, first_word, last).replace("::", separator);
            over(f, first_word, last, HabitKind::DoubleColon { suggestion })
        }
        TokenKind::Func if f.tokens.kind(second) == Some(TokenKind::Lt) => {
            over(f, second, second, HabitKind::TypeParameters { name: f.owned_text(f.start + 1) })
        }
        _ => None,
    }
}

/// `$(…)`, `$::name`, `$a::name`, `a::name()`.
fn name(f: &Failure<'_>) -> Option<SyntaxError> {
    if f.found_kind() == Some(TokenKind::Colon)
        && f.kind(f.at + 1) == Some(TokenKind::Colon)
        && f.before(1) == Some(TokenKind::Identifier)
        && f.before(2) != Some(TokenKind::Dollar)
        && f.expects(TokenKind::Dot)
    {
        let is_part = |token: TokenIdx| {
            f.tokens.is_adjacent_to_previous(token)
                && matches!(f.tokens.kind(token), Some(TokenKind::Colon | TokenKind::Identifier))
        };
        let mut last = f.at + 1;
        while is_part(last + 1) {
            last = last + 1;
        }
        let suggestion = text_over(f, f.last(), last).trim_end_matches(':').replace("::", ".");
        return over(f, f.last(), last, HabitKind::DoubleColon { suggestion });
    }
    if f.before(1) == Some(TokenKind::Dollar) {
        return match f.found_kind()? {
            TokenKind::OpenParen => over(f, f.last(), f.at, HabitKind::CommandSubstitution),
            TokenKind::Colon if f.kind(f.at + 1) == Some(TokenKind::Colon) => top_scope_variable(f, f.last()),
            _ => None,
        };
    }
    if f.found_kind() == Some(TokenKind::Colon) && f.kind(f.at + 1) == Some(TokenKind::Colon) {
        return top_scope_variable(f, dollar_of_name(f)?);
    }
    None
}

/// Returns the dollar sign of the variable whose name the failing token would continue.
fn dollar_of_name(f: &Failure<'_>) -> Option<TokenIdx> {
    let mut token = f.at;
    while token > f.start && f.tokens.is_adjacent_to_previous(token) {
        token = token.previous()?;
        match f.tokens.kind(token)? {
            TokenKind::Dollar => return Some(token),
            TokenKind::Identifier | TokenKind::Colon => {}
            _ => return None,
        }
    }
    None
}

/// `$::name`, `$class::name`.
fn top_scope_variable(f: &Failure<'_>, dollar: TokenIdx) -> Option<SyntaxError> {
    let mut last = f.at + 1;
    while f.tokens.is_adjacent_to_previous(last + 1)
        && matches!(f.tokens.kind(last + 1), Some(TokenKind::Colon | TokenKind::Identifier))
    {
        last = last + 1;
    }
    let name = text_over(f, dollar + 1, last).trim_matches(':').to_owned();
    over(f, dollar, last, HabitKind::TopScopeVariable { name })
}

/// `"""…"""`, `map[str]int`, `[]str{…}`, `struct(…)`, `point{…}`, `int("3")`, `{{ name }}`.
fn literal(f: &Failure<'_>) -> Option<SyntaxError> {
    let found = f.found_kind()?;
    let before = f.before(1);
    let next = f.kind(f.at + 1);
    let is_empty_string = |token: TokenIdx| f.text_of(token) == "\"\"";
    match found {
        TokenKind::String | TokenKind::UnterminatedString
            if before == Some(TokenKind::String)
                && f.tokens.is_adjacent_to_previous(f.at)
                && (is_empty_string(f.last()) || is_empty_string(f.at)) =>
        {
            over(f, f.last(), f.at, HabitKind::TripleQuotes)
        }
        TokenKind::OpenBracket if before == Some(TokenKind::Map) => over(f, f.last(), f.at, HabitKind::BracketMapType),
        TokenKind::OpenParen if before == Some(TokenKind::Struct) => {
            over(f, f.last(), f.at, HabitKind::StructParentheses)
        }
        TokenKind::OpenCurly
            if before == Some(TokenKind::Map) && next.is_some_and(|next| TYPE_KEYWORD.contains(next)) =>
        {
            over(f, f.last(), f.last(), HabitKind::TypedLiteral { opener: "{…}" })
        }
        kind if TYPE_KEYWORD.contains(kind)
            && before == Some(TokenKind::CloseBracket)
            && f.before(2) == Some(TokenKind::OpenBracket) =>
        {
            over(f, f.at.checked_sub(2)?, f.at, HabitKind::TypedLiteral { opener: "[…]" })
        }
        kind if SIMPLE_TYPE.contains(kind) && next == Some(TokenKind::OpenParen) && f.expects(TokenKind::String) => {
            at_failure(f, HabitKind::Cast { ty: f.owned_text(f.at) })
        }
        TokenKind::OpenCurly | TokenKind::Rocket | TokenKind::Identifier | TokenKind::CloseCurly => {
            template_value(f).or_else(|| named_struct(f, found))
        }
        TokenKind::Dot | TokenKind::Divide | TokenKind::Minus => template_value(f),
        _ => None,
    }
}

/// `{{ name }}` in the position of a value.
fn template_value(f: &Failure<'_>) -> Option<SyntaxError> {
    let mut token = f.at;
    // The names in a template are few tokens.
    for _ in 0..6 {
        let is_open = f.tokens.kind(token) == Some(TokenKind::OpenCurly);
        let previous = token.previous().filter(|token| *token > f.start)?;
        if is_open && f.tokens.is_adjacent_to_previous(token) && f.tokens.kind(previous) == Some(TokenKind::OpenCurly) {
            let name = token + 1;
            let is_name = f.tokens.kind(name) == Some(TokenKind::Identifier);
            let name = is_name.then(|| f.owned_text(name));
            return over(f, previous, token, HabitKind::TemplateValue { name });
        }
        token = previous;
    }
    None
}

/// `point{x => 1}`: a name directly before the braces of a value.
fn named_struct(f: &Failure<'_>, found: TokenKind) -> Option<SyntaxError> {
    let is_name = f.before(1) == Some(TokenKind::Identifier)
        && !matches!(f.before(2), Some(TokenKind::Dollar | TokenKind::Dot | TokenKind::Arrow) | None)
        && f.at - f.start > 2;
    let is_struct = f.kind(f.at + 1) == Some(TokenKind::Identifier)
        && matches!(f.kind(f.at + 2), Some(TokenKind::Rocket | TokenKind::Colon));
    (found == TokenKind::OpenCurly && is_name && is_struct && f.tokens.is_adjacent_to_previous(f.at))
        .then(|| f.error_at(habit(HabitKind::NamedStruct { name: f.owned_text(f.last()) }), f.last()))
}

/// `$x => $x + 1`, `fn($x) { … }`, `lambda x: …`.
fn function(f: &Failure<'_>) -> Option<SyntaxError> {
    let found = f.found_kind()?;
    let takes_value = !matches!(
        f.context,
        Some(BracketContext::Map | BracketContext::Struct | BracketContext::Entries | BracketContext::Type)
    );
    if found == TokenKind::Rocket && takes_value && f.at - f.start > 2 {
        return lambda(f);
    }
    if takes_value && let Some(arrow) = arrow_after_words(f) {
        return over(f, arrow, arrow, HabitKind::Lambda { suggestion: None });
    }
    if let TokenKind::OpenCurly | TokenKind::Identifier | TokenKind::Dollar | TokenKind::Colon = found
        && let Some(word) = function_word(f)
    {
        return Some(f.error_at(habit(HabitKind::FunctionWord { word: f.owned_text(word) }), word));
    }
    None
}

/// Returns the arrow of `(x, y) => …`, which fails after the first word.
fn arrow_after_words(f: &Failure<'_>) -> Option<TokenIdx> {
    let is_parenthesized = f.before(1) == Some(TokenKind::Identifier)
        && f.before(2) == Some(TokenKind::OpenParen)
        && f.before(3) != Some(TokenKind::Identifier);
    let mut token = f.at;
    while is_parenthesized && matches!(f.kind(token)?, TokenKind::Comma | TokenKind::Identifier) {
        token = token + 1;
    }
    let is_arrow = matches!(f.kind(token + 1), Some(TokenKind::Rocket | TokenKind::Arrow));
    (is_parenthesized && f.kind(token) == Some(TokenKind::CloseParen) && is_arrow).then_some(token + 1)
}

/// `$x => $x + 1`, `($x, $y) => …`, at the arrow.
fn lambda(f: &Failure<'_>) -> Option<SyntaxError> {
    let first = match f.before(1)? {
        kind if WORD.contains(kind) && f.before(2) == Some(TokenKind::Dollar) => f.at.checked_sub(2)?,
        TokenKind::CloseParen => {
            let mut token = f.last();
            while f.tokens.kind(token) != Some(TokenKind::OpenParen) {
                token = token.previous().filter(|token| *token >= f.start)?;
            }
            // A call is not a list of parameters.
            if token.previous().and_then(|before| f.tokens.kind(before)).is_some_and(|kind| WORD.contains(kind)) {
                return None;
            }
            token
        }
        _ => return None,
    };
    let params = text_over(f, first, f.last());
    let params = params.strip_prefix('(').and_then(|params| params.strip_suffix(')')).unwrap_or(params);
    let body = rest_of_element(f, f.at + 1).map(|last| text_over(f, f.at + 1, last));
    let suggestion = body
        .filter(|body| !body.is_empty() && !body.contains('\n') && !body.starts_with('{'))
        .map(|body| format!("func({params}) {{ {body} }}"));
    at_failure(f, HabitKind::Lambda { suggestion })
}

/// Returns the last token of the element that starts at a token: before the next comma, closing bracket or line.
fn rest_of_element(f: &Failure<'_>, first: TokenIdx) -> Option<TokenIdx> {
    let mut depth = 0u32;
    let mut token = first;
    while let Some(kind) = f.tokens.kind(token) {
        let ends_line = token > first && f.tokens.newline_before(token);
        if depth == 0 && (kind.is_closer() || kind == TokenKind::Comma || ends_line) {
            break;
        }
        if kind.is_opener() {
            depth += 1;
        } else if kind.is_closer() {
            depth -= 1;
        }
        token = token + 1;
    }
    token.previous().filter(|last| *last >= first)
}

/// Returns the word of a function value of another language before the failure.
fn function_word(f: &Failure<'_>) -> Option<TokenIdx> {
    let is_word = |token: &TokenIdx| {
        matches!(f.text_of(*token), "fn" | "function" | "lambda" | "def" | "fun" | "proc")
            && !matches!(
                token.previous().and_then(|before| f.tokens.kind(before)),
                Some(TokenKind::Dollar | TokenKind::Dot | TokenKind::Arrow)
            )
    };
    (f.start + 1).until(f.at).rev().take(20).find(is_word)
}

/// `"a".upper()`, `$l[0].upper()`, `f(x).upper()`.
fn method(f: &Failure<'_>) -> Option<SyntaxError> {
    let is_receiver = matches!(
        f.before(1)?,
        TokenKind::String | TokenKind::CloseBracket | TokenKind::CloseParen | TokenKind::CloseCurly
    );
    let is_call = f.found_kind()? == TokenKind::Dot
        && f.kind(f.at + 1) == Some(TokenKind::Identifier)
        && f.kind(f.at + 2) == Some(TokenKind::OpenParen)
        && f.tokens.is_adjacent_to_previous(f.at + 1);
    let through_arrow = f.found_kind()? == TokenKind::OpenParen && f.before(2) == Some(TokenKind::Arrow);
    if !(is_receiver && is_call || through_arrow) {
        return None;
    }
    let name = if through_arrow { f.last() } else { f.at + 1 };
    let method = f.owned_text(name);
    let receiver = match f.before(1) {
        Some(TokenKind::String) if f.text_of(f.last()).len() <= 30 => f.text_of(f.last()),
        _ => "…",
    };
    let suggestion = call_for_method(&method, receiver);
    Some(f.error_at(habit(HabitKind::Method { method, suggestion }), name))
}

/// `1..3`, `...$a`, `**`, `<<`, `not in`.
fn operator(f: &Failure<'_>) -> Option<SyntaxError> {
    let found = f.found_kind()?;
    let before = f.before(1);
    let is_adjacent = f.tokens.is_adjacent_to_previous(f.at);
    let unknown = |operator, instead| over(f, f.last(), f.at, HabitKind::Operator { operator, instead });
    match (before, found) {
        (Some(before), TokenKind::Dot) if NUMBER.contains(before) && f.kind(f.at + 1) == Some(TokenKind::Dot) => {
            let end = match f.kind(f.at + 2) {
                Some(TokenKind::Integer) => f.text_of(f.at + 2),
                _ => "…",
            };
            let suggestion = format!("iter.range({}, {end})", f.text_of(f.last()));
            over(f, f.at, f.at + 1, HabitKind::Range { suggestion })
        }
        (_, TokenKind::Dot) if f.kind(f.at + 1) == Some(TokenKind::Dot) => over(f, f.at, f.at + 1, HabitKind::Spread),
        (_, TokenKind::Colon) if f.kind(f.at + 1) == Some(TokenKind::Equals) => over(
            f,
            f.at,
            f.at + 1,
            HabitKind::Operator { operator: ":=", instead: "a binding is a statement of its own: `$name = …`" },
        ),
        (Some(TokenKind::Multiply), TokenKind::Multiply) if is_adjacent => {
            unknown("**", "import \"math\" and call `math.pow(a, b)`")
        }
        (Some(TokenKind::Lt), TokenKind::Lt) | (Some(TokenKind::Gt), TokenKind::Gt) if is_adjacent => unknown(
            if found == TokenKind::Lt { "<<" } else { ">>" },
            "there are no bit operators and no heredocs; a string may contain line breaks, and lists are joined with \
             `list.concat`",
        ),
        (Some(TokenKind::Plus), TokenKind::Plus) if is_adjacent && f.expects(TokenKind::String) => {
            unknown("++", "join lists with `list.concat($a, $b)` of the module \"list\", strings with `+`")
        }
        (_, TokenKind::Colon)
            if f.kind(f.at + 1) == Some(TokenKind::Identifier)
                && f.tokens.is_adjacent_to_previous(f.at + 1)
                && f.expects(TokenKind::String) =>
        {
            over(f, f.at, f.at + 1, HabitKind::RubySymbol { name: f.owned_text(f.at + 1) })
        }
        (Some(before), TokenKind::Colon)
            if f.kind(f.at + 1) == Some(TokenKind::Colon)
                && OPERAND_END.contains(before)
                && f.expects(TokenKind::Plus) =>
        {
            let instead = "join lists with `list.concat([1], $list)` of the module \"list\"";
            over(f, f.at, f.at + 1, HabitKind::Operator { operator: "::", instead })
        }
        (_, TokenKind::As) if f.expects(TokenKind::Plus) && SIMPLE_TYPE.has(f.kind(f.at + 1)) => {
            let instead = match f.text_of(f.at + 1) {
                "float" => "a `float` is made by `convert.to_float(…)` of the module \"convert\"",
                "int" => "an `int` is made by `convert.to_int(…)` or `convert.str_to_int(…)` of the module \"convert\"",
                "str" => "a string is made by `fmt.printf(\"%v\", …)` of the module \"fmt\"",
                _ => "write a comparison",
            };
            over(f, f.at, f.at + 1, HabitKind::WordOperator { word: "as".to_owned(), instead })
        }
        (Some(before), TokenKind::Identifier) if OPERAND_END.contains(before) && !f.tokens.newline_before(f.at) => {
            let word = f.owned_text(f.at);
            let instead = word_operator(&word).filter(|_| word != "then" && f.at - f.start > 2)?;
            at_failure(f, HabitKind::WordOperator { word, instead })
        }
        (_, TokenKind::Not) if f.kind(f.at + 1) == Some(TokenKind::In) => over(f, f.at, f.at + 1, HabitKind::NotIn),
        _ => None,
    }
}

/// `(1, 2)`, `{1, 2}`, `$l[0:1]`, `[… for …]`, `Meta => {noop => true}`.
fn list(f: &Failure<'_>) -> Option<SyntaxError> {
    let found = f.found_kind()?;
    match (f.context?, found) {
        (BracketContext::Parentheses, TokenKind::Comma) => at_failure(f, HabitKind::Tuple),
        (BracketContext::Map, TokenKind::Comma) if f.expects(TokenKind::Rocket) => {
            at_failure(f, HabitKind::ListInBraces)
        }
        (BracketContext::Index, TokenKind::Colon) => at_failure(f, HabitKind::Slice),
        (BracketContext::List, TokenKind::For) => at_failure(f, HabitKind::Comprehension),
        (BracketContext::List, _) if f.before(1) == Some(TokenKind::Identifier) && loop_after(f).is_some() => {
            Some(f.error_at(habit(HabitKind::Comprehension), loop_after(f)?))
        }
        (BracketContext::Map, TokenKind::Rocket | TokenKind::Equals | TokenKind::Colon)
            if f.before(1) == Some(TokenKind::Identifier)
                && f.before(2) == Some(TokenKind::OpenCurly)
                && f.before(3) == Some(TokenKind::Rocket)
                && f.before(4) == Some(TokenKind::Capitalized) =>
        {
            let parameter = f.owned_text(f.last());
            Some(f.error_at(habit(HabitKind::MetaBlock { parameter }), f.last()))
        }
        _ => None,
    }
}

/// Returns the `for` of `[x * 2 for x in $list]`, which fails after the first word.
fn loop_after(f: &Failure<'_>) -> Option<TokenIdx> {
    let line =
        f.at.until(f.tokens.end_idx()).take(MAX_LOOP_DISTANCE).take_while(|token| !f.tokens.newline_before(*token));
    let mut rest = line.take_while(|token| f.kind(*token) != Some(TokenKind::CloseBracket));
    rest.find(|token| f.kind(*token) == Some(TokenKind::For))
}

/// `if` without `else` as a value, `1 if c else 2`, `test "a" {} if c`, `if c test "a" {}`, `if` among entries.
fn condition(f: &Failure<'_>) -> Option<SyntaxError> {
    let is_if = f.tokens.kind(f.start) == Some(TokenKind::If);
    let is_after_statement = !f.tokens.newline_before(f.start)
        && f.start > TokenIdx::FIRST
        && f.context.is_none()
        && f.found_kind().is_none();
    if is_if
        && is_after_statement
        && f.start.previous().and_then(|last| f.tokens.kind(last)) == Some(TokenKind::CloseCurly)
    {
        return Some(f.error_at(habit(HabitKind::ConditionAfterStatement), f.start));
    }
    if matches!(f.found_kind(), Some(TokenKind::If | TokenKind::For | TokenKind::ForKv))
        && f.context == Some(BracketContext::Entries)
        && matches!(f.before(1), Some(TokenKind::OpenCurly | TokenKind::Comma))
    {
        return at_failure(f, HabitKind::StatementAmongEntries { keyword: f.owned_text(f.at) });
    }
    if let Some(TokenKind::If | TokenKind::For | TokenKind::ForKv) = f.tokens.kind(f.start)
        && f.found_kind() == Some(TokenKind::Identifier)
        && f.text_of(f.at) != "then"
        && f.before(1) == Some(TokenKind::CloseParen)
        && f.context.is_none()
        && f.expects(TokenKind::OpenCurly)
    {
        return at_failure(f, HabitKind::BlockWithoutBraces { keyword: f.owned_text(f.start) });
    }
    if is_if
        && f.found_kind() == Some(TokenKind::Else)
        && !f.tokens.newline_before(f.start)
        && f.start > TokenIdx::FIRST
        && f.context.is_none()
    {
        return Some(f.error_at(habit(HabitKind::TrailingCondition), f.start));
    }
    if f.found_kind() == Some(TokenKind::Identifier) && f.text_of(f.at) == "then" && f.expects(TokenKind::OpenCurly) {
        return at_failure(f, HabitKind::Then);
    }
    if f.expected() == TokenSet::new(&[TokenKind::Else]) && f.before(1) == Some(TokenKind::CloseCurly) {
        let keyword = f.start.until(f.at).rev().find(|token| f.tokens.kind(*token) == Some(TokenKind::If))?;
        return Some(f.error_at(habit(HabitKind::MissingElseBranch), keyword));
    }
    if STRING_LIKE.has(f.before(1)) && f.found_kind() == Some(TokenKind::If) && f.text_of(f.start) == "if" {
        return Some(f.error(habit(HabitKind::TrailingCondition)));
    }
    None
}

/// `file("/tmp/a", state => "exists")`, `file "/tmp/a", "/tmp/b" {`, `file "/tmp/a" [`.
fn resource(f: &Failure<'_>) -> Option<SyntaxError> {
    if f.tokens.kind(f.start)? != TokenKind::Identifier {
        return None;
    }
    let (kind, name) = (f.owned_text(f.start), f.start + 1);
    let is_call = f.tokens.kind(name) == Some(TokenKind::OpenParen)
        && STRING_LIKE.has(f.tokens.kind(name + 1))
        && f.at == name + 2
        && f.found_kind() == Some(TokenKind::Comma);
    if is_call {
        let name = f.text_of(name + 1).replace('\'', "\"");
        return over(f, f.start, f.start, HabitKind::ResourceCall { kind, name });
    }
    if !STRING_LIKE.has(f.tokens.kind(name)) {
        return None;
    }
    if f.at == name + 1 && f.found_kind() == Some(TokenKind::Comma) {
        let mut last = name;
        while f.kind(last + 1) == Some(TokenKind::Comma) && STRING_LIKE.has(f.kind(last + 2)) {
            last = last + 2;
        }
        let names = text_over(f, name, last).replace('\'', "\"");
        return at_failure(f, HabitKind::SeveralNames { kind, names });
    }
    let is_entry = f.context == Some(BracketContext::Index)
        && f.at == name + 3
        && f.tokens.kind(name + 1) == Some(TokenKind::OpenBracket)
        && f.tokens.kind(name + 2) == Some(TokenKind::Identifier)
        && f.found_kind() == Some(TokenKind::Rocket);
    is_entry.then(|| f.error_at(habit(HabitKind::EntriesInBrackets), name + 1))
}
