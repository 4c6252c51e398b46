//! Names of types, and type aliases (spec 07 §5.6, §5.9).

use std::sync::Arc;

use mcl_diagnostics::{Code, nearest};
use pp_ast::{Expr, ExprId, Tree, TypeAlias};
use pp_types::{Alias, Error, ErrorKind, Type, Value, define_object, named};

use crate::data::context_type;
use crate::definitions::{Defined, plain};
use crate::evaluator::Evaluator;
use crate::frame::Frame;
use crate::scope::TOP;
use crate::stop::{Eval, Stop, located, unlocated};

/// Returns the type that other languages give a name to.
fn foreign_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "Int" => "Integer",
        "Bool" => "Boolean",
        "Str" | "Text" => "String",
        "List" => "Array",
        "Map" | "Dict" => "Hash",
        "Number" => "Numeric",
        "Null" | "Nil" | "None" => "Undef",
        "Regex" => "Regexp",
        "True" => "true",
        "False" => "false",
        _ => return None,
    })
}

impl<'e> Evaluator<'e> {
    /// Evaluates a capitalized name.
    pub(crate) fn eval_type_name(&mut self, id: ExprId, name: &Arc<str>) -> Eval {
        let found = self.find_type(name).map_err(|stop| located(stop, Some(self.span(id))))?;
        if let Some(ty) = found {
            return Ok(Value::Type(ty));
        }
        if self.in_alias {
            return Ok(Value::Type(Type::Reference(name.clone())));
        }
        Err(self.unknown_type(id, name))
    }

    fn unknown_type(&self, id: ExprId, name: &str) -> Stop {
        let aliases = self.definitions.aliases.values().map(|alias| &**alias.tree.str(alias.definition.name));
        let of_module =
            name.to_lowercase().split_once("::").map(|(module, _)| self.aliases_of(module)).unwrap_or_default();
        let known = TYPE_NAMES.iter().copied().chain(aliases).chain(of_module.iter().map(String::as_str));
        let similar = foreign_type(name).or_else(|| nearest(name, known));
        let similar = similar.map(str::to_owned);
        let similar = similar.or_else(|| self.similar_resource_type(&name.to_lowercase()));
        let error = Error::new(ErrorKind::Unknown, format!("Resource type not found: {name}"));
        let class = name.to_lowercase();
        let help = match similar {
            _ if self.definitions.classes.contains_key(&*class) => {
                Some(format!("a class is referred to by its name in lower case: `Class['{class}']`"))
            }
            Some(similar) if foreign_type(name).is_some() => Some(format!("write `{similar}`")),
            Some(similar) => Some(format!("did you mean the type `{similar}`?")),
            None => match name.to_lowercase().split_once("::") {
                Some((module, _)) if !self.services.has_module(module) => Some(self.absent_module(module)),
                Some(_) => None,
                None => self.absent_dependencies(),
            },
        };
        self.fault(id, error).help(help).code(Code::P0503)
    }

    /// Returns the type with a name: a built-in type, an alias, the type of a resource or a define.
    pub(crate) fn find_type(&mut self, name: &str) -> Eval<Option<Type>> {
        if self.set.is_some()
            && let Some(ty) = self.type_of_set(name)?
        {
            return Ok(Some(ty));
        }
        if let Some(known) = self.types.get(name) {
            return Ok(match known {
                Some(Type::Alias(alias)) if self.in_alias => Some(Type::Alias(alias.within_definition())),
                known => known.clone(),
            });
        }
        let plain_name = plain(name);
        if let Some(ty) = named(plain_name) {
            self.types.insert(name.into(), Some(ty.clone()));
            return Ok(Some(ty));
        }
        if let Some(ty) = context_type(plain_name) {
            return Ok(Some(ty));
        }
        let key = plain_name.to_lowercase();
        if let Some(alias) = self.find_alias(&key)? {
            return self.alias(name, alias).map(Some);
        }
        if let Some(ty) = self.type_of_module_set(&key)? {
            self.types.insert(name.into(), Some(ty.clone()));
            return Ok(Some(match ty {
                Type::Alias(alias) if self.in_alias => Type::Alias(alias.within_definition()),
                other => other,
            }));
        }
        let is_resource = key == "node" || self.is_native_type(&key)? || self.find_define(&key)?.is_some();
        // A manifest that was loaded in search of a define may have it.
        if let Some(alias) = self.definitions.aliases.get(&key).copied().filter(|_| !is_resource) {
            return self.alias(name, alias).map(Some);
        }
        let ty = is_resource.then(|| Type::Resource(Some(pp_catalog::capitalize(&key)), None));
        self.types.insert(name.into(), ty.clone());
        Ok(ty)
    }

