//! The layout of serialised types as text, to notice when it changes.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;
use serde_reflection::{Error, Samples, Tracer, TracerConfig};

/// Checks that the layout of a type is the recorded one, and was recorded for this version of the format. With `BLESS=1` it is
/// recorded anew, unless it changed without the version.
///
/// # Panics
/// If the layout is another one, or cannot be found out.
#[track_caller]
pub fn check_layout<T: for<'de> Deserialize<'de>>(recorded: &Path, version: u32) {
    let layout = layout::<T>();
    let text = std::fs::read_to_string(recorded).unwrap_or_default();
    let (recorded_version, recorded_layout) = text.split_once('\n').unwrap_or_default();
    let current = format!("version {version}");
    let is_changed = layout != recorded_layout;
    assert!(
        !is_changed || recorded_version != current,
        "the layout in {} changed: raise FORMAT_VERSION, then record it with BLESS=1\n{}",
        recorded.display(),
        first_difference(recorded_layout, &layout)
    );
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(recorded, format!("{current}\n{layout}")).expect("the recording is writable");
    } else {
        assert!(!is_changed && recorded_version == current, "{}: record {current} with BLESS=1", recorded.display());
    }
}

fn first_difference(old: &str, new: &str) -> String {
    let line = |text: &str, at: usize| text.lines().nth(at).unwrap_or_default().to_owned();
    let same = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    format!("recorded: {}\nnow:      {}", line(old, same), line(new, same))
}

/// Returns a line for each struct and enum of a type.
#[track_caller]
fn layout<T: for<'de> Deserialize<'de>>() -> String {
    let samples = Samples::new();
    let failed = |error: Error| -> ! { panic!("{error}: {}", error.explanation()) };
    // One pass over the type sees one more variant of each enum that is known to have several.
    let mut enums = BTreeSet::new();
    loop {
        // Strings that are checked while they are read are codes of diagnostics.
        let config = TracerConfig::default().is_human_readable(false).default_string_value("E0101".to_owned());
        let mut tracer = Tracer::new(config);
        loop {
            tracer.trace_type::<T>(&samples).unwrap_or_else(|error| failed(error));
            let incomplete: Vec<&String> =
                enums.iter().filter(|name: &&String| tracer.check_incomplete_enum(name).is_some()).collect();
            if incomplete.is_empty() {
                break;
            }
        }
        let known = enums.len();
        match tracer.registry() {
            Ok(registry) => {
                return registry.iter().fold(String::new(), |mut text, (name, format)| {
                    let _ = writeln!(text, "{name:?}: {format:?}");
                    text
                });
            }
            Err(Error::MissingVariants(names)) => enums.extend(names),
            Err(error) => failed(error),
        }
        assert!(enums.len() > known, "no variants are left to see in {enums:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its layout matters")]
    struct Pair {
        first: u8,
        second: Either,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its layout matters")]
    enum Either {
        Left(String),
        Right { more: Vec<Pair> },
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its layout matters")]
    struct Other {
        first: u16,
    }

    #[test]
    fn a_layout_names_fields_and_variants() {
        let layout = layout::<Pair>();
        for word in ["first", "U8", "Left", "Right", "more"] {
            assert!(layout.contains(word), "{word} in {layout}");
        }
    }

    #[test]
    fn a_changed_layout_needs_a_new_version() {
        let scratch = crate::Scratch::with_files([("layout", format!("version 1\n{}", layout::<Pair>()))]);
        let recorded = scratch.path("layout");
        check_layout::<Pair>(&recorded, 1);
        for version in [1, 2] {
            let check = || check_layout::<Other>(&recorded, version);
            assert!(std::panic::catch_unwind(check).is_err(), "version {version}");
        }
        // Another version of the same layout must be recorded.
        assert!(std::panic::catch_unwind(|| check_layout::<Pair>(&recorded, 2)).is_err());
    }
}
