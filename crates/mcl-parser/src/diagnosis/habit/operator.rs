//! Operators of other languages.

use mcl_lexer::TokenKind;

use crate::bracket::BracketContext;
use crate::error::{HabitKind, SyntaxError};
use crate::failure::Failure;
use crate::foreign_keywords::word_operator;
use crate::token_set::{NUMBER, OPERAND_END, SIMPLE_TYPE};

/// The end of the names in an edge is looked for among this many tokens.
const MAX_EDGE_NAME_TOKENS: usize = 40;

/// `1..3`, `...$a`, `**`, `<<`, `not in`.
pub fn operator(f: &Failure<'_>) -> Option<SyntaxError> {
    if let Some(error) = spread_in_map(f).or_else(|| star(f)) {
        return Some(error);
    }
    let found = f.found_kind()?;
    let before = f.before(1);
    let is_adjacent = f.tokens.is_adjacent_to_previous(f.at);
    let unknown = |operator, instead| f.habit_over(f.last(), f.at, HabitKind::Operator { operator, instead });
    match (before, found) {
        (Some(before), TokenKind::Dot) if NUMBER.contains(before) && f.kind(f.at + 1) == Some(TokenKind::Dot) => {
            let end = match f.kind(f.at + 2) {
                Some(TokenKind::Integer) => f.text_of(f.at + 2),
                _ => "…",
            };
            let suggestion = format!("iter.range({}, {end})", f.text_of(f.last()));
            f.habit_over(f.at, f.at + 1, HabitKind::Range { suggestion })
        }
        (_, TokenKind::Dot)
            if f.kind(f.at + 1) == Some(TokenKind::Dot) && f.context == Some(BracketContext::Parameters) =>
        {
            f.habit_over(f.at, f.at + 1, HabitKind::VariableArguments)
        }
        (_, TokenKind::Dot) if f.kind(f.at + 1) == Some(TokenKind::Dot) => {
            f.habit_over(f.at, f.at + 1, HabitKind::Spread { operator: "..." })
        }
        (_, TokenKind::Comma) if f.context == Some(BracketContext::EdgeName) => several_edge_names(f),
        (_, TokenKind::Colon) if f.kind(f.at + 1) == Some(TokenKind::Equals) => f.habit_over(
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
            f.habit_over(f.at, f.at + 1, HabitKind::RubySymbol { name: f.owned_text(f.at + 1) })
        }
        (Some(before), TokenKind::Colon)
            if f.kind(f.at + 1) == Some(TokenKind::Colon)
                && OPERAND_END.contains(before)
                && f.expects(TokenKind::Plus) =>
        {
            let instead = "join lists with `list.concat([1], $list)` of the module \"list\"";
            f.habit_over(f.at, f.at + 1, HabitKind::Operator { operator: "::", instead })
        }
        (_, TokenKind::As) if f.expects(TokenKind::Plus) && SIMPLE_TYPE.has(f.kind(f.at + 1)) => {
            let instead = match f.text_of(f.at + 1) {
                "float" => "a `float` is made by `convert.to_float(…)` of the module \"convert\"",
                "int" => "an `int` is made by `convert.to_int(…)` or `convert.str_to_int(…)` of the module \"convert\"",
                "str" => "a string is made by `fmt.printf(\"%v\", …)` of the module \"fmt\"",
                _ => "write a comparison",
            };
            f.habit_over(f.at, f.at + 1, HabitKind::WordOperator { word: "as".to_owned(), instead })
        }
        (Some(before), TokenKind::Identifier) if OPERAND_END.contains(before) && !f.tokens.newline_before(f.at) => {
            let word = f.owned_text(f.at);
            let instead = word_operator(&word).filter(|_| word != "then" && f.at - f.start > 2)?;
            f.habit(HabitKind::WordOperator { word, instead })
        }
        (_, TokenKind::Not) if f.kind(f.at + 1) == Some(TokenKind::In) => {
            f.habit_over(f.at, f.at + 1, HabitKind::NotIn)
        }
        _ => None,
    }
}

/// `*$a`, `$l[*]`, `* => $map`, and `*` before a parameter.
fn star(f: &Failure<'_>) -> Option<SyntaxError> {
    if f.found_kind()? != TokenKind::Multiply {
        return None;
    }
    match f.before(1) {
        Some(TokenKind::OpenBracket | TokenKind::OpenParen | TokenKind::Comma)
            if f.context == Some(BracketContext::Parameters) =>
        {
            f.habit(HabitKind::VariableArguments)
        }
        Some(TokenKind::OpenBracket) if f.context == Some(BracketContext::Index) => {
            let instead =
                "to take something of each element call `iter.map($list, func($x) { … })` of the module \"iter\"";
            f.habit(HabitKind::Operator { operator: "*", instead })
        }
        Some(TokenKind::OpenCurly | TokenKind::Comma) if f.context == Some(BracketContext::Entries) => {
            f.habit(HabitKind::SpreadEntries)
        }
        Some(TokenKind::Equals | TokenKind::Rocket)
            if f.expects(TokenKind::String) && f.kind(f.at + 1) == Some(TokenKind::Dollar) =>
        {
            f.habit(HabitKind::Operator { operator: "*", instead: "there are no pointers: write the variable itself" })
        }
        Some(TokenKind::OpenBracket | TokenKind::OpenParen | TokenKind::Comma)
            if f.expects(TokenKind::String) && f.tokens.is_adjacent_to_previous(f.at + 1) =>
        {
            f.habit(HabitKind::Spread { operator: "*" })
        }
        _ => None,
    }
}

/// `{...$a, "b" => 1}`, `{**$a}`.
pub fn spread_in_map(f: &Failure<'_>) -> Option<SyntaxError> {
    let starts_pair = matches!(f.before(1)?, TokenKind::OpenCurly | TokenKind::Comma);
    let is_double = f.kind(f.at + 1) == f.found_kind();
    let operator = match f.found_kind()? {
        TokenKind::Dot if is_double => "...",
        TokenKind::Multiply if is_double => "**",
        TokenKind::Multiply => "*",
        _ => return None,
    };
    let last = if is_double { f.at + 1 } else { f.at };
    (starts_pair && f.context == Some(BracketContext::Map))
        .then(|| f.habit_over(f.at, last, HabitKind::SpreadMap { operator }))?
}

/// `Package["a", "b"]`, at the first comma.
fn several_edge_names(f: &Failure<'_>) -> Option<SyntaxError> {
    let line = f.at.until(f.tokens.end_idx()).take(MAX_EDGE_NAME_TOKENS);
    let closer = line.into_iter().find(|token| f.tokens.kind(*token) == Some(TokenKind::CloseBracket))?;
    let names = f.text_over(f.last(), closer.previous()?).replace('\'', "\"");
    f.habit(HabitKind::SeveralEdgeNames { names })
}
