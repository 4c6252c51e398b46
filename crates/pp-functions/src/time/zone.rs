//! Time zones in which times are shown.

use pp_types::zone_offset;

const MINUTE: i64 = 60 * 1_000_000_000;

/// A time zone: an offset from UTC, and whether it is UTC itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zone {
    /// In seconds, east of Greenwich; whole minutes.
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

/// Reads a time zone: an abbreviation such as `CET`, an offset such as `+02:00`, both, `current`, or nothing for UTC.
///
/// # Errors
/// A name that is unknown, or an offset that is too large.
pub(crate) fn parse_zone(text: &str) -> Result<Zone, ZoneError> {
    if text.is_empty() {
        return Ok(UTC);
    }
    let minutes = zone_offset(text).ok_or(ZoneError::Unknown)?.div_euclid(MINUTE);
    if minutes.abs() >= 24 * 60 {
        return Err(ZoneError::OutOfRange);
    }
    Ok(Zone { offset: minutes * 60, is_utc: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_have_whole_minutes_and_less_than_a_day() {
        assert_eq!(parse_zone(""), Ok(UTC));
        assert_eq!(parse_zone("UTC"), Ok(Zone { offset: 0, is_utc: false }));
        assert_eq!(parse_zone("-1:00:01"), Ok(Zone { offset: -3660, is_utc: false }));
        assert_eq!(parse_zone("+1:00:59"), Ok(Zone { offset: 3600, is_utc: false }));
        assert_eq!(parse_zone("Europe/Berlin"), Err(ZoneError::Unknown));
        assert_eq!(parse_zone("+25:00"), Err(ZoneError::OutOfRange));
    }
}
