//! Lints about variables: where they come from, and whether they are used.
//!
//! One walk over the tree collects scopes with their variables, and reads of variables with the scope that they are in. A block sees
//! the variables around it; a class, define or function sees its own, and those of the top scope.

use mcl_diagnostics::Code;
use pp_ast::{AssignOp, Definition, Expr, ExprId, LambdaId, ParameterList, TextRange};
use rustc_hash::FxHashMap;

use crate::context::{Context, Findings};
use crate::facts::{better_fact, is_legacy};

/// What a scope belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind<'a> {
    /// The top scope, a node, or a template: anything may be set outside of the file.
    Open,
    /// A class, which may inherit; other files can read its variables.
    Class { name: &'a str, inherits: bool },
    /// A define.
    Define(&'a str),
    /// A function.
    Function(&'a str),
    /// The block of a call.
    Block,
}

/// How a variable is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Parameter,
    Assignment,
}

struct Variable {
    range: TextRange,
    origin: Origin,
    is_read: bool,
}

struct Scope<'a> {
    kind: Kind<'a>,
    /// The scope around a block.
    around: Option<usize>,
    variables: FxHashMap<&'a str, Variable>,
    /// Something reads variables by names that are not in the file, such as a template.
    is_open: bool,
}

struct Walk<'c, 'a> {
    context: &'c Context<'a>,
    scopes: Vec<Scope<'a>>,
    /// The reads of variables without a namespace: the scope and the expression.
    reads: Vec<(usize, &'a str, ExprId)>,
    /// What is still to be visited, in which scope.
    rest: Vec<(usize, ExprId)>,
}

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    check_names(context, findings);
    let lints = [Code::W0336, Code::W0337, Code::W0338];
    let Some(root) = context.tree.root.filter(|_| lints.iter().any(|code| findings.is_on(*code))) else { return };
    let mut walk = Walk { context, scopes: Vec::new(), reads: Vec::new(), rest: Vec::new() };
    walk.add_scope(Kind::Open, None);
    walk.rest.push((0, root));
    while let Some((scope, id)) = walk.rest.pop() {
        walk.visit(scope, id);
    }
    let Walk { mut scopes, reads, .. } = walk;
    for (scope, name, id) in reads {
        if let Some(kind) = unknown_in(&mut scopes, scope, name) {
            report_unknown(context, findings, kind, name, id);
        }
    }
    for scope in scopes.iter().filter(|scope| !scope.is_open) {
        report_unused(findings, scope);
    }
}

