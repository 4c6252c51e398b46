//! Regular expressions with the syntax of Ruby.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use crate::error::{Error, ErrorKind};
use crate::regexp_syntax::translate;

/// How often a match may go back before it is given up: about a second of work.
const BACKTRACK_LIMIT: usize = 20_000_000;

/// A regular expression: equal if the source is.
#[derive(Clone, Debug)]
pub struct Regexp(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: Arc<str>,
    compiled: OnceLock<Result<fancy_regex::Regex, Error>>,
}

impl Regexp {
    /// Creates a regular expression, which is compiled when it is first used.
    #[must_use]
    pub fn new(source: impl Into<Arc<str>>) -> Regexp {
        Regexp(Arc::new(Inner { source: source.into(), compiled: OnceLock::new() }))
    }

    /// Returns the source, without slashes.
    #[must_use]
    pub fn source(&self) -> &Arc<str> {
        &self.0.source
    }

    /// Returns the regular expression as it is written in a program, with slashes.
    #[must_use]
    pub fn literal(&self) -> String {
        let mut out = String::from("/");
        let mut escaped = false;
        for c in self.source().chars() {
            if c == '/' && !escaped {
                out.push('\\');
            }
            escaped = c == '\\' && !escaped;
            out.push(c);
        }
        out.push('/');
        out
    }

    /// Checks the syntax, without compiling.
    ///
    /// # Errors
    /// What Ruby rejects.
    pub fn check(&self) -> Result<(), Error> {
        translate(&self.0.source).map(|_| ()).or_else(|error| match error.kind {
            ErrorKind::Regexp => Err(error),
            // It is valid, but cannot be used here.
            _ => Ok(()),
        })
    }

    /// Returns the compiled form.
    ///
    /// # Errors
    /// An invalid regular expression.
    pub fn compiled(&self) -> Result<&fancy_regex::Regex, Error> {
        let compiled = self.0.compiled.get_or_init(|| {
            let translated = translate(&self.0.source)?;
            fancy_regex::RegexBuilder::new(&translated)
                .backtrack_limit(BACKTRACK_LIMIT)
                .build()
                .map_err(|error| Error::new(ErrorKind::Regexp, format!("{error}: /{}/", self.0.source)))
        });
        compiled.as_ref().map_err(Clone::clone)
    }

    /// Returns whether a text has a match.
    ///
    /// # Errors
    /// An invalid regular expression, or one that takes too long.
    pub fn is_match(&self, text: &str) -> Result<bool, Error> {
        self.compiled()?.is_match(text).map_err(|error| self.too_complex(&error))
    }

    /// Returns the first match and its groups; `None` for a group that takes no part.
    ///
    /// # Errors
    /// An invalid regular expression, or one that takes too long.
    pub fn captures(&self, text: &str) -> Result<Option<Vec<Option<String>>>, Error> {
        let captures = self.compiled()?.captures(text).map_err(|error| self.too_complex(&error))?;
        Ok(captures.map(|captures| captures.iter().map(|group| group.map(|group| group.as_str().to_owned())).collect()))
    }

    fn too_complex(&self, error: &fancy_regex::Error) -> Error {
        Error::new(ErrorKind::Regexp, format!("matching {} fails: {error}", self.literal()))
            .help("nested repetitions take too long on this text; make the regular expression simpler")
    }
}

impl PartialEq for Regexp {
    fn eq(&self, other: &Regexp) -> bool {
        self.0.source == other.0.source
    }
}

impl Eq for Regexp {}

impl Hash for Regexp {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.source.hash(state);
    }
}
