//! Lints about what makes every compilation fail that comes to it: a variable that is assigned twice, an attribute that a type of
//! Puppet does not have, and a resource that is declared twice.
//!
//! Each body (of the file, a definition or a block) is walked in the order of evaluation. What a branch sets is known in that branch
//! only, so of two that exclude each other nothing is said; nor of a resource whose condition asks what is `defined`.

use mcl_diagnostics::{Code, nearest};
use pp_ast::{AssignOp, AttributeName, Definition, Expr, ExprId, ParameterList, ResourceExpr, ResourceForm, TextRange};
use pp_resource_types::{KnownType, metaparameter};
use rustc_hash::FxHashMap;

use crate::context::{Context, Findings};

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    if findings.is_on(Code::W0375) {
        for resource in context.tree.resources.values() {
            check_attributes(context, findings, resource);
        }
    }
    if !findings.is_on(Code::W0374) && !findings.is_on(Code::W0376) {
        return;
    }
    let tree = context.tree;
    let of_definitions = tree.definitions.values().filter_map(|definition| match definition {
        Definition::Class(class) => Some((Some(class.parameters), class.body)),
        Definition::Define(define) => Some((Some(define.parameters), define.body)),
        Definition::Function(function) => Some((Some(function.parameters), function.body)),
        Definition::Node(node) => Some((None, node.body)),
        Definition::TypeAlias(_) => None,
    });
    let of_blocks = tree.lambdas.values().map(|lambda| (Some(lambda.parameters), lambda.body));
    for (parameters, body) in tree.root.map(|root| (None, root)).into_iter().chain(of_definitions).chain(of_blocks) {
        Body {
            context,
            findings,
            variables: FxHashMap::default(),
            resources: FxHashMap::default(),
            set: Vec::new(),
            guards: 0,
        }
        .walk(parameters, body);
    }
}

/// Reports attributes that a type does not have.
fn check_attributes(context: &Context<'_>, findings: &mut Findings<'_>, resource: &ResourceExpr) {
    let Some(declared) = context.delivered_type(resource) else { return };
    let type_name = declared.name;
    let known = KnownType::of(declared);
    if known.is_open() {
        return;
    }
    let tree = context.tree;
    for attribute in tree.bodies(resource.bodies).iter().flat_map(|body| tree.attributes(body.attributes)) {
        let AttributeName::Name(name) = attribute.name else { continue };
        let name = &**tree.str(name);
        if known.has_parameter(name) || metaparameter(name).is_some() {
            continue;
        }
        let message = format!("`{type_name}` has no attribute `{name}`");
        let help = match nearest(name, known.parameter_names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "no such resource can be compiled: remove the attribute".to_owned(),
        };
        findings.add(Code::W0375, attribute.name_range, message, help);
    }
}

/// What is known at a place of a body.
struct Body<'c, 'f, 'a> {
    context: &'c Context<'a>,
    findings: &'c mut Findings<'f>,
    /// Where each variable was set.
    variables: FxHashMap<&'a str, TextRange>,
    /// Where each resource was declared, by its type and title.
    resources: FxHashMap<(&'a str, &'a str), TextRange>,
    /// What was added to the tables, in order.
    set: Vec<Entry<'a>>,
    /// The number of conditions around this place that ask what is defined.
    guards: usize,
}

enum Entry<'a> {
    Variable(&'a str),
    Resource(&'a str, &'a str),
}

enum Task {
    Visit(ExprId),
    /// Visits what may not be evaluated.
    Branch(ExprId),
    /// Forgets what was added since.
    Leave(usize),
    /// Enters or leaves what a condition guards.
    Guard(bool),
}

