//! Joining trees: the nodes of one get other ids, after those of another one.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap};

use crate::ast::{
    Ast, ClassStmt, Definition, EdgeHalf, Entry, EntryKind, Expr, ExprId, ExprList, IfStmt, IncludeStmt, LoopStmt,
    Name, Param, Resource, Stmt, StmtId, StringId, TypeExpr, TypeId,
};
use crate::string_table::StringTable;

/// How the ids of a tree change.
pub struct Shift {
    /// What is added to ids of expressions.
    pub exprs: usize,
    /// What is added to ids of statements.
    pub stmts: usize,
    /// What is added to ids of types.
    pub types: usize,
    /// What is added to ids of strings.
    pub strings: usize,
    /// What is added to positions of items of lists.
    pub list_items: usize,
    /// The new name for each name.
    pub names: PrimaryMap<Name, Name>,
}

impl Shift {
    /// Changes all ids of a tree. Its table of names is of no more use then.
    pub fn tree(&self, ast: &mut Ast) {
        ast.exprs.values_mut().for_each(|expr| self.expr(expr));
        self.expr_ids(&mut ast.list_items);
        ast.stmts.values_mut().for_each(|stmt| self.stmt(stmt));
        ast.types.values_mut().for_each(|ty| self.ty(ty));
        self.block(&mut ast.body);
    }

    fn expr_id(&self, id: &mut ExprId) {
        *id = ExprId::new(id.index() + self.exprs);
    }

    fn expr_ids(&self, ids: &mut [ExprId]) {
        ids.iter_mut().for_each(|id| self.expr_id(id));
    }

    fn list(&self, list: &mut ExprList) {
        let added = self.list_items as u32;
        *list = ExprList { start: list.start + added, end: list.end + added };
    }

    fn type_id(&self, id: &mut TypeId) {
        *id = TypeId::new(id.index() + self.types);
    }

    fn written_type(&self, ty: &mut PackedOption<TypeId>) {
        if let Some(mut id) = ty.take() {
            self.type_id(&mut id);
            *ty = id.into();
        }
    }

    fn name(&self, name: &mut Name) {
        *name = self.names[*name];
    }

    fn block(&self, block: &mut [StmtId]) {
        block.iter_mut().for_each(|id| *id = StmtId::new(id.index() + self.stmts));
    }

    fn params(&self, params: &mut [Param]) {
        for param in params {
            self.name(&mut param.name);
            param.ty.iter_mut().for_each(|ty| self.type_id(ty));
        }
    }

