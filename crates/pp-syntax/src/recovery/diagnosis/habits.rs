//! Habits of other languages and formats, of which no rule of the language comes near.

use crate::recovery::diagnosis::{Context, Diagnosis};
use crate::token::TokenKind;

impl Context<'_> {
    /// Returns a help for what is right elsewhere.
    pub(super) fn habit(&self, previous: TokenKind, found: TokenKind) -> Option<Diagnosis> {
        let help = self.type_habit(previous, found).or_else(|| self.attribute_habit(previous, found));
        help.or_else(|| self.expression_habit(previous, found)).map(Diagnosis::new)
    }

    /// Types as they are written elsewhere.
    fn type_habit(&self, previous: TokenKind, found: TokenKind) -> Option<&'static str> {
        Some(match (previous, found) {
            (TokenKind::TypeName, TokenKind::OpenParen | TokenKind::OpenCall | TokenKind::Less)
                if self.in_parameters() =>
            {
                "the parameters of a type are in brackets: `Array[String]`"
            }
            (TokenKind::TypeName, TokenKind::Question) if self.in_parameters() => {
                "a type that also has the value `undef` is written `Optional[String]`"
            }
            (TokenKind::TypeName, TokenKind::BarOpen) if self.in_parameters() => {
                "one of several types is written `Variant[String, Integer]`"
            }
            (TokenKind::Dot, TokenKind::Dot) => "the bounds of a range have a comma between them: `Integer[1, 5]`",
            (TokenKind::Type, TokenKind::Name) => "the name of a type starts with a capital letter",
            (TokenKind::TypeName, TokenKind::TypeName) if self.kind_before(2) == Some(TokenKind::Type) => {
                "an alias is written `type Name = …`"
            }
            (TokenKind::CloseParen, TokenKind::Before) if self.ends_parameters_of_function() => {
                "the type of the result follows `>>`: `function name() >> Integer { … }`"
            }
            _ => return None,
        })
    }

    /// Attributes as they are written elsewhere.
    fn attribute_habit(&self, previous: TokenKind, found: TokenKind) -> Option<&'static str> {
        if !self.in_braces {
            return None;
        }
        let next = self.tokens.kind(self.at.next());
        Some(match (previous, found) {
            (TokenKind::Colon | TokenKind::Comma, TokenKind::String) if next == Some(TokenKind::Rocket) => {
                "the name of an attribute is a plain word, without quotes"
            }
            (TokenKind::Colon, TokenKind::String) if next == Some(TokenKind::Colon) => {
                "an attribute is written `name => value`, with a plain word as its name"
            }
            (TokenKind::Colon | TokenKind::Comma, TokenKind::Variable) if next == Some(TokenKind::Rocket) => {
                "the name of an attribute is a plain word, without `$`"
            }
            (TokenKind::Rocket, TokenKind::Comma | TokenKind::Semicolon | TokenKind::CloseBrace) => {
                "a value is missing after `=>`"
            }
            (TokenKind::CloseBrace, TokenKind::Comma) if self.in_case() => {
                "nothing is between the options of a case: `1: { … } 2: { … }`"
            }
            _ => return None,
        })
    }

    /// Operators and literals of other languages.
    fn expression_habit(&self, previous: TokenKind, found: TokenKind) -> Option<&'static str> {
        let next = self.tokens.kind(self.at.next());
        Some(match (previous, found) {
            (TokenKind::Variable, TokenKind::Colon) if next == Some(TokenKind::Equals) => {
                "a variable is assigned with `=`"
            }
            (TokenKind::Equals | TokenKind::Rocket | TokenKind::OpenList, TokenKind::Colon)
                if next == Some(TokenKind::Name) =>
            {
                "there are no symbols; write a string: `'name'`"
            }
            (TokenKind::Dot, TokenKind::String | TokenKind::InterpolationOpen) => {
                "strings are joined by interpolation: `\"${a}${b}\"`"
            }
            (TokenKind::Regexp, TokenKind::Name) if self.is_adjacent() && is_options(self.text(self.at)) => {
                "the options of a regular expression are inside of it: `/(?i:…)/`"
            }
            (TokenKind::Name, TokenKind::Dot)
                if matches!(self.kind_before(2), Some(TokenKind::Class | TokenKind::Define)) =>
            {
                "the parts of a name have `::` between them"
            }
            (_, TokenKind::Name) if previous.ends_operand() => match self.text(self.at) {
                "xor" => "there is no `xor`; two booleans are compared with `!=`",
                "is" | "isa" | "instanceof" => "a value is compared with a type with `=~`: `$x =~ Integer`",
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Whether nothing is between the token and the one before it.
    fn is_adjacent(&self) -> bool {
        self.tokens.range(self.at.previous()).end == self.tokens.range(self.at).start
    }

    /// Whether the parenthesis before the token closes the parameters of a function.
    fn ends_parameters_of_function(&self) -> bool {
        let opener = self.brackets.opener(self.at.previous());
        opener.is_some_and(|opener| self.tokens.kind(opener.previous().previous()) == Some(TokenKind::Function))
    }
}

/// Whether a word after a regular expression consists of options that other languages write there.
fn is_options(word: &str) -> bool {
    word.len() <= 3 && word.bytes().all(|letter| b"gimsux".contains(&letter))
}
