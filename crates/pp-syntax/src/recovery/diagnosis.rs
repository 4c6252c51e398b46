//! What was probably meant where a token does not fit.

mod habits;

use crate::error::Hint;
use crate::recovery::brackets::Brackets;
use crate::token::TokenKind;
use crate::tokens::{TokenIdx, Tokens};

/// A help, and a token with a label that shows more of it.
pub struct Diagnosis {
    /// The texts.
    pub hint: Hint,
    /// The token that the label is at.
    pub related: Option<TokenIdx>,
}

impl Diagnosis {
    fn new(help: &'static str) -> Diagnosis {
        Diagnosis { hint: Hint { help, label: None }, related: None }
    }

    fn labelled(help: &'static str, label: &'static str, related: TokenIdx) -> Diagnosis {
        Diagnosis { hint: Hint { help, label: Some(label) }, related: Some(related) }
    }
}

/// What surrounds a token that does not fit.
struct Context<'t> {
    text: &'t str,
    tokens: &'t Tokens,
    brackets: &'t Brackets,
    at: TokenIdx,
    /// The innermost bracket that is open at the token.
    opener: Option<TokenIdx>,
    /// The kind of that bracket.
    around: Option<TokenKind>,
    /// Whether it is the braces of a resource, an override or a `case`.
    in_braces: bool,
}

/// Returns a help for common mistakes.
pub fn diagnose(text: &str, tokens: &Tokens, brackets: &Brackets, at: TokenIdx) -> Option<Diagnosis> {
    let found = tokens.get(at)?;
    let opener = brackets.around(at);
    let around = opener.and_then(|opener| tokens.kind(opener));
    let in_braces = matches!(around, Some(TokenKind::OpenBrace | TokenKind::OpenOverride))
        && !opener.is_some_and(|opener| brackets.is_block(opener));
    let context = Context { text, tokens, brackets, at, opener, around, in_braces };
    let previous = context.kind_before(1)?;
    context
        .habit(previous, found.kind)
        .or_else(|| context.word_or_operator(previous, found.kind))
        .or_else(|| context.separator(previous, found.kind))
        .or_else(|| context.bracket_or_operand(previous, found.kind))
}

/// Returns whether a bracket is that of an array in the place of a title: the first one in the braces of a resource.
fn in_list_of_titles(tokens: &Tokens, brackets: &Brackets, opener: Option<TokenIdx>) -> bool {
    opener.is_some_and(|opener| {
        tokens.kind(opener) == Some(TokenKind::OpenList)
            && brackets.around(opener).is_some_and(|braces| braces.next() == opener && !brackets.is_block(braces))
    })
}

