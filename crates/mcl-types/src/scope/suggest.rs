//! Unknown names: what their author may have meant.

use std::sync::Arc;

use mcl_diagnostics::{Span, nearest};
use mcl_functions::Function;
use mcl_parser::{call_for_method, written_length};

use crate::builtin;
use crate::scope::Resolver;
use crate::scope::error::{Hint, ScopeError};
use crate::scope::names::{NameUse, Namespace, Symbol, UseForm};
use crate::scope::table::{AliasTarget, Visible};
use crate::scoped::{DefKind, InstanceKind, ScopeId, ScopeKind, Target};

/// Maximum number of suggestions per program: each looks at every name in scope.
const MAX_SUGGESTIONS: u32 = 50;
/// Maximum number of aliases that are searched for a name.
const MAX_ALIASES: usize = 100;
/// Maximum number of names in a list of candidates.
const MAX_LISTED: usize = 6;

impl Resolver<'_> {
    /// Reports a name that was not found.
    pub(crate) fn report_unknown(&mut self, name: NameUse<'_>, scope: ScopeId, span: Span, form: UseForm) {
        if self.follows_from_broken_statement(name, scope) {
            return;
        }
        let NameUse { namespace, parts } = name;
        let dotted = self.symbols.dotted(parts);
        if namespace == Namespace::Variable && dotted.contains("__") {
            return; // Such a variable cannot be used even if it is defined (E0310).
        }
        if parts.len() > 1 && self.misspelt_aliases.contains(&parts[0]) {
            return; // It follows from the import (E0501).
        }
        if parts.len() > 1
            && self.units_with_unknown_modules.contains(&self.table(scope).unit)
            && mcl_functions::module_exists(self.symbols.name(parts[0]))
        {
            return; // So does this, most likely.
        }
        // A call starts with the name.
        let sigil = usize::from(namespace == Namespace::Variable);
        let written = self.loaded.files.text(span).trim_start_matches(['$', '{']);
        let length = written_length(written, &dotted);
        let is_spaced = length != Some(dotted.len());
        let span = match length {
            Some(length) if form == UseForm::Call => Span { end: span.start + (sigil + length) as u32, ..span },
            _ => span,
        };
        let mut hint = None;
        if self.suggestions < MAX_SUGGESTIONS {
            self.suggestions += 1;
            hint = self.hint(name, scope, form);
        }
        let others = Vec::new();
        self.report(scope, ScopeError::UnknownName { namespace, name: dotted, form, span, is_spaced, others, hint });
    }

    fn hint(&mut self, name: NameUse<'_>, scope: ScopeId, form: UseForm) -> Option<Hint> {
        let NameUse { namespace, parts } = name;
        let dotted = self.symbols.dotted(parts);
        let other = match namespace {
            Namespace::Function => Some(Namespace::Variable),
            Namespace::Variable => Some(Namespace::Function),
            Namespace::Class => None,
        };
        if let Some(other) = other
            && let Some(found) = self.lookup(NameUse { namespace: other, parts }, scope)
        {
            return Some(match (namespace, form) {
                (Namespace::Function, _) if matches!(found.target, Some(Target::Variable(_))) => {
                    Hint::ReadVariable { name: dotted }
                }
                (Namespace::Function | Namespace::Class, _) => Hint::CallVariable { name: dotted },
                (Namespace::Variable, UseForm::Call) => Hint::CallFunction { name: dotted },
                (Namespace::Variable, UseForm::Value) => Hint::WrapFunction { name: dotted },
            });
        }
        if namespace == Namespace::Class
            && let Some(hint) = self.class_elsewhere(parts, scope)
        {
            return Some(hint);
        }
        let sigil = if namespace == Namespace::Variable { "$" } else { "" };
        if namespace == Namespace::Function
            && let Some(call) = foreign_function(&dotted)
        {
            return Some(Hint::ForeignFunction { call });
        }
        if let Some(help) = foreign_name(&dotted) {
            return Some(Hint::Foreign { help });
        }
        if namespace == Namespace::Variable
            && let Some(names) = similar_constants(&dotted)
        {
            return Some(Hint::Constants { names });
        }
        match parts {
            [alias, last] => return self.member_hint(namespace, *alias, *last, scope, form),
            [simple] if self.names_of_alias(namespace, *simple, scope).is_some() => {
                return Some(Hint::IsAlias { name: format!("{sigil}{dotted}") });
            }
            [_] => {}
            [modules @ .., last] => return self.path_with_dots(namespace, modules, *last, scope),
            [] => return None,
        }
        let names = self.visible_names(namespace, scope);
        if let Some(near) = nearest(&dotted, names.iter().map(|name| &**name)) {
            return Some(Hint::Similar { name: format!("{sigil}{near}") });
        }
        if let [simple] = parts
            && let Some(hint) = self.elsewhere(namespace, *simple, scope)
        {
            return Some(hint);
        }
        if namespace == Namespace::Function {
            return functions_named(&dotted).or_else(|| method_as_function(&dotted));
        }
        if namespace != Namespace::Variable {
            return None;
        }
        let is_in_function = matches!(self.out.scope(scope).kind, ScopeKind::Function(_));
        self.variable_elsewhere(&dotted)
            .or_else(|| is_in_function.then_some(Hint::FunctionScope))
            .or_else(|| name_of_resource(&dotted))
    }

    /// Returns what `alias.member` may have meant.
    fn member_hint(
        &mut self,
        namespace: Namespace,
        alias: Symbol,
        member: Symbol,
        scope: ScopeId,
        form: UseForm,
    ) -> Option<Hint> {
        let sigil = if namespace == Namespace::Variable { "$" } else { "" };
        let Some(names) = self.names_of_alias(namespace, alias, scope) else {
            let method = if form == UseForm::Call { self.method(alias, member, scope) } else { None };
            return method
                .or_else(|| self.dotted_hint(alias, member, sigil, scope))
                .or_else(|| self.missing_alias(alias, member, namespace, scope));
        };
        let wrong: Arc<str> = self.symbols.name(member).into();
        if let Some(near) = nearest(&wrong, names.iter().map(|name| &**name)) {
            return Some(Hint::Similar { name: format!("{sigil}{}.{near}", self.symbols.name(alias)) });
        }
        self.elsewhere(namespace, member, scope).or_else(|| match namespace {
            Namespace::Function => functions_named(&wrong).or_else(|| method_as_function(&wrong)),
            Namespace::Variable | Namespace::Class => listed(&names, sigil, self.symbols.name(alias)),
        })
    }

    /// Finds a name under the aliases that are visible.
    fn elsewhere(&mut self, namespace: Namespace, name: Symbol, scope: ScopeId) -> Option<Hint> {
        let sigil = if namespace == Namespace::Variable { "$" } else { "" };
        let mut aliases = Vec::new();
        let mut current = Some(scope);
        while let Some(scope) = current {
            aliases.extend(self.table(scope).aliases.iter().map(|(symbol, alias)| (*symbol, alias.target)));
            current = self.out.scope(scope).parent;
        }
        let mut names = Vec::new();
        for (alias, target) in aliases.into_iter().take(MAX_ALIASES) {
            if self.names_of_target(namespace, target).iter().any(|other| **other == *self.symbols.name(name)) {
                names.push(format!("{sigil}{}.{}", self.symbols.name(alias), self.symbols.name(name)));
            }
        }
        names.sort_unstable();
        names.dedup();
        names.truncate(MAX_LISTED);
        (!names.is_empty()).then_some(Hint::Elsewhere { names })
    }

    /// Handles `$list.len()`, a method of another language.
    fn method(&mut self, variable: Symbol, method: Symbol, scope: ScopeId) -> Option<Hint> {
        self.lookup(NameUse { namespace: Namespace::Variable, parts: &[variable] }, scope)?;
        let receiver = format!("${}", self.symbols.name(variable));
        call_for_method(self.symbols.name(method), &receiver).map(|call| Hint::Method { call })
    }

    /// Finds a variable of that name in another scope.
    fn variable_elsewhere(&self, name: &str) -> Option<Hint> {
        let is_match = |kind: &DefKind| matches!(kind, DefKind::Bind { .. });
        let def = self.out.defs.values().find(|def| is_match(&def.kind) && *self.out.name_of(def) == *name)?;
        let name = name.to_owned();
        match self.out.scope(def.scope).kind {
            ScopeKind::Loop => Some(Hint::VariableOfBlock { name, block: "a loop" }),
            ScopeKind::Block => Some(Hint::VariableOfBlock { name, block: "a branch of an `if`" }),
            ScopeKind::Class(class) => Some(Hint::VariableOfClass { name, class: self.out.def_name(class).into() }),
            ScopeKind::Module | ScopeKind::Function(_) => None,
        }
    }

    /// Finds a class of that name inside another one.
    fn class_elsewhere(&mut self, parts: &[Symbol], scope: ScopeId) -> Option<Hint> {
        let last: Arc<str> = self.symbols.name(*parts.last()?).into();
        if let [first, _] = parts
            && self.lookup(NameUse { namespace: Namespace::Class, parts: &[*first] }, scope).is_some()
        {
            return Some(Hint::ClassOfClass { outer: self.symbols.name(*first).into(), inner: last });
        }
        if parts.len() > 1 {
            return None;
        }
        self.out.defs.values().find_map(|def| {
            if !matches!(def.kind, DefKind::Class { .. }) {
                return None;
            }
            let name = self.out.name_of(def);
            if let Some((outer, inner)) = name.rsplit_once(':').filter(|(_, inner)| *inner == &*last) {
                return Some(Hint::Orphan { outer: outer.to_owned(), inner: inner.to_owned() });
            }
            let ScopeKind::Class(outer) = self.out.scope(def.scope).kind else { return None };
            let outer = self.out.def_name(outer);
            (*name == *last).then(|| Hint::NestedClass { outer: outer.into(), inner: Arc::clone(&last) })
        })
    }

    /// Handles `$config.port`, where `$config` is a struct, or `config` a class.
    fn dotted_hint(&mut self, first: Symbol, last: Symbol, sigil: &'static str, scope: ScopeId) -> Option<Hint> {
        let parts = [first];
        let mut exists = |namespace| self.lookup(NameUse { namespace, parts: &parts }, scope).is_some();
        let (is_variable, is_class) = (sigil == "$" && exists(Namespace::Variable), exists(Namespace::Class));
        let (first, last): (Arc<str>, Arc<str>) = (self.symbols.name(first).into(), self.symbols.name(last).into());
        if is_variable {
            return Some(Hint::FieldOfVariable { variable: first, field: last });
        }
        if !is_class {
            return None;
        }
        if let Some(alias) = self.alias_of_class(&first, scope) {
            let name = format!("{sigil}{alias}.{last}");
            return Some(Hint::AliasOfInclude { class: first, alias, name });
        }
        Some(Hint::MemberOfClass { class: first, member: last, sigil })
    }

    /// Returns the alias of an include of the class with this name.
    fn alias_of_class(&self, class: &str, scope: ScopeId) -> Option<Arc<str>> {
        let mut current = Some(scope);
        while let Some(scope) = current {
            let table = self.table(scope);
            let found = table.aliases.iter().find(|(_, alias)| {
                let AliasTarget::Instance(instance) = alias.target else { return false };
                let InstanceKind::Class(reference) = self.out.instance(instance).kind else { return false };
                matches!(self.out.reference(reference).target, Target::Def(def) if *self.out.def_name(def) == *class)
            });
            if let Some((symbol, _)) = found {
                return Some(self.symbols.name(*symbol).into());
            }
            current = self.out.scope(scope).parent;
        }
        None
    }

    fn missing_alias(&mut self, alias: Symbol, last: Symbol, namespace: Namespace, scope: ScopeId) -> Option<Hint> {
        let name: Arc<str> = self.symbols.name(alias).into();
        if mcl_functions::module_exists(&name) {
            let member: Arc<str> = self.symbols.name(last).into();
            if let Some(other) = self.alias_of_module(&name, scope) {
                return Some(Hint::OtherAlias { name: format!("{other}.{member}"), module: name });
            }
            let is_function = namespace == Namespace::Function;
            let exists = !is_function || mcl_functions::function(&format!("{name}.{member}")).is_some();
            let elsewhere = || functions_named(&member).or_else(|| method_as_function(&member));
            return if exists {
                Some(Hint::NotImported { module: name })
            } else {
                let similar = || similar_function(&name, &member);
                elsewhere().or_else(similar).or(Some(Hint::NotImported { module: name.clone() }))
            };
        }
        let aliases = self.visible_aliases(scope);
        match nearest(&name, aliases.iter().map(|name| &**name)) {
            Some(near) => Some(Hint::SimilarAlias { alias: near.into() }),
            None => Some(Hint::UnknownAlias { alias: name }),
        }
    }

    /// Handles `golang.strings.to_upper`, where the module is `golang/strings`.
    fn path_with_dots(&self, namespace: Namespace, modules: &[Symbol], last: Symbol, scope: ScopeId) -> Option<Hint> {
        if namespace != Namespace::Function {
            return None;
        }
        let module = self.symbols.dotted(modules).replace('.', "/");
        let names = || mcl_functions::module_functions(&module).iter().map(Function::short_name);
        let last = self.symbols.name(last);
        let function = names().find(|name| *name == last).or_else(|| nearest(last, names()))?;
        Some(match self.alias_of_module(&module, scope) {
            Some(alias) => Hint::OtherAlias { name: format!("{alias}.{function}"), module: module.into() },
            None => Hint::OtherModules { names: vec![format!("{module}.{function}")] },
        })
    }

    /// Returns the alias under which a system module is imported.
    fn alias_of_module(&self, module: &str, scope: ScopeId) -> Option<Arc<str>> {
        let mut current = Some(scope);
        while let Some(scope) = current {
            let found = self.table(scope).aliases.iter().find(|(_, alias)| match alias.target {
                AliasTarget::System(symbol) => *self.symbols.name(symbol) == *module,
                AliasTarget::Instance(_) | AliasTarget::Error => false,
            });
            if let Some((symbol, _)) = found {
                return Some(self.symbols.name(*symbol).into());
            }
            current = self.out.scope(scope).parent;
        }
        None
    }

    fn visible_aliases(&self, scope: ScopeId) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        let mut current = Some(scope);
        while let Some(scope) = current {
            names.extend(self.table(scope).aliases.keys().map(|symbol| self.symbols.name(*symbol).into()));
            current = self.out.scope(scope).parent;
        }
        names
    }

    /// Returns the names of one namespace that can be used in a scope without a dot.
    fn visible_names(&self, namespace: Namespace, scope: ScopeId) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        let mut current = Some((scope, Visible::All));
        while let Some((scope, visible)) = current {
            names.extend(self.names_in(namespace, scope, visible));
            current = self.around(scope);
        }
        match namespace {
            Namespace::Function => names.extend(builtin::global_functions().map(Arc::from)),
            Namespace::Variable => names.extend(["hostname", "purpleidea"].map(Arc::from)),
            Namespace::Class => {}
        }
        names
    }

    fn names_in(&self, namespace: Namespace, scope: ScopeId, visible: Visible) -> Vec<Arc<str>> {
        let table = self.table(scope);
        let definitions = table.definitions.keys().filter(|_| visible == Visible::All);
        let definitions = definitions.filter(|(defined_in, _)| *defined_in == namespace).map(|(_, symbol)| *symbol);
        let params = table.params.symbols().filter(|_| namespace == Namespace::Variable);
        definitions.chain(params).map(|symbol| self.symbols.name(symbol).into()).collect()
    }

    /// Returns the names of one namespace that a visible alias gives access to; `None` if there is no such alias.
    fn names_of_alias(&mut self, namespace: Namespace, alias: Symbol, scope: ScopeId) -> Option<Vec<Arc<str>>> {
        let mut current = Some((scope, Visible::All));
        while let Some((scope, visible)) = current {
            if let Some(alias) = self.table(scope).aliases.get(&alias).filter(|_| visible == Visible::All) {
                return Some(self.names_of_target(namespace, alias.target));
            }
            current = self.around(scope);
        }
        None
    }

    fn names_of_target(&mut self, namespace: Namespace, target: AliasTarget) -> Vec<Arc<str>> {
        let (mut names, native) = match target {
            AliasTarget::Error => (Vec::new(), None),
            AliasTarget::System(module) => (Vec::new(), Some(module)),
            AliasTarget::Instance(instance) => match self.out.instance_scope(instance) {
                Some(scope) => (self.names_in(namespace, scope, Visible::All), self.table(scope).system),
                None => (Vec::new(), None),
            },
        };
        if let Some(module) = native.filter(|_| namespace == Namespace::Function) {
            let native = self.native_names(module);
            names.extend(native.into_iter().map(|name| self.symbols.name(name).into()));
        }
        names
    }
}

