//! The text forms of types.

use std::fmt;
use std::sync::Arc;

use crate::alias::Alias;
use crate::object_type::ObjectType;
use crate::regexp::Regexp;
use crate::stack::with_stack;
use crate::text::{float_text, quote, source_form};
use crate::time::{Timespan, Timestamp};
use crate::type_set::TypeSet;
use crate::types::{Callable, Nested, Presence, Size, StructMember, TimestampBounds, TupleType, Type};
use crate::value::{Hash, Value};

impl fmt::Display for Type {
    /// Writes the type as a program would: an alias with what it stands for, aliases within other types by name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expand = matches!(self, Type::Alias(_) | Type::TypeSet(_));
        let mut printer = Printer { out: String::new(), expand, aliases: Vec::new(), set: None };
        match self {
            Type::Object(name) => printer.out.push_str(object_definition(name)),
            Type::ObjectType(object) => printer.object(object),
            other => printer.ty(other),
        }
        f.write_str(&printer.out)
    }
}

impl Type {
    /// Returns the text in which every alias is followed by its definition, as in the messages of mismatches.
    #[must_use]
    pub(crate) fn expanded_text(&self) -> String {
        let mut printer = Printer { out: String::new(), expand: true, aliases: Vec::new(), set: None };
        printer.ty(self);
        printer.out
    }

    /// Returns the name of the type without its parameters: `Array`, `Struct`, `File`, or the name of an alias.
    #[must_use]
    pub(crate) fn simple_name(&self) -> &str {
        match self {
            Type::Any => "Any",
            Type::Unit => "Unit",
            Type::Undef => "Undef",
            Type::Default => "Default",
            Type::Scalar => "Scalar",
            Type::ScalarData => "ScalarData",
            Type::Data => "Data",
            Type::RichData => "RichData",
            Type::Numeric => "Numeric",
            Type::CatalogEntry => "CatalogEntry",
            Type::Binary => "Binary",
            Type::Boolean(_) => "Boolean",
            Type::Integer(_) => "Integer",
            Type::Float(_) => "Float",
            Type::String(_) | Type::StringValue(_) => "String",
            Type::Enum(_) => "Enum",
            Type::Pattern(_) => "Pattern",
            Type::Regexp(_) => "Regexp",
            Type::Collection(_) => "Collection",
            Type::Array(..) => "Array",
            Type::Hash(_) => "Hash",
            Type::Tuple(_) => "Tuple",
            Type::Struct(_) => "Struct",
            Type::Optional(_) => "Optional",
            Type::NotUndef(_) => "NotUndef",
            Type::Variant(_) => "Variant",
            Type::Type(_) => "Type",
            Type::Sensitive(_) => "Sensitive",
            Type::Iterable(_) => "Iterable",
            Type::Iterator(_) => "Iterator",
            Type::Callable(_) => "Callable",
            Type::Resource(None, _) => "Resource",
            Type::Resource(Some(name), _) => name,
            Type::Class(_) => "Class",
            Type::Timestamp(_) => "Timestamp",
            Type::Timespan(_) => "Timespan",
            Type::SemVer(_) => "SemVer",
            Type::SemVerRange => "SemVerRange",
            Type::Uri(_) => "URI",
            Type::Init(_) => "Init",
            Type::Runtime(_) => "Runtime",
            Type::Object(name) => name,
            Type::ObjectType(object) => object.label(),
            Type::ObjectExtension(extension) => extension.base.label(),
            Type::TypeSet(set) => set.label(),
            Type::Alias(alias) => alias.name(),
            Type::Reference(_) => "TypeReference",
        }
    }
}

/// Returns how a built-in object type is written out.
fn object_definition(name: &str) -> &str {
    match name {
        "Object" => "Object[{}]",
        "TypeSet" => {
            "TypeSet[{pcore_uri => 'http://puppet.com/2016.1/pcore', pcore_version => '1.0.0', name_authority => \
             'http://puppet.com/2016.1/runtime', name => 'DefaultTypeSet', version => '0.0.0'}]"
        }
        "Deferred" => {
            "Object[{name => 'Deferred', attributes => {'name' => Pattern[/\\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z/], \
             'arguments' => {type => Optional[Array], value => undef}}}]"
        }
        "Error" => {
            "Object[{name => 'Error', type_parameters => {'kind' => Variant[String, Regexp, Type[Enum], Type[Pattern], \
             Type[NotUndef], Type[Undef]], 'issue_code' => Variant[String, Regexp, Type[Enum], Type[Pattern], \
             Type[NotUndef], Type[Undef]]}, attributes => {'msg' => String[1], 'kind' => {type => Optional[String[1]], \
             value => undef}, 'details' => {type => Optional[Hash[String[1], Data]], value => undef}, 'issue_code' => \
             {type => Optional[String[1]], value => undef}}, functions => {'message' => Callable[[0, 0], String[1]]}}]"
        }
        other => other,
    }
}