impl<'a> Walk<'_, 'a> {
    fn add_scope(&mut self, kind: Kind<'a>, around: Option<usize>) -> usize {
        self.scopes.push(Scope { kind, around, variables: FxHashMap::default(), is_open: false });
        self.scopes.len() - 1
    }

    fn declare(&mut self, scope: usize, name: &'a str, range: TextRange, origin: Origin) {
        self.scopes[scope].variables.entry(name).or_insert(Variable { range, origin, is_read: false });
    }

    fn visit(&mut self, scope: usize, id: ExprId) {
        let tree = self.context.tree;
        match &tree.exprs[id] {
            Expr::Variable(name) => {
                let name = &**tree.str(*name);
                if !name.contains("::") {
                    self.reads.push((scope, name, id));
                }
            }
            Expr::Assign(AssignOp::Assign, target, value) => {
                self.assign(scope, *target);
                self.rest.push((scope, *value));
            }
            Expr::Call(call) => {
                let call = &tree.calls[*call];
                if let Some(name) = self.context.word(call.functor) {
                    self.note_call(scope, name);
                }
                self.rest.push((scope, call.functor));
                self.rest.extend(tree.list(call.arguments).iter().map(|argument| (scope, *argument)));
                self.block(scope, call.block);
            }
            Expr::MethodCall(call) => {
                let call = &tree.method_calls[*call];
                self.note_call(scope, tree.str(call.name));
                self.rest.push((scope, call.receiver));
                self.rest.extend(tree.list(call.arguments).iter().map(|argument| (scope, *argument)));
                self.block(scope, call.block);
            }
            Expr::Lambda(lambda) => self.block(scope, Some(*lambda)),
            Expr::Definition(definition) => self.definition(&tree.definitions[*definition]),
            Expr::Epp { parameters, body } => {
                if let Some(parameters) = parameters {
                    self.parameters(scope, *parameters);
                }
                self.rest.push((scope, *body));
            }
            _ => tree.for_each_child(id, |child| self.rest.push((scope, child))),
        }
    }

    fn assign(&mut self, scope: usize, target: ExprId) {
        let tree = self.context.tree;
        let mut targets = vec![target];
        while let Some(target) = targets.pop() {
            match &tree.exprs[target] {
                Expr::Variable(name) => {
                    self.declare(scope, tree.str(*name), self.context.range(target), Origin::Assignment);
                }
                Expr::Array(elements) => targets.extend(tree.list(*elements)),
                _ => self.rest.push((scope, target)),
            }
        }
    }

    fn definition(&mut self, definition: &'a Definition) {
        let tree = self.context.tree;
        let (kind, parameters, returns, body) = match definition {
            Definition::Class(class) => {
                let kind = Kind::Class { name: tree.str(class.name), inherits: class.parent.is_some() };
                (kind, Some(class.parameters), None, class.body)
            }
            Definition::Define(define) => {
                (Kind::Define(tree.str(define.name)), Some(define.parameters), None, define.body)
            }
            Definition::Function(function) => {
                let kind = Kind::Function(tree.str(function.name));
                (kind, Some(function.parameters), function.returns, function.body)
            }
            Definition::Node(node) => (Kind::Open, None, None, node.body),
            Definition::TypeAlias(alias) => (Kind::Open, None, None, alias.value),
        };
        let scope = self.add_scope(kind, None);
        if let Some(parameters) = parameters {
            self.parameters(scope, parameters);
        }
        self.rest.extend(returns.into_iter().chain([body]).map(|part| (scope, part)));
        if let Definition::Function(_) = definition {
            self.result(scope, body);
        }
    }

    /// The last statement of a function or block is its result: a variable that it sets is used.
    fn result(&mut self, scope: usize, body: ExprId) {
        let tree = self.context.tree;
        if let Expr::Block(statements) = tree.exprs[body]
            && let Some(last) = tree.list(statements).last()
            && let Expr::Assign(_, target, _) = tree.exprs[*last]
            && let Expr::Variable(name) = tree.exprs[target]
        {
            self.reads.push((scope, tree.str(name), target));
        }
    }

    fn block(&mut self, around: usize, lambda: Option<LambdaId>) {
        let Some(lambda) = lambda.map(|id| &self.context.tree.lambdas[id]) else { return };
        let scope = self.add_scope(Kind::Block, Some(around));
        self.parameters(scope, lambda.parameters);
        self.rest.extend(lambda.returns.into_iter().chain([lambda.body]).map(|part| (scope, part)));
        self.result(scope, lambda.body);
    }

    fn parameters(&mut self, scope: usize, list: ParameterList) {
        let tree = self.context.tree;
        for parameter in tree.parameters(list) {
            self.declare(scope, tree.str(parameter.name), parameter.range, Origin::Parameter);
            let parts = parameter.type_expr.into_iter().chain(parameter.default);
            self.rest.extend(parts.map(|part| (scope, part)));
            // The parameters of a backend of Hiera are prescribed.
            let is_context = |ty: ExprId| self.context.word(ty).is_some_and(|name| name.ends_with("LookupContext"));
            self.scopes[scope].is_open |= parameter.type_expr.is_some_and(is_context);
        }
    }

    /// Templates see all variables of their scope, and some functions read variables by their names.
    fn note_call(&mut self, scope: usize, name: &str) {
        if !matches!(name, "template" | "inline_template" | "epp" | "inline_epp" | "getvar") {
            return;
        }
        let mut at = Some(scope);
        while let Some(scope) = at {
            self.scopes[scope].is_open = true;
            at = self.scopes[scope].around;
        }
    }
}

