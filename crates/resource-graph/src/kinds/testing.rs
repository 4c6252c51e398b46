//! Kinds that leave the machine alone: `noop`, `test`, `print`, and the target of `panic(…)` (spec 05 §6.7-6.9, 6.20).

use crate::validate::{Params, ValidationError, nothing_more};
use crate::{Field, Repr, ResourceKind, SendField, Traits};

pub(super) const PANIC: ResourceKind = ResourceKind {
    name: "_panic",
    doc: "The target of the `panic` statement. Programs cannot write it.",
    fields: &[],
    sends: &[],
    traits: Traits::NONE,
    validate: nothing_more,
};

pub(super) const NOOP: ResourceKind = ResourceKind {
    name: "noop",
    doc: "Does nothing. Useful as a point that other resources are ordered around.",
    fields: &[Field::new("comment", "str", "Ignored text.")],
    sends: &[],
    traits: Traits { autogroup: true, refresh: true, ..Traits::NONE },
    validate: nothing_more,
};

pub(super) const PRINT: ResourceKind = ResourceKind {
    name: "print",
    doc: "Logs a message when it changes, or when another resource notifies it.",
    fields: &[
        Field::new("msg", "str", "The text; an empty one is shown as `<empty>`."),
        Field::new("refresh_only", "bool", "Show the text only on a notification; such a resource is never grouped."),
    ],
    sends: &[],
    traits: Traits { autogroup: true, refresh: true, receive: true, ..Traits::NONE },
    validate: nothing_more,
};

pub(super) const TEST: ResourceKind = ResourceKind {
    name: "test",
    doc: "A kind for tests of the engine: it has a field of every type, and can be told to fail.",
    fields: &[
        Field::new("bool", "bool", "A boolean."),
        Field::new("str", "str", "A text."),
        Field::new("int", "int", "An integer."),
        Field::new("int8", "int", "An 8 bit integer.").repr(Repr::Int8),
        Field::new("int16", "int", "A 16 bit integer.").repr(Repr::Int16),
        Field::new("int32", "int", "A 32 bit integer.").repr(Repr::Int32),
        Field::new("int64", "int", "A 64 bit integer.").repr(Repr::Int64),
        Field::new("uint", "int", "An unsigned integer.").repr(Repr::Uint),
        Field::new("uint8", "int", "An unsigned 8 bit integer.").repr(Repr::Uint8),
        Field::new("uint16", "int", "An unsigned 16 bit integer.").repr(Repr::Uint16),
        Field::new("uint32", "int", "An unsigned 32 bit integer.").repr(Repr::Uint32),
        Field::new("uint64", "int", "An unsigned 64 bit integer.").repr(Repr::Uint64),
        Field::new("byte", "int", "A byte.").repr(Repr::Uint8),
        Field::new("rune", "int", "A Unicode scalar value, stored in 32 bits.").repr(Repr::Int32),
        Field::new("float32", "float", "A single precision number.").repr(Repr::Float32),
        Field::new("float64", "float", "A double precision number."),
        Field::new("boolptr", "bool", "A boolean that may be unset.").optional(),
        Field::new("stringptr", "str", "A text that may be unset.").optional(),
        Field::new("int64ptr", "int", "A 64 bit integer that may be unset.").optional().repr(Repr::Int64),
        Field::new("int8ptr", "int", "An 8 bit integer that may be unset.").optional().repr(Repr::Int8),
        Field::new("uint8ptr", "int", "An unsigned 8 bit integer that may be unset.").optional().repr(Repr::Uint8),
        Field::new("int8ptrptrptr", "int", "An 8 bit integer behind three pointers.").optional().repr(Repr::Int8),
        Field::new("slicestring", "[]str", "A list of texts."),
        Field::new("mapintfloat", "map{int: float}", "A map."),
        Field::new("mixedstruct", "struct{somebool bool; somestr str; someint int; somefloat float}", "A struct."),
        Field::new("interface", "any", "A value of any type.").optional(),
        Field::new("anotherstr", "str", "Another text."),
        Field::new("func1", "func(int) str", "A function; it type checks, but no value can be stored."),
        Field::new("validatebool", "bool", "Make validation fail."),
        Field::new("validateerror", "str", "Make validation fail with this text."),
        Field::new("alwaysgroup", "bool", "Take other `test` resources as members."),
        Field::new("comparefail", "bool", "Never equal another resource."),
        Field::new("sendvalue", "str", "What to send as `hello`."),
        Field::new("expectrecv", "[]str", "Fail unless this many keys are received.").optional(),
        Field::new("onlyshow", "[]str", "Log only these fields."),
        Field::new("waitforerror", "int", "Wait this many milliseconds, then fail; 0 for not at all.")
            .repr(Repr::Int64),
        Field::new("comment", "str", "Ignored text."),
    ],
    sends: &[SendField::optional("hello", "str"), SendField { name: "answer", ty: "int", optional: false }],
    traits: Traits { autogroup: true, refresh: true, receive: true, ..Traits::NONE },
    validate: validate_test,
};

fn validate_test(p: &Params<'_>) -> Result<(), ValidationError> {
    if p.bool("validatebool") {
        return Err(ValidationError::of(
            "validatebool",
            "the parameter `validatebool` is true, so validation fails as asked",
        ));
    }
    let text = p.text("validateerror");
    if !text.is_empty() {
        return Err(ValidationError::of(
            "validateerror",
            format!("validation fails as asked by the parameter `validateerror`: {text}"),
        ));
    }
    Ok(())
}
