//! Actions for statements.

use std::ops::Range;

use mcl_lexer::TokenIdx;

use crate::ast::{
    Definition, DefinitionKind, EdgeHalf, Entry, EntryKind, Expr, ExprId, ImportStmt, IncludeStmt, Lambda, Name, Param,
    Resource, Stmt, TypeId,
};
use crate::bracket::BracketContext;
use crate::builder::{Builder, EntryBody};
use crate::error::{EntryError, SyntaxError};

impl<'t> Builder<'t> {
    pub fn bind(&mut self, name: (Name, Range<TokenIdx>), ty: Option<TypeId>, value: ExprId) -> Stmt {
        let (name, at) = name;
        let name_range = self.span(at.start, at.end).into();
        Stmt::Bind { name, name_range, ty: ty.into(), value }
    }

    pub fn include(
        &mut self,
        class: Name,
        at: Range<TokenIdx>,
        args: Option<Vec<ExprId>>,
        alias: Option<TokenIdx>,
    ) -> Stmt {
        let class_span = self.span(at.start, at.end);
        let alias = alias.map(|l| (self.word(l), self.span(l, l + 1)));
        Stmt::Include(Box::new(IncludeStmt { class, class_span, args, alias }))
    }

    pub fn import(&mut self, l: TokenIdx, alias: Option<TokenIdx>) -> Stmt {
        let alias = alias.map(|l| (self.word(l), self.span(l, l + 1)));
        let (module, module_span) = (self.raw_string(l).into(), self.span(l, l + 1));
        Stmt::Import(Box::new(ImportStmt { module, module_span, alias }))
    }

    /// Returns the text between the quotes of a string token.
    pub(super) fn raw_string(&self, l: TokenIdx) -> &'t str {
        let text = self.token_text(l);
        text.get(1..text.len().saturating_sub(1)).unwrap_or("")
    }

    pub fn func_statement(&mut self, l: TokenIdx, n: TokenIdx, lambda: Option<Lambda>, r: TokenIdx) {
        let name = self.word(n);
        let name_span = self.span(n, n + 1);
        let func = lambda.map(|lambda| {
            let depth = 1 + self.depth(lambda.body);
            self.push_expr(Expr::Func(Box::new(lambda)), depth, l, r)
        });
        // A function that is nested too deeply has become an error node.
        let stmt = match func.filter(|func| matches!(self.ast.expr(*func), Expr::Func(_))) {
            Some(func) => Stmt::Func { name, name_range: name_span.into(), func },
            None => {
                let kind = DefinitionKind::Function;
                Stmt::Error { defines: [Definition { kind, name, span: name_span }].into() }
            }
        };
        self.statement(l, stmt, r);
    }

    /// Returns `None` if a parameter is an error node.
    pub fn lambda(&mut self, params: Vec<Option<Param>>, result: Option<TypeId>, body: ExprId) -> Option<Lambda> {
        Some(Lambda { params: params.into_iter().collect::<Option<_>>()?, result: result.into(), body })
    }

    pub fn param(&mut self, l: TokenIdx, name: Name, ty: Option<TypeId>, r: TokenIdx) -> Param {
        Param { name, ty, span: self.span(l, r) }
    }

    pub fn resource(
        &mut self,
        kind_at: Range<TokenIdx>,
        kind: Name,
        name: ExprId,
        o: TokenIdx,
        entries: Vec<Entry>,
        collect: bool,
    ) -> Stmt {
        self.bracket(o, BracketContext::Entries);
        let kind_range = self.span(kind_at.start, kind_at.end).into();
        Stmt::Resource(Box::new(Resource { kind, kind_range, name, entries: entries.into(), collect }))
    }

    pub fn entry(&mut self, l: TokenIdx, body: EntryBody, r: TokenIdx) -> Option<Entry> {
        let (name_span, condition, kind) = body?;
        Some(Entry { range: self.span(l, r).into(), name_end: name_span.end, condition: condition.into(), kind })
    }

    pub fn entry_field(&mut self, l: TokenIdx, condition: Option<ExprId>, value: ExprId) -> EntryBody {
        let name = self.word(l);
        Some((self.span(l, l + 1), condition, EntryKind::Field { name, value }))
    }

    pub fn entry_edge(&mut self, l: TokenIdx, condition: Option<ExprId>, half: EdgeHalf) -> EntryBody {
        let property = self.lower_name(l, l + 1);
        Some((self.span(l, l + 1), condition, EntryKind::Edge { property, half: Box::new(half) }))
    }

    /// Builds `Meta:p => v` and `Meta => v`; any other word is an error.
    pub fn entry_meta(
        &mut self,
        l: TokenIdx,
        p: Option<TokenIdx>,
        condition: Option<ExprId>,
        value: ExprId,
    ) -> EntryBody {
        let word = self.token_text(l);
        let span = self.span(l, p.map_or(l + 1, |p| p + 1));
        if word != "Meta" {
            let error = match word {
                "Before" | "Notify" | "Depend" | "Listen" if p.is_none() => {
                    EntryError::ExpectedEdge { property: word.to_owned() }
                }
                _ => EntryError::Unknown { word: word.to_owned(), has_colon: p.is_some() },
            };
            self.errors.push(SyntaxError::new(error, self.span(l, l + 1)));
            return None;
        }
        let property = match p {
            Some(p) => self.word(p),
            None => self.intern("meta"),
        };
        Some((span, condition, EntryKind::Meta { property, value }))
    }

    pub fn edge_half(
        &mut self,
        l: TokenIdx,
        kind: Name,
        o: TokenIdx,
        name: ExprId,
        key: Option<TokenIdx>,
        r: TokenIdx,
    ) -> EdgeHalf {
        self.bracket(o, BracketContext::EdgeName);
        EdgeHalf { kind, name, key: key.map(|f| self.word(f)), span: self.span(l, r) }
    }
}
