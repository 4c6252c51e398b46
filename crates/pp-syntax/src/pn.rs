//! Trees in Puppet's own notation: what `puppet parser dump --format pn` prints.

mod format;

use pp_ast::{
    Attribute, AttributeName, AttributeOp, Call, CaseOption, Collector, Definition, Expr, ExprId, LambdaId, MethodCall,
    Parameter, ParameterList, Query, Radix, ResourceDefaults, ResourceExpr, ResourceForm, ResourceOverride,
    SelectorEntry, StrId, Tree,
};

use crate::pn::format::{write_float, write_string};

/// Returns a tree in Puppet's notation, byte for byte as Puppet prints it.
#[must_use]
pub fn pn(tree: &Tree) -> String {
    let mut printer = Printer { tree, out: String::new() };
    match tree.root {
        Some(root) => printer.root(root),
        None => printer.out.push_str("(nop)"),
    }
    printer.out
}

struct Printer<'t> {
    tree: &'t Tree,
    out: String,
}

impl<'t> Printer<'t> {
    fn root(&mut self, root: ExprId) {
        match &self.tree.exprs[root] {
            Expr::Block(list) => {
                let list = self.tree.list(*list);
                match list {
                    [] => self.out.push_str("(nop)"),
                    [only] => self.expr(*only),
                    _ => self.call("block", list),
                }
            }
            _ => self.expr(root),
        }
    }

