//! Semantic versions and ranges of them.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::error::{Error, ErrorKind};

/// A semantic version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SemVer {
    /// The major version.
    pub major: u64,
    /// The minor version.
    pub minor: u64,
    /// The patch version.
    pub patch: u64,
    /// The part after `-`.
    pub prerelease: Option<Arc<str>>,
    /// The part after `+`.
    pub build: Option<Arc<str>>,
}

/// What is said of `1.0.0-01`.
const LEADING_ZERO: &str = "Numeric pre-release identifiers MUST NOT contain leading zeroes";

/// Why a text is not a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Invalid {
    /// It does not look like one.
    Form,
    /// A number in its pre-release starts with a zero.
    LeadingZero,
}

impl SemVer {
    /// Reads `1.2.3-rc.1+build`; `None` if it is not a version.
    #[must_use]
    pub fn parse(text: &str) -> Option<SemVer> {
        SemVer::read(text).ok()
    }

    /// Reads the argument of `SemVer.new`.
    pub(crate) fn from_argument(text: &str) -> Result<SemVer, Error> {
        SemVer::read(text).map_err(|invalid| {
            let message = match invalid {
                Invalid::Form => format!("'new_Version' The string '{text}' cannot be converted to a SemVer"),
                Invalid::LeadingZero => LEADING_ZERO.to_owned(),
            };
            Error::new(ErrorKind::Conversion, message)
        })
    }

    fn read(text: &str) -> Result<SemVer, Invalid> {
        let (rest, build) = match text.split_once('+') {
            Some((rest, build)) => (rest, Some(build)),
            None => (text, None),
        };
        let (numbers, prerelease) = match rest.split_once('-') {
            Some((numbers, prerelease)) => (numbers, Some(prerelease)),
            None => (rest, None),
        };
        let mut parts = numbers.split('.').map(parse_part);
        let mut part = || parts.next().flatten().ok_or(Invalid::Form);
        let (major, minor, patch) = (part()?, part()?, part()?);
        let valid = |text: &str| is_qualifier(text);
        if parts.next().is_some() || !prerelease.is_none_or(valid) || !build.is_none_or(valid) {
            return Err(Invalid::Form);
        }
        if prerelease.is_some_and(|text| !is_prerelease(text)) {
            return Err(Invalid::LeadingZero);
        }
        Ok(SemVer { major, minor, patch, prerelease: prerelease.map(Arc::from), build: build.map(Arc::from) })
    }

    fn core(&self) -> (u64, u64, u64) {
        (self.major, self.minor, self.patch)
    }

    fn release(major: u64, minor: u64, patch: u64) -> SemVer {
        SemVer { major, minor, patch, prerelease: None, build: None }
    }
}

fn parse_part(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) || has_leading_zero(text) {
        return None;
    }
    text.parse().ok()
}

fn has_leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit())
}

/// Returns whether no number in a pre-release starts with a zero.
fn is_prerelease(text: &str) -> bool {
    !text.split('.').any(has_leading_zero)
}

/// Returns whether a text can be the pre-release or the build of a version.
pub(crate) fn is_qualifier(text: &str) -> bool {
    text.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

impl fmt::Display for SemVer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if let Some(prerelease) = &self.prerelease {
            write!(f, "-{prerelease}")?;
        }
        if let Some(build) = &self.build {
            write!(f, "+{build}")?;
        }
        Ok(())
    }
}

impl PartialOrd for SemVer {
    fn partial_cmp(&self, other: &SemVer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SemVer {
    /// Compares by precedence, then by the build, so that it agrees with equality.
    fn cmp(&self, other: &SemVer) -> Ordering {
        self.core()
            .cmp(&other.core())
            .then_with(|| compare_prerelease(self, other))
            .then_with(|| self.build.cmp(&other.build))
    }
}

fn compare_prerelease(left: &SemVer, right: &SemVer) -> Ordering {
    match (&left.prerelease, &right.prerelease) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(left), Some(right)) => {
            let mut left = left.split('.');
            let mut right = right.split('.');
            loop {
                let order = match (left.next(), right.next()) {
                    (None, None) => return Ordering::Equal,
                    (None, Some(_)) => Ordering::Less,
                    (Some(_), None) => Ordering::Greater,
                    (Some(left), Some(right)) => match (left.parse::<u64>(), right.parse::<u64>()) {
                        (Ok(left), Ok(right)) => left.cmp(&right),
                        (Ok(_), Err(_)) => Ordering::Less,
                        (Err(_), Ok(_)) => Ordering::Greater,
                        (Err(_), Err(_)) => left.cmp(right),
                    },
                };
                if order != Ordering::Equal {
                    return order;
                }
            }
        }
    }
}

