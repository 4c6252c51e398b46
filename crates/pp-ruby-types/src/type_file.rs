//! Reading the file of a type: finding its declaration, and walking through the body as Ruby would evaluate it.

use lib_ruby_parser::Node;
use lib_ruby_parser::nodes::{Def, Defs};
use pp_resource_types::{IniMunge, ReadAttribute, ReadType, RelationKind, Role, Titles, Unread, Unreadable};
use pp_ruby_syntax::Tree;
use rustc_hash::FxHashMap;

use crate::attribute::{attribute, ensure};
use crate::constant::{Constant, Environment, bound};
use crate::error::TypeError;
use crate::ini::{ini_type, munge};
use crate::node::{Block, Call, constant_name, statements};
use crate::relation::read_relation;
use crate::resource_api::read_registration;
use crate::source::{Definitions, Files, TypeSource};
use crate::titles::title_patterns;

/// Maximum depth of nested blocks and conditions.
const MAX_DEPTH: u32 = 32;
/// Maximum number of attributes and relations of a type.
const MAX_DECLARATIONS: usize = 10_000;

/// Reads a type without running its code.
///
/// # Errors
/// A file that is not Ruby, is too large, or declares no type or another one.
pub fn read_type(source: &TypeSource<'_>) -> Result<ReadType, TypeError> {
    Files::with(source, |files| {
        let mut reader = Reader {
            definitions: files.definitions(),
            main: files.main(),
            methods: FxHashMap::default(),
            class_methods: FxHashMap::default(),
            read: ReadType { module: source.module.to_owned(), ..ReadType::default() },
            titles_are_declared: false,
            unknown_name: None,
            extends_unknown: false,
            munge: None,
        };
        let mut environment = Environment::of_file(&format!("puppet/type/{}.rb", source.name));
        environment.bind("Puppet::PUPPETVERSION", Some(Constant::text("7.23.0")));
        reader.find(reader.main.root(), &mut environment, 0);
        let munge = reader.munge;
        let mut read = reader.finish()?;
        if read.name != source.name {
            return Err(TypeError::OtherName(read.name));
        }
        if !source.providers.is_empty() && read.attribute("provider").is_none() {
            let provider = ReadAttribute::new("provider", Role::Parameter);
            read.attributes.push(provider);
        }
        read.ini = ini_type(&read, munge, source.providers);
        Ok(read)
    })?
}

/// Walks through a file.
pub(crate) struct Reader<'n> {
    definitions: Definitions<'n>,
    main: &'n Tree,
    /// The methods of resources of the type.
    pub(crate) methods: FxHashMap<&'n str, &'n Def>,
    /// The methods of the type itself.
    class_methods: FxHashMap<&'n str, &'n Defs>,
    pub(crate) read: ReadType,
    titles_are_declared: bool,
    /// A name in the body that nothing defines, with its line.
    unknown_name: Option<(String, u32)>,
    extends_unknown: bool,
    /// What the property `value` does with values, if that is understood.
    munge: Option<IniMunge>,
}

