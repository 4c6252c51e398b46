//! Changes of permissions: `u+x,go-w` (spec 05 §5.3), with the meaning that they have in Puppet.

/// Changes of permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeChange {
    clauses: Vec<Clause>,
}

/// The changes for some subjects, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    subjects: Vec<Subject>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    User,
    Group,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    operator: Operator,
    permissions: Vec<Permission>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Remove,
    Assign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permission {
    /// One of `rwx`.
    Bits(u32),
    /// To execute, if somebody may already, or if it is a directory.
    ExecuteIfAny,
    /// The setuid bit of the user, the setgid bit of the group, the sticky bit of others.
    Special,
    Sticky,
    /// What another subject may.
    As(Subject),
}

const ALL: [Subject; 3] = [Subject::User, Subject::Group, Subject::Other];
const STICKY: u32 = 0o1000;

impl Subject {
    fn shift(self) -> u32 {
        match self {
            Subject::User => 6,
            Subject::Group => 3,
            Subject::Other => 0,
        }
    }

    fn special(self) -> u32 {
        match self {
            Subject::User => 0o4000,
            Subject::Group => 0o2000,
            Subject::Other => STICKY,
        }
    }

    fn of(letter: char) -> Option<Subject> {
        match letter {
            'u' => Some(Subject::User),
            'g' => Some(Subject::Group),
            'o' => Some(Subject::Other),
            _ => None,
        }
    }
}

impl ModeChange {
    /// The permissions that changes of a new file start from.
    pub const NEW_FILE: u32 = 0o644;
    /// The permissions that changes of a new directory start from.
    pub const NEW_DIRECTORY: u32 = 0o755;

    /// Parses changes: clauses separated by commas, each of subjects (`ugoa`) and one or more of `+`, `-`, `=` with permissions
    /// (`rwxXst`, or `ugo` for what a subject may).
    ///
    /// # Errors
    /// The first violation of the syntax.
    pub fn parse(text: &str) -> Result<ModeChange, ModeChangeError> {
        Ok(ModeChange { clauses: text.split(',').map(Clause::parse).collect::<Result<_, _>>()? })
    }

    /// Returns the twelve permission bits after the changes.
    #[must_use]
    pub fn apply(&self, present: u32, is_directory: bool) -> u32 {
        let present = present & 0o7777;
        let is_executable = is_directory || present & 0o111 != 0;
        self.clauses.iter().fold(present, |mode, clause| clause.apply(mode, is_executable))
    }
}

impl Clause {
    fn parse(text: &str) -> Result<Clause, ModeChangeError> {
        let start = text.find(['+', '-', '=']).ok_or(ModeChangeError::MissingOperator)?;
        let (who, mut rest) = text.split_at(start);
        let mut subjects = Vec::with_capacity(ALL.len());
        for letter in who.chars() {
            match (letter, Subject::of(letter)) {
                ('a', _) => subjects.extend(ALL),
                (_, Some(subject)) => subjects.push(subject),
                (letter, None) => return Err(ModeChangeError::UnknownSubject(letter)),
            }
        }
        let mut steps = Vec::new();
        while let Some(sign) = rest.chars().next() {
            let operator = match sign {
                '+' => Operator::Add,
                '-' => Operator::Remove,
                _ => Operator::Assign,
            };
            let end = rest[1..].find(['+', '-', '=']).map_or(rest.len(), |at| at + 1);
            steps.push(Step::parse(operator, &rest[1..end])?);
            rest = &rest[end..];
        }
        let subjects = if who.is_empty() { ALL.to_vec() } else { subjects };
        Ok(Clause { subjects, steps })
    }

    fn apply(&self, before: u32, is_executable: bool) -> u32 {
        let mut mode = before;
        for step in &self.steps {
            for subject in ALL.into_iter().filter(|subject| self.subjects.contains(subject)) {
                // What other subjects may is what they may before the clause.
                let bits = step.bits(subject, before, is_executable);
                match step.operator {
                    Operator::Add => mode |= bits,
                    Operator::Remove => mode &= !bits,
                    Operator::Assign => mode = mode & !(7 << subject.shift()) | bits,
                }
            }
        }
        mode
    }
}

