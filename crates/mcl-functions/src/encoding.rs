//! `encoding` (spec 03 §5.4).

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use go_compat::json::parse;
use mcl_value::{Type, Value};

use crate::args::Args;
use crate::json::{self, FieldMatch};
use crate::table::{Outcome, call_site, fatal, ok, pure};
use crate::{CallContext, CallSite, Function, FunctionError};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure(
        "encoding.base64_decode",
        "func(data str) str",
        "Decodes a string from padded base64 (RFC 4648).",
        |_, args| base64_decode(args.bytes(0)?),
    )
    .example(r#"encoding.base64_decode("aGVsbG8=") == "hello""#),
    pure("encoding.base64_encode", "func(data str) str", "Encodes a string as padded base64 (RFC 4648).", |_, args| {
        ok(BASE64.encode(args.bytes(0)?))
    })
    .example(r#"encoding.base64_encode("hello") == "aGVsbG8=""#),
    call_site(
        "encoding.decode_json",
        CallSite::DecodeJson,
        "Decodes JSON into the type named by the second argument, or else into the inferred type.",
        |cx, args| decode_json(cx, args, FieldMatch::Exact),
    )
    .not_inlinable()
    .example(r#"encoding.decode_json("[1, 2]", "[]int") == [1, 2]"#),
    call_site(
        "encoding.decode_json_flexible",
        CallSite::DecodeJson,
        "Like `decode_json`, but missing struct fields get zero values and unknown fields are ignored.",
        |cx, args| decode_json(cx, args, FieldMatch::Lenient),
    )
    .not_inlinable()
    .example(r#"encoding.decode_json_flexible("[1, 2]", "[]int") == [1, 2]"#),
];

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

/// Decodes base64, ignoring line breaks. The offset in the error is Go's, which counts whole blocks of four at the end.
fn base64_decode(data: &[u8]) -> Outcome {
    let plain: Vec<u8> = data.iter().copied().filter(|b| !matches!(b, b'\r' | b'\n')).collect();
    match BASE64.decode(&plain) {
        Ok(decoded) => ok(decoded),
        Err(_) => fatal(format!("could not decode base64: illegal base64 data at input byte {}", corrupt_at(data))),
    }
}

/// Returns the offset of Go's error in the data, including its line breaks.
fn corrupt_at(data: &[u8]) -> usize {
    let is_digit = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
    let mut significant = data.iter().enumerate().filter(|(_, b)| !matches!(b, b'\r' | b'\n'));
    loop {
        let mut digits = 0;
        let problem = loop {
            match significant.next() {
                // The input ends inside a block: Go reports the start of the missing part.
                None => break data.len() - digits,
                Some((_, b)) if is_digit(*b) => digits += 1,
                Some((at, b'=')) if digits >= 2 => {
                    let second = if digits == 2 { significant.next() } else { Some((at, &b'=')) };
                    match second {
                        None => break data.len(),
                        Some((at, b)) if *b != b'=' => break at,
                        // Data after the complete padding.
                        Some(_) => break significant.next().map_or(data.len(), |(at, _)| at),
                    }
                }
                Some((at, _)) => break at,
            }
            if digits == 4 {
                break usize::MAX;
            }
        };
        if problem != usize::MAX {
            return problem;
        }
    }
}

fn decode_json(cx: &CallContext<'_>, args: &[Value], fields: FieldMatch) -> Outcome {
    let ty = &cx.ty.result;
    if args.len() > 1
        && let Some(named) = std::str::from_utf8(args.bytes(1)?).ok().and_then(Type::parse)
        && named != *ty
    {
        return fatal(format!("incompatible types: {named} and {ty}"));
    }
    let document = parse(args.bytes(0)?).map_err(|cause| FunctionError::fatal(format!("invalid JSON: {cause}")))?;
    json::decode(&document, ty, fields).map_err(|error| FunctionError::fatal(error.to_string()))
}