    /// Resolves an alias. Inside its own definition it stands for itself.
    fn alias(&mut self, name: &str, defined: Defined<'e, TypeAlias>) -> Eval<Type> {
        let Defined { tree, definition, .. } = defined;
        let alias = self.aliases.declare(plain(tree.str(definition.name)));
        self.types.insert(name.into(), Some(Type::Alias(alias.clone())));
        let resolved = self.outside_of_sets(|this| this.resolve_alias(&alias, tree, definition.value));
        match &resolved {
            // Only the definition itself needs the alias.
            Ok(ty @ (Type::ObjectType(_) | Type::TypeSet(_))) => {
                self.types.insert(name.into(), Some(ty.clone()));
            }
            Ok(_) => {}
            Err(_) => {
                self.types.remove(name);
            }
        }
        resolved
    }

    /// Resolves an alias to its definition. Returns the reference to use, or the type if it has a name itself.
    pub(crate) fn resolve_alias(&mut self, alias: &Alias, tree: &'e Tree, value: ExprId) -> Eval<Type> {
        let span = tree.span(value);
        let outer = std::mem::replace(&mut self.in_alias, true);
        let frame = Frame { tree, scope: TOP, local: None };
        let result =
            self.nested(Some(span), |this| this.within(frame, |this| this.eval_alias_value(alias.name(), value)));
        self.in_alias = outer;
        let resolved = match result {
            Ok(resolved) => resolved,
            Err(stop) => return Err(stop.at_use("in the definition of the alias")),
        };
        if let Type::ObjectType(_) | Type::TypeSet(_) = resolved {
            alias.resolve(resolved.clone());
            return Ok(resolved);
        }
        alias.resolve(resolved);
        if !is_grounded(alias) {
            let message = format!("Type alias '{}' cannot be resolved to a real type", alias.name());
            let stop = unlocated(Error::new(ErrorKind::TypeParameters, message));
            return Err(stop.trace(Some(span), "the definition leads back to the alias"));
        }
        Ok(Type::Alias(if outer { alias.within_definition() } else { alias.clone() }))
    }

    fn eval_alias_value(&mut self, name: &str, value: ExprId) -> Eval<Type> {
        let tree = self.frame.tree;
        let definition = match &tree.exprs[value] {
            Expr::Access(target, keys) => match (&tree.exprs[*target], tree.list(*keys)) {
                (Expr::TypeName(target), [definition]) => Some((&**tree.str(*target), *definition)),
                _ => None,
            },
            // In a set of types, the definition of an object type is enough.
            Expr::Hash(_) if self.set.is_some() => Some(("Object", value)),
            _ => None,
        };
        match definition {
            Some(("Object", definition)) => {
                let Value::Hash(definition) = self.eval(definition)? else { return self.eval_type(value) };
                // The definition is read when the name is used: an error is reported there.
                let error = |error| unlocated(error).trace(Some(tree.span(value)), "the definition");
                Ok(Type::ObjectType(Arc::new(define_object(Some(name), &definition).map_err(error)?)))
            }
            Some(("TypeSet", definition)) if let Expr::Hash(entries) = tree.exprs[definition] => {
                self.type_set(name, tree.list(entries))
            }
            _ if self.set.is_some() => match self.eval(value)? {
                Value::Type(ty) => Ok(ty),
                other => {
                    let written = pp_types::source_form(&other);
                    let message = format!("The expression <{written}> is not a valid type specification.");
                    Err(self.error(value, message))
                }
            },
            _ => self.eval_type(value),
        }
    }
}

/// Returns whether the chain of aliases ends in a type that is not an alias.
fn is_grounded(alias: &Alias) -> bool {
    let mut at = alias.resolved();
    let mut steps = 0_u32;
    while let Some(Type::Alias(next)) = at.as_deref() {
        steps += 1;
        if next.is_same(alias) || steps > MAX_CHAIN {
            return false;
        }
        at = next.resolved();
    }
    true
}

const MAX_CHAIN: u32 = 10_000;

/// Names that suggestions are made of.
const TYPE_NAMES: [&str; 34] = [
    "Any",
    "Array",
    "Binary",
    "Boolean",
    "Callable",
    "CatalogEntry",
    "Class",
    "Collection",
    "Data",
    "Default",
    "Deferred",
    "Enum",
    "Float",
    "Hash",
    "Init",
    "Integer",
    "Iterable",
    "NotUndef",
    "Numeric",
    "Optional",
    "Pattern",
    "Regexp",
    "Resource",
    "RichData",
    "Scalar",
    "ScalarData",
    "SemVer",
    "Sensitive",
    "String",
    "Struct",
    "Timespan",
    "Timestamp",
    "Tuple",
    "Variant",
];
