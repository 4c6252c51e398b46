//! The registry of diagnostic codes.
//!
//! A code is a name in the table below and a file `codes/NAME.md`: its title and its explanation, in the form that
//! [`explanation`](crate::explanation) describes. To add a code, add both. The number of a code that is no longer emitted
//! stays reserved: its file remains and starts with "This code is reserved", because old logs still refer to it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A diagnostic code, e.g. `E0601`. Made only by the constants of this crate, so every code has an explanation.
#[derive(Clone, Copy, Debug)]
pub struct Code(&'static CodeInfo);

/// The name, title and explanation of a code.
#[derive(Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The name of the code, e.g. `E0601`.
    pub name: &'static str,
    /// A noun phrase that names the violation, e.g. "unknown variable".
    pub title: &'static str,
    /// The explanation in Markdown, without the title.
    pub explanation: &'static str,
}

impl CodeInfo {
    /// Splits the content of `codes/NAME.md`. Called at compile time only.
    const fn from_markdown(name: &'static str, markdown: &'static str) -> CodeInfo {
        let bytes = markdown.as_bytes();
        assert!(bytes[0] == b'#' && bytes[1] == b' ', "an explanation starts with its title, `# title`");
        let mut end = 2;
        while bytes[end] != b'\n' {
            end += 1;
        }
        assert!(bytes[end + 1] == b'\n', "an empty line follows the title");
        let (title, explanation) = (markdown.split_at(end).0, markdown.split_at(end + 2).1);
        CodeInfo { name, title: title.split_at(2).1, explanation }
    }
}

impl Code {
    /// Returns the name, e.g. `E0601`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns whether it is an error of the lexer or parser of Puppet manifests.
    pub(crate) fn is_manifest_syntax(self) -> bool {
        ("P0210".."P0230").contains(&self.name())
    }

    /// Returns whether it is a lint, which can be allowed, and not an error.
    #[must_use]
    pub fn is_lint(self) -> bool {
        self.name().starts_with('W')
    }

    /// Returns whether it is a lint of mcl programs that is off by default.
    #[must_use]
    pub fn is_pedantic(self) -> bool {
        [Code::W0214, Code::W0220].contains(&self)
    }

    /// Returns the title and explanation.
    #[must_use]
    pub fn info(self) -> &'static CodeInfo {
        self.0
    }

    /// Returns the code with this name, which must be upper case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Code> {
        all_codes().find(|c| c.0.name == name)
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        self.0.name == other.0.name
    }
}
impl Eq for Code {}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.0.name)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Code, D::Error> {
        let name = String::deserialize(d)?;
        Code::from_name(&name).ok_or_else(|| serde::de::Error::custom("unknown diagnostic code"))
    }
}

/// Declares the codes. Each becomes an associated constant `Code::E0101` and an entry of `TABLE`.
macro_rules! codes {
    ($($name:ident)*) => {
        impl Code {
            $(
                #[doc = include_str!(concat!("codes/", stringify!($name), ".md"))]
                pub const $name: Code = Code(&CodeInfo::from_markdown(
                    stringify!($name),
                    include_str!(concat!("codes/", stringify!($name), ".md")),
                ));
            )*
        }

        const TABLE: &[Code] = &[$(Code::$name),*];
    };
}

