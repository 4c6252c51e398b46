//! Actions for written types.

use mcl_lexer::{TokenIdx, TokenKind};
use rustc_hash::FxHashMap;

use crate::ast::{Name, TypeExpr, TypeId};
use crate::bracket::BracketContext;
use crate::builder::Builder;
use crate::error::{SyntaxError, TypeError};

impl Builder<'_> {
    pub fn simple_type(&mut self, l: TokenIdx) -> TypeId {
        let ty = match self.tokens.kind(l) {
            Some(TokenKind::TypeBool) => TypeExpr::Bool,
            Some(TokenKind::TypeStr) => TypeExpr::Str,
            Some(TokenKind::TypeInt) => TypeExpr::Int,
            Some(TokenKind::TypeFloat) => TypeExpr::Float,
            _ => TypeExpr::Variant,
        };
        self.push_type(ty, [].into_iter(), l, l + 1)
    }

    pub fn error_type(&mut self, l: TokenIdx, r: TokenIdx) -> TypeId {
        self.push_type(TypeExpr::Error, [].into_iter(), l, r)
    }

    pub fn list_type(&mut self, l: TokenIdx, element: TypeId, r: TokenIdx) -> TypeId {
        self.bracket(l, BracketContext::Type);
        self.push_type(TypeExpr::List(element), [element].into_iter(), l, r)
    }

    pub fn map_type(&mut self, l: TokenIdx, o: TokenIdx, key: TypeId, value: TypeId, r: TokenIdx) -> TypeId {
        self.bracket(o, BracketContext::Type);
        self.push_type(TypeExpr::Map(key, value), [key, value].into_iter(), l, r)
    }

    pub fn struct_type(&mut self, l: TokenIdx, o: TokenIdx, fields: Vec<(TokenIdx, TypeId)>, r: TokenIdx) -> TypeId {
        self.bracket(o, BracketContext::Type);
        let mut named: Vec<(Name, TypeId)> = Vec::with_capacity(fields.len());
        let mut seen: FxHashMap<Name, TokenIdx> = FxHashMap::default();
        for (at, ty) in fields {
            let name = self.word(at);
            if let Some(previous) = seen.insert(name, at) {
                let first = self.span(previous, previous + 1);
                let error = TypeError::DuplicateField { name: self.token_text(at).to_owned(), first };
                self.errors.push(SyntaxError::new(error, self.span(at, at + 1)));
            }
            named.push((name, ty));
        }
        let children: Vec<_> = named.iter().map(|f| f.1).collect();
        self.push_type(TypeExpr::Struct(named), children.into_iter(), l, r)
    }

    pub fn func_type(
        &mut self,
        l: TokenIdx,
        o: TokenIdx,
        args: Vec<(Option<Name>, TypeId)>,
        result: TypeId,
        r: TokenIdx,
    ) -> TypeId {
        self.bracket(o, BracketContext::Parameters);
        for (i, (name, ty)) in args.iter().enumerate() {
            if let Some(name) = name
                && args[..i].iter().any(|(other, _)| *other == Some(*name))
            {
                let error = TypeError::DuplicateArgument { name: self.ast.name(*name).to_string() };
                self.errors.push(SyntaxError::new(error, self.ast.ty_span(*ty)));
            }
        }
        let children: Vec<_> = args.iter().map(|a| a.1).chain([result]).collect();
        self.push_type(TypeExpr::Func(args, result), children.into_iter(), l, r)
    }
}
