//! Permissions in both notations (spec 11 §3.1).

use resource_graph::SymbolicMode;

/// Returns permissions in the other notation: `0644` for `u=rw,go=r`, and the reverse. Symbolic permissions that leave some as
/// they are have no other notation.
pub(crate) fn other_notation(mode: &str) -> Option<String> {
    if (3..=5).contains(&mode.len()) && mode.bytes().all(|digit| digit.is_ascii_digit()) {
        return u32::from_str_radix(mode, 8).ok().filter(|mode| *mode <= 0o7777).map(symbolic);
    }
    let symbolic = SymbolicMode::parse(mode).ok()?;
    let mode = symbolic.apply(0);
    (symbolic.apply(0o777) == mode).then(|| format!("{mode:04o}"))
}

/// Returns permissions as `u=rwx,go=rx`: those who may do the same are named together.
fn symbolic(mode: u32) -> String {
    let mut clauses: Vec<(String, String)> = Vec::new();
    for (who, shift, special, letter) in [('u', 6, 0o4000, 's'), ('g', 3, 0o2000, 's'), ('o', 0, 0o1000, 't')] {
        let may = [(4, 'r'), (2, 'w'), (1, 'x')].into_iter().filter(|(bit, _)| mode >> shift & bit != 0);
        let what: String = may.map(|(_, letter)| letter).chain((mode & special != 0).then_some(letter)).collect();
        match clauses.last_mut().filter(|(_, same)| *same == what) {
            Some((subjects, _)) => subjects.push(who),
            None => clauses.push((who.to_string(), what)),
        }
    }
    let clauses: Vec<String> = clauses.into_iter().map(|(who, what)| format!("{who}={what}")).collect();
    clauses.join(",")
}

#[cfg(test)]
mod tests {
    use super::other_notation;

    #[test]
    fn each_notation_has_the_other() {
        for (symbolic, octal) in [
            ("u=rw,go=r", "0644"),
            ("ugo=rwx", "0777"),
            ("u=rwxs,g=rx,o=", "4750"),
            ("ug=rwx,o=rwxt", "1777"),
            ("u=,g=,o=r", "0004"),
        ] {
            assert_eq!(other_notation(symbolic).as_deref(), Some(octal));
            let back = other_notation(octal).expect("octal");
            assert_eq!(other_notation(&back).as_deref(), Some(octal), "{back}");
        }
        for (octal, symbolic) in [("644", "u=rw,go=r"), ("0755", "u=rwx,go=rx"), ("4750", "u=rwxs,g=rx,o=")] {
            assert_eq!(other_notation(octal).as_deref(), Some(symbolic));
        }
        for invalid in ["u=rw", "", "0888", "99999", "u+x", "12"] {
            assert_eq!(other_notation(invalid), None, "{invalid}");
        }
    }
}
