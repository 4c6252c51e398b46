//! Constants.

use crate::classes::Class;
use crate::value::Value;

/// Returns the value of a constant.
pub(crate) fn constant(name: &str) -> Option<Value> {
    Some(match name {
        "Float::INFINITY" => Value::Float(f64::INFINITY),
        "Float::NAN" => Value::Float(f64::NAN),
        "Float::EPSILON" => Value::Float(f64::EPSILON),
        "Float::MAX" => Value::Float(f64::MAX),
        "Float::MIN" => Value::Float(f64::MIN_POSITIVE),
        "Float::DIG" => Value::Int(15),
        "Math::PI" => Value::Float(std::f64::consts::PI),
        "Math::E" => Value::Float(std::f64::consts::E),
        "File::SEPARATOR" | "File::Separator" => Value::str("/"),
        "Regexp::IGNORECASE" => Value::Int(1),
        "Regexp::EXTENDED" => Value::Int(2),
        "Regexp::MULTILINE" => Value::Int(4),
        "Psych" => Value::Class(Class::Yaml),
        "JSON::ParserError" => Value::Class(Class::StandardError),
        name => Value::Class(Class::find(name)?),
    })
}

/// Returns whether Ruby, its libraries or Puppet have a constant that templates must not use.
pub(crate) fn is_ruby_constant(name: &str) -> bool {
    const CONSTANTS: [&str; 44] = [
        "ARGF",
        "ARGV",
        "Base64",
        "BigDecimal",
        "Binding",
        "CGI",
        "CSV",
        "Complex",
        "Data",
        "Date",
        "DateTime",
        "Dir",
        "Digest",
        "ENV",
        "ERB",
        "Encoding",
        "Etc",
        "Facter",
        "Fiber",
        "FileTest",
        "FileUtils",
        "GC",
        "Hiera",
        "IO",
        "IPAddr",
        "Logger",
        "Marshal",
        "Method",
        "Net",
        "ObjectSpace",
        "OpenSSL",
        "OpenStruct",
        "Pathname",
        "Process",
        "Puppet",
        "Random",
        "Rational",
        "Resolv",
        "RUBY_VERSION",
        "SecureRandom",
        "Set",
        "Shellwords",
        "Socket",
        "Struct",
    ];
    const MORE: [&str; 8] = ["Sys", "Tempfile", "Thread", "Time", "Timeout", "URI", "YAML", "Zlib"];
    let first = name.split("::").next().unwrap_or(name);
    CONSTANTS.contains(&first) || MORE.contains(&first)
}