/// Returns what to write in place of the name of a value of Puppet, Ansible or Terraform.
fn foreign_name(name: &str) -> Option<&'static str> {
    let first = name.split('.').next().unwrap_or(name);
    Some(match first {
        "env" | "environ" => "write `sys.getenv(\"…\")` of the module \"sys\"",
        "var" | "local" if name.contains('.') => "a variable has no prefix: `$name`",
        "each" | "self" | "item" if name != first || first == "item" => {
            "a loop names its variables: `for $index, $value in … { … }`"
        }
        _ => return mcl_parser::foreign_value(first),
    })
}

/// Explains the variables that Puppet has for the name of a resource.
fn name_of_resource(name: &str) -> Option<Hint> {
    let help =
        "no variable holds the name of a resource; bind the name first, `$name = …`, then write `kind $name { … }`";
    matches!(name, "title" | "name").then_some(Hint::Foreign { help })
}

/// Returns how mcl spells a call of a function of Puppet, Terraform or Go.
fn foreign_function(name: &str) -> Option<String> {
    let call = match name {
        "sprintf" | "format" => "`fmt.printf(\"%s\", …)` of the module \"fmt\"",
        "template" | "epp" | "inline_template" | "inline_epp" | "templatefile" => {
            "`golang.template(deploy.readfile(\"/files/…\"), struct{…})` of the modules \"golang\" and \"deploy\""
        }
        "file" | "readfile" | "read_file" => {
            "`deploy.readfile(\"/files/…\")` of the module \"deploy\" for a file of the program, \
             `os.readfile(\"/…\")` of the module \"os\" for one of the host"
        }
        "lookup" => {
            "`$map[\"key\"] <|> \"default\"` for a key of a map; for data of Hiera, write the data into the program, or read it: \
             `encoding.decode_json(deploy.readfile(\"/files/…\"))` of the modules \"encoding\" and \"deploy\""
        }
        "make" => "the value itself: `[1, 2]`, `{\"key\" => 1}`",
        "hiera" | "hiera_hash" | "hiera_array" => {
            "the data into the program, or read it: `encoding.decode_json(deploy.readfile(\"/files/…\"))` of the modules \
             \"encoding\" and \"deploy\""
        }
        "fail" | "die" | "abort" => "`panic(\"…\")`, a statement",
        "parsejson" | "jsondecode" | "from_json" | "json_parse" => {
            "`encoding.decode_json(…)` of the module \"encoding\""
        }
        "jsonencode" | "yamlencode" | "to_json" | "to_yaml" | "json_encode" => {
            "the text itself, with `golang.template` of the module \"golang\" to fill in values: no function makes JSON or YAML"
        }
        "base64encode" => "`encoding.base64_encode(…)` of the module \"encoding\"",
        "base64decode" => "`encoding.base64_decode(…)` of the module \"encoding\"",
        "env" | "getenv" => "`sys.getenv(\"…\")` of the module \"sys\"",
        "range" => "`iter.range(…)` of the module \"iter\"",
        "pick" | "pick_default" | "coalesce" | "try" | "getvar" | "dig" => {
            "`$map[\"key\"] <|> \"default\"`: a fallback replaces a value that fails"
        }
        "has_key" | "haskey" => "`… in map.keys($map)` of the module \"map\"",
        "empty" | "is_empty" | "isempty" => "`len(…) == 0`",
        "defined" | "defined_with_params" => "a condition of the program: what it declares is not known to it",
        "merge" | "deep_merge" | "update" => "one map with all keys: no function merges maps",
        "toset" | "tolist" | "tomap" => "the list or the map itself: there are no sets",
        _ => return None,
    };
    Some(call.to_owned())
}