/// A range of semantic versions. Ranges are equal if they have the same intervals, however they are written.
#[derive(Clone, Debug)]
pub struct SemVerRange {
    /// The source.
    pub source: Arc<str>,
    /// Intervals that do not meet.
    alternatives: Arc<[Interval]>,
}

impl PartialEq for SemVerRange {
    fn eq(&self, other: &SemVerRange) -> bool {
        self.alternatives == other.alternatives
    }
}

impl Eq for SemVerRange {}

impl Hash for SemVerRange {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.alternatives.hash(state);
    }
}

/// The versions from `min` to `max`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Interval {
    min: Option<SemVer>,
    excludes_min: bool,
    max: Option<SemVer>,
    excludes_max: bool,
}

const EVERYTHING: Interval = Interval { min: None, excludes_min: false, max: None, excludes_max: false };

impl SemVerRange {
    /// Reads a range in the syntax of npm: `>=1.0.0 <2.0.0`, `1.x`, `~1.2`, `^1.2.3`, `1.0.0 - 2.0.0`, `1.x || 3.x`.
    ///
    /// # Errors
    /// A text that is not a range.
    pub fn parse(source: &str) -> Result<SemVerRange, Error> {
        let alternatives: Option<Vec<Interval>> =
            source.split("||").map(|part| parse_alternative(part.trim())).collect();
        match alternatives {
            Some(alternatives) => {
                Ok(SemVerRange { source: source.into(), alternatives: join_intervals(alternatives).into() })
            }
            None => {
                let versions = source.split_whitespace().map(|word| word.trim_start_matches(['<', '>', '=', '~', '^']));
                let message = if versions.map(SemVer::read).any(|read| read == Err(Invalid::LeadingZero)) {
                    LEADING_ZERO.to_owned()
                } else {
                    format!("Unparsable version range: {}", crate::text::ruby_inspect(&source.into()))
                };
                Err(Error::new(ErrorKind::Conversion, message))
            }
        }
    }

    /// Returns the range of exactly one version.
    #[must_use]
    pub fn exactly(version: &SemVer) -> SemVerRange {
        let interval = Interval { min: Some(version.clone()), max: Some(version.clone()), ..EVERYTHING };
        SemVerRange { source: format!("{version} - {version}").into(), alternatives: Arc::new([interval]) }
    }

    /// Returns the range between two versions; `None` is open.
    #[must_use]
    pub fn between(min: Option<&SemVer>, max: Option<&SemVer>, excludes_max: bool) -> SemVerRange {
        let source = match (min, max) {
            (Some(min), Some(max)) if excludes_max => format!(">={min} <{max}"),
            (Some(min), Some(max)) => format!("{min} - {max}"),
            (Some(min), None) => format!(">={min}"),
            (None, Some(max)) => format!("{}{max}", if excludes_max { "<" } else { "<=" }),
            (None, None) => "*".to_owned(),
        };
        let excludes_max = excludes_max && max.is_some();
        let interval = Interval { min: min.cloned(), excludes_min: false, max: max.cloned(), excludes_max };
        SemVerRange { source: source.into(), alternatives: Arc::new([interval]) }
    }

    /// Returns the range in the form `>=1.0.0 <2.0.0`, which does not depend on how it is written.
    #[must_use]
    pub(crate) fn normal_form(&self) -> String {
        let alternatives: Vec<String> = self.alternatives.iter().map(Interval::to_string).collect();
        if alternatives.is_empty() { "<0.0.0".to_owned() } else { alternatives.join(" || ") }
    }

    /// Returns whether a version is in the range. A pre-release is in it only if a bound is a pre-release of the same version.
    #[must_use]
    pub fn contains(&self, version: &SemVer) -> bool {
        self.alternatives.iter().any(|interval| interval.contains(version))
    }

    /// Returns whether all versions of another range are in this one.
    #[must_use]
    pub(crate) fn contains_range(&self, other: &SemVerRange) -> bool {
        other.alternatives.iter().all(|inner| self.alternatives.iter().any(|outer| outer.contains_interval(inner)))
    }
}

