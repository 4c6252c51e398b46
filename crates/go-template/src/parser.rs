//! Parses tokens into a tree.

use go_compat::strconv::{parse_float, parse_int, quote, unquote};
use go_compat::unicode::decode_rune;
use rustc_hash::FxHashMap;

use crate::ParseError;
use crate::lexer::{Kind, Token, tokens};
use crate::tree::{Command, Node, Number, Operand, OperandKind, Pipe, Templates};

/// Maximum nesting of blocks and parentheses: both parsing and execution recurse.
const MAX_DEPTH: usize = 200;

/// Parses a template.
pub(crate) fn parse(text: &[u8], is_function: &dyn Fn(&str) -> bool) -> Result<Templates, ParseError> {
    let mut parser = Parser {
        is_function,
        tokens: tokens(text),
        at: 0,
        variables: vec!["$".to_owned()],
        named: FxHashMap::default(),
        ranges: 0,
        depth: 0,
    };
    let main = parser.top_level()?;
    Ok(Templates { main, named: parser.named })
}

struct Parser<'a> {
    is_function: &'a dyn Fn(&str) -> bool,
    tokens: Vec<Token>,
    at: usize,
    /// The variables in scope, the innermost last.
    variables: Vec<String>,
    named: FxHashMap<String, Vec<Node>>,
    /// The number of open `range` actions.
    ranges: usize,
    depth: usize,
}

/// The keyword that ended a list of nodes.
enum End {
    End,
    Else,
}

type Parse<T> = Result<T, ParseError>;