/// The length of a text, in bytes, from which on aliases in it are not expanded: what aliases that use each other stand for can
/// grow exponentially.
const MAX_EXPANDED: usize = 1 << 20;

/// How the keys of the definition of an object type are written.
#[derive(Clone, Copy)]
enum Keys {
    Bare,
    Quoted,
}

struct Printer {
    out: String,
    /// Write the definitions of all aliases.
    expand: bool,
    /// The aliases whose definitions are being written.
    aliases: Vec<Arc<str>>,
    /// The name of the set of types that is being written: its types have their names in it.
    set: Option<Arc<str>>,
}

impl Printer {
    fn alias_with_definition(&mut self, alias: &Alias) {
        let name = alias.name();
        let is_expanded = !self.aliases.contains(name) && self.out.len() < MAX_EXPANDED;
        let resolved = alias.resolved().filter(|_| is_expanded);
        let is_in_set = self.name_in_set(name).is_some();
        if resolved.is_none() || !is_in_set {
            self.name(name);
        }
        if let Some(resolved) = resolved {
            self.aliases.push(name.clone());
            if !is_in_set {
                self.out.push_str(" = ");
            }
            self.ty(&crate::normalize::normalize(&resolved));
            self.aliases.pop();
        }
    }

    /// Returns the name of a type in the set that is being written.
    fn name_in_set<'a>(&self, name: &'a str) -> Option<&'a str> {
        name.strip_prefix(&**self.set.as_ref()?)?.strip_prefix("::")
    }

    fn name(&mut self, name: &str) {
        let name = self.name_in_set(name).unwrap_or(name);
        self.out.push_str(name);
    }

    fn ty(&mut self, ty: &Type) {
        with_stack(|| self.step(ty));
    }

    fn step(&mut self, ty: &Type) {
        match ty {
            Type::Alias(alias) if self.expand => self.alias_with_definition(alias),
            Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) if let Type::StringValue(text) = &**inner => {
                self.parameters(ty.simple_name(), [quote(text)]);
            }
            Type::Optional(inner)
            | Type::NotUndef(inner)
            | Type::Type(inner)
            | Type::Sensitive(inner)
            | Type::Iterable(inner)
            | Type::Iterator(inner) => self.wrapper(ty.simple_name(), inner.as_ref()),
            Type::Boolean(Some(value)) => self.parameters("Boolean", [value.to_string()]),
            Type::Integer(bounds) => {
                self.bounds("Integer", bounds.min.map(|i| i.to_string()), bounds.max.map(|i| i.to_string()));
            }
            Type::Float(bounds) => {
                self.bounds("Float", bounds.min.map(|f| float_text(f.0)), bounds.max.map(|f| float_text(f.0)));
            }
            Type::String(Some(size)) => self.parameters("String", size_parameters(*size)),
            Type::Collection(Some(size)) => self.parameters("Collection", size_parameters(*size)),
            Type::Enum(strings) if !strings.values.is_empty() => {
                let ignore_case = strings.ignore_case.then(|| "true".to_owned());
                self.parameters("Enum", strings.values.iter().map(|text| quote(text)).chain(ignore_case));
            }
            Type::Pattern(patterns) if !patterns.is_empty() => {
                self.parameters("Pattern", patterns.iter().map(Regexp::literal));
            }
            Type::Regexp(Some(regexp)) => self.parameters("Regexp", [regexp.literal()]),
            Type::Array(element, size) => self.array(element, *size),
            Type::Hash(hash) => self.hash(&hash.key, &hash.value, hash.size),
            Type::Tuple(tuple) => self.tuple(tuple),
            Type::Struct(members) if !members.is_empty() => self.members(members),
            Type::Variant(types) if !types.is_empty() => {
                self.out.push_str("Variant[");
                self.list(types);
                self.out.push(']');
            }
            Type::Callable(Some(callable)) => self.callable(callable),
            Type::Resource(Some(name), Some(title)) => self.parameters(name, [quote(title)]),
            Type::Class(Some(name)) => self.parameters("Class", [name.to_string()]),
            Type::Timestamp(Some(bounds)) => self.times("Timestamp", bounds, Timestamp::to_string),
            Type::Timespan(Some(bounds)) => self.times("Timespan", bounds, Timespan::to_string),
            Type::SemVer(ranges) if !ranges.is_empty() => {
                self.parameters("SemVer", ranges.iter().map(|range| quote(&range.source)));
            }
            Type::Uri(Some(parts)) => self.parameters("URI", [source_form(parts)]),
            Type::Init(Some(init)) => {
                self.out.push_str("Init[");
                self.ty(&init.ty);
                for argument in &init.arguments {
                    self.out.push_str(", ");
                    self.out.push_str(&source_form(argument));
                }
                self.out.push(']');
            }
            Type::Runtime(Some(names)) => self.parameters("Runtime", [names.0.to_string(), quote(&names.1)]),
            Type::Reference(name) => self.parameters("TypeReference", [quote(name)]),
            Type::ObjectType(object) if self.expand || object.name.is_none() => self.object(object),
            Type::ObjectExtension(extension) => {
                // Without the names of its module or set, as Puppet writes it.
                let label = extension.base.label();
                let name = label.rsplit("::").next().unwrap_or(label);
                self.out.push_str(name);
                self.out.push('[');
                for (at, argument) in extension.arguments().iter().enumerate() {
                    if at > 0 {
                        self.out.push_str(", ");
                    }
                    self.value(argument);
                }
                self.out.push(']');
            }
            Type::TypeSet(set) => self.type_set(set),
            Type::Object(name) if **name == *"TypeSet" => self.out.push_str(object_definition(name)),
            plain => self.name(plain.simple_name()),
        }
    }

    /// Writes a set of types: those in it by their names in it, without saying that they have one.
    fn type_set(&mut self, set: &TypeSet) {
        let outer = std::mem::replace(&mut self.set, set.name.clone());
        self.out.push_str("TypeSet[");
        self.entries(&set.definition, Keys::Bare, |printer, key, value| match (key, value) {
            ("types", _) => printer.types_of_set(set),
            ("references", Value::Hash(references)) => {
                printer.entries(references, Keys::Bare, |printer, _, reference| printer.value(reference));
            }
            (_, other) => printer.value(other),
        });
        self.out.push(']');
        self.set = outer;
    }

    fn types_of_set(&mut self, set: &TypeSet) {
        self.out.push('{');
        for (at, (name, ty)) in set.types.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.out.push_str(name);
            self.out.push_str(" => ");
            match ty {
                Type::Alias(_) | Type::ObjectType(_) => self.ty(ty),
                other => self.ty(&crate::normalize::normalize(other)),
            }
        }
        self.out.push('}');
    }

    /// Writes the definition of an object type: the keys of the definition and of attributes without quotes, names with quotes.
    fn object(&mut self, object: &ObjectType) {
        self.out.push_str("Object[");
        let is_in_set = object.name.as_ref().is_some_and(|name| self.name_in_set(name).is_some());
        let unnamed = |definition: &Hash| -> Hash {
            let entries = definition.iter().filter(|(key, _)| **key != Value::from("name"));
            entries.map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        let without_name = is_in_set.then(|| unnamed(&object.definition));
        let definition = without_name.as_ref().unwrap_or(&object.definition);
        self.entries(definition, Keys::Bare, |printer, key, value| match (key, value) {
            ("attributes" | "functions" | "type_parameters", Value::Hash(members)) => {
                printer.entries(members, Keys::Quoted, |printer, _, value| match value {
                    Value::Hash(long) => printer.entries(long, Keys::Bare, Printer::attribute_part),
                    other => printer.value(other),
                });
            }
            (_, other) => printer.value(other),
        });
        self.out.push(']');
    }

    fn entries(&mut self, entries: &Hash, keys: Keys, mut value: impl FnMut(&mut Printer, &str, &Value)) {
        self.out.push('{');
        for (at, (key, entry)) in entries.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            let name = match key {
                Value::String(name) => name,
                _ => "",
            };
            match (key, keys) {
                (Value::String(name), Keys::Bare) => self.out.push_str(name),
                (other, _) => self.out.push_str(&source_form(other)),
            }
            self.out.push_str(" => ");
            value(self, name, entry);
        }
        self.out.push('}');
    }

    fn attribute_part(&mut self, key: &str, value: &Value) {
        match (key, value) {
            ("kind", Value::String(kind)) => self.out.push_str(kind),
            (_, other) => self.value(other),
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Type(ty) => self.nested(ty),
            other => self.out.push_str(&source_form(other)),
        }
    }

    /// Writes a type within a definition: object types by their names.
    fn nested(&mut self, ty: &Type) {
        let expand = std::mem::replace(&mut self.expand, false);
        self.ty(ty);
        self.expand = expand;
    }

    fn parameters(&mut self, name: &str, parameters: impl IntoIterator<Item = String>) {
        self.out.push_str(name);
        for (at, parameter) in parameters.into_iter().enumerate() {
            self.out.push_str(if at == 0 { "[" } else { ", " });
            self.out.push_str(&parameter);
        }
        self.out.push(']');
    }

    fn bounds(&mut self, name: &str, min: Option<String>, max: Option<String>) {
        let default = || "default".to_owned();
        match (min, max) {
            (None, None) => self.out.push_str(name),
            (min, None) => self.parameters(name, min),
            (min, Some(max)) => self.parameters(name, [min.unwrap_or_else(default), max]),
        }
    }

    fn times<T: PartialEq>(&mut self, name: &str, bounds: &TimestampBounds<T>, text: fn(&T) -> String) {
        let quoted = |bound: &Option<T>| bound.as_ref().map(|time| quote(&text(time)));
        let max = if bounds.min == bounds.max { None } else { quoted(&bounds.max) };
        self.bounds(name, quoted(&bounds.min), max);
    }

    fn wrapper(&mut self, name: &str, inner: Option<&Nested>) {
        self.out.push_str(name);
        if let Some(inner) = inner {
            self.out.push('[');
            self.ty(inner);
            self.out.push(']');
        }
    }

    fn list(&mut self, types: &[Type]) {
        for (at, ty) in types.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.ty(ty);
        }
    }

    fn size(&mut self, size: Option<Size>) {
        for parameter in size.into_iter().flat_map(size_parameters) {
            self.out.push_str(", ");
            self.out.push_str(&parameter);
        }
    }

    fn array(&mut self, element: &Type, size: Option<Size>) {
        match size {
            Some(size) if size == Size::exactly(0) => self.out.push_str("Array[0, 0]"),
            None if *element == Type::Any => self.out.push_str("Array"),
            size => {
                self.out.push_str("Array[");
                self.ty(element);
                self.size(size);
                self.out.push(']');
            }
        }
    }

    fn hash(&mut self, key: &Type, value: &Type, size: Option<Size>) {
        match size {
            Some(size) if size == Size::exactly(0) => self.out.push_str("Hash[0, 0]"),
            None if *key == Type::Any && *value == Type::Any => self.out.push_str("Hash"),
            size => {
                self.out.push_str("Hash[");
                self.ty(key);
                self.out.push_str(", ");
                self.ty(value);
                self.size(size);
                self.out.push(']');
            }
        }
    }

    fn tuple(&mut self, tuple: &TupleType) {
        self.out.push_str("Tuple");
        if !tuple.types.is_empty() {
            self.out.push('[');
            self.list(&tuple.types);
            self.size(tuple.size);
            self.out.push(']');
        }
    }

    fn members(&mut self, members: &[StructMember]) {
        self.out.push_str("Struct[{");
        for (at, member) in members.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            let name = quote(&member.name);
            match member.presence {
                Presence::Plain => self.out.push_str(&name),
                Presence::Optional => self.parameters("Optional", [name]),
                Presence::Required => self.parameters("NotUndef", [name]),
            }
            self.out.push_str(" => ");
            self.ty(&member.value);
        }
        self.out.push_str("}]");
    }

    fn callable(&mut self, callable: &Callable) {
        self.out.push_str("Callable[");
        if callable.returns.is_some() {
            self.out.push('[');
        }
        let start = self.out.len();
        self.list(&callable.parameters.types);
        let size = callable.parameters.size.or(callable.parameters.types.is_empty().then_some(Size::exactly(0)));
        for parameter in size.into_iter().flat_map(size_parameters) {
            if self.out.len() > start {
                self.out.push_str(", ");
            }
            self.out.push_str(&parameter);
        }
        if let Some(block) = &callable.block {
            self.out.push_str(", ");
            self.ty(block);
        }
        if let Some(returns) = &callable.returns {
            self.out.push_str("], ");
            self.ty(returns);
        }
        self.out.push(']');
    }
}

fn size_parameters(size: Size) -> Vec<String> {
    if size.max == u64::MAX { vec![size.min.to_string()] } else { vec![size.min.to_string(), size.max.to_string()] }
}