impl fmt::Display for SemVerRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// Joins intervals that meet, and leaves out empty ones.
fn join_intervals(intervals: Vec<Interval>) -> Vec<Interval> {
    let mut joined: Vec<Interval> = Vec::with_capacity(intervals.len());
    for mut interval in intervals.into_iter().filter(|interval| !interval.is_empty()) {
        while let Some(at) = joined.iter().position(|other| other.meets(&interval)) {
            interval = joined.remove(at).span_with(interval);
        }
        joined.push(interval);
    }
    joined
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lower = if self.excludes_min { ">" } else { ">=" };
        let upper = if self.excludes_max { "<" } else { "<=" };
        match (&self.min, &self.max) {
            (None, None) => f.write_str("*"),
            (Some(min), Some(max)) if min == max => min.fmt(f),
            (Some(min), Some(max)) => write!(f, "{lower}{min} {upper}{max}"),
            (Some(min), None) => write!(f, "{lower}{min}"),
            (None, Some(max)) => write!(f, "{upper}{max}"),
        }
    }
}

impl Interval {
    /// Returns whether no version is in the interval.
    fn is_empty(&self) -> bool {
        match (&self.min, &self.max) {
            (Some(min), Some(max)) => min > max || min == max && (self.excludes_min || self.excludes_max),
            _ => false,
        }
    }

    /// Returns whether two intervals together are one.
    fn meets(&self, other: &Interval) -> bool {
        let reaches = |left: &Interval, right: &Interval| match (&left.max, &right.min) {
            (Some(max), Some(min)) => max > min || max == min && !(left.excludes_max && right.excludes_min),
            _ => true,
        };
        reaches(self, other) && reaches(other, self)
    }

    /// Returns the interval from the lower start to the higher end of two that meet.
    fn span_with(self, other: Interval) -> Interval {
        let (min, excludes_min) = match (self.min, other.min) {
            (Some(a), Some(b)) if a == b => (Some(a), self.excludes_min && other.excludes_min),
            (Some(a), Some(b)) if a < b => (Some(a), self.excludes_min),
            (Some(_), Some(b)) => (Some(b), other.excludes_min),
            _ => (None, false),
        };
        let (max, excludes_max) = match (self.max, other.max) {
            (Some(a), Some(b)) if a == b => (Some(a), self.excludes_max && other.excludes_max),
            (Some(a), Some(b)) if a > b => (Some(a), self.excludes_max),
            (Some(_), Some(b)) => (Some(b), other.excludes_max),
            _ => (None, false),
        };
        Interval { min, excludes_min, max, excludes_max }
    }

    fn contains(&self, version: &SemVer) -> bool {
        let above = self.min.as_ref().is_none_or(|min| match version.cmp(min) {
            Ordering::Less => false,
            Ordering::Equal => !self.excludes_min,
            Ordering::Greater => true,
        });
        let below = self.max.as_ref().is_none_or(|max| match version.cmp(max) {
            Ordering::Greater => false,
            Ordering::Equal => !self.excludes_max,
            Ordering::Less => true,
        });
        let same_release = |bound: &Option<SemVer>| {
            bound.as_ref().is_some_and(|bound| bound.prerelease.is_some() && bound.core() == version.core())
        };
        above && below && (version.prerelease.is_none() || same_release(&self.min) || same_release(&self.max))
    }

    fn contains_interval(&self, other: &Interval) -> bool {
        let above = match (&self.min, &other.min) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(outer), Some(inner)) => outer < inner || outer == inner && (!self.excludes_min || other.excludes_min),
        };
        let below = match (&self.max, &other.max) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(outer), Some(inner)) => outer > inner || outer == inner && (!self.excludes_max || other.excludes_max),
        };
        above && below
    }

    fn intersect(self, other: Interval) -> Interval {
        let (min, excludes_min) = match (self.min, other.min) {
            (None, min) => (min, other.excludes_min),
            (min, None) => (min, self.excludes_min),
            (Some(a), Some(b)) if a > b => (Some(a), self.excludes_min),
            (Some(a), Some(b)) if a == b => (Some(b), self.excludes_min || other.excludes_min),
            (_, min) => (min, other.excludes_min),
        };
        let (max, excludes_max) = match (self.max, other.max) {
            (None, max) => (max, other.excludes_max),
            (max, None) => (max, self.excludes_max),
            (Some(a), Some(b)) if a < b => (Some(a), self.excludes_max),
            (Some(a), Some(b)) if a == b => (Some(b), self.excludes_max || other.excludes_max),
            (_, max) => (max, other.excludes_max),
        };
        Interval { min, excludes_min, max, excludes_max }
    }
}

/// A version of which the last parts may be missing or `x`.
struct Partial {
    major: Option<u64>,
    minor: Option<u64>,
    patch: Option<u64>,
    prerelease: Option<Arc<str>>,
}