impl Parser<'_> {
    /// Returns the current token; at the end, the last one.
    fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn skip_space(&mut self) {
        while self.peek().kind == Kind::Space {
            self.at += 1;
        }
    }

    fn next_non_space(&mut self) -> Token {
        self.skip_space();
        self.next()
    }

    fn error<T>(&self, message: impl std::fmt::Display) -> Parse<T> {
        let last = &self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)];
        Err(ParseError::new(last.line, message))
    }

    fn unexpected<T>(&self, token: &Token, context: &str) -> Parse<T> {
        let shown = match token.kind {
            Kind::Error => return Err(ParseError::new(token.line, token.as_text())),
            Kind::Eof => "EOF".to_owned(),
            Kind::Keyword | Kind::Nil | Kind::Dot => format!("<{}>", token.as_text()),
            _ if token.text.len() > 10 => {
                let start: String = token.as_text().chars().take(10).collect();
                format!("{}...", quote(start.as_bytes()))
            }
            _ => quote(&token.text),
        };
        self.error(format!("unexpected {shown} in {context}"))
    }

    fn expect(&mut self, kind: Kind, context: &str) -> Parse<Token> {
        let token = self.next_non_space();
        if token.kind == kind { Ok(token) } else { self.unexpected(&token, context) }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return self.error(format!("exceeded maximum nesting depth ({MAX_DEPTH})"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn top_level(&mut self) -> Parse<Vec<Node>> {
        let mut nodes = Vec::new();
        while self.peek().kind != Kind::Eof {
            let before = self.at;
            if self.peek().kind == Kind::Open {
                self.next();
                if self.next_non_space().is_keyword("define") {
                    self.definition()?;
                    continue;
                }
                self.at = before;
            }
            match self.text_or_action()? {
                Ok(node) => nodes.extend(node),
                Err(End::End) => return self.error("unexpected {{end}}"),
                Err(End::Else) => return self.error("unexpected {{else}}"),
            }
        }
        Ok(nodes)
    }

    /// Parses a definition, after `{{define`.
    fn definition(&mut self) -> Parse<()> {
        let (name, _) = self.template_name("define clause")?;
        self.expect(Kind::Close, "define clause")?;
        self.named_body(name, "define clause")
    }

    /// Parses the body of a named template. Only `$` is in scope.
    fn named_body(&mut self, name: String, context: &str) -> Parse<()> {
        let outer = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
        let outer_ranges = std::mem::take(&mut self.ranges);
        let (body, end) = self.deeper(Self::list)?;
        self.variables = outer;
        self.ranges = outer_ranges;
        if matches!(end, End::Else) {
            return self.error(format!("unexpected {{{{else}}}} in {context}"));
        }
        // An empty definition does not replace a non-empty one.
        let says_nothing = body.iter().all(|node| matches!(node, Node::Text(text) if text.trim_ascii().is_empty()));
        if !says_nothing || !self.named.contains_key(&name) {
            self.named.insert(name, body);
        }
        Ok(())
    }

    fn template_name(&mut self, context: &str) -> Parse<(String, String)> {
        let token = self.next_non_space();
        match (token.kind, unquote(&token.text)) {
            (Kind::String | Kind::RawString, Some(name)) => {
                Ok((String::from_utf8_lossy(&name).into_owned(), token.as_text()))
            }
            _ => self.unexpected(&token, context),
        }
    }

    fn list(&mut self) -> Parse<(Vec<Node>, End)> {
        let mut nodes = Vec::new();
        while self.peek().kind != Kind::Eof {
            match self.text_or_action()? {
                Ok(node) => nodes.extend(node),
                Err(end) => return Ok((nodes, end)),
            }
        }
        self.at += 1;
        self.error("unexpected EOF")
    }

    fn text_or_action(&mut self) -> Parse<Result<Option<Node>, End>> {
        let token = self.next_non_space();
        match token.kind {
            Kind::Text => Ok(Ok(Some(Node::Text(token.text)))),
            Kind::Open => self.action(),
            _ => self.unexpected(&token, "input"),
        }
    }

    /// Parses an action, after `{{`.
    fn action(&mut self) -> Parse<Result<Option<Node>, End>> {
        let before = self.at;
        let token = self.next_non_space();
        let word = if token.kind == Kind::Keyword { token.as_text() } else { String::new() };
        let node = match word.as_str() {
            "block" => self.block(token.at)?,
            "break" => self.jump("{{break}}", Node::Break)?,
            "continue" => self.jump("{{continue}}", Node::Continue)?,
            "else" => {
                self.skip_space();
                // The caller, which opened the block, parses `else if` and `else with`.
                if !self.peek().is_keyword("if") && !self.peek().is_keyword("with") {
                    self.expect(Kind::Close, "else")?;
                }
                return Ok(Err(End::Else));
            }
            "end" => {
                self.expect(Kind::Close, "end")?;
                return Ok(Err(End::End));
            }
            "if" | "range" | "with" => self.deeper(|parser| parser.control(&word))?,
            "template" => self.template(token.at)?,
            _ => {
                self.at = before;
                Node::Action(self.pipeline("command", Kind::Close)?)
            }
        };
        Ok(Ok(Some(node)))
    }

    fn jump(&mut self, name: &str, node: Node) -> Parse<Node> {
        self.expect(Kind::Close, name)?;
        if self.ranges == 0 {
            return self.error(format!("{name} outside {{{{range}}}}"));
        }
        Ok(node)
    }

    fn control(&mut self, word: &str) -> Parse<Node> {
        let scope = self.variables.len();
        let pipe = self.pipeline(word, Kind::Close)?;
        let in_range = usize::from(word == "range");
        self.ranges += in_range;
        let (then, end) = self.list()?;
        self.ranges -= in_range;
        let mut otherwise = Vec::new();
        if matches!(end, End::Else) {
            if word != "range" && self.peek().is_keyword(word) {
                self.next();
                otherwise.push(self.deeper(|parser| parser.control(word))?);
            } else if self.peek().kind == Kind::Keyword {
                let token = self.next();
                return self.unexpected(&token, "else");
            } else {
                let (nodes, end) = self.list()?;
                if matches!(end, End::Else) {
                    return self.error("expected end; found {{else}}");
                }
                otherwise = nodes;
            }
        }
        self.variables.truncate(scope);
        Ok(match word {
            "if" => Node::If { pipe, then, otherwise },
            "with" => Node::With { pipe, then, otherwise },
            _ => Node::Range { pipe, body: then, otherwise },
        })
    }

    fn template(&mut self, at: usize) -> Parse<Node> {
        let (name, quoted) = self.template_name("template clause")?;
        self.skip_space();
        let pipe = if self.peek().kind == Kind::Close {
            self.next();
            None
        } else {
            Some(self.pipeline("template clause", Kind::Close)?)
        };
        Ok(Node::Template { at, name, quoted, pipe })
    }

    fn block(&mut self, at: usize) -> Parse<Node> {
        let (name, quoted) = self.template_name("block clause")?;
        let pipe = self.pipeline("block clause", Kind::Close)?;
        self.named_body(name.clone(), "block clause")?;
        Ok(Node::Template { at, name, quoted, pipe: Some(pipe) })
    }

    fn pipeline(&mut self, context: &str, end: Kind) -> Parse<Pipe> {
        self.skip_space();
        let mut pipe = Pipe { at: self.peek().at, variables: Vec::new(), assigns: false, commands: Vec::new() };
        self.declarations(&mut pipe, context)?;
        loop {
            let token = self.next_non_space();
            match token.kind {
                kind if kind == end => break,
                Kind::Bool
                | Kind::CharConstant
                | Kind::Dot
                | Kind::Field
                | Kind::Identifier
                | Kind::Number
                | Kind::Nil
                | Kind::RawString
                | Kind::String
                | Kind::Variable
                | Kind::OpenParen => {
                    self.at -= 1;
                    let command = self.command()?;
                    pipe.commands.push(command);
                }
                _ => return self.unexpected(&token, context),
            }
        }
        if pipe.commands.is_empty() {
            return self.error(format!("missing value for {context}"));
        }
        for (i, command) in pipe.commands.iter().enumerate().skip(1) {
            if matches!(
                command.args[0].kind,
                OperandKind::Bool(_)
                    | OperandKind::Dot
                    | OperandKind::Nil
                    | OperandKind::Number(_)
                    | OperandKind::Text { .. }
            ) {
                return self.error(format!("non executable command in pipeline stage {}", i + 1));
            }
        }
        Ok(pipe)
    }

    /// Parses `$x :=`, `$x =` or, in a range, `$i, $x :=`.
    fn declarations(&mut self, pipe: &mut Pipe, context: &str) -> Parse<()> {
        loop {
            self.skip_space();
            if self.peek().kind != Kind::Variable {
                return Ok(());
            }
            let before = self.at;
            let variable = self.next().as_text();
            let next = self.next_non_space();
            match next.kind {
                Kind::Assign | Kind::Declare => {
                    pipe.assigns = next.kind == Kind::Assign;
                    pipe.variables.push(variable.clone());
                    self.variables.push(variable);
                    return Ok(());
                }
                Kind::Other if next.text == b"," => {
                    pipe.variables.push(variable.clone());
                    self.variables.push(variable);
                    if context != "range" || pipe.variables.len() >= 2 {
                        return self.error(format!("too many declarations in {context}"));
                    }
                    self.skip_space();
                    if !matches!(self.peek().kind, Kind::Variable | Kind::Close | Kind::CloseParen) {
                        return self.error("range can only initialize variables");
                    }
                }
                _ => {
                    self.at = before;
                    return Ok(());
                }
            }
        }
    }

    fn command(&mut self) -> Parse<Command> {
        let mut args = Vec::new();
        self.skip_space();
        let at = self.peek().at;
        loop {
            self.skip_space();
            args.extend(self.operand()?);
            let token = self.next();
            match token.kind {
                Kind::Space => {}
                Kind::Close | Kind::CloseParen => {
                    self.at -= 1;
                    break;
                }
                Kind::Pipe => break,
                _ => return self.unexpected(&token, "operand"),
            }
        }
        if args.is_empty() { self.error("empty command") } else { Ok(Command { at, args }) }
    }

    fn operand(&mut self) -> Parse<Option<Operand>> {
        let Some(operand) = self.term()? else { return Ok(None) };
        if self.peek().kind != Kind::Field {
            return Ok(Some(operand));
        }
        // The position of a chain is that of the first field after the operand.
        let at = self.peek().at;
        let mut names = Vec::new();
        while self.peek().kind == Kind::Field {
            names.push(self.next().as_text()[1..].to_owned());
        }
        let kind = match operand.kind {
            OperandKind::Field(mut first) => {
                first.extend(names);
                OperandKind::Field(first)
            }
            OperandKind::Variable(name, mut first) => {
                first.extend(names);
                OperandKind::Variable(name, first)
            }
            OperandKind::Function(_) | OperandKind::Chain(..) | OperandKind::Pipe(_) => {
                OperandKind::Chain(Box::new(operand), names)
            }
            OperandKind::Bool(_)
            | OperandKind::Text { .. }
            | OperandKind::Number(_)
            | OperandKind::Nil
            | OperandKind::Dot => {
                let shown = quote(operand.to_string().as_bytes());
                return self.error(format!("unexpected . after term {shown}"));
            }
        };
        Ok(Some(Operand { at, kind }))
    }

    fn term(&mut self) -> Parse<Option<Operand>> {
        let token = self.next_non_space();
        let text = token.as_text();
        let kind = match token.kind {
            Kind::Identifier => {
                if !(self.is_function)(&text) {
                    return self.error(format!("function {} not defined", quote(&token.text)));
                }
                OperandKind::Function(text)
            }
            Kind::Dot => OperandKind::Dot,
            Kind::Nil => OperandKind::Nil,
            Kind::Variable => {
                if !self.variables.contains(&text) {
                    return self.error(format!("undefined variable {}", quote(&token.text)));
                }
                OperandKind::Variable(text, Vec::new())
            }
            Kind::Field => OperandKind::Field(vec![text[1..].to_owned()]),
            Kind::Bool => OperandKind::Bool(text == "true"),
            Kind::CharConstant | Kind::Number => OperandKind::Number(self.number(&token)?),
            Kind::OpenParen => {
                let pipe = self.deeper(|parser| parser.pipeline("parenthesized pipeline", Kind::CloseParen))?;
                OperandKind::Pipe(Box::new(pipe))
            }
            Kind::String | Kind::RawString => match unquote(&token.text) {
                Some(value) => OperandKind::Text { quoted: text, value },
                None => return self.error("invalid syntax"),
            },
            _ => {
                self.at -= 1;
                return Ok(None);
            }
        };
        Ok(Some(Operand { at: token.at, kind }))
    }

    fn number(&self, token: &Token) -> Parse<Number> {
        let text = token.as_text();
        if token.kind == Kind::CharConstant {
            let value = unquote(&token.text).and_then(|value| decode_rune(&value));
            let Some((c, _)) = value else { return self.error(format!("malformed character constant: {text}")) };
            let code = u32::from(c);
            return Ok(Number { text, int: Some(code.into()), float: Some(code.into()) });
        }
        let mut int = parse_int(&token.text, 0, 64).ok();
        let float = parse_float(&token.text, false).ok();
        let looks_float = text.contains(['.', 'e', 'E', 'p', 'P']) && !text.contains(['x', 'X']);
        // A float without a fraction is an integer, too.
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
        if int.is_none() {
            int = float.filter(|x| x.fract() == 0.0 && x.abs() < 9.2e18).map(|x| x as i64);
        }
        let is_integer = !looks_float && float.is_none();
        #[allow(clippy::cast_precision_loss)]
        let float = float.or(int.filter(|_| is_integer).map(|int| int as f64));
        if int.is_none() && float.is_none() {
            return self.error(format!("illegal number syntax: {}", quote(&token.text)));
        }
        Ok(Number { text, int, float })
    }
}
