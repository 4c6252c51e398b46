//! Operators, calls, access, collections, conditionals.

use pp_ast::{
    ArrowOp, AssignOp, Attribute, Call, CaseOption, Collector, Expr, ExprId, ExprList, Lambda, LambdaId, MethodCall,
    ParameterList, Query, TextRange,
};

use crate::builder::{Builder, Statement};
use crate::tokens::TokenIdx;

/// An argument, or an element of a list or hash.
pub enum Entry {
    /// An expression.
    Expression(ExprId),
    /// `key => value`, and where the arrow is.
    Pair(ExprId, TokenIdx, ExprId),
}

/// `receiver.name`
pub struct NamedAccess {
    /// The left side.
    pub receiver: ExprId,
    /// The dot.
    pub dot: TokenIdx,
    /// The name.
    pub name: TokenIdx,
}

impl Builder<'_> {
    pub fn assign(&mut self, op: AssignOp, left: ExprId, at: TokenIdx, right: ExprId) -> ExprId {
        let range = self.join(self.tree.ranges[left], self.tree.ranges[right]);
        self.add_at(Expr::Assign(op, left, right), range, self.tokens.range(at))
    }

    pub fn arrow(&mut self, op: ArrowOp, left: ExprId, at: TokenIdx, right: ExprId) -> ExprId {
        let range = self.join(self.tree.ranges[left], self.tree.ranges[right]);
        self.add_at(Expr::Arrow(op, left, right), range, self.tokens.range(at))
    }

    pub fn not(&mut self, from: TokenIdx, operand: ExprId, to: TokenIdx) -> ExprId {
        self.add(Expr::Not(operand), self.range(from, to))
    }

    pub fn negate(&mut self, from: TokenIdx, operand: ExprId, to: TokenIdx) -> ExprId {
        self.add(Expr::Negate(operand), self.range(from, to))
    }

    pub fn unfold(&mut self, from: TokenIdx, operand: ExprId, to: TokenIdx) -> ExprId {
        self.add(Expr::Unfold(operand), self.range(from, to))
    }

    pub fn parenthesized(&mut self, from: TokenIdx, inner: ExprId, to: TokenIdx) -> ExprId {
        self.add(Expr::Parenthesized(inner), self.range(from, to))
    }

    /// Adds the elements of a list; adjacent pairs become one hash.
    fn entries(&mut self, entries: Vec<Entry>) -> ExprList {
        let mut list = Vec::with_capacity(entries.len());
        let mut pairs: Vec<ExprId> = Vec::new();
        let mut arrow = TokenIdx::default();
        for entry in entries {
            match entry {
                Entry::Pair(key, at, value) => {
                    if pairs.is_empty() {
                        arrow = at;
                    }
                    pairs.extend([key, value]);
                }
                Entry::Expression(expr) => {
                    self.close_pairs(&mut pairs, arrow, &mut list);
                    list.push(expr);
                }
            }
        }
        self.close_pairs(&mut pairs, arrow, &mut list);
        self.list(&list)
    }

    fn close_pairs(&mut self, pairs: &mut Vec<ExprId>, arrow: TokenIdx, list: &mut Vec<ExprId>) {
        if let (Some(first), Some(last)) = (pairs.first(), pairs.last()) {
            let range = self.join(self.tree.ranges[*first], self.tree.ranges[*last]);
            let pairs_list = self.list(pairs);
            list.push(self.add_at(Expr::Hash(pairs_list), range, self.tokens.range(arrow)));
            pairs.clear();
        }
    }

    pub fn array(&mut self, from: TokenIdx, entries: Vec<Entry>, to: TokenIdx) -> ExprId {
        let list = self.entries(entries);
        self.add(Expr::Array(list), self.range(from, to))
    }

    pub fn hash(&mut self, from: TokenIdx, pairs: Vec<Entry>, to: TokenIdx) -> ExprId {
        let list = self.pairs(pairs);
        self.add(Expr::Hash(list), self.range(from, to))
    }

    /// Adds the keys and values of a hash.
    pub fn pairs(&mut self, pairs: Vec<Entry>) -> ExprList {
        let list: Vec<ExprId> = pairs
            .into_iter()
            .flat_map(|pair| match pair {
                Entry::Pair(key, _, value) => [key, value],
                Entry::Expression(expr) => [expr, expr],
            })
            .collect();
        self.list(&list)
    }

    pub fn access(&mut self, from: TokenIdx, left: ExprId, keys: Vec<Entry>, to: TokenIdx) -> ExprId {
        let keys = self.entries(keys);
        let range = self.range(from, to);
        // Puppet reports it where its left side starts.
        let focus = self.tree.focus(left);
        if focus.start == range.start {
            return self.add(Expr::Access(left, keys), range);
        }
        self.add_at(Expr::Access(left, keys), range, TextRange { start: focus.start, end: range.end })
    }

    pub fn call(
        &mut self,
        from: TokenIdx,
        functor: ExprId,
        arguments: Vec<Entry>,
        block: Option<LambdaId>,
        to: TokenIdx,
    ) -> ExprId {
        let arguments = self.entries(arguments);
        let range = self.range(from, to);
        let call = self.tree.calls.push(Call { functor, arguments, block, is_statement: false });
        self.add(Expr::Call(call), range)
    }

    /// Adds a call with a dot. `parentheses` are the opening one and the token after the call.
    pub fn method_call(
        &mut self,
        access: NamedAccess,
        arguments: Vec<Entry>,
        block: Option<LambdaId>,
        parentheses: Option<(TokenIdx, TokenIdx)>,
    ) -> ExprId {
        let arguments = self.entries(arguments);
        let name = self.intern(self.token_text(access.name));
        let name_range = self.tokens.range(access.name);
        let (focus, mut end) = match parentheses {
            Some((open, to)) => (self.tokens.range(open), self.tokens.range(to.previous()).end),
            None => (self.tokens.range(access.dot), name_range.end),
        };
        if let Some(block) = block {
            end = end.max(self.tree.lambdas[block].range.end);
        }
        let range = TextRange { start: self.tree.ranges[access.receiver].start, end };
        let call = MethodCall { receiver: access.receiver, name, name_range, arguments, block, is_statement: false };
        let call = self.tree.method_calls.push(call);
        self.add_at(Expr::MethodCall(call), range, focus)
    }

    pub fn lambda(
        &mut self,
        from: TokenIdx,
        parameters: ParameterList,
        returns: Option<ExprId>,
        body: ExprId,
        to: TokenIdx,
    ) -> LambdaId {
        let range = self.range(from, to);
        self.tree.lambdas.push(Lambda { parameters, returns, body, range })
    }

    pub fn collector(
        &mut self,
        from: TokenIdx,
        type_name: ExprId,
        query: Query,
        attributes: Option<Vec<Attribute>>,
        to: TokenIdx,
    ) -> ExprId {
        let attributes = attributes.map(|attributes| self.tree.add_attributes(attributes));
        let collector = self.tree.collectors.push(Collector { type_name, query, attributes });
        self.add(Expr::Collector(collector), self.range(from, to))
    }

    pub fn if_expression(
        &mut self,
        from: TokenIdx,
        test: ExprId,
        then: ExprId,
        otherwise: Option<ExprId>,
        to: TokenIdx,
    ) -> ExprId {
        let range = self.range(from, to);
        let otherwise = self.or_nop(otherwise, range.end);
        self.add(Expr::If(test, then, otherwise), range)
    }

    pub fn unless(
        &mut self,
        from: TokenIdx,
        test: ExprId,
        then: ExprId,
        otherwise: Option<ExprId>,
        to: TokenIdx,
    ) -> ExprId {
        let range = self.range(from, to);
        let otherwise = self.or_nop(otherwise, range.end);
        self.add(Expr::Unless(test, then, otherwise), range)
    }

    fn or_nop(&mut self, branch: Option<ExprId>, at: u32) -> ExprId {
        branch.unwrap_or_else(|| self.add(Expr::Nop, TextRange { start: at, end: at }))
    }

    pub fn case(&mut self, from: TokenIdx, test: ExprId, options: Vec<CaseOption>, to: TokenIdx) -> ExprId {
        self.add(Expr::Case(test, options), self.range(from, to))
    }

    pub fn case_option(&mut self, from: TokenIdx, values: Vec<ExprId>, body: ExprId, to: TokenIdx) -> CaseOption {
        CaseOption { values: self.list(&values), body, range: self.range(from, to) }
    }

    pub fn block(&mut self, from: TokenIdx, statements: Vec<Statement>, to: TokenIdx) -> ExprId {
        let range = self.range(from, to);
        self.statements(statements, range)
    }
}