codes! {
    // Lexing.
    E0101 E0102 E0103 E0104 E0105 E0106 E0107 E0108 E0109
    // Parsing.
    E0201 E0202 E0203 E0204 E0205 E0206 E0207 E0208 E0209 E0210 E0211 E0212 E0213 E0214 E0215 E0216 E0217 E0218 E0219
    E0220 E0221 E0222
    // Validation of single statements (the stage `init`).
    E0301 E0302 E0303 E0304 E0305 E0306 E0307 E0308 E0309 E0310 E0311
    // String interpolation and nesting of classes.
    E0401 E0402 E0403 E0404
    // Imports.
    E0501 E0502 E0503 E0504 E0505 E0506 E0507 E0508 E0509 E0510 E0511 E0512 E0513
    // Name resolution.
    E0601 E0602 E0603 E0604 E0605 E0606 E0607 E0608 E0609
    // Type inference.
    E0701 E0702 E0703 E0704 E0705 E0706 E0707 E0708 E0709 E0710 E0711 E0712 E0713 E0714 E0715 E0716 E0717 E0718 E0719
    E0720 E0721
    // Function graph.
    E0801 E0802 E0803 E0804
    // Comments that describe a test.
    E0901
    // Formatting.
    F0001
    // Lints of style: the lints L01 to L13 of spec 01 §2.11, accepted here, rejected by mgmt 1.1.
    W0101 W0102 W0103 W0104 W0105 W0106 W0107 W0108 W0109 W0110 W0111 W0112 W0113
    // Lints about what a valid program will do.
    W0201 W0202 W0203 W0204 W0205
    // Lints about comments and metadata for `mclc`.
    W0206 W0207
    // Lints about names and constants: what has no use, no effect, or cannot work.
    W0208 W0209 W0210 W0211 W0212 W0213 W0215 W0216 W0217 W0218 W0219 W0221 W0222
    W0223 W0224
    // Lints that are off by default.
    W0214 W0220
    // Lints of Puppet manifests, which `puppet-lint` reports as well.
    W0301 W0302 W0303 W0304 W0305 W0306 W0307 W0308 W0309 W0310 W0311 W0312 W0313 W0314 W0315 W0316 W0317 W0318 W0319
    W0320 W0321 W0322 W0323 W0324 W0325 W0326 W0327 W0328 W0329 W0330 W0331 W0332 W0333 W0334 W0335 W0336 W0337 W0338
    W0339 W0340 W0341 W0342 W0343 W0344 W0345 W0346 W0347 W0348 W0349 W0350 W0351 W0352 W0353 W0354 W0355 W0356 W0357
    W0358 W0359 W0360 W0361 W0362 W0363 W0364 W0365 W0366 W0367 W0368 W0369 W0370 W0371 W0372 W0373
    W0374 W0375 W0376 W0377 W0378 W0379 W0380
    // Runtime: the function engine.
    R0101 R0102 R0103 R0104 R0105 R0106 R0107 R0108
    // Runtime: from values to resources.
    R0201 R0202 R0203 R0204 R0205 R0206 R0207 R0208 R0209 R0210 R0211
    // Runtime: automatic edges.
    R0301 R0302 R0303 R0304
    // Runtime: applying resources. R0412 is reserved.
    R0401 R0402 R0403 R0404 R0405 R0406 R0407 R0408 R0409 R0410 R0411 R0412 R0413 R0414 R0415 R0416
    // Puppet catalogs.
    P0101 P0102 P0103 P0104 P0105 P0106 P0107 P0108 P0109 P0110
    // Translation of Puppet resources.
    P0201 P0202 P0203 P0204
    // Puppet manifests: lexing and parsing.
    P0210 P0211 P0212 P0213 P0214 P0215 P0216 P0217 P0218 P0219 P0220 P0221
    // Puppet manifests: validation.
    P0301 P0302 P0303 P0304 P0305 P0306 P0307 P0308 P0309 P0310 P0311 P0312 P0313 P0314
    // Puppet: the catalog while it is compiled.
    P0601 P0602 P0603 P0604 P0605 P0606 P0607 P0608 P0609 P0610 P0611 P0612 P0613 P0614
    // Files of Puppet environments, and facts.
    P0701 P0702 P0703 P0704 P0705 P0706 P0709 P0710
    // Evaluation of Puppet manifests.
    P0501 P0502 P0503 P0504 P0505 P0506 P0507 P0508 P0509 P0510 P0511 P0512 P0513 P0514 P0515 P0516
    // Templates in ERB, and functions in Ruby.
    P0520 P0521 P0522 P0523
    // Merging an mcl program and a Puppet catalog.
    M0101 M0102 M0103 M0104 M0105 M0106 M0107 M0108
    // Artifact files.
    A0101 A0102 A0103 A0104 A0105 A0106
}

/// Returns every code, in the order of the ranges.
pub fn all_codes() -> impl Iterator<Item = Code> {
    TABLE.iter().copied()
}
