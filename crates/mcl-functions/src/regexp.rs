//! `regexp` (spec 03 §5.16): RE2 syntax.
//!
//! The regex crate has the same semantics, but a slightly larger syntax, Unicode meanings of `\d \w \s \b`, and other
//! error messages. Patterns are therefore parsed by the rules of RE2 and rewritten, see [`translate`].

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use go_compat::regexp::translate;
use go_compat::unicode::map_runes;
use regex::bytes::{Regex, RegexBuilder};
use rustc_hash::FxHashMap;

use crate::args::Args;
use crate::table::{full, ok};
use crate::{Function, FunctionError};

pub(crate) static FUNCTIONS: &[Function] = &[Function {
    simple: true,
    ..full(
        "regexp.match",
        "func(pattern str, s str) bool",
        "Returns whether the regular expression (RE2 syntax) matches anywhere in `s`.",
        |_, args| {
            let regex = compile(args.bytes(0)?)?;
            let text = args.bytes(1)?;
            // An invalid byte matches as U+FFFD.
            ok(match std::str::from_utf8(text) {
                Ok(_) => regex.is_match(text),
                Err(_) => regex.is_match(&map_runes(text, |rune| rune)),
            })
        },
    )
}
.example(r#"regexp.match("^web[0-9]+$", "web1") == true"#)];

/// Compiled patterns: most are constants that are matched again and again.
static CACHE: LazyLock<Mutex<FxHashMap<Vec<u8>, Arc<Regex>>>> = LazyLock::new(Mutex::default);
const CACHE_SIZE: usize = 256;

fn compile(pattern: &[u8]) -> Result<Arc<Regex>, FunctionError> {
    if let Some(regex) = CACHE.lock().unwrap_or_else(PoisonError::into_inner).get(pattern) {
        return Ok(regex.clone());
    }
    let failure =
        |cause: String| FunctionError::fatal(format!("pattern did not compile: error parsing regexp: {cause}"));
    let text = std::str::from_utf8(pattern)
        .map_err(|_| failure(format!("invalid UTF-8: `{}`", String::from_utf8_lossy(pattern))))?;
    let translated = translate(text).map_err(|error| failure(error.to_string()))?;
    let regex = RegexBuilder::new(&translated)
        .nest_limit(1000)
        .build()
        .map_err(|_| failure(format!("expression too large: `{text}`")))?;
    let regex = Arc::new(regex);
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if cache.len() >= CACHE_SIZE {
        cache.clear();
    }
    cache.insert(pattern.to_vec(), regex.clone());
    Ok(regex)
}
