//! Classes and modules of Ruby that templates can name.

use crate::value::Value;

macro_rules! classes {
    ($($variant:ident $name:literal : $parent:expr),+ $(,)?) => {
        /// A class or module.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(clippy::enum_variant_names, reason = "the names are Ruby's")]
        pub(crate) enum Class { $($variant),+ }

        impl Class {
            /// All classes.
            const ALL: &[Class] = &[$(Class::$variant),+];

            /// Returns the name.
            pub fn name(self) -> &'static str {
                match self { $(Class::$variant => $name),+ }
            }

            /// Returns the class that this one inherits from; none for modules.
            pub fn parent(self) -> Option<Class> {
                match self { $(Class::$variant => $parent),+ }
            }
        }
    };
}

use Class::*;

classes! {
    BasicObject "BasicObject": None,
    Object "Object": Some(BasicObject),
    Kernel "Kernel": None,
    Comparable "Comparable": None,
    Enumerable "Enumerable": None,
    Module "Module": Some(Object),
    OfClasses "Class": Some(Module),
    NilClass "NilClass": Some(Object),
    TrueClass "TrueClass": Some(Object),
    FalseClass "FalseClass": Some(Object),
    Numeric "Numeric": Some(Object),
    Integer "Integer": Some(Numeric),
    Float "Float": Some(Numeric),
    String "String": Some(Object),
    Symbol "Symbol": Some(Object),
    Array "Array": Some(Object),
    Hash "Hash": Some(Object),
    Range "Range": Some(Object),
    Regexp "Regexp": Some(Object),
    MatchData "MatchData": Some(Object),
    Proc "Proc": Some(Object),
    Enumerator "Enumerator": Some(Object),
    Math "Math": None,
    File "File": Some(Object),
    Json "JSON": None,
    Yaml "YAML": None,
    Exception "Exception": Some(Object),
    StandardError "StandardError": Some(Exception),
    ArgumentError "ArgumentError": Some(StandardError),
    EncodingError "EncodingError": Some(StandardError),
    FrozenError "FrozenError": Some(RuntimeError),
    IndexError "IndexError": Some(StandardError),
    KeyError "KeyError": Some(IndexError),
    StopIteration "StopIteration": Some(IndexError),
    LocalJumpError "LocalJumpError": Some(StandardError),
    NameError "NameError": Some(StandardError),
    NoMethodError "NoMethodError": Some(NameError),
    RangeError "RangeError": Some(StandardError),
    FloatDomainError "FloatDomainError": Some(RangeError),
    RegexpError "RegexpError": Some(StandardError),
    RuntimeError "RuntimeError": Some(StandardError),
    TypeError "TypeError": Some(StandardError),
    ZeroDivisionError "ZeroDivisionError": Some(StandardError),
    SystemStackError "SystemStackError": Some(Exception),
    PuppetError "Puppet::Error": Some(RuntimeError),
    ParseError "Puppet::ParseError": Some(PuppetError),
    Scope "Puppet::Parser::Scope": Some(Object),
    TemplateWrapper "Puppet::Parser::TemplateWrapper": Some(Object),
    Sensitive "Puppet::Pops::Types::PSensitiveType::Sensitive": Some(Object),
    Binary "Puppet::Pops::Types::PBinaryType::Binary": Some(Object),
    Timestamp "Puppet::Pops::Time::Timestamp": Some(Object),
    Timespan "Puppet::Pops::Time::Timespan": Some(Object),
    SemVer "SemanticPuppet::Version": Some(Object),
    SemVerRange "SemanticPuppet::VersionRange": Some(Object),
    Uri "URI::Generic": Some(Object),
    ResourceType "Puppet::Pops::Types::PResourceType": Some(AnyType),
    ClassType "Puppet::Pops::Types::PClassType": Some(AnyType),
    AnyType "Puppet::Pops::Types::PAnyType": Some(Object),
    PuppetObject "Puppet::Pops::Types::PuppetObject": None,
}

impl Class {
    /// Returns the class with a name.
    pub fn find(name: &str) -> Option<Class> {
        Class::ALL.iter().copied().find(|class| class.name() == name)
    }

    /// Returns whether this is a module.
    pub fn is_module(self) -> bool {
        self.parent().is_none() && self != BasicObject
    }

    /// Returns the modules that the class itself includes.
    fn includes(self) -> &'static [Class] {
        match self {
            Object => &[Kernel],
            Array | Hash | Range | Enumerator => &[Enumerable],
            String | Numeric => &[Comparable],
            _ => &[],
        }
    }

    /// Returns whether an instance of this class is one of another: `is_a?`.
    pub fn is_a(self, other: Class) -> bool {
        let mut class = Some(self);
        while let Some(current) = class {
            if current == other || current.includes().contains(&other) {
                return true;
            }
            class = current.parent();
        }
        false
    }
}

/// Returns the class of a value.
pub(crate) fn class_of(value: &Value) -> Class {
    match value {
        Value::Nil => NilClass,
        Value::Bool(true) => TrueClass,
        Value::Bool(false) => FalseClass,
        Value::Int(_) => Integer,
        Value::Float(_) => Float,
        Value::Symbol(_) => Symbol,
        Value::Str(_) => String,
        Value::Array(_) => Array,
        Value::Hash(_) => Hash,
        Value::Range(_) => Range,
        Value::Regexp(_) => Regexp,
        Value::Match(_) => MatchData,
        Value::Proc(_) => Proc,
        Value::Enumerator(_) => Enumerator,
        Value::Exception(exception) => exception.class,
        Value::Class(class) => {
            if class.is_module() {
                Module
            } else {
                OfClasses
            }
        }
        Value::Scope => Scope,
        Value::Main => TemplateWrapper,
        Value::Puppet(value) => match value {
            pp_types::Value::Sensitive(_) => Sensitive,
            pp_types::Value::Binary(_) => Binary,
            pp_types::Value::Timestamp(_) => Timestamp,
            pp_types::Value::Timespan(_) => Timespan,
            pp_types::Value::SemVer(_) => SemVer,
            pp_types::Value::SemVerRange(_) => SemVerRange,
            pp_types::Value::Uri(_) => Uri,
            pp_types::Value::Type(pp_types::Type::Resource(..)) => ResourceType,
            pp_types::Value::Type(pp_types::Type::Class(_)) => ClassType,
            pp_types::Value::Type(_) => AnyType,
            _ => PuppetObject,
        },
    }
}