impl Step {
    fn parse(operator: Operator, text: &str) -> Result<Step, ModeChangeError> {
        let permission = |letter| match letter {
            'r' => Ok(Permission::Bits(4)),
            'w' => Ok(Permission::Bits(2)),
            'x' => Ok(Permission::Bits(1)),
            'X' if operator == Operator::Add => Ok(Permission::ExecuteIfAny),
            'X' => Err(ModeChangeError::ConditionalWithoutAddition),
            's' => Ok(Permission::Special),
            't' => Ok(Permission::Sticky),
            letter => Subject::of(letter).map(Permission::As).ok_or(ModeChangeError::UnknownPermission(letter)),
        };
        Ok(Step { operator, permissions: text.chars().map(permission).collect::<Result<_, _>>()? })
    }

    fn bits(&self, subject: Subject, before: u32, is_executable: bool) -> u32 {
        let bits = self.permissions.iter().map(|permission| match permission {
            Permission::Bits(bits) => bits << subject.shift(),
            Permission::ExecuteIfAny => u32::from(is_executable) << subject.shift(),
            Permission::Special => subject.special(),
            Permission::Sticky => STICKY,
            Permission::As(other) => (before >> other.shift() & 7) << subject.shift(),
        });
        bits.fold(0, |all, bits| all | bits)
    }
}

/// Why a text is not a change of permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeChangeError {
    /// A clause without `+`, `-` or `=`.
    MissingOperator,
    /// A letter before the operator that is not one of `u`, `g`, `o` and `a`.
    UnknownSubject(char),
    /// A letter after the operator that is not a permission.
    UnknownPermission(char),
    /// `X` after `-` or `=`.
    ConditionalWithoutAddition,
}

impl std::fmt::Display for ModeChangeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ModeChangeError::MissingOperator => f.write_str("missing `+`, `-` or `=`"),
            ModeChangeError::UnknownSubject(c) => write!(f, "expected `u`, `g`, `o` or `a`, found {c:?}"),
            ModeChangeError::UnknownPermission(c) => {
                write!(f, "expected `r`, `w`, `x`, `X`, `s`, `t`, `u`, `g` or `o`, found {c:?}")
            }
            ModeChangeError::ConditionalWithoutAddition => f.write_str("`X` is only allowed after `+`"),
        }
    }
}

impl std::error::Error for ModeChangeError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line of `mode_changes.txt`: a change, the octal mode before, whether it is of a directory, and the mode that Puppet
    /// 7.23 makes of it, or `error`.
    #[test]
    fn changes_mean_what_they_mean_to_puppet() {
        let recorded = include_str!("mode_changes.txt");
        for line in recorded.lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            let [change, before, kind, after] = fields.as_slice() else { panic!("{line}") };
            let octal = |text: &str| u32::from_str_radix(text, 8).expect("octal digits");
            let found = ModeChange::parse(change).map(|change| change.apply(octal(before), *kind == "directory"));
            let found = found.map_or("error".to_owned(), |mode| format!("{mode:o}"));
            assert_eq!(found, *after, "{line}");
        }
        assert!(recorded.lines().count() > 1_000);
    }

    #[test]
    fn other_formats_are_rejected() {
        for (text, error) in [
            ("u", ModeChangeError::MissingOperator),
            ("", ModeChangeError::MissingOperator),
            ("u+x,", ModeChangeError::MissingOperator),
            ("x+r", ModeChangeError::UnknownSubject('x')),
            ("u+q", ModeChangeError::UnknownPermission('q')),
            ("u+a", ModeChangeError::UnknownPermission('a')),
            ("u=X", ModeChangeError::ConditionalWithoutAddition),
        ] {
            assert_eq!(ModeChange::parse(text), Err(error), "{text}");
        }
    }
}