    fn expr(&self, expr: &mut Expr) {
        match expr {
            Expr::Error | Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) => {}
            Expr::Str(id) => *id = StringId::new(id.index() + self.strings),
            Expr::Concat(list) | Expr::List(list) | Expr::Map(list) => self.list(list),
            Expr::Interpolated(inner) | Expr::Paren(inner) | Expr::Unary { operand: inner, .. } => self.expr_id(inner),
            Expr::Struct(literal) => {
                for field in &mut literal.fields {
                    self.name(&mut field.name);
                    self.expr_id(&mut field.value);
                }
            }
            Expr::Func(lambda) => {
                self.params(&mut lambda.params);
                self.written_type(&mut lambda.result);
                self.expr_id(&mut lambda.body);
            }
            Expr::Call { name, args } | Expr::CallVar { name, args } => {
                self.name(name);
                self.list(args);
            }
            Expr::CallLambda { lambda, args } => {
                self.expr_id(lambda);
                self.list(args);
            }
            Expr::Var(name) => self.name(name),
            Expr::If { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|id| self.expr_id(id));
            }
            Expr::Binary { left: a, right: b, .. }
            | Expr::Index { base: a, index: b }
            | Expr::Except { value: a, fallback: b } => {
                [a, b].into_iter().for_each(|id| self.expr_id(id));
            }
            Expr::Field { base, field } => {
                self.expr_id(base);
                self.name(field);
            }
            Expr::FieldOr { base, field, default } => {
                self.expr_id(base);
                self.name(field);
                self.expr_id(default);
            }
        }
    }

    fn stmt(&self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Error { defines } => defines.iter_mut().for_each(|Definition { name, .. }| self.name(name)),
            Stmt::Bind { name, ty, value, .. } => {
                self.name(name);
                self.written_type(ty);
                self.expr_id(value);
            }
            Stmt::Panic { args } => self.expr_ids(args),
            Stmt::Resource(resource) => self.resource(resource),
            Stmt::Edge(halves) => halves.iter_mut().for_each(|half| self.half(half)),
            Stmt::If(branches) => {
                let IfStmt { condition, then, otherwise } = &mut **branches;
                self.expr_id(condition);
                self.block(then);
                otherwise.iter_mut().for_each(|block| self.block(block));
            }
            Stmt::For(iteration) | Stmt::ForKv(iteration) => {
                let LoopStmt { index, value, iterable, body } = &mut **iteration;
                self.params(std::slice::from_mut(index));
                self.params(std::slice::from_mut(value));
                self.expr_id(iterable);
                self.block(body);
            }
            Stmt::Func { name, func, .. } => {
                self.name(name);
                self.expr_id(func);
            }
            Stmt::Class(class) => {
                let ClassStmt { name, name_span: _, params, body } = &mut **class;
                self.name(name);
                params.iter_mut().for_each(|params| self.params(params));
                self.block(body);
            }
            Stmt::Include(include) => {
                let IncludeStmt { class, class_span: _, args, alias } = &mut **include;
                self.name(class);
                args.iter_mut().for_each(|args| self.expr_ids(args));
                alias.iter_mut().for_each(|(alias, _)| self.name(alias));
            }
            Stmt::Import(import) => import.alias.iter_mut().for_each(|(alias, _)| self.name(alias)),
        }
    }

    fn resource(&self, resource: &mut Resource) {
        self.name(&mut resource.kind);
        self.expr_id(&mut resource.name);
        for Entry { condition, kind, .. } in &mut resource.entries {
            if let Some(mut id) = condition.take() {
                self.expr_id(&mut id);
                *condition = id.into();
            }
            match kind {
                EntryKind::Field { name, value } | EntryKind::Meta { property: name, value } => {
                    self.name(name);
                    self.expr_id(value);
                }
                EntryKind::Edge { property, half } => {
                    self.name(property);
                    self.half(half);
                }
            }
        }
    }

    fn half(&self, half: &mut EdgeHalf) {
        self.name(&mut half.kind);
        self.expr_id(&mut half.name);
        half.key.iter_mut().for_each(|key| self.name(key));
    }

    fn ty(&self, ty: &mut TypeExpr) {
        match ty {
            TypeExpr::Error | TypeExpr::Bool | TypeExpr::Str | TypeExpr::Int | TypeExpr::Float | TypeExpr::Variant => {}
            TypeExpr::List(element) => self.type_id(element),
            TypeExpr::Map(key, value) => {
                self.type_id(key);
                self.type_id(value);
            }
            TypeExpr::Struct(fields) => {
                for (name, ty) in fields {
                    self.name(name);
                    self.type_id(ty);
                }
            }
            TypeExpr::Func(args, result) => {
                for (name, ty) in args {
                    name.iter_mut().for_each(|name| self.name(name));
                    self.type_id(ty);
                }
                self.type_id(result);
            }
        }
    }
}

impl Ast {
    /// Appends the nodes of trees whose ids were shifted; names stay. A table of a tree is dropped as soon as it was copied.
    pub(crate) fn append(&mut self, mut others: Vec<Ast>) {
        fn append<K: EntityRef, V>(
            tree: &mut Ast,
            others: &mut [Ast],
            table: impl Fn(&mut Ast) -> &mut PrimaryMap<K, V>,
        ) {
            let count = others.iter_mut().map(|other| table(other).len()).sum();
            let mut values = Vec::from(std::mem::take(table(tree)));
            values.reserve_exact(count);
            for other in others {
                values.append(&mut Vec::from(std::mem::take(table(other))));
            }
            *table(tree) = values.into();
        }
        let strings = || others.iter().map(|other| &other.strings);
        let (count, bytes) = (strings().map(StringTable::len).sum(), strings().map(StringTable::byte_len).sum());
        self.strings.reserve(count, bytes);
        self.list_items.reserve_exact(others.iter().map(|other| other.list_items.len()).sum());
        for other in &mut others {
            self.strings.append(&std::mem::take(&mut other.strings));
            self.list_items.append(&mut std::mem::take(&mut other.list_items));
        }
        append(self, &mut others, |tree| &mut tree.exprs);
        append(self, &mut others, |tree| &mut tree.expr_ranges);
        append(self, &mut others, |tree| &mut tree.stmts);
        append(self, &mut others, |tree| &mut tree.stmt_ranges);
        append(self, &mut others, |tree| &mut tree.types);
        append(self, &mut others, |tree| &mut tree.type_ranges);
        self.body.reserve_exact(others.iter().map(|other| other.body.len()).sum());
        self.body.extend(others.into_iter().flat_map(|other| other.body));
    }
}