/// Marks the variable that is read. Returns the class, define or function that does not have it, if none could have it.
fn unknown_in<'a>(scopes: &mut [Scope<'a>], scope: usize, name: &str) -> Option<Kind<'a>> {
    let mut at = scope;
    loop {
        if let Some(variable) = scopes[at].variables.get_mut(name) {
            variable.is_read = true;
            return None;
        }
        match scopes[at].around {
            Some(around) => at = around,
            None => break,
        }
    }
    let is_known = PREDEFINED.contains(&name) || name.bytes().all(|byte| byte.is_ascii_digit());
    match scopes[at].kind {
        Kind::Open | Kind::Block | Kind::Class { inherits: true, .. } => None,
        kind => (!is_known).then_some(kind),
    }
}

fn report_unknown(context: &Context<'_>, findings: &mut Findings<'_>, kind: Kind<'_>, name: &str, id: ExprId) {
    // The old name of a fact is another lint's.
    if is_legacy(name) && findings.is_on(Code::W0334) {
        return;
    }
    let subject = match kind {
        Kind::Class { name, .. } => format!("class `{name}`"),
        Kind::Define(name) => format!("define `{name}`"),
        Kind::Function(name) => format!("function `{name}`"),
        Kind::Open | Kind::Block => return,
    };
    let help = match better_fact(name) {
        Some(fact) => format!("write `{fact}` if the fact is meant"),
        None => format!("write `$::{name}` if a variable of the top scope is meant, or set it before it is used"),
    };
    let message = format!("top-scope variable `${name}` without an explicit namespace: {subject} does not set it");
    findings.add(Code::W0336, context.range(id), message, help);
}

fn report_unused(findings: &mut Findings<'_>, scope: &Scope<'_>) {
    for (name, variable) in
        scope.variables.iter().filter(|(name, variable)| !variable.is_read && !name.starts_with('_'))
    {
        match (scope.kind, variable.origin) {
            (Kind::Define(_) | Kind::Function(_), Origin::Parameter) => {
                let message = format!("parameter `${name}` is never used");
                findings.add(Code::W0338, variable.range, message, "remove it, or start its name with `_`");
            }
            (Kind::Define(_) | Kind::Function(_) | Kind::Block, Origin::Assignment) => {
                let message = format!("variable `${name}` is never used");
                findings.add(Code::W0337, variable.range, message, "remove it, or start its name with `_`");
            }
            _ => {}
        }
    }
}

/// Lints about the names alone.
fn check_names(context: &Context<'_>, findings: &mut Findings<'_>) {
    let tree = context.tree;
    for (id, expr) in &tree.exprs {
        let Expr::Variable(name) = expr else { continue };
        let name = &**tree.str(*name);
        if let Some(plain) = name.strip_prefix("::").filter(|plain| plain.contains("::")) {
            let message = format!("leading `::` of the variable `${name}`");
            findings.add(Code::W0342, context.range(id), message, format!("write `${plain}`"));
        }
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            let message = format!("capital letter in the variable `${name}`");
            findings.add(Code::W0341, context.range(id), message, "write words with `_` between them: `$data_dir`");
        }
    }
}

/// Variables that every class, define or function sees, those of metaparameters among them.
const PREDEFINED: &[&str] = &[
    "agent_specified_environment",
    "alias",
    "audit",
    "before",
    "caller_module_name",
    "clientcert",
    "clientnoop",
    "clientversion",
    "environment",
    "facts",
    "loglevel",
    "module_name",
    "name",
    "noop",
    "notify",
    "require",
    "schedule",
    "server_facts",
    "serverip",
    "serverip6",
    "servername",
    "serverversion",
    "stage",
    "subscribe",
    "tag",
    "title",
    "trusted",
];
