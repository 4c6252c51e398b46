//! Symbolic permissions (spec 05 §5.3): `u=rw,go=r`. Only assignment; `+` and `-` are not allowed.

const USER: u32 = 1;
const GROUP: u32 = 2;
const OTHER: u32 = 4;

/// Symbolic permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicMode {
    clauses: Vec<Clause>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Clause {
    /// `USER | GROUP | OTHER`.
    who: u32,
    /// `rwx` as three bits.
    bits: u32,
    setid: bool,
    sticky: bool,
}

impl SymbolicMode {
    /// Parses symbolic permissions.
    ///
    /// # Errors
    /// The first violation of the syntax.
    pub fn parse(mode: &str) -> Result<SymbolicMode, SymbolicModeError> {
        let mut clauses = Vec::new();
        let (mut seen, mut everyone) = (0, false);
        for clause in mode.split(',') {
            let (who, what) = clause.split_once('=').ok_or(if clause.contains(['+', '-']) {
                SymbolicModeError::RelativeChange
            } else {
                SymbolicModeError::MissingAssignment
            })?;
            let mut subjects = 0;
            if who.is_empty() || who.contains('a') {
                everyone = true;
                subjects = USER | GROUP | OTHER;
            }
            for c in who.chars() {
                let bit = match c {
                    'u' => USER,
                    'g' => GROUP,
                    'o' => OTHER,
                    'a' => continue,
                    '+' | '-' => return Err(SymbolicModeError::RelativeChange),
                    c => return Err(SymbolicModeError::UnknownSubject(c)),
                };
                subjects |= bit;
                if seen & bit != 0 {
                    return Err(SymbolicModeError::DuplicateSubject(c));
                }
                seen |= bit;
            }
            let mut parsed = Clause { who: subjects, bits: 0, setid: false, sticky: false };
            for c in what.chars() {
                match c {
                    'r' => parsed.bits |= 4,
                    'w' => parsed.bits |= 2,
                    'x' => parsed.bits |= 1,
                    's' => parsed.setid = true,
                    't' => parsed.sticky = true,
                    c => return Err(SymbolicModeError::UnknownPermission(c)),
                }
            }
            clauses.push(parsed);
        }
        if everyone && clauses.len() > 1 {
            return Err(SymbolicModeError::ExtraClause);
        }
        Ok(SymbolicMode { clauses })
    }

    /// Returns the twelve permission bits that result from assigning to the bits `start`.
    #[must_use]
    pub fn apply(&self, start: u32) -> u32 {
        let mut mode = start & 0o7777;
        for clause in &self.clauses {
            for (who, shift, setid) in [(USER, 6, 0o4000), (GROUP, 3, 0o2000), (OTHER, 0, 0)] {
                if clause.who & who != 0 {
                    mode &= !((7 << shift) | setid);
                    mode |= clause.bits << shift;
                    if clause.setid {
                        mode |= setid;
                    }
                }
            }
            if clause.sticky {
                mode |= 0o1000;
            }
        }
        mode
    }
}

/// Why permissions are not symbolic permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolicModeError {
    /// `+` or `-` in place of `=`.
    RelativeChange,
    /// A clause without `=`.
    MissingAssignment,
    /// A letter before `=` that is not one of `u`, `g`, `o` and `a`.
    UnknownSubject(char),
    /// A letter before `=` that occurs twice.
    DuplicateSubject(char),
    /// A letter after `=` that is not one of `r`, `w`, `x`, `s` and `t`.
    UnknownPermission(char),
    /// A second clause next to one for all subjects.
    ExtraClause,
}

impl std::fmt::Display for SymbolicModeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SymbolicModeError::RelativeChange => f.write_str("expected `=`, found `+` or `-`"),
            SymbolicModeError::MissingAssignment => f.write_str("missing `=`"),
            SymbolicModeError::UnknownSubject(c) => write!(f, "expected `u`, `g`, `o` or `a`, found {c:?}"),
            SymbolicModeError::DuplicateSubject(c) => write!(f, "duplicate permissions for `{c}`"),
            SymbolicModeError::UnknownPermission(c) => write!(f, "expected `r`, `w`, `x`, `s` or `t`, found {c:?}"),
            SymbolicModeError::ExtraClause => f.write_str("permissions for all subjects exclude other clauses"),
        }
    }
}

impl std::error::Error for SymbolicModeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_change_the_present_bits() {
        for (text, expected) in [
            ("a=rwx", 0o777),
            ("ug=rwx", 0o774),
            ("ug=srwx", 0o6774),
            ("ug=trwx", 0o1774),
            ("o=rx", 0o2645),
            ("u=,g=,o=", 0),
            ("=r", 0o444),
        ] {
            assert_eq!(SymbolicMode::parse(text).unwrap().apply(0o2644), expected, "{text}");
        }
    }

    #[test]
    fn other_formats_are_rejected() {
        for text in ["u+x", "u", "u=r=w", "u=r,u=w", "uu=r", "a=r,o=r", "=r,u=w", "u=z", "x=r", ""] {
            assert!(SymbolicMode::parse(text).is_err(), "{text}");
        }
    }
}