    /// Writes `(name part part)`.
    fn call<'p>(&mut self, name: &str, parts: impl IntoIterator<Item = &'p ExprId>) {
        self.open(name);
        for part in parts {
            self.out.push(' ');
            self.expr(*part);
        }
        self.out.push(')');
    }

    fn open(&mut self, name: &str) {
        self.out.push('(');
        self.out.push_str(name);
    }

    fn named(&mut self, name: &str, text: &str) {
        self.open(name);
        self.out.push(' ');
        write_string(&mut self.out, text);
        self.out.push(')');
    }

    fn expr(&mut self, id: ExprId) {
        stacker::maybe_grow(32 * 1024, 512 * 1024, || self.expr_here(id));
    }

    fn expr_here(&mut self, id: ExprId) {
        let tree = self.tree;
        match &tree.exprs[id] {
            Expr::Error => self.out.push_str("(error)"),
            Expr::Nop => self.out.push_str("(nop)"),
            Expr::Undef => self.out.push_str("nil"),
            Expr::Default => self.out.push_str("(default)"),
            Expr::Boolean(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Expr::Integer(value, radix) => self.integer(*value, *radix),
            Expr::Float(value) => write_float(&mut self.out, *value),
            Expr::String(text) => write_string(&mut self.out, tree.str(*text)),
            Expr::Regexp(source) => self.named("regexp", tree.str(*source)),
            Expr::Name(name) => self.named("qn", tree.str(*name)),
            Expr::TypeName(name) => self.named("qr", tree.str(*name)),
            Expr::Reserved(word) => self.named("reserved", tree.str(*word)),
            Expr::Variable(name) => self.named("var", tree.str(*name)),
            Expr::Interpolation(list) => self.call("concat", tree.list(*list)),
            Expr::Text(inner) => self.call("str", &[*inner]),
            Expr::Heredoc { syntax, text } => self.heredoc(*syntax, *text),
            Expr::Array(list) => self.call("array", tree.list(*list)),
            Expr::Hash(list) => {
                self.open("hash");
                for pair in tree.list(*list).chunks_exact(2) {
                    self.out.push(' ');
                    self.call("=>", pair);
                }
                self.out.push(')');
            }
            Expr::Parenthesized(inner) => self.call("paren", &[*inner]),
            Expr::Not(operand) => self.call("!", &[*operand]),
            Expr::Negate(operand) => self.negate(*operand),
            Expr::Unfold(operand) => self.call("unfold", &[*operand]),
            Expr::Binary(op, left, right) => self.call(op.symbol(), &[*left, *right]),
            Expr::Assign(op, left, right) => self.call(op.symbol(), &[*left, *right]),
            Expr::Arrow(op, left, right) => self.call(op.symbol(), &[*left, *right]),
            Expr::Access(left, keys) => self.call("access", std::iter::once(left).chain(tree.list(*keys))),
            Expr::Call(call) => self.function_call(&tree.calls[*call]),
            Expr::MethodCall(call) => self.method_call(&tree.method_calls[*call]),
            Expr::Lambda(lambda) => self.lambda(*lambda),
            Expr::If(test, then, otherwise) => self.conditional("if", *test, *then, *otherwise),
            Expr::Unless(test, then, otherwise) => self.conditional("unless", *test, *then, *otherwise),
            Expr::Case(test, options) => self.case(*test, options),
            Expr::Selector(test, entries) => self.selector(*test, entries),
            Expr::Block(list) => self.call("block", tree.list(*list)),
            Expr::Resource(resource) => self.resource(&tree.resources[*resource]),
            Expr::ResourceDefaults(index) => self.resource_defaults(&tree.defaults[*index as usize]),
            Expr::ResourceOverride(index) => self.resource_override(&tree.overrides[*index as usize]),
            Expr::Collector(collector) => self.collector(&tree.collectors[*collector]),
            Expr::Definition(definition) => self.definition(&tree.definitions[*definition]),
            Expr::Epp { parameters, body } => self.template(*parameters, *body),
            Expr::RenderString(text) => self.named("render-s", tree.str(*text)),
            Expr::RenderExpr(inner) => self.call("render", &[*inner]),
        }
    }

    fn heredoc(&mut self, syntax: Option<StrId>, text: ExprId) {
        let tree = self.tree;
        self.out.push_str("(heredoc {");
        if let Some(syntax) = syntax {
            self.out.push_str(":syntax ");
            write_string(&mut self.out, tree.str(syntax));
            self.out.push(' ');
        }
        self.out.push_str(":text ");
        self.expr(text);
        self.out.push_str("})");
    }

    fn function_call(&mut self, call: &Call) {
        let tree = self.tree;
        self.open(if call.is_statement { "invoke" } else { "call" });
        self.out.push_str(" {:functor ");
        self.expr(call.functor);
        self.arguments(tree.list(call.arguments), call.block);
    }

    fn method_call(&mut self, call: &MethodCall) {
        let tree = self.tree;
        self.out.push_str("(call-method {:functor (. ");
        self.expr(call.receiver);
        self.out.push(' ');
        self.named("qn", tree.str(call.name));
        self.out.push(')');
        self.arguments(tree.list(call.arguments), call.block);
    }

    fn case(&mut self, test: ExprId, options: &[CaseOption]) {
        let tree = self.tree;
        self.open("case ");
        self.expr(test);
        self.out.push_str(" [");
        for (index, option) in options.iter().enumerate() {
            self.space_unless_first(index);
            self.out.push_str("{:when ");
            self.bracketed(tree.list(option.values));
            self.out.push_str(" :then ");
            match self.block(option.body) {
                [] => self.out.push_str("[(nop)]"),
                list => self.bracketed(list),
            }
            self.out.push('}');
        }
        self.out.push_str("])");
    }

    fn selector(&mut self, test: ExprId, entries: &[SelectorEntry]) {
        self.open("? ");
        self.expr(test);
        self.out.push_str(" [");
        for (index, entry) in entries.iter().enumerate() {
            self.space_unless_first(index);
            self.call("=>", &[entry.value, entry.result]);
        }
        self.out.push_str("])");
    }

    fn resource(&mut self, resource: &ResourceExpr) {
        let tree = self.tree;
        self.out.push_str("(resource {:type ");
        self.expr(resource.type_name);
        self.out.push_str(" :bodies [");
        for (index, body) in tree.bodies(resource.bodies).iter().enumerate() {
            self.space_unless_first(index);
            self.out.push_str("{:title ");
            self.expr(body.title);
            self.out.push_str(" :ops ");
            self.attributes(tree.attributes(body.attributes));
            self.out.push('}');
        }
        self.out.push(']');
        self.form(resource.form);
    }

    fn resource_defaults(&mut self, defaults: &ResourceDefaults) {
        let tree = self.tree;
        self.out.push_str("(resource-defaults {:type ");
        self.expr(defaults.type_name);
        self.out.push_str(" :ops ");
        self.attributes(tree.attributes(defaults.attributes));
        self.form(defaults.form);
    }

    fn resource_override(&mut self, found: &ResourceOverride) {
        let tree = self.tree;
        self.out.push_str("(resource-override {:resources ");
        self.expr(found.resources);
        self.out.push_str(" :ops ");
        self.attributes(tree.attributes(found.attributes));
        self.form(found.form);
    }

    fn collector(&mut self, collector: &Collector) {
        let tree = self.tree;
        self.out.push_str("(collect {:type ");
        self.expr(collector.type_name);
        self.out.push_str(" :query ");
        match &collector.query {
            Query::Virtual(query) => self.call("virtual-query", query.as_slice()),
            Query::Exported(query) => self.call("exported-query", query.as_slice()),
        }
        if let Some(attributes) = collector.attributes.filter(|attributes| !attributes.is_empty()) {
            self.out.push_str(" :ops ");
            self.attributes(tree.attributes(attributes));
        }
        self.out.push_str("})");
    }

    fn template(&mut self, parameters: Option<ParameterList>, body: ExprId) {
        self.out.push_str("(lambda {");
        if self.parameters(parameters.unwrap_or_default()) {
            self.out.push(' ');
        }
        self.out.push_str(":body [");
        let list = self.block(body);
        self.call("epp", list);
        self.out.push_str("]})");
    }

    fn space_unless_first(&mut self, index: usize) {
        if index > 0 {
            self.out.push(' ');
        }
    }

    /// Returns the statements of a block.
    fn block(&self, id: ExprId) -> &'t [ExprId] {
        let tree = self.tree;
        match &tree.exprs[id] {
            Expr::Block(list) => tree.list(*list),
            _ => &[],
        }
    }

    fn bracketed(&mut self, list: &[ExprId]) {
        self.out.push('[');
        for (index, expr) in list.iter().enumerate() {
            self.space_unless_first(index);
            self.expr(*expr);
        }
        self.out.push(']');
    }

    fn integer(&mut self, value: i64, radix: Radix) {
        let radix = match radix {
            Radix::Decimal => return self.out.push_str(&value.to_string()),
            Radix::Octal => 8,
            Radix::Hexadecimal => 16,
        };
        self.out.push_str(&format!("(int {{:radix {radix} :value {value}}})"));
    }

    /// Writes a negated number as one literal.
    fn negate(&mut self, operand: ExprId) {
        match self.tree.exprs[operand] {
            Expr::Integer(value, _) => self.out.push_str(&value.wrapping_neg().to_string()),
            Expr::Float(value) => write_float(&mut self.out, -value),
            _ => self.call("-", &[operand]),
        }
    }

    /// Writes the rest of a call after its functor.
    fn arguments(&mut self, arguments: &[ExprId], block: Option<LambdaId>) {
        self.out.push_str(" :args ");
        self.bracketed(arguments);
        if let Some(block) = block {
            self.out.push_str(" :block ");
            self.lambda(block);
        }
        self.out.push_str("})");
    }

    fn lambda(&mut self, id: LambdaId) {
        let lambda = self.tree.lambdas[id];
        self.out.push_str("(lambda {");
        let start = self.out.len();
        self.parameters(lambda.parameters);
        if let Some(returns) = lambda.returns {
            self.key(start, ":returns");
            self.expr(returns);
        }
        self.body(start, lambda.body);
        self.out.push_str("})");
    }

    /// Writes a key after a space, unless it is the first one after `start`.
    fn key(&mut self, start: usize, key: &str) {
        self.space_unless_first(self.out.len() - start);
        self.out.push_str(key);
        self.out.push(' ');
    }

    /// Writes `:body […]` unless the body is empty.
    fn body(&mut self, start: usize, body: ExprId) {
        if !self.block(body).is_empty() {
            self.key(start, ":body");
            self.bracketed(self.block(body));
        }
    }

    /// Writes `:params {…}`. Returns whether there are any.
    fn parameters(&mut self, list: ParameterList) -> bool {
        let parameters = self.tree.parameters(list);
        if parameters.is_empty() {
            return false;
        }
        self.out.push_str(":params {");
        for (index, parameter) in parameters.iter().enumerate() {
            self.space_unless_first(index);
            self.parameter(parameter);
        }
        self.out.push('}');
        true
    }

    fn parameter(&mut self, parameter: &Parameter) {
        self.out.push(':');
        self.out.push_str(self.tree.str(parameter.name));
        self.out.push_str(" {");
        let start = self.out.len();
        if let Some(type_expr) = parameter.type_expr {
            self.key(start, ":type");
            self.expr(type_expr);
        }
        if parameter.captures_rest {
            self.key(start, ":splat");
            self.out.push_str("true");
        }
        if let Some(default) = parameter.default {
            self.key(start, ":value");
            self.expr(default);
        }
        self.out.push('}');
    }

    fn conditional(&mut self, name: &str, test: ExprId, then: ExprId, otherwise: ExprId) {
        self.open(name);
        self.out.push_str(" {:test ");
        self.expr(test);
        let then = self.branch(then);
        if !then.is_empty() {
            self.out.push_str(" :then ");
            self.bracketed(&then);
        }
        let otherwise = self.branch(otherwise);
        if !otherwise.is_empty() {
            self.out.push_str(" :else ");
            self.bracketed(&otherwise);
        }
        self.out.push_str("})");
    }

    /// Returns the statements of a branch. Where Puppet has no block around a single statement, a name and a hash are the block.
    fn branch(&self, id: ExprId) -> Vec<ExprId> {
        match self.tree.exprs[id] {
            Expr::Nop => Vec::new(),
            Expr::Block(_) => match self.block(id) {
                [only] if matches!(self.tree.exprs[*only], Expr::Block(_)) => self.block(*only).to_vec(),
                list => list.to_vec(),
            },
            _ => vec![id],
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        self.out.push('[');
        for (index, attribute) in attributes.iter().enumerate() {
            self.space_unless_first(index);
            match attribute.name {
                AttributeName::Splat => self.open("splat-hash "),
                AttributeName::Name(name) => {
                    self.open(match attribute.op {
                        AttributeOp::Set => "=> ",
                        AttributeOp::Append => "+> ",
                    });
                    write_string(&mut self.out, self.tree.str(name));
                    self.out.push(' ');
                }
            }
            self.expr(attribute.value);
            self.out.push(')');
        }
        self.out.push(']');
    }

    /// Writes the end of a resource expression.
    fn form(&mut self, form: ResourceForm) {
        self.out.push_str(match form {
            ResourceForm::Regular => "})",
            ResourceForm::Virtual => " :form \"virtual\"})",
            ResourceForm::Exported => " :form \"exported\"})",
        });
    }

    fn definition(&mut self, definition: &Definition) {
        let tree = self.tree;
        match definition {
            Definition::Class(class) => {
                self.definition_name("class", tree.str(class.name));
                if let Some(parent) = class.parent {
                    self.out.push_str(" :parent ");
                    write_string(&mut self.out, tree.str(parent));
                }
                self.parameters_and_body(class.parameters, class.body);
            }
            Definition::Define(define) => {
                self.definition_name("define", tree.str(define.name));
                self.parameters_and_body(define.parameters, define.body);
            }
            Definition::Function(function) => {
                self.definition_name("function", tree.str(function.name));
                if !function.parameters.is_empty() {
                    self.out.push(' ');
                    self.parameters(function.parameters);
                }
                self.body(0, function.body);
                if let Some(returns) = function.returns {
                    self.out.push_str(" :returns ");
                    self.expr(returns);
                }
                self.out.push_str("})");
            }
            Definition::Node(node) => {
                self.out.push_str("(node {:matches ");
                let hosts: Vec<ExprId> = node.hosts.iter().map(|host| host.0).collect();
                self.bracketed(&hosts);
                if let Some(parent) = node.parent {
                    self.out.push_str(" :parent ");
                    self.expr(parent.0);
                }
                self.body(0, node.body);
                self.out.push_str("})");
            }
            Definition::TypeAlias(alias) => {
                self.out.push_str("(type-alias ");
                write_string(&mut self.out, tree.str(alias.name));
                self.out.push(' ');
                self.expr(alias.value);
                self.out.push(')');
            }
        }
    }

    fn definition_name(&mut self, kind: &str, name: &str) {
        self.open(kind);
        self.out.push_str(" {:name ");
        write_string(&mut self.out, name);
    }

    fn parameters_and_body(&mut self, parameters: ParameterList, body: ExprId) {
        if !parameters.is_empty() {
            self.out.push(' ');
            self.parameters(parameters);
        }
        self.body(0, body);
        self.out.push_str("})");
    }
}
