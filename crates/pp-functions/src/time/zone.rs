//! Time zones by name or offset.

/// A time zone: an offset from UTC, and whether it is UTC itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zone {
    /// In seconds, east of Greenwich.
    pub(crate) offset: i64,
    /// Shown as `UTC`.
    pub(crate) is_utc: bool,
}

/// Coordinated universal time.
pub(crate) const UTC: Zone = Zone { offset: 0, is_utc: true };

/// Why a time zone is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ZoneError {
    /// The name is unknown.
    Unknown,
    /// The offset is a day or more.
    OutOfRange,
}

/// Abbreviations in lower case, and their offsets in minutes.
const ABBREVIATIONS: &[(&str, i64)] = &[
    ("adt", -180),
    ("aest", 600),
    ("aedt", 660),
    ("acst", 570),
    ("akdt", -480),
    ("akst", -540),
    ("ast", -240),
    ("awst", 480),
    ("bst", 60),
    ("cat", 120),
    ("cdt", -300),
    ("central", -360),
    ("cest", 120),
    ("cet", 60),
    ("cst", -360),
    ("eat", 180),
    ("edt", -240),
    ("eastern", -300),
    ("eest", 180),
    ("eet", 120),
    ("est", -300),
    ("gmt", 0),
    ("hst", -600),
    ("ist", 330),
    ("jst", 540),
    ("kst", 540),
    ("mdt", -360),
    ("mest", 120),
    ("met", 60),
    ("mountain", -420),
    ("msd", 240),
    ("msk", 180),
    ("mst", -420),
    ("nzdt", 780),
    ("nzst", 720),
    ("pacific", -480),
    ("pdt", -420),
    ("pst", -480),
    ("sast", 120),
    ("sgt", 480),
    ("ut", 0),
    ("utc", 0),
    ("w. europe", 60),
    ("wat", 60),
    ("west", 60),
    ("wet", 0),
    ("z", 0),
];

/// Reads a time zone: an abbreviation such as `CET`, an offset such as `+02:00`, both, `current`, or nothing for UTC.
///
/// # Errors
/// A name that is unknown, or an offset that is too large.
pub(crate) fn parse_zone(text: &str) -> Result<Zone, ZoneError> {
    if text.is_empty() || text == "UTC" {
        return Ok(Zone { offset: 0, is_utc: false });
    }
    if text == "current" {
        return Ok(local_zone());
    }
    let lower = text.to_ascii_lowercase();
    let lower = lower.strip_suffix(" standard time").unwrap_or(&lower);
    let sign_at = lower.find(['+', '-']);
    let (name, offset) = lower.split_at(sign_at.unwrap_or(lower.len()));
    let minutes = match name {
        "" if !offset.is_empty() => 0,
        name => ABBREVIATIONS.iter().find(|(known, _)| *known == name).ok_or(ZoneError::Unknown)?.1,
    };
    let offset = minutes * 60 + parse_offset(offset).ok_or(ZoneError::Unknown)?;
    if offset.abs() >= 24 * 3600 {
        return Err(ZoneError::OutOfRange);
    }
    Ok(Zone { offset, is_utc: false })
}

/// Reads `+H`, `+HH`, `+HMM`, `+HHMM`, `+HH:MM`, with seconds too, as seconds; nothing is zero.
fn parse_offset(text: &str) -> Option<i64> {
    let Some(digits) = text.strip_prefix(['+', '-']) else {
        return if text.is_empty() { Some(0) } else { None };
    };
    let parts: Vec<&str> = if digits.contains(':') {
        digits.split(':').collect()
    } else {
        if !digits.is_ascii() {
            return None;
        }
        let hours = if digits.len() > 2 { digits.len() - 2 * ((digits.len() - 1) / 2) } else { digits.len() };
        let (hours, rest) = digits.split_at(hours);
        let mut parts = vec![hours];
        parts.extend((0..rest.len() / 2).map(|at| &rest[2 * at..2 * at + 2]));
        parts
    };
    if parts.len() > 3 {
        return None;
    }
    let mut seconds = 0;
    for (part, unit) in parts.iter().zip([3600, 60, 1]) {
        let is_number = !part.is_empty() && part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        seconds += part.parse::<i64>().ok().filter(|_| is_number)? * unit;
    }
    Some(if text.starts_with('-') { -seconds } else { seconds })
}

/// Returns the zone of this host, as it is now.
fn local_zone() -> Zone {
    let now = jiff::Zoned::now();
    Zone { offset: i64::from(now.offset().seconds()), is_utc: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset(text: &str) -> Result<i64, ZoneError> {
        parse_zone(text).map(|zone| zone.offset)
    }

    #[test]
    fn reads_abbreviations_and_offsets() {
        assert_eq!(offset("CET"), Ok(3600));
        assert_eq!(offset("cest"), Ok(7200));
        assert_eq!(offset("+5"), Ok(5 * 3600));
        assert_eq!(offset("-05:30"), Ok(-5 * 3600 - 1800));
        assert_eq!(offset("+0530"), Ok(5 * 3600 + 1800));
        assert_eq!(offset("UTC+1"), Ok(3600));
        assert_eq!(offset("GMT-3"), Ok(-3 * 3600));
        assert_eq!(offset(""), Ok(0));
    }

    #[test]
    fn refuses_what_is_not_a_zone() {
        for text in ["Europe/Berlin", "EST5EDT", "nosuch", "+x", "+1:2:3:4", "é", "+é"] {
            assert_eq!(offset(text), Err(ZoneError::Unknown), "{text}");
        }
        assert_eq!(offset("+25:00"), Err(ZoneError::OutOfRange));
    }
}