/// Suggests the function that does what a method of another language does.
fn method_as_function(name: &str) -> Option<Hint> {
    call_for_method(name, "…").map(|call| Hint::ForeignFunction { call })
}

/// Returns the predefined constants of the parameter that a name is about, or of its kind.
fn similar_constants(name: &str) -> Option<Vec<String>> {
    let rest = name.strip_prefix("const.res.")?;
    let kind = resource_graph::all_kinds().iter().find(|kind| {
        let spelled = kind.name.replace(':', "_");
        kind.is_public() && (rest.starts_with(&format!("{}.", kind.name)) || rest.starts_with(&format!("{spelled}.")))
    })?;
    let param = rest.split('.').nth(1).unwrap_or("");
    let all =
        kind.constants.iter().map(|constant| format!("$const.res.{}.{}.{}", kind.name, constant.param, constant.name));
    let of_param: Vec<String> = all.clone().filter(|name| name.contains(&format!(".{param}."))).collect();
    let mut names = if of_param.is_empty() { all.collect() } else { of_param };
    names.truncate(MAX_LISTED);
    (!names.is_empty()).then_some(names)
}

/// Returns the functions of that name in any module.
fn functions_named(name: &str) -> Option<Hint> {
    let mut names: Vec<String> = mcl_functions::all_functions()
        .filter(|function| function.short_name() == name && function.name.contains('.'))
        .map(|function| function.name.to_owned())
        .collect();
    // The modules of mcl come before those of Go, and those with short names before others.
    names.sort_by_key(|name| (name.starts_with("golang/"), name.len()));
    names.truncate(MAX_LISTED);
    (!names.is_empty()).then_some(Hint::OtherModules { names })
}

/// Lists the names that an alias gives access to, if they are few.
fn listed(names: &[Arc<str>], sigil: &str, alias: &str) -> Option<Hint> {
    let mut names: Vec<String> = names.iter().map(|name| format!("{sigil}{alias}.{name}")).collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty() && names.len() <= MAX_LISTED).then_some(Hint::Elsewhere { names })
}

/// Returns the function of a module whose name is similar.
fn similar_function(module: &str, name: &str) -> Option<Hint> {
    let names = mcl_functions::module_functions(module).iter().map(Function::short_name);
    nearest(name, names).map(|near| Hint::OtherModules { names: vec![format!("{module}.{near}")] })
}
