//! Kinds that do not change the machine: `noop`, `test`, `print`, and the target of `panic(…)` (spec 05 §6.7, §6.8, §6.9, §6.20).

use crate::{Comparison, Field, Grouping, Params, Repr, ResourceKind, SendField, Traits, ValidationError};

pub(super) const PANIC: ResourceKind = ResourceKind {
    name: "_panic",
    doc: "The target of the `panic` statement. Programs cannot declare it.",
    fields: &[],
    ..ResourceKind::BASE
};

pub(super) const NOOP: ResourceKind = ResourceKind {
    name: "noop",
    doc: "Does nothing. Useful as a synchronization point for other resources.",
    example: r#"noop "everything is configured" {}"#,
    fields: &[Field::new("comment", "str", "Ignored.")],
    traits: Traits { autogroup: true, refresh: true, ..Traits::NONE },
    grouping: Grouping { key: |_| Some(Vec::new()), ..Grouping::NONE },
    ..ResourceKind::BASE
};

pub(super) const PRINT: ResourceKind = ResourceKind {
    name: "print",
    doc: "Logs a message when it changes and on every refresh.",
    example: r#"print "ready" {
	msg => "the site is up",
}"#,
    fields: &[
        Field::new("msg", "str", "The message; an empty one is shown as `<empty>`."),
        Field::new("refresh_only", "bool", "Show the message only on a refresh; such a resource is never grouped."),
    ],
    traits: Traits { autogroup: true, refresh: true, receive: true, ..Traits::NONE },
    grouping: Grouping { key: |p| (!p.bool("refresh_only")).then(Vec::new), ..Grouping::NONE },
    ..ResourceKind::BASE
};

pub(super) const TEST: ResourceKind = ResourceKind {
    name: "test",
    doc: "A kind for tests of the engine: it has a field of every type, and can fail on purpose.",
    example: r#"test "values" {
	int64 => 42,
	stringptr => "text",
}"#,
    fields: &[
        Field::new("bool", "bool", "A boolean."),
        Field::new("str", "str", "A string."),
        Field::new("int", "int", "An integer."),
        Field::new("int8", "int", "An 8-bit integer.").repr(Repr::Int8),
        Field::new("int16", "int", "A 16-bit integer.").repr(Repr::Int16),
        Field::new("int32", "int", "A 32-bit integer.").repr(Repr::Int32),
        Field::new("int64", "int", "A 64-bit integer.").repr(Repr::Int64),
        Field::new("uint", "int", "An unsigned integer.").repr(Repr::Uint),
        Field::new("uint8", "int", "An unsigned 8-bit integer.").repr(Repr::Uint8),
        Field::new("uint16", "int", "An unsigned 16-bit integer.").repr(Repr::Uint16),
        Field::new("uint32", "int", "An unsigned 32-bit integer.").repr(Repr::Uint32),
        Field::new("uint64", "int", "An unsigned 64-bit integer.").repr(Repr::Uint64),
        Field::new("byte", "int", "A byte.").repr(Repr::Uint8),
        Field::new("rune", "int", "A Unicode scalar value, stored in 32 bits.").repr(Repr::Int32),
        Field::new("float32", "float", "A single-precision number.").repr(Repr::Float32),
        Field::new("float64", "float", "A double-precision number."),
        Field::new("boolptr", "bool", "A boolean that may be unset.").optional(),
        Field::new("stringptr", "str", "A string that may be unset.").optional(),
        Field::new("int64ptr", "int", "A 64-bit integer that may be unset.").optional().repr(Repr::Int64),
        Field::new("int8ptr", "int", "An 8-bit integer that may be unset.").optional().repr(Repr::Int8),
        Field::new("uint8ptr", "int", "An unsigned 8-bit integer that may be unset.").optional().repr(Repr::Uint8),
        Field::new("int8ptrptrptr", "int", "An 8-bit integer that may be unset, stored through three pointers.")
            .optional()
            .repr(Repr::Int8),
        Field::new("slicestring", "[]str", "A list of strings."),
        Field::new("mapintfloat", "map{int: float}", "A map."),
        Field::new("mixedstruct", "struct{somebool bool; somestr str; someint int; somefloat float}", "A struct."),
        Field::new("interface", "any", "A value of any type.").optional(),
        Field::new("anotherstr", "str", "Another string."),
        Field::new("func1", "func(int) str", "A function: it type-checks, but no value can be stored.")
            .compared(Comparison::Ignored),
        Field::new("validatebool", "bool", "Make validation fail."),
        Field::new("validateerror", "str", "Make validation fail with this message."),
        Field::new("alwaysgroup", "bool", "Take other `test` resources as members."),
        Field::new("comparefail", "bool", "Never equal any resource."),
        Field::new("sendvalue", "str", "The value to send as `hello`."),
        Field::new("expectrecv", "[]str", "Fail unless as many keys are received as this list has entries.").optional(),
        Field::new("onlyshow", "[]str", "Log only these fields."),
        Field::new("waitforerror", "int", "Milliseconds to wait before failing; 0 does not fail.").repr(Repr::Int64),
        Field::new("comment", "str", "Ignored."),
    ],
    sends: &[
        SendField::optional("hello", "str"),
        SendField { name: "answer", ty: "int", optional: false, sensitive: false },
    ],
    traits: Traits { autogroup: true, refresh: true, receive: true, ..Traits::NONE },
    validate: validate_test,
    grouping: Grouping { key: |_| Some(Vec::new()), may_lead: |p| p.bool("alwaysgroup"), ..Grouping::NONE },
    never_equal_parameter: Some("comparefail"),
    ..ResourceKind::BASE
};

fn validate_test(p: &Params<'_>) -> Result<(), ValidationError> {
    if p.bool("validatebool") {
        return Err(ValidationError::of("validatebool", "validation failed because `validatebool` is true"));
    }
    let message = p.string("validateerror");
    if !message.is_empty() {
        return Err(ValidationError::of(
            "validateerror",
            format!("validation failed because of `validateerror`: {message}"),
        ));
    }
    Ok(())
}