impl<'n> Reader<'n> {
    /// Looks for the declaration of the type.
    fn find(&mut self, body: Option<&'n Node>, environment: &mut Environment, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        for statement in statements(body) {
            match statement {
                Node::Module(module) => self.find(module.body.as_deref(), environment, depth + 1),
                Node::Class(class) => self.find(class.body.as_deref(), environment, depth + 1),
                Node::If(choice) => {
                    self.find(choice.if_true.as_deref(), environment, depth + 1);
                    self.find(choice.if_false.as_deref(), environment, depth + 1);
                }
                Node::Lvasgn(assignment) => {
                    if let Some(value) = assignment.value.as_deref() {
                        if let Some(declaration) = self.declaration(value) {
                            self.declare(declaration, environment);
                        }
                        environment.bind(&assignment.name, environment.value(value));
                    }
                }
                Node::Casgn(assignment) => {
                    let value = assignment.value.as_deref();
                    environment.bind(&assignment.name, value.and_then(|value| environment.value(value)));
                }
                other => {
                    if let Some(declaration) = self.declaration(other) {
                        self.declare(declaration, environment);
                    }
                }
            }
        }
    }

    /// Returns a call of `newtype`, or of the Resource API.
    fn declaration(&self, node: &'n Node) -> Option<Call<'n>> {
        let call = Call::of(node)?;
        let receiver = call.receiver.and_then(constant_name)?;
        let is_type = matches!(receiver.as_str(), "Puppet::Type" | "Type" | "Puppet") && call.name == "newtype";
        let is_api = receiver.ends_with("ResourceApi") && call.name == "register_type";
        (is_type || is_api).then_some(call)
    }

    fn declare(&mut self, call: Call<'n>, environment: &mut Environment) {
        if !self.read.name.is_empty() {
            return;
        }
        let Some(argument) = call.arguments.first() else { return };
        if call.name == "register_type" {
            let module = std::mem::take(&mut self.read.module);
            let line = self.main.line(argument);
            self.read = ReadType { module, ..read_registration(argument, environment, line) };
            self.titles_are_declared = true;
            return;
        }
        let Some(Constant::Text(name)) = environment.value(argument) else { return };
        self.read.name = name.to_lowercase();
        if let Some(block) = call.block {
            // Methods are defined when the body runs, and called later, so those below a relation count, too.
            for statement in statements(block.body) {
                match statement {
                    Node::Def(def) => _ = self.methods.insert(&def.name, def),
                    Node::Defs(def) => _ = self.class_methods.insert(&def.name, def),
                    _ => {}
                }
            }
            self.body(block.body, environment, 0);
        }
    }

    /// Walks through the body of a type.
    fn body(&mut self, body: Option<&'n Node>, environment: &mut Environment, depth: u32) {
        for statement in statements(body) {
            self.statement(statement, environment, depth);
        }
    }

    fn statement(&mut self, statement: &'n Node, environment: &mut Environment, depth: u32) {
        if depth > MAX_DEPTH || self.read.attributes.len() + self.read.relations.len() > MAX_DECLARATIONS {
            self.unread(Unreadable::Attributes, statement);
            return;
        }
        match statement {
            Node::Begin(_) | Node::KwBegin(_) => self.body(Some(statement), environment, depth + 1),
            Node::Lvasgn(assignment) => {
                let Some(value) = assignment.value.as_deref() else { return };
                environment.bind(&assignment.name, environment.value(value));
                self.statement(value, environment, depth + 1);
            }
            Node::Casgn(assignment) => {
                let value = assignment.value.as_deref().and_then(|value| environment.value(value));
                environment.bind(&assignment.name, value);
            }
            Node::Ivasgn(assignment) if assignment.name == "@isomorphic" => {
                let value = assignment.value.as_deref().and_then(|value| environment.value(value));
                self.read.is_not_isomorphic = value == Some(Constant::Boolean(false));
            }
            Node::Defs(def) if def.name == "title_patterns" => {
                self.titles_are_declared = true;
                self.read.titles = match title_patterns(def.body.as_deref(), environment, &self.definitions) {
                    Some(patterns) => Titles::Patterns(patterns),
                    None => {
                        self.unread(Unreadable::Titles, statement);
                        Titles::Unknown
                    }
                };
            }
            Node::If(choice) => {
                let (then, otherwise) = (choice.if_true.as_deref(), choice.if_false.as_deref());
                self.either(&choice.cond, then, otherwise, environment, depth);
            }
            Node::IfMod(choice) => {
                let (then, otherwise) = (choice.if_true.as_deref(), choice.if_false.as_deref());
                self.either(&choice.cond, then, otherwise, environment, depth);
            }
            other => {
                if let Some(call) = Call::of(other) {
                    self.call(call, other, environment, depth);
                }
            }
        }
    }

    /// Walks through the branch that is taken, or through both if that is not known: an attribute too many is better than an
    /// error about one that exists.
    fn either(
        &mut self,
        condition: &Node,
        then: Option<&'n Node>,
        otherwise: Option<&'n Node>,
        environment: &mut Environment,
        depth: u32,
    ) {
        let value = environment.value(condition).map(|value| value.is_true());
        if value != Some(false) {
            self.body(then, environment, depth + 1);
        }
        if value != Some(true) {
            self.body(otherwise, environment, depth + 1);
        }
    }

    fn call(&mut self, call: Call<'n>, node: &'n Node, environment: &mut Environment, depth: u32) {
        let own = call.receiver.is_none_or(|receiver| matches!(receiver, Node::Self_(_)));
        if !own {
            return self.call_of_other(call, node, environment, depth);
        }
        match call.name {
            "newparam" | "newproperty" => {
                let role = if call.name == "newparam" { Role::Parameter } else { Role::Property };
                match attribute(call, role, environment) {
                    Some(attribute) => {
                        if attribute.name == "value" {
                            self.munge = munge(call.block.and_then(|block| block.body));
                        }
                        self.add_attribute(attribute);
                    }
                    None => self.unread(Unreadable::Attributes, node),
                }
            }
            "ensurable" => self.add_attribute(ensure(call.block, environment)),
            "include" | "extend" => {
                for module in call.arguments {
                    self.mix_in(constant_name(module), call.name == "extend", environment, depth);
                }
            }
            name => {
                if let Some(kind) = RelationKind::of_declaration(name) {
                    let line = self.main.line(node);
                    self.relation(kind, call, environment, line);
                } else if let Some(def) = self.class_methods.get(name).copied() {
                    let inner = bound(def.args.as_deref(), call.arguments, environment);
                    self.body(def.body.as_deref(), &mut inner.unwrap_or_default(), depth + 1);
                } else if let Some(def) = self.methods.get(name).copied() {
                    // A method of a module that extends the type: what it declares belongs to the type.
                    let inner = bound(def.args.as_deref(), call.arguments, environment);
                    self.body(def.body.as_deref(), &mut inner.unwrap_or_default(), depth + 1);
                } else if call.arguments.is_empty()
                    && call.block.is_none()
                    && call.receiver.is_none()
                    && !KNOWN_WORDS.contains(&name)
                    && self.unknown_name.is_none()
                {
                    self.unknown_name = Some((name.to_owned(), self.main.line(node)));
                }
            }
        }
    }

    /// `[…].each do |x| … end`, and calls of other objects, which declare nothing.
    fn call_of_other(&mut self, call: Call<'n>, node: &'n Node, environment: &mut Environment, depth: u32) {
        let (Some(receiver), Some(block)) = (call.receiver, call.block) else { return };
        if !matches!(call.name, "each" | "each_pair" | "each_with_index" | "each_key" | "map" | "times") {
            return;
        }
        if !declares(block) {
            return;
        }
        let items = match environment.value(receiver) {
            Some(Constant::List(items)) => items.to_vec(),
            Some(Constant::Hash(entries)) if call.name == "each_key" => {
                entries.iter().map(|(key, _)| key.clone()).collect()
            }
            Some(Constant::Hash(entries)) => {
                let pair = |(key, value): &(Constant, Constant)| Constant::List([key.clone(), value.clone()].into());
                entries.iter().map(pair).collect()
            }
            _ => return self.unread(Unreadable::Attributes, node),
        };
        let Some(names) = block.names() else { return self.unread(Unreadable::Attributes, node) };
        for item in &items {
            // With an index, the item is the first of two parameters.
            let names = if call.name == "each_with_index" { &names[..names.len().min(1)] } else { &names[..] };
            self.body(block.body, &mut environment.with(names, item), depth + 1);
        }
    }

    /// Takes the methods of a module.
    fn mix_in(&mut self, module: Option<String>, extends: bool, environment: &mut Environment, depth: u32) {
        let Some(module) = module else {
            self.extends_unknown = true;
            return;
        };
        let methods = self.definitions.methods(&module);
        let body = self.definitions.statements(&module);
        if methods.is_empty() && body.is_empty() {
            self.extends_unknown = true;
        }
        for def in methods.iter().copied() {
            self.methods.entry(&def.name).or_insert(def);
        }
        if extends {
            return;
        }
        // `def self.included` may declare attributes.
        let included = body.iter().find_map(|statement| match statement {
            Node::Defs(def) if def.name == "included" => Some(def.body.as_deref()),
            _ => None,
        });
        if let Some(body) = included {
            self.included(body, environment, depth);
        }
    }

    /// `klass.class_eval do … end` in `self.included`.
    fn included(&mut self, body: Option<&'n Node>, environment: &mut Environment, depth: u32) {
        for statement in statements(body) {
            if let Some(call) = Call::of(statement)
                && matches!(call.name, "class_eval" | "instance_eval" | "module_eval")
                && let Some(block) = call.block
            {
                self.body(block.body, environment, depth + 1);
            }
        }
    }

    fn relation(&mut self, kind: RelationKind, call: Call<'n>, environment: &Environment, line: u32) {
        match read_relation(kind, call, environment, &self.methods) {
            Some(relation) => {
                if relation.titles.is_none() {
                    self.read.unread.push(Unread { what: Unreadable::Relations, line });
                }
                self.read.relations.push(relation);
            }
            None => self.read.unread.push(Unread { what: Unreadable::Relations, line }),
        }
    }

    fn add_attribute(&mut self, attribute: ReadAttribute) {
        match self.read.attributes.iter_mut().find(|known| known.name == attribute.name) {
            Some(known) => *known = attribute,
            None => self.read.attributes.push(attribute),
        }
    }

    fn unread(&mut self, what: Unreadable, node: &Node) {
        if what == Unreadable::Attributes {
            self.read.is_open = true;
        }
        self.read.unread.push(Unread { what, line: self.main.line(node) });
    }

    fn finish(mut self) -> Result<ReadType, TypeError> {
        if self.read.name.is_empty() {
            return Err(TypeError::NoType);
        }
        if self.extends_unknown {
            self.unknown_name = None;
        }
        if let Some((name, line)) = self.unknown_name {
            return Err(TypeError::UnknownName { name, line });
        }
        if !self.titles_are_declared && self.read.names().count() > 1 {
            self.read.titles = if self.extends_unknown { Titles::Unknown } else { Titles::Missing };
        }
        Ok(self.read)
    }
}

/// Calls without arguments in the body of a type that are not attributes.
const KNOWN_WORDS: &[&str] = &["private", "protected", "public", "module_function", "block_given?", "binding", "name"];

/// Returns whether a block may declare something.
fn declares(block: Block<'_>) -> bool {
    let mut pending: Vec<&Node> = statements(block.body).iter().collect();
    let mut seen = 0;
    while let Some(node) = pending.pop() {
        seen += 1;
        match node {
            Node::If(choice) => {
                pending.extend(statements(choice.if_true.as_deref()));
                pending.extend(statements(choice.if_false.as_deref()));
            }
            other => {
                let Some(call) = Call::of(other) else { continue };
                let is_declaration = matches!(call.name, "newparam" | "newproperty" | "ensurable")
                    || RelationKind::of_declaration(call.name).is_some();
                if is_declaration || seen > 1000 {
                    return true;
                }
                if let Some(block) = call.block {
                    pending.extend(statements(block.body));
                }
            }
        }
    }
    false
}
