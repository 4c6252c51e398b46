//! Points in time and durations, in nanoseconds.

use std::fmt;

pub(crate) const NANOSECONDS: i128 = 1_000_000_000;
pub(crate) const DAY: i128 = 86_400 * NANOSECONDS;

/// The number of days from 0000-03-01 to 1970-01-01.
const EPOCH_DAYS: i128 = 719_468;

/// The number of days of four centuries.
const ERA_DAYS: i128 = 146_097;

/// The English names of the months.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The English names of the days of a week, from Sunday as in [`Civil::weekday`].
pub const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// A point in time, in nanoseconds since 1970-01-01 00:00 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(pub i128);

/// A duration in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timespan(pub i128);

/// The fields of a point in time in the Gregorian calendar, without a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The year; 0 is the one before the year 1.
    pub year: i128,
    /// The month, from 1.
    pub month: u32,
    /// The day of the month, from 1.
    pub day: u32,
    /// The hour, from 0 to 23.
    pub hour: u32,
    /// The minute.
    pub minute: u32,
    /// The second.
    pub second: u32,
    /// The fraction of the second in nanoseconds.
    pub nanosecond: u32,
    /// The day of the week, from 0 for Sunday.
    pub weekday: u32,
    /// The day of the year, from 1.
    pub day_of_year: u32,
}

impl Civil {
    /// Splits a number of nanoseconds since 1970-01-01.
    #[must_use]
    pub fn from_nanoseconds(nanoseconds: i128) -> Civil {
        let days = nanoseconds.div_euclid(DAY);
        let rest = nanoseconds.rem_euclid(DAY);
        let (year, month, day) = date_of_days(days);
        let seconds = (rest / NANOSECONDS) as u32;
        Civil {
            year,
            month,
            day,
            hour: seconds / 3600,
            minute: seconds / 60 % 60,
            second: seconds % 60,
            nanosecond: (rest % NANOSECONDS) as u32,
            weekday: (days + 4).rem_euclid(7) as u32,
            day_of_year: (days - days_of_date(year, 1, 1) + 1) as u32,
        }
    }
}

/// Returns the days from 1970-01-01 to a date; months and days from 1.
#[must_use]
pub fn days_of_date(year: i128, month: u32, day: u32) -> i128 {
    // Years begin in March, so that a leap day is the last of a year.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = i128::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i128::from(day) - 1;
    era * ERA_DAYS + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - EPOCH_DAYS
}

fn date_of_days(days: i128) -> (i128, u32, u32) {
    let days = days + EPOCH_DAYS;
    let era = days.div_euclid(ERA_DAYS);
    let day_of_era = days.rem_euclid(ERA_DAYS);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i128::from(month <= 2);
    (year, month as u32, day as u32)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = Civil::from_nanoseconds(self.0);
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09} UTC",
            civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second, civil.nanosecond
        )
    }
}

impl fmt::Display for Timespan {
    /// Writes `1-02:03:04.5`: days, then the time, then the nanoseconds as Puppet writes them: a number without zeros at its
    /// start and end, so that `.5` stands for half a second, and for 5 milliseconds, too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.0.unsigned_abs();
        let (seconds, nanoseconds) = (total / 1_000_000_000, total % 1_000_000_000);
        let fraction = nanoseconds.to_string();
        let fraction = fraction.trim_end_matches('0');
        write!(
            f,
            "{}{}-{:02}:{:02}:{:02}.{}",
            if self.0 < 0 { "-" } else { "" },
            seconds / 86_400,
            seconds / 3600 % 24,
            seconds / 60 % 60,
            seconds % 60,
            if fraction.is_empty() { "0" } else { fraction }
        )
    }
}

impl Timespan {
    /// Returns the seconds with their fraction.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Creates a duration of seconds with a fraction, exact to a nanosecond.
    #[must_use]
    pub(crate) fn from_seconds(seconds: f64) -> Timespan {
        Timespan(nanoseconds_of_float(seconds))
    }
}

impl Timestamp {
    /// Returns the seconds since 1970 with their fraction.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Creates a point in time from seconds since 1970 with a fraction, exact to a nanosecond.
    #[must_use]
    pub(crate) fn from_seconds(seconds: f64) -> Timestamp {
        Timestamp(nanoseconds_of_float(seconds))
    }
}

/// The greatest number of seconds that floats stand for, longer than anything a calendar shows.
const MAX_SECONDS: f64 = 1e18;

fn nanoseconds_of_float(seconds: f64) -> i128 {
    let seconds = seconds.clamp(-MAX_SECONDS, MAX_SECONDS);
    // The whole part is converted by itself, so that it stays exact.
    let whole = seconds.trunc();
    whole as i128 * NANOSECONDS + ((seconds - whole) * 1e9) as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_beyond_any_time_stay_within_bounds() {
        assert!(Timespan::from_seconds(1e300) > Timespan::from_seconds(1e17));
        assert!(Timestamp::from_seconds(-1e300) < Timestamp::from_seconds(-1e17));
        assert_eq!(Timespan::from_seconds(1.5), Timespan(1_500_000_000));
    }
}
