//! Statements, and the calls without parentheses in them (spec 07 §5.3).

use pp_ast::{Call, Expr, ExprId, ParameterList, TextRange};

use crate::builder::Builder;
use crate::error::SyntaxErrorKind;
use crate::tokens::TokenIdx;

/// The functions that can be called without parentheses.
const STATEMENT_FUNCTIONS: &[&str] = &[
    "require", "realize", "include", "contain", "tag", "debug", "info", "notice", "warning", "err", "fail", "import",
    "break", "next", "return",
];

/// A statement as it is parsed, before calls without parentheses are recognised.
pub enum Statement {
    /// One expression.
    Expression(ExprId),
    /// Several with commas between them: the arguments of the name before them.
    Arguments(Box<Arguments>),
}

/// Expressions with commas between them.
pub struct Arguments {
    /// The expressions, at least two.
    list: Vec<ExprId>,
    /// Where the first comma is.
    comma: TextRange,
}

impl Builder<'_> {
    pub fn arguments(&mut self, first: ExprId, comma: TokenIdx, rest: Vec<ExprId>) -> Statement {
        let list = std::iter::once(first).chain(rest).collect();
        Statement::Arguments(Box::new(Arguments { list, comma: self.tokens.range(comma) }))
    }

    pub fn render_text(&mut self, token: TokenIdx) -> Statement {
        let text = self.intern(self.token_content(token));
        Statement::Expression(self.add(Expr::RenderString(text), self.tokens.range(token)))
    }

    pub fn render_expression(&mut self, from: TokenIdx, expr: ExprId, to: TokenIdx) -> Statement {
        Statement::Expression(self.add(Expr::RenderExpr(expr), self.range(from, to)))
    }

    /// Completes the tree of a manifest.
    pub fn manifest(&mut self, statements: Vec<Statement>) {
        let range = TextRange { start: 0, end: self.text.len() as u32 };
        let root = self.statements(statements, range);
        self.tree.root = Some(root);
    }

    /// Completes the tree of a template.
    pub fn template(&mut self, parameters: Option<ParameterList>, statements: Vec<Statement>) {
        let range = TextRange { start: 0, end: self.text.len() as u32 };
        let body = self.statements(statements, range);
        let root = self.add(Expr::Epp { parameters, body }, range);
        self.tree.root = Some(root);
    }

    /// Adds a block of statements: a name in [`STATEMENT_FUNCTIONS`] takes the next statement as its arguments.
    pub fn statements(&mut self, statements: Vec<Statement>, range: TextRange) -> ExprId {
        let mut list: Vec<ExprId> = Vec::with_capacity(statements.len());
        let mut statements = statements.into_iter();
        while let Some(statement) = statements.next() {
            let expr = match statement {
                Statement::Expression(expr) => expr,
                Statement::Arguments(arguments) => {
                    self.arguments_without_call(list.last().copied(), &arguments);
                    list.extend(&arguments.list);
                    continue;
                }
            };
            if self.is_statement_function(expr) {
                match statements.next() {
                    None => list.push(expr),
                    Some(Statement::Expression(argument)) => list.push(self.statement_call(expr, &[argument])),
                    Some(Statement::Arguments(arguments)) => list.push(self.statement_call(expr, &arguments.list)),
                }
            } else if let Some((functor, argument)) = self.call_with_hash(expr) {
                list.push(self.statement_call(functor, &[argument]));
            } else {
                list.push(expr);
            }
        }
        for expr in &list {
            match self.tree.exprs[*expr] {
                Expr::Call(call) => self.tree.calls[call].is_statement = true,
                Expr::MethodCall(call) => self.tree.method_calls[call].is_statement = true,
                _ => {}
            }
        }
        let list = self.list(&list);
        self.add(Expr::Block(list), range)
    }

    fn is_statement_function(&self, expr: ExprId) -> bool {
        matches!(self.tree.exprs[expr], Expr::Name(name) if STATEMENT_FUNCTIONS.contains(&&**self.tree.str(name)))
    }

    /// Returns the parts of `notice { a => 1 }`, which was parsed as a resource without a title.
    fn call_with_hash(&self, expr: ExprId) -> Option<(ExprId, ExprId)> {
        let Expr::Block(list) = self.tree.exprs[expr] else { return None };
        match *self.tree.list(list) {
            [functor, argument] if self.is_statement_function(functor) => Some((functor, argument)),
            _ => None,
        }
    }

    fn statement_call(&mut self, functor: ExprId, arguments: &[ExprId]) -> ExprId {
        let range = arguments
            .iter()
            .fold(self.tree.ranges[functor], |range, argument| self.join(range, self.tree.ranges[*argument]));
        let arguments = self.list(arguments);
        let call = self.tree.calls.push(Call { functor, arguments, block: None, is_statement: true });
        self.add(Expr::Call(call), range)
    }

    fn arguments_without_call(&mut self, before: Option<ExprId>, arguments: &Arguments) {
        let name = match before.map(|before| &self.tree.exprs[before]) {
            Some(Expr::Name(name)) => Some(self.tree.str(*name).to_string()),
            _ => None,
        };
        let kind = match name {
            Some(name) => SyntaxErrorKind::ArgumentsNeedParentheses { name },
            None => SyntaxErrorKind::ArgumentsWithoutFunction,
        };
        self.error(kind, arguments.comma);
    }
}