impl Context<'_> {
    /// Words and operators of other languages, and words in the wrong place.
    fn word_or_operator(&self, previous: TokenKind, found: TokenKind) -> Option<Diagnosis> {
        Some(match (previous, found) {
            (TokenKind::Else, TokenKind::If) => Diagnosis::new("a further condition is written `elsif`"),
            (_, TokenKind::Else) => Diagnosis::new("an `if` and its block come before it"),
            (_, TokenKind::Elsif) => Diagnosis::new("it follows the block of an `if`; `unless` takes only `else`"),
            (_, TokenKind::Unknown) => Diagnosis::new(unknown_character(self.text(self.at))),
            (_, TokenKind::BarOpen) if self.in_collector() => Diagnosis::new("a collector ends with `|>`"),
            (TokenKind::Name, TokenKind::BarOpen) if self.text(self.at.previous()) == "do" => {
                Diagnosis::new("the block of a call is in braces: `.each |$element| { … }`")
            }
            (TokenKind::BarClose, _) => Diagnosis::new("the block of a call is in braces: `.each |$element| { … }`"),
            (TokenKind::BarOpen, TokenKind::Name) => Diagnosis::new("the name of a parameter starts with `$`"),
            (TokenKind::OpenBrace | TokenKind::OpenHash, TokenKind::BarOpen) => {
                Diagnosis::new("the parameters of a block come before its braces: `.each |$element| { … }`")
            }
            (_, TokenKind::BarOpen) => Diagnosis::new(
                "logical or is written `or`; parameters of a block follow a call with parentheses or a dot",
            ),
            (TokenKind::Name, _) if self.text(self.at.previous()) == "not" => {
                Diagnosis::new("logical not is written `!`")
            }
            (TokenKind::Less, TokenKind::Greater) => Diagnosis::new("values that differ are compared with `!=`"),
            (TokenKind::Plus, TokenKind::Plus)
            | (TokenKind::Minus | TokenKind::Negate, TokenKind::Minus | TokenKind::Negate) => {
                Diagnosis::new("a variable cannot be changed; assign to another: `$next = $number + 1`")
            }
            (_, TokenKind::Rocket | TokenKind::OpenBrace | TokenKind::OpenHash) if self.in_case() => {
                Diagnosis::new("a colon follows the values of a case: `'value': { … }`")
            }
            (TokenKind::Variable, TokenKind::Rocket) if self.in_parameters() => {
                Diagnosis::new("a default value is written `$name = value`")
            }
            (TokenKind::Variable, TokenKind::Colon) if self.in_parameters() => {
                Diagnosis::new("the type of a parameter comes before it: `Integer $name`")
            }
            (TokenKind::OpenParen | TokenKind::OpenCall | TokenKind::Comma, TokenKind::Name)
                if self.in_parameters() =>
            {
                Diagnosis::new("the name of a parameter starts with `$`")
            }
            (_, TokenKind::Comma) if self.kind_before(2) == Some(TokenKind::Inherits) => {
                Diagnosis::new("a class inherits from one class; `include` the others")
            }
            (TokenKind::Comma, TokenKind::Comma) => Diagnosis::new("nothing is between the commas"),
            (TokenKind::Node, TokenKind::OpenBrace | TokenKind::OpenHash) => {
                Diagnosis::new("name the node: `node 'web.example.com' { … }`, or `node default { … }`")
            }
            _ => return None,
        })
    }

    /// What separates a name from its value, or two parts of a list: `=`, `:`, `;`, `=>`.
    fn separator(&self, previous: TokenKind, found: TokenKind) -> Option<Diagnosis> {
        Some(match (previous, found) {
            (_, TokenKind::Equals) if self.in_collector() => Diagnosis::new("a query compares with `==`"),
            (_, TokenKind::Equals) if self.in_braces => Diagnosis::new("an attribute is written `name => value`"),
            (_, TokenKind::Equals) if previous == TokenKind::EqualEqual => {
                Diagnosis::new("values are compared with `==`")
            }
            (TokenKind::Equals, TokenKind::Equals) => {
                Diagnosis::new("an assignment has one `=`; a comparison is written `==`")
            }
            (_, TokenKind::Equals) => {
                Diagnosis::new("a condition compares with `==`; an assignment there needs parentheses")
            }
            (_, TokenKind::Colon) if in_list_of_titles(self.tokens, self.brackets, self.opener) => {
                Diagnosis::labelled("a `]` is missing before it", "opened here", self.opener?)
            }
            (_, TokenKind::Colon) if self.around == Some(TokenKind::OpenHash) => {
                Diagnosis::new("a key and its value have `=>` between them")
            }
            (_, TokenKind::Colon) if has_question(self.tokens, self.at) => {
                Diagnosis::new("a selector is written `$x ? { 'value' => 1, default => 2 }`")
            }
            (TokenKind::Name, TokenKind::Colon) if self.in_braces => {
                Diagnosis::new("an attribute is written `name => value`")
            }
            (_, TokenKind::Semicolon) => {
                Diagnosis::new("a `;` is only between two statements, or between the bodies of a resource")
            }
            (TokenKind::Name, TokenKind::OpenBrace) if self.in_braces => Diagnosis::labelled(
                "a resource cannot be declared inside another one: close the braces first",
                "in these braces",
                self.opener?,
            ),
            (_, TokenKind::Rocket) if self.in_braces && self.kind_before(2) == Some(TokenKind::Semicolon) => {
                Diagnosis::labelled(
                    "attributes have commas between them; a `;` ends the body of a resource",
                    "this ends the body",
                    self.at.previous().previous(),
                )
            }
            (_, TokenKind::Rocket) if self.in_braces => {
                Diagnosis::new("the name of an attribute is a plain word, without quotes")
            }
            (_, TokenKind::Before | TokenKind::Notify) if self.in_braces => {
                Diagnosis::new("an attribute is written `name => value`")
            }
            _ => return None,
        })
    }

    /// Brackets, titles and blocks, and operands without anything between them.
    fn bracket_or_operand(&self, previous: TokenKind, found: TokenKind) -> Option<Diagnosis> {
        let operand = self.after_operand(previous, found);
        Some(match (previous, found) {
            (_, TokenKind::CloseParen) if matches!(self.around, Some(TokenKind::OpenList | TokenKind::OpenIndex)) => {
                Diagnosis::labelled("a `]` is missing before it", "opened here", self.opener?)
            }
            (_, TokenKind::CloseBracket) if matches!(self.around, Some(TokenKind::OpenParen | TokenKind::OpenCall)) => {
                Diagnosis::labelled("a `)` is missing before it", "opened here", self.opener?)
            }
            (_, TokenKind::CloseBrace | TokenKind::CloseParen | TokenKind::CloseBracket)
                if self.brackets.opener(self.at).is_none() =>
            {
                Diagnosis::new("no bracket is open that it could close")
            }
            (_, TokenKind::CloseBrace) if self.is_title_alone() => {
                Diagnosis::new("a colon follows the title of a resource: `'title':`")
            }
            (_, TokenKind::CloseBrace) => Diagnosis::new(self.unknown_block()?),
            (_, TokenKind::Comma) if self.in_braces && self.after_title() => {
                Diagnosis::new("several titles are an array: `['a', 'b']:`")
            }
            (TokenKind::Regexp, _)
                if self.in_braces && self.opener.is_some_and(|opener| opener.next().next() == self.at) =>
            {
                Diagnosis::labelled("quote a path: `'/etc/motd':`", "this is a regular expression", self.at.previous())
            }
            (TokenKind::Match | TokenKind::NotMatch | TokenKind::Node, TokenKind::Divide) => {
                Diagnosis::new("a regular expression ends with `/` on the same line")
            }
            (TokenKind::Word, _) | (_, TokenKind::Word) if self.in_braces => {
                Diagnosis::new("the name of an attribute consists of letters, digits and `_`")
            }
            (TokenKind::Comma, TokenKind::String | TokenKind::InterpolationOpen)
                if self.in_braces && self.tokens.kind(self.end_of_string().next()) == Some(TokenKind::Colon) =>
            {
                Diagnosis::new("a `;` ends the body of a resource before the next title")
            }
            (TokenKind::String | TokenKind::InterpolationClose | TokenKind::CloseBracket | TokenKind::Variable, _)
                if self.in_braces && operand && self.after_title() =>
            {
                Diagnosis::labelled(
                    "a colon follows the title of a resource: `'title':`",
                    "a colon is missing after the title",
                    self.start_of_operand(),
                )
            }
            (_, TokenKind::OpenList) if previous.ends_operand() => {
                Diagnosis::new("an index follows directly: `$list[0]`")
            }
            (_, _) if self.is_missing_block() => Diagnosis::new("the block of a condition is in braces: `if … { … }`"),
            (TokenKind::Name, TokenKind::Colon) if self.tokens.kind(self.at.next()) == Some(TokenKind::Name) => {
                Diagnosis::new("the parts of a name have `::` between them")
            }
            (_, _) if operand => self.missing_comma(previous)?,
            _ => return None,
        })
    }

    fn kind_before(&self, count: u32) -> Option<TokenKind> {
        self.tokens.kind(TokenIdx::from_u32(self.at.as_u32().checked_sub(count)?))
    }

    fn text(&self, token: TokenIdx) -> &str {
        let range = self.tokens.range(token);
        self.text.get(range.start as usize..range.end as usize).unwrap_or("")
    }

    /// Returns whether an operand ends before the token, and another one starts with it.
    fn after_operand(&self, previous: TokenKind, found: TokenKind) -> bool {
        let starts = found.ends_operand() && !matches!(found, TokenKind::CloseParen | TokenKind::CloseBracket)
            || matches!(found, TokenKind::InterpolationOpen | TokenKind::OpenList | TokenKind::OpenHash);
        starts && previous.ends_operand()
    }

    /// Returns the token that starts the operand before: its quote, for a string with interpolation.
    fn start_of_operand(&self) -> TokenIdx {
        let previous = self.at.previous();
        match self.tokens.kind(previous) {
            Some(TokenKind::InterpolationClose | TokenKind::CloseBracket) => {
                self.brackets.opener(previous).unwrap_or(previous)
            }
            _ => previous,
        }
    }

    /// Returns whether the tokens before are a type, `{` and a title.
    fn after_title(&self) -> bool {
        self.opener.is_some_and(|opener| {
            let first = opener.next();
            let is_single = first.next() == self.at;
            let is_bracketed =
                matches!(self.tokens.kind(first), Some(TokenKind::InterpolationOpen | TokenKind::OpenList));
            is_single || is_bracketed && self.brackets.closer(first).is_some_and(|closer| closer.next() == self.at)
        })
    }

    /// Returns whether a `}` closes the braces after a type, in which there is only a title.
    fn is_title_alone(&self) -> bool {
        let Some(opener) = self.brackets.opener(self.at) else { return false };
        let first = opener.next();
        let is_type = matches!(self.tokens.kind(opener.previous()), Some(TokenKind::Name | TokenKind::Class));
        self.tokens.kind(opener) == Some(TokenKind::OpenBrace)
            && is_type
            && matches!(self.tokens.kind(first), Some(TokenKind::String | TokenKind::Variable))
            && first.next() == self.at
    }

    /// Returns the last token of the string that starts here.
    fn end_of_string(&self) -> TokenIdx {
        self.brackets.closer(self.at).unwrap_or(self.at)
    }

    /// Returns whether the line before is an `if` or `unless` without the braces of its block.
    fn is_missing_block(&self) -> bool {
        if !self.tokens.get(self.at).is_some_and(|token| token.first_on_line) {
            return false;
        }
        let end = self.at.as_u32() as usize;
        let starts = |kind| matches!(kind, TokenKind::If | TokenKind::Unless | TokenKind::Elsif);
        let mut line = self.tokens.list[end.saturating_sub(NEARBY)..end].iter().rev();
        line.find(|token| token.first_on_line || starts(token.kind)).is_some_and(|token| starts(token.kind))
    }

    /// Returns whether the operand before is a key: a `{` or a comma is before it.
    fn after_key(&self) -> bool {
        matches!(self.kind_before(2), Some(TokenKind::OpenHash | TokenKind::Comma))
    }

    /// Returns whether the token is in the braces of a `case`.
    fn in_case(&self) -> bool {
        self.in_braces && self.opener.is_some_and(|opener| self.head(opener).0 == Some(TokenKind::Case))
    }

    /// Returns whether the token is in the parentheses after the name of a definition.
    fn in_parameters(&self) -> bool {
        let is_definition = |kind| matches!(kind, Some(TokenKind::Class | TokenKind::Define | TokenKind::Function));
        matches!(self.around, Some(TokenKind::OpenParen | TokenKind::OpenCall))
            && self.opener.is_some_and(|opener| is_definition(self.tokens.kind(opener.previous().previous())))
    }

    /// Returns whether a collector was opened a few tokens before and not closed.
    fn in_collector(&self) -> bool {
        let end = self.at.as_u32() as usize;
        let nearby = self.tokens.list[end.saturating_sub(NEARBY)..end].iter().rev();
        let mut brackets = nearby.filter(|token| {
            matches!(
                token.kind,
                TokenKind::CollectOpen | TokenKind::CollectClose | TokenKind::ExportedOpen | TokenKind::ExportedClose
            )
        });
        brackets.next().is_some_and(|token| matches!(token.kind, TokenKind::CollectOpen | TokenKind::ExportedOpen))
    }

    /// Returns the first token on the line of a `{`, and its text.
    fn head(&self, opener: TokenIdx) -> (Option<TokenKind>, &str) {
        let mut at = opener;
        for _ in 0..NEARBY {
            let Some(token) = self.tokens.get(at) else { break };
            if token.kind == TokenKind::Case || token.first_on_line || at == TokenIdx::default() {
                break;
            }
            at = at.previous();
        }
        if self.tokens.kind(at) == Some(TokenKind::ManifestStart) {
            at = at.next();
        }
        (self.tokens.kind(at), self.text(at))
    }

    /// Says what the braces that end here, which were read as a hash, were meant to be.
    fn unknown_block(&self) -> Option<&'static str> {
        let opener = self.brackets.opener(self.at)?;
        let first = opener.as_u32() as usize;
        let before = first.saturating_sub(NEARBY)..first;
        let is_elsif = |index: &usize| matches!(self.text(TokenIdx::from_u32(*index as u32)), "elseif" | "elif");
        let is_call = |index: &usize| {
            self.tokens.list[*index].kind == TokenKind::Name
                && index.checked_sub(1).is_some_and(|before| self.tokens.list[before].kind == TokenKind::Dot)
        };
        match self.head(opener).1 {
            "for" | "foreach" | "while" | "until" | "loop" => {
                Some("there are no loops; iterate over values: `$list.each |$element| { … }`")
            }
            "def" | "func" | "fn" => Some("a function is written `function name($parameter) { … }`"),
            "try" => Some("errors cannot be caught; what can fail is tested before"),
            _ if before.clone().any(|index| is_elsif(&index)) => Some("a further condition is written `elsif`"),
            _ if before.clone().any(|index| is_call(&index)) => {
                Some("the block of a call has parameters: `.each |$element| { … }`")
            }
            _ => None,
        }
    }

    /// Two operands are side by side.
    fn missing_comma(&self, previous: TokenKind) -> Option<Diagnosis> {
        match self.around? {
            TokenKind::OpenHash if previous != TokenKind::Rocket && self.after_key() => {
                Some(Diagnosis::new("a key and its value have `=>` between them"))
            }
            TokenKind::OpenHash
            | TokenKind::OpenList
            | TokenKind::OpenIndex
            | TokenKind::OpenCall
            | TokenKind::OpenParen
            | TokenKind::OpenSelector => Some(Diagnosis::labelled(
                "a comma or a closing bracket is missing before it",
                "opened here",
                self.opener?,
            )),
            TokenKind::OpenBrace if self.in_braces => {
                Some(Diagnosis::labelled("a comma or `=>` is missing before it", "after this", self.start_of_operand()))
            }
            _ => None,
        }
    }
}

/// How many tokens before a mistake are searched for its cause.
const NEARBY: usize = 16;

fn unknown_character(text: &str) -> &'static str {
    match text {
        "&" => "logical and is written `and`",
        "`" => "strings are enclosed in single or double quotes",
        "~" => "regular expressions are compared with `=~` and `!~`",
        "\\" => "there is no line continuation; an expression may simply go on in the next line",
        "“" | "”" | "„" | "‘" | "’" => "strings are enclosed in plain quotes: '…' or \"…\"",
        _ => "no token of the language starts with this character",
    }
}

/// Returns whether a `?` is among the last few tokens.
fn has_question(tokens: &Tokens, at: TokenIdx) -> bool {
    let end = at.as_u32() as usize;
    tokens.list[end.saturating_sub(4)..end].iter().any(|token| token.kind == TokenKind::Question)
}
