//! Actions for expressions.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::ast::{BinaryOp, Expr, ExprId, Lambda, Name, StructEntry, StructLiteral, UnaryOp};
use crate::bracket::BracketContext;
use crate::builder::{BarBar, Builder};
use crate::error::{ExpressionError, SyntaxError};

impl Builder<'_> {
    pub fn boolean(&mut self, l: TokenIdx, value: bool) -> ExprId {
        self.push_expr(Expr::Bool(value), 1, l, l + 1)
    }

    pub fn integer(&mut self, l: TokenIdx) -> ExprId {
        // A number out of range is an error token.
        let expr = self.token_text(l).parse().map_or(Expr::Error, Expr::Int);
        self.push_expr(expr, 1, l, l + 1)
    }

    pub fn float(&mut self, l: TokenIdx) -> ExprId {
        let expr = self.token_text(l).parse().map_or(Expr::Error, Expr::Float);
        self.push_expr(expr, 1, l, l + 1)
    }

    pub fn string(&mut self, l: TokenIdx) -> ExprId {
        let raw = self.raw_string(l);
        let id = self.ast.strings.push(raw);
        self.push_expr(Expr::Str(id), 1, l, l + 1)
    }

    pub fn error_value(&mut self, l: TokenIdx, r: TokenIdx) -> ExprId {
        self.push_expr(Expr::Error, 1, l, r)
    }

    /// Whether the closer before `r` is a token. If recovery inserted it, the number of elements, fields or arguments is
    /// unknown.
    fn is_closed(&self, closer: TokenKind, r: TokenIdx) -> bool {
        r.previous().and_then(|last| self.tokens.kind(last)) == Some(closer)
    }

    pub fn list(&mut self, l: TokenIdx, elements: Vec<ExprId>, r: TokenIdx) -> ExprId {
        self.bracket(l, BracketContext::List);
        let depth = self.depth_over(&elements);
        let elements = self.ast.add_list(elements);
        self.push_expr(Expr::List(elements), depth, l, r)
    }

    pub fn map(&mut self, l: TokenIdx, pairs: Vec<Option<(ExprId, ExprId)>>, r: TokenIdx) -> ExprId {
        self.bracket(l, BracketContext::Map);
        let broken = pairs.iter().any(Option::is_none);
        let pairs: Vec<_> = pairs.into_iter().flatten().collect();
        if broken && pairs.is_empty() || !self.is_closed(TokenKind::CloseCurly, r) {
            return self.error_value(l, r);
        }
        let depth = 1 + pairs.iter().map(|(k, v)| self.depth(*k).max(self.depth(*v))).max().unwrap_or(0);
        let pairs = self.ast.add_list(pairs.into_iter().flat_map(|(key, value)| [key, value]));
        self.push_expr(Expr::Map(pairs), depth, l, r)
    }

    pub fn struct_entry(&mut self, l: TokenIdx, value: ExprId) -> StructEntry {
        StructEntry { name: self.word(l), name_span: self.span(l, l + 1), value }
    }

    pub fn structure(&mut self, l: TokenIdx, o: TokenIdx, fields: Vec<Option<StructEntry>>, r: TokenIdx) -> ExprId {
        self.bracket(o, BracketContext::Struct);
        match fields.into_iter().collect::<Option<Vec<_>>>() {
            Some(_) if !self.is_closed(TokenKind::CloseCurly, r) => self.error_value(l, r),
            Some(fields) => {
                let depth = 1 + fields.iter().map(|f| self.depth(f.value)).max().unwrap_or(0);
                self.push_expr(Expr::Struct(Box::new(StructLiteral { fields: fields.into() })), depth, l, r)
            }
            // A field is unknown, and so is the type.
            None => self.error_value(l, r),
        }
    }

    pub fn if_expr(
        &mut self,
        l: TokenIdx,
        condition: ExprId,
        then: (TokenIdx, ExprId),
        other: (TokenIdx, ExprId),
        r: TokenIdx,
    ) -> ExprId {
        self.bracket(then.0, BracketContext::Body);
        self.bracket(other.0, BracketContext::Body);
        let depth = self.depth_over(&[condition, then.1, other.1]);
        self.push_expr(Expr::If { condition, then: then.1, otherwise: other.1 }, depth, l, r)
    }

    pub fn paren(&mut self, l: TokenIdx, inner: ExprId, r: TokenIdx) -> ExprId {
        self.bracket(l, BracketContext::Parentheses);
        let depth = self.depth_over(&[inner]);
        self.push_expr(Expr::Paren(inner), depth, l, r)
    }

    /// Builds the variable whose name, after `$`, begins with the token `n`.
    pub fn var(&mut self, l: TokenIdx, n: TokenIdx, r: TokenIdx) -> ExprId {
        let name = self.joined_name(n, r);
        self.push_expr(Expr::Var(name), 1, l, r)
    }

    pub fn call(&mut self, l: TokenIdx, name: Name, o: TokenIdx, args: Vec<ExprId>, r: TokenIdx) -> ExprId {
        self.bracket(o, BracketContext::Arguments);
        if !self.is_closed(TokenKind::CloseParen, r) {
            return self.error_value(l, r);
        }
        let depth = self.depth_over(&args);
        let args = self.ast.add_list(args);
        self.push_expr(Expr::Call { name, args }, depth, l, r)
    }

    pub fn call_var(&mut self, l: TokenIdx, name: Name, o: TokenIdx, args: Vec<ExprId>, r: TokenIdx) -> ExprId {
        self.bracket(o, BracketContext::Arguments);
        if !self.is_closed(TokenKind::CloseParen, r) {
            return self.error_value(l, r);
        }
        let depth = self.depth_over(&args);
        let args = self.ast.add_list(args);
        self.push_expr(Expr::CallVar { name, args }, depth, l, r)
    }

    pub fn call_lambda(&mut self, l: TokenIdx, lambda: ExprId, o: TokenIdx, args: Vec<ExprId>, r: TokenIdx) -> ExprId {
        self.bracket(o, BracketContext::Arguments);
        if !self.is_closed(TokenKind::CloseParen, r) {
            return self.error_value(l, r);
        }
        let depth = self.depth_over(&args).max(1 + self.depth(lambda));
        let args = self.ast.add_list(args);
        self.push_expr(Expr::CallLambda { lambda, args }, depth, l, r)
    }

    pub fn func_expr(&mut self, l: TokenIdx, lambda: Option<Lambda>, r: TokenIdx) -> ExprId {
        match lambda {
            Some(lambda) => {
                let depth = 1 + self.depth(lambda.body);
                self.push_expr(Expr::Func(Box::new(lambda)), depth, l, r)
            }
            None => self.push_expr(Expr::Error, 1, l, r),
        }
    }

    pub fn not(&mut self, l: TokenIdx, operand: ExprId, r: TokenIdx) -> ExprId {
        let depth = self.depth_over(&[operand]);
        self.push_expr(Expr::Unary { op: UnaryOp::Not, operand }, depth, l, r)
    }

    pub fn binary(&mut self, l: TokenIdx, op: BinaryOp, left: ExprId, right: ExprId, r: TokenIdx) -> ExprId {
        // A chain of operators is not nested, however long it is: no stage recurses into the left side.
        let depth = self.depth(left).max(1 + self.depth(right));
        self.push_expr(Expr::Binary { op, left, right }, depth, l, r)
    }

    pub fn index(&mut self, l: TokenIdx, base: ExprId, o: TokenIdx, index: ExprId, r: TokenIdx) -> ExprId {
        self.bracket(o, BracketContext::Index);
        let depth = self.depth_over(&[base, index]);
        self.push_expr(Expr::Index { base, index }, depth, l, r)
    }

    pub fn field(&mut self, l: TokenIdx, base: ExprId, f: TokenIdx, r: TokenIdx) -> ExprId {
        let field = self.word(f);
        let depth = self.depth_over(&[base]);
        self.push_expr(Expr::Field { base, field }, depth, l, r)
    }

    pub fn field_or(
        &mut self,
        l: TokenIdx,
        base: ExprId,
        f: TokenIdx,
        o: TokenIdx,
        default: ExprId,
        r: TokenIdx,
    ) -> ExprId {
        let field = self.word(f);
        self.bar_bar(o, default);
        let depth = self.depth_over(&[base, default]);
        self.push_expr(Expr::FieldOr { base, field, default }, depth, l, r)
    }

    pub fn except(&mut self, l: TokenIdx, value: ExprId, o: TokenIdx, fallback: ExprId, r: TokenIdx) -> ExprId {
        if self.tokens.kind(o) == Some(TokenKind::BarBar) {
            if !matches!(self.ast.expr(value), Expr::Index { .. }) {
                self.errors.push(SyntaxError::new(ExpressionError::BarBar, self.span(o, o + 1)));
                return self.push_expr(Expr::Error, 1, l, r);
            }
            self.bar_bar(o, fallback);
        }
        let depth = self.depth_over(&[value, fallback]);
        self.push_expr(Expr::Except { value, fallback }, depth, l, r)
    }

    /// Records an operator `||` (but not `<|>`) for the lints.
    fn bar_bar(&mut self, token: TokenIdx, right: ExprId) {
        if self.tokens.kind(token) == Some(TokenKind::BarBar) {
            let compound = matches!(self.ast.expr(right), Expr::Binary { .. } | Expr::Unary { .. });
            self.bar_bars.push(BarBar { token, compound });
        }
    }
}
