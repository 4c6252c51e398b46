//! Functions that work only in Puppet itself.

use pp_types::{Error, ErrorKind, Value, interpolate};

use crate::arguments::fail;
use crate::function::{Call, Convention, Function};
use crate::host::Interrupt;

pub(crate) static ANNOTATE: Function = Function::unavailable(
    "annotate",
    Convention::Typed {
        signatures: &[
            "Type[Annotation] type, Any value, Callable[0, 0] ?&block",
            "Type[Annotation] type, Any value, Variant[Enum['clear'], Hash[Pcore::MemberName, Any]] annotation_hash",
            "Type[Pcore] type, Any value, Hash[Type[Annotation], Hash[Pcore::MemberName, Any]] annotations",
        ],
        aliases: &[],
    },
    "Attaches annotations to an object.",
    "annotations belong to object types, which are defined in Ruby",
);

pub(crate) static EYAML_LOOKUP_KEY: Function = Function::unavailable(
    "eyaml_lookup_key",
    Convention::Typed { signatures: &["Any *arguments"], aliases: &[] },
    "Looks keys up in YAML files with encrypted values. Name it in `hiera.yaml`; it cannot be called.",
    DATA_REASON,
);

/// The signatures of the functions that read data for lookups.
const DATA: Convention = Convention::Typed {
    signatures: &[
        "Struct[{'path' => String[1]}] options, Puppet::LookupContext context",
        "Hash options, Puppet::LookupContext context",
    ],
    aliases: &[],
};

const DATA_REASON: &str = "only a lookup can call it, because it needs the context of one";

pub(crate) static YAML_DATA: Function = Function::unavailable(
    "yaml_data",
    DATA,
    "Reads the data of a YAML file for lookups. Name it in `hiera.yaml`; it cannot be called.",
    DATA_REASON,
);

pub(crate) static JSON_DATA: Function = Function::unavailable(
    "json_data",
    DATA,
    "Reads the data of a JSON file for lookups. Name it in `hiera.yaml`; it cannot be called.",
    DATA_REASON,
);

pub(crate) static HOCON_DATA: Function = Function::unavailable(
    "hocon_data",
    DATA,
    "Reads the data of a HOCON file for lookups. Name it in `hiera.yaml`; it cannot be called.",
    DATA_REASON,
);

pub(crate) static GENERATE: Function = Function::counted(
    "generate",
    1,
    None,
    "Runs a command on the host that compiles, and returns its output. It is switched off: compiling must not run programs.",
    generate,
);

/// Says what is wrong with the command before it says that commands are not run.
fn generate(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let command = interpolate(call.argument(0));
    if !command.starts_with('/') {
        return Err(fail("Generators must be fully qualified"));
    }
    if !command.chars().all(|character| character.is_ascii_alphanumeric() || "-/_.".contains(character)) {
        return Err(fail("Generators can only contain alphanumerics, file separators, and dashes"));
    }
    if command.contains("..") {
        return Err(fail("Can not use generators with '..' in them."));
    }
    let message = format!("Function generate() is not available: it would run '{command}' on the host that compiles");
    Err(Error::new(ErrorKind::Unavailable, message).into())
}