impl Partial {
    fn parse(text: &str) -> Option<Partial> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let text = text.split_once('+').map_or(text, |(version, _)| version);
        let (numbers, prerelease) = match text.split_once('-') {
            Some((numbers, prerelease)) if is_qualifier(prerelease) && is_prerelease(prerelease) => {
                (numbers, Some(prerelease))
            }
            Some(_) => return None,
            None => (text, None),
        };
        let mut parts = Vec::new();
        for part in numbers.split('.') {
            parts.push(match part {
                "x" | "X" | "*" => None,
                number => Some(parse_part(number)?),
            });
        }
        if parts.len() > 3 {
            return None;
        }
        // After an `x`, numbers mean nothing.
        let known = |at: usize| {
            parts[..parts.len().min(at + 1)].iter().all(Option::is_some).then(|| parts.get(at).copied().flatten())
        };
        let (major, minor, patch) = (known(0).flatten(), known(1).flatten(), known(2).flatten());
        if prerelease.is_some() && patch.is_none() {
            return None;
        }
        Some(Partial { major, minor, patch, prerelease: prerelease.map(Arc::from) })
    }

    /// The first version that it stands for.
    fn first(&self) -> SemVer {
        SemVer {
            prerelease: self.prerelease.clone(),
            ..SemVer::release(self.major.unwrap_or(0), self.minor.unwrap_or(0), self.patch.unwrap_or(0))
        }
    }

    /// The first version after those that it stands for, if it does not stand for all.
    fn next(&self) -> Option<SemVer> {
        let major = self.major?;
        Some(match (self.minor, self.patch) {
            (None, _) => SemVer::release(major.saturating_add(1), 0, 0),
            (Some(minor), None) => SemVer::release(major, minor.saturating_add(1), 0),
            (Some(minor), Some(patch)) => SemVer::release(major, minor, patch.saturating_add(1)),
        })
    }

    fn is_complete(&self) -> bool {
        self.patch.is_some()
    }

    fn range(&self) -> Interval {
        if self.major.is_none() {
            EVERYTHING
        } else if self.is_complete() {
            Interval { min: Some(self.first()), max: Some(self.first()), ..EVERYTHING }
        } else {
            Interval { min: Some(self.first()), max: self.next(), excludes_max: true, ..EVERYTHING }
        }
    }
}

fn parse_alternative(text: &str) -> Option<Interval> {
    if let Some((min, max)) = text.split_once(" - ") {
        let (min, max) = (Partial::parse(min.trim())?, Partial::parse(max.trim())?);
        let upper = max.range();
        let min = min.major.is_some().then(|| min.first());
        return Some(Interval { min, excludes_min: false, max: upper.max, excludes_max: upper.excludes_max });
    }
    if text.is_empty() {
        return Some(EVERYTHING);
    }
    let mut range = EVERYTHING;
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        // An operator may stand apart from its version.
        let is_operator = matches!(word, ">=" | "<=" | ">" | "<" | "=" | "~" | "~>" | "^");
        let simple = match words.peek() {
            Some(version) if is_operator => {
                let joined = format!("{word}{version}");
                words.next();
                parse_simple(&joined)?
            }
            _ => parse_simple(word)?,
        };
        range = range.intersect(simple);
    }
    Some(range)
}

fn parse_simple(text: &str) -> Option<Interval> {
    let operator = ["~>", ">=", "<=", ">", "<", "=", "~", "^"].into_iter().find(|operator| text.starts_with(operator));
    let operator = operator.unwrap_or("");
    let version = Partial::parse(&text[operator.len()..])?;
    let bounded = |min: Option<SemVer>, max: Option<SemVer>| {
        let excludes_max = max.is_some();
        Interval { min, excludes_min: false, max, excludes_max }
    };
    Some(match operator {
        ">=" => bounded(Some(version.first()), None),
        ">" if version.is_complete() => Interval { min: Some(version.first()), excludes_min: true, ..EVERYTHING },
        ">" => bounded(Some(version.next()?), None),
        "<" => bounded(None, Some(version.first())),
        "<=" => Interval { min: None, ..version.range() },
        "~" | "~>" => {
            let upper = Partial { patch: None, prerelease: None, ..version.clone_numbers() };
            bounded(Some(version.first()), upper.next())
        }
        "^" => {
            let major = version.major?;
            let upper = match (major, version.minor, version.patch) {
                (0, Some(0), Some(patch)) => SemVer::release(0, 0, patch.saturating_add(1)),
                (0, Some(minor), _) => SemVer::release(0, minor.saturating_add(1), 0),
                _ => SemVer::release(major.saturating_add(1), 0, 0),
            };
            bounded(Some(version.first()), Some(upper))
        }
        _ => version.range(),
    })
}

impl Partial {
    fn clone_numbers(&self) -> Partial {
        Partial { major: self.major, minor: self.minor, patch: self.patch, prerelease: None }
    }
}
