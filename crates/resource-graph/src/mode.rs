//! Symbolic permissions (spec 05 §5.3): `u=rw,go=r`. Only assignment; `+` and `-` are not allowed.

const USER: u32 = 1;
const GROUP: u32 = 2;
const OTHER: u32 = 4;

/// Parsed symbolic permissions.
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
    /// Parses it.
    ///
    /// # Errors
    /// What is wrong, to be put behind the text: "has …".
    pub fn parse(text: &str) -> Result<SymbolicMode, String> {
        let mut clauses = Vec::new();
        let (mut seen, mut everyone) = (0, false);
        for clause in text.split(',') {
            let (who, what) = clause.split_once('=').ok_or_else(|| match clause.contains(['+', '-']) {
                true => "has `+` or `-`, and only `=` is possible".to_owned(),
                false => "has a part without `=`".to_owned(),
            })?;
            if what.contains('=') {
                return Err("has a part with two `=`".to_owned());
            }
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
                    '+' | '-' => return Err("has `+` or `-`, and only `=` is possible".to_owned()),
                    c => return Err(format!("has {c:?} where only `u`, `g`, `o` and `a` are possible")),
                };
                subjects |= bit;
                if seen & bit != 0 {
                    return Err(format!("says twice what `{c}` may do"));
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
                    c => return Err(format!("has {c:?} where only `r`, `w`, `x`, `s` and `t` are possible")),
                }
            }
            clauses.push(parsed);
        }
        if everyone && clauses.len() > 1 {
            return Err("has another part beside the one for all".to_owned());
        }
        Ok(SymbolicMode { clauses })
    }

    /// The permissions, all twelve bits of them, that come out of assigning to some.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_start_from_what_is_there() {
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
    fn nothing_else_is_accepted() {
        for text in ["u+x", "u", "u=r=w", "u=r,u=w", "uu=r", "a=r,o=r", "=r,u=w", "u=z", "x=r", ""] {
            assert!(SymbolicMode::parse(text).is_err(), "{text}");
        }
    }
}
