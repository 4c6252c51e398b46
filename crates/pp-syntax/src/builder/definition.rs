//! Definitions and parameters.

use pp_ast::{
    ClassDefinition, DefineDefinition, Definition, Expr, ExprId, FunctionDefinition, HostName, MAX_DEPTH,
    NodeDefinition, Parameter, ParameterList, StrId, TextRange, TypeAlias,
};

use crate::builder::{Builder, Entry, OpenClass, Statement};
use crate::error::SyntaxErrorKind;
use crate::name::DefinitionName;
use crate::tokens::TokenIdx;

impl Builder<'_> {
    pub fn definition_name(&mut self, token: TokenIdx) -> DefinitionName {
        DefinitionName { text: self.token_text(token).to_owned(), range: self.tokens.range(token) }
    }

    pub fn quoted_name(&mut self, token: TokenIdx) -> DefinitionName {
        let range = self.tokens.range(token);
        self.error(SyntaxErrorKind::QuotedName, range);
        DefinitionName { text: self.token_content(token).to_owned(), range }
    }

    pub fn class_as_name(&mut self, token: TokenIdx) -> DefinitionName {
        let range = self.tokens.range(token);
        self.error(SyntaxErrorKind::ClassAsName, range);
        DefinitionName { text: String::new(), range }
    }

    /// Returns the full name of a class or define: inside a class, the name of that class comes first. Classes that are nested
    /// too deeply, which is an error, keep their names: the full ones would take the square of the depth.
    fn full_name(&mut self, name: &DefinitionName) -> StrId {
        match self.classes.last() {
            Some(class) if self.classes.len() <= MAX_DEPTH => {
                let full = format!("{}::{}", self.tree.str(class.name), name.text);
                self.intern(&full)
            }
            _ => self.intern(&name.text),
        }
    }

    /// Starts a class: its head was parsed.
    pub fn open_class(
        &mut self,
        name: DefinitionName,
        parameters: Option<ParameterList>,
        parent: Option<DefinitionName>,
    ) {
        let full = self.full_name(&name);
        let parent = parent.map(|parent| self.intern(&parent.text));
        let parameters = parameters.unwrap_or_default();
        self.classes.push(OpenClass { name: full, name_range: name.range, parameters, parent });
    }

    pub fn class(&mut self, from: TokenIdx, body: ExprId, to: TokenIdx) -> ExprId {
        let range = self.range(from, to);
        let Some(head) = self.classes.pop() else { return self.add(Expr::Error, range) };
        let OpenClass { name, name_range, parameters, parent } = head;
        self.define_as(range, |expr| {
            Definition::Class(ClassDefinition { name, name_range, parameters, parent, body, expr })
        })
    }

    pub fn define(
        &mut self,
        from: TokenIdx,
        name: DefinitionName,
        parameters: Option<ParameterList>,
        body: ExprId,
        to: TokenIdx,
    ) -> ExprId {
        let full = self.full_name(&name);
        let parameters = parameters.unwrap_or_default();
        self.define_as(self.range(from, to), |expr| {
            Definition::Define(DefineDefinition { name: full, name_range: name.range, parameters, body, expr })
        })
    }

    pub fn function(
        &mut self,
        from: TokenIdx,
        name: DefinitionName,
        parameters: Option<ParameterList>,
        returns: Option<ExprId>,
        body: ExprId,
        to: TokenIdx,
    ) -> ExprId {
        let parameters = parameters.unwrap_or_default();
        let (name, name_range) = (self.intern(&name.text), name.range);
        self.define_as(self.range(from, to), |expr| {
            Definition::Function(FunctionDefinition { name, name_range, parameters, returns, body, expr })
        })
    }

    pub fn node(
        &mut self,
        from: TokenIdx,
        hosts: Vec<ExprId>,
        parent: Option<ExprId>,
        body: ExprId,
        to: TokenIdx,
    ) -> ExprId {
        let hosts = hosts.into_iter().map(HostName).collect();
        let parent = parent.map(HostName);
        self.define_as(self.range(from, to), |expr| Definition::Node(NodeDefinition { hosts, parent, body, expr }))
    }

    pub fn type_alias(&mut self, from: TokenIdx, name: TokenIdx, value: ExprId, to: TokenIdx) -> Statement {
        let name_range = self.tokens.range(name);
        let name = self.intern(self.token_text(name));
        // `type A = { … }` is short for `type A = Object[{ … }]`.
        let value = match self.tree.exprs[value] {
            Expr::Hash(_) => self.object_type(value),
            _ => value,
        };
        let range = self.range(from, to);
        let expr = self.add_definition(range, Some(name_range), |expr| {
            Definition::TypeAlias(TypeAlias { name, name_range, value, expr })
        });
        Statement::Expression(expr)
    }

    fn object_type(&mut self, parameters: ExprId) -> ExprId {
        let range = self.tree.ranges[parameters];
        let name = self.intern("Object");
        let object = self.add(Expr::TypeName(name), range);
        let keys = self.list(&[parameters]);
        self.add(Expr::Access(object, keys), range)
    }

    /// Adds the type of `type A = B { … }`: an object type with the parent `B`.
    pub fn alias_parameters(
        &mut self,
        from: TokenIdx,
        parent: ExprId,
        open: TokenIdx,
        pairs: Vec<Entry>,
        to: TokenIdx,
    ) -> ExprId {
        if let Expr::TypeName(name) = self.tree.exprs[parent]
            && **self.tree.str(name) == *"TypeSet"
        {
            // `type A = TypeSet { … }` is short for `type A = TypeSet[{ … }]`.
            let list = self.pairs(pairs);
            let range = self.range(open, to);
            let hash = self.add(Expr::Hash(list), range);
            let keys = self.list(&[hash]);
            return self.add(Expr::Access(parent, keys), range);
        }
        let name = self.intern("parent");
        let key = self.add(Expr::Name(name), self.tree.ranges[parent]);
        let pairs = pairs.into_iter().chain([Entry::Pair(key, from, parent)]).collect();
        let list = self.pairs(pairs);
        self.add(Expr::Hash(list), self.range(open, to))
    }

    fn define_as(&mut self, range: TextRange, definition: impl FnOnce(ExprId) -> Definition) -> ExprId {
        self.add_definition(range, None, definition)
    }

    fn add_definition(
        &mut self,
        range: TextRange,
        focus: Option<TextRange>,
        definition: impl FnOnce(ExprId) -> Definition,
    ) -> ExprId {
        let expr = ExprId::from_u32(self.tree.exprs.len() as u32);
        let id = self.tree.definitions.push(definition(expr));
        match focus {
            Some(focus) => self.add_at(Expr::Definition(id), range, focus),
            None => self.add(Expr::Definition(id), range),
        }
    }

    pub fn parameter(
        &mut self,
        type_expr: Option<ExprId>,
        star: Option<TokenIdx>,
        variable: TokenIdx,
        default: Option<ExprId>,
    ) -> Parameter {
        let name = self.intern(self.token_content(variable));
        Parameter { name, type_expr, default, captures_rest: star.is_some(), range: self.tokens.range(variable) }
    }

    pub fn parameters(&mut self, parameters: Vec<Parameter>) -> ParameterList {
        self.tree.add_parameters(parameters)
    }
}