impl<'a> Body<'_, '_, 'a> {
    fn walk(mut self, parameters: Option<ParameterList>, body: ExprId) {
        let tree = self.context.tree;
        for parameter in parameters.into_iter().flat_map(|parameters| tree.parameters(parameters)) {
            self.variables.insert(tree.str(parameter.name), parameter.range);
        }
        let mut tasks = vec![Task::Visit(body)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(id) => self.visit(id, &mut tasks),
                Task::Branch(id) => tasks.extend([Task::Leave(self.set.len()), Task::Visit(id)]),
                Task::Leave(length) => self.forget(length),
                Task::Guard(true) => self.guards += 1,
                Task::Guard(false) => self.guards -= 1,
            }
        }
    }

    fn forget(&mut self, length: usize) {
        for entry in self.set.drain(length..) {
            match entry {
                Entry::Variable(name) => drop(self.variables.remove(name)),
                Entry::Resource(kind, title) => drop(self.resources.remove(&(kind, title))),
            }
        }
    }

    fn visit(&mut self, id: ExprId, tasks: &mut Vec<Task>) {
        let tree = self.context.tree;
        let first = tasks.len();
        match &tree.exprs[id] {
            Expr::Definition(_) | Expr::Lambda(_) => {}
            Expr::Assign(AssignOp::Assign, target, value) => {
                tasks.push(Task::Visit(*value));
                self.assign(*target);
            }
            Expr::If(test, then, otherwise) | Expr::Unless(test, then, otherwise) => {
                let branches = [Task::Branch(*then), Task::Branch(*otherwise)];
                self.guarded(*test, branches, tasks);
            }
            Expr::Case(test, options) => {
                let parts = options.iter().flat_map(|option| tree.list(option.values).iter().chain([&option.body]));
                self.guarded(*test, parts.copied().map(Task::Branch), tasks);
            }
            Expr::Selector(test, _) => {
                tasks.push(Task::Visit(*test));
                tree.for_each_child(id, |child| tasks.push(Task::Branch(child)));
            }
            Expr::Binary(_, left, right) => tasks.extend([Task::Visit(*left), Task::Branch(*right)]),
            // The block of a call is a body of its own.
            Expr::Call(call) => {
                let call = &tree.calls[*call];
                tasks.extend(tree.list(call.arguments).iter().copied().map(Task::Visit));
            }
            Expr::MethodCall(call) => {
                let call = &tree.method_calls[*call];
                tasks.push(Task::Visit(call.receiver));
                tasks.extend(tree.list(call.arguments).iter().copied().map(Task::Visit));
            }
            Expr::Resource(resource) => {
                self.declare(&tree.resources[*resource]);
                tree.for_each_child(id, |child| tasks.push(Task::Visit(child)));
            }
            _ => tree.for_each_child(id, |child| tasks.push(Task::Visit(child))),
        }
        // The first one is done first.
        tasks[first..].reverse();
    }

    /// Adds a condition and what depends on it.
    fn guarded(&self, test: ExprId, branches: impl IntoIterator<Item = Task>, tasks: &mut Vec<Task>) {
        let is_guard = self.context.source(test).contains("defined");
        tasks.push(Task::Visit(test));
        tasks.extend(is_guard.then_some(Task::Guard(true)));
        tasks.extend(branches);
        tasks.extend(is_guard.then_some(Task::Guard(false)));
    }

    fn assign(&mut self, target: ExprId) {
        let tree = self.context.tree;
        let mut targets = vec![target];
        while let Some(target) = targets.pop() {
            match &tree.exprs[target] {
                Expr::Variable(name) => {
                    let name = &**tree.str(*name);
                    if let Some(earlier) = self.variables.get(name) {
                        let line = self.context.line(*earlier);
                        let message = format!("`${name}` is assigned twice");
                        let help = format!("it has its value from line {line} on; use another name for this one");
                        self.findings.add(Code::W0374, self.context.range(target), message, help);
                    } else {
                        self.variables.insert(name, self.context.range(target));
                        self.set.push(Entry::Variable(name));
                    }
                }
                Expr::Array(elements) => targets.extend(tree.list(*elements).iter().rev()),
                _ => {}
            }
        }
    }

    fn declare(&mut self, resource: &ResourceExpr) {
        let Some(kind) = self.context.type_name(resource) else { return };
        if resource.form == ResourceForm::Exported || self.guards > 0 {
            return;
        }
        let tree = self.context.tree;
        for body in tree.bodies(resource.bodies) {
            let titles = match &tree.exprs[body.title] {
                Expr::Array(elements) => tree.list(*elements),
                _ => std::slice::from_ref(&body.title),
            };
            for title in titles {
                let (Expr::String(text) | Expr::Name(text)) = &tree.exprs[*title] else { continue };
                let text = &**tree.str(*text);
                if let Some(earlier) = self.resources.get(&(kind, text)) {
                    let line = self.context.line(*earlier);
                    let message = format!("`{kind}` `{text}` is declared twice");
                    let help = format!("it is declared on line {line}; type and title identify a resource");
                    self.findings.add(Code::W0376, self.context.range(*title), message, help);
                } else {
                    self.resources.insert((kind, text), self.context.range(*title));
                    self.set.push(Entry::Resource(kind, text));
                }
            }
        }
    }
}
