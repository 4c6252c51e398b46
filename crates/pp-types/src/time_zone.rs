//! Time zones by name or offset, as Ruby reads them where a format says `%Z`.
//!
//! A zone is an abbreviation (`CET`, `JST`, the letters of military zones), a name of Windows (`W. Europe Standard Time`), or
//! an offset (`+2`, `+0530`, `UTC-3:30`, `+5.5`). Names of the IANA database, such as `Europe/Berlin`, are not zones.

use std::sync::LazyLock;

use fancy_regex::Regex;

use crate::time::NANOSECONDS;

const MINUTE: i64 = 60 * NANOSECONDS as i64;
const HOUR: i64 = 60 * MINUTE;

/// What `%Z` takes of a text.
static ZONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?xi) \A (?:
            (?:gmt|utc?)? [-+] [0-9]+ (?: [,.:] [0-9]+ (?: : [0-9]+ )? )?
            | [a-z.\x20\t-\r]+ (?:standard|daylight) [\x20\t-\r]+ time \b
            | [a-z]+ (?: [\x20\t-\r]+ dst )? \b
        )",
    )
    .expect("a valid pattern")
});

/// Returns how many bytes at the start of a text `%Z` takes; `None` if it does not start with a zone, known or not.
pub(crate) fn zone_length(text: &str) -> Option<usize> {
    ZONE.find(text).ok().flatten().map(|found| found.end())
}

/// Returns the offset of a time zone in nanoseconds east of UTC. `current` is the zone of this host; what follows the zone
/// is ignored. `None` if the zone is unknown.
pub fn zone_offset(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("current") {
        return Some(i64::from(jiff::Zoned::now().offset().seconds()) * NANOSECONDS as i64);
    }
    let lower = text[..zone_length(text)?].to_ascii_lowercase();
    let words: Vec<&str> = lower.split_ascii_whitespace().collect();
    let (name, daylight) = match words.as_slice() {
        [name @ .., "standard", "time"] => (name, 0),
        [name @ .., "daylight", "time"] | [name @ .., "dst"] if !name.is_empty() => (name, HOUR),
        name => (name, 0),
    };
    let name = name.join(" ");
    if let Ok(at) = ZONES.binary_search_by_key(&name.as_str(), |(known, _)| known) {
        return Some(ZONES[at].1 * MINUTE + daylight);
    }
    numeric_offset(lower.strip_prefix("gmt").or(lower.strip_prefix("utc")).unwrap_or(&lower))
}

/// Reads an offset: `+H`, `+HH`, `+HMM`, `+HHMM`, `+H:M`, with seconds too, or hours with a fraction.
fn numeric_offset(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-'])?;
    let parts: Vec<&str> = match digits.split_once([',', '.']) {
        Some((hours, fraction)) => {
            return signed(text, number(hours).checked_mul(HOUR)?.checked_add(fraction_of_hour(fraction))?);
        }
        None if digits.contains(':') => digits.split(':').collect(),
        None if digits.len() > 2 => {
            let (hours, rest) = digits.split_at(2 - digits.len() % 2);
            [hours].into_iter().chain((0..rest.len() / 2).map(|at| &rest[2 * at..2 * at + 2])).collect()
        }
        None => vec![digits],
    };
    let mut offset: i64 = 0;
    for (part, unit) in parts.iter().zip([HOUR, MINUTE, MINUTE / 60]) {
        offset = offset.checked_add(number(part).checked_mul(unit)?)?;
    }
    signed(text, offset)
}

fn signed(text: &str, offset: i64) -> Option<i64> {
    Some(if text.starts_with('-') { -offset } else { offset })
}

/// Reads digits; a number that does not fit is the greatest that does.
fn number(digits: &str) -> i64 {
    digits.parse().unwrap_or(i64::MAX)
}

/// Reads what follows the point of a number of hours.
fn fraction_of_hour(text: &str) -> i64 {
    let digits = text.split(':').next().unwrap_or_default();
    let mut unit = HOUR;
    digits
        .bytes()
        .map(|digit| {
            unit /= 10;
            i64::from(digit - b'0') * unit
        })
        .sum()
}

/// The zones with a name, in lower case and sorted, in minutes east of UTC.
const ZONES: &[(&str, i64)] = &[
    ("a", 60),
    ("acdt", 630),
    ("acst", 570),
    ("act", -300),
    ("acwst", 525),
    ("adt", -180),
    ("aedt", 660),
    ("aest", 600),
    ("afghanistan", 270),
    ("aft", 270),
    ("ahst", -600),
    ("akdt", -480),
    ("akst", -540),
    ("alaskan", -540),
    ("almt", 360),
    ("anast", 720),
    ("anat", 720),
    ("aoe", -720),
    ("aqtt", 300),
    ("arab", 180),
    ("arabian", 240),
    ("arabic", 180),
    ("art", -180),
    ("ast", -240),
    ("at", -120),
    ("atlantic", -240),
    ("aus central", 570),
    ("aus eastern", 600),
    ("awdt", 540),
    ("awst", 480),
    ("azores", -60),
    ("azost", 0),
    ("azot", -60),
    ("azst", 300),
    ("azt", 240),
    ("b", 120),
    ("bnt", 480),
    ("bot", -240),
    ("brst", -120),
    ("brt", -180),
    ("bst", 60),
    ("bt", 180),
    ("btt", 360),
    ("c", 180),
    ("canada central", -360),
    ("cape verde", -60),
    ("cast", 480),
    ("cat", 120),
    ("caucasus", 240),
    ("cct", 390),
    ("cdt", -300),
    ("cen. australia", 570),
    ("central", -360),
    ("central america", -360),
    ("central asia", 360),
    ("central europe", 60),
    ("central european", 60),
    ("central pacific", 660),
    ("cest", 120),
    ("cet", 60),
    ("chadt", 825),
    ("chast", 765),
    ("china", 480),
    ("chost", 540),
    ("chot", 480),
    ("chst", 600),
    ("chut", 600),
    ("cidst", -240),
    ("cist", -300),
    ("ckt", -600),
    ("clst", -180),
    ("clt", -240),
    ("cot", -300),
    ("cst", -360),
    ("cvt", -60),
    ("cxt", 420),
    ("d", 240),
    ("dateline", -720),
    ("davt", 420),
    ("ddut", 600),
    ("e", 300),
    ("e. africa", 180),
    ("e. australia", 600),
    ("e. europe", 120),
    ("e. south america", -180),
    ("eadt", 660),
    ("easst", -300),
    ("east", -360),
    ("eastern", -300),
    ("eat", 180),
    ("ect", -300),
    ("edt", -240),
    ("eest", 180),
    ("eet", 120),
    ("egst", 0),
    ("egt", -60),
    ("egypt", 120),
    ("ekaterinburg", 300),
    ("est", -300),
    ("f", 360),
    ("fet", 180),
    ("fiji", 720),
    ("fjst", 780),
    ("fjt", 720),
    ("fkst", -180),
    ("fkt", -240),
    ("fle", 120),
    ("fnt", -120),
    ("fst", 120),
    ("fwt", 60),
    ("g", 420),
    ("galt", -360),
    ("gamt", -540),
    ("get", 240),
    ("gft", -180),
    ("gilt", 720),
    ("gmt", 0),
    ("greenland", -180),
    ("greenwich", 0),
    ("gst", 600),
    ("gtb", 120),
    ("gyt", -240),
    ("h", 480),
    ("hadt", -540),
    ("hast", -600),
    ("hawaiian", -600),
    ("hdt", -540),
    ("hkt", 480),
    ("hovst", 480),
    ("hovt", 420),
    ("hst", -600),
    ("i", 540),
    ("ict", 420),
    ("idle", 720),
    ("idlw", -720),
    ("idt", 180),
    ("india", 330),
    ("iot", 360),
    ("iran", 210),
    ("irdt", 270),
    ("irkst", 540),
    ("irkt", 480),
    ("irst", 210),
    ("ist", 330),
    ("jerusalem", 120),
    ("jst", 540),
    ("k", 600),
    ("kgt", 360),
    ("korea", 540),
    ("kost", 660),
    ("krast", 480),
    ("krat", 420),
    ("kst", 540),
    ("kuyt", 240),
    ("l", 660),
    ("lhdt", 660),
    ("lhst", 630),
    ("lint", 840),
    ("m", 720),
    ("magst", 720),
    ("magt", 660),
    ("malay peninsula", 480),
    ("mart", -510),
    ("mawt", 300),
    ("mdt", -360),
    ("mest", 120),
    ("mesz", 120),
    ("met", 60),
    ("mewt", 60),
    ("mexico", -360),
    ("mez", 60),
    ("mht", 720),
    ("mmt", 390),
    ("mountain", -420),
    ("msd", 240),
    ("msk", 180),
    ("mst", -420),
    ("mut", 240),
    ("mvt", 300),
    ("myanmar", 390),
    ("myt", 480),
    ("n", -60),
    ("n. central asia", 360),
    ("nct", 660),
    ("ndt", -90),
    ("nepal", 345),
    ("new zealand", 720),
    ("newfoundland", -210),
    ("nfdt", 720),
    ("nft", 660),
    ("north asia", 420),
    ("north asia east", 480),
    ("novst", 420),
    ("novt", 420),
    ("npt", 345),
    ("nrt", 720),
    ("nst", -150),
    ("nt", -660),
    ("nut", -660),
    ("nzdt", 780),
    ("nzst", 720),
    ("nzt", 720),
    ("o", -120),
    ("omsst", 420),
    ("omst", 360),
    ("orat", 300),
    ("p", -180),
    ("pacific", -480),
    ("pacific sa", -240),
    ("pdt", -420),
    ("pet", -300),
    ("petst", 720),
    ("pett", 720),
    ("pgt", 600),
    ("phot", 780),
    ("pht", 480),
    ("pkt", 300),
    ("pmdt", -120),
    ("pmst", -180),
    ("pont", 660),
    ("pst", -480),
    ("pwt", 540),
    ("pyst", -180),
    ("q", -240),
    ("qyzt", 360),
    ("r", -300),
    ("ret", 240),
    ("romance", 60),
    ("rott", -180),
    ("russian", 180),
    ("s", -360),
    ("sa eastern", -180),
    ("sa pacific", -300),
    ("sa western", -240),
    ("sakt", 660),
    ("samoa", -660),
    ("samt", 240),
    ("sast", 120),
    ("sbt", 660),
    ("sct", 240),
    ("se asia", 420),
    ("sgt", 480),
    ("south africa", 120),
    ("sret", 660),
    ("sri lanka", 360),
    ("srt", -180),
    ("sst", -660),
    ("swt", 60),
    ("syot", 180),
    ("t", -420),
    ("taht", -600),
    ("taipei", 480),
    ("tasmania", 600),
    ("tft", 300),
    ("tjt", 300),
    ("tkt", 780),
    ("tlt", 540),
    ("tmt", 300),
    ("tokyo", 540),
    ("tonga", 780),
    ("tost", 840),
    ("tot", 780),
    ("trt", 180),
    ("tvt", 720),
    ("u", -480),
    ("ulast", 540),
    ("ulat", 480),
    ("us eastern", -300),
    ("us mountain", -420),
    ("ut", 0),
    ("utc", 0),
    ("uyst", -120),
    ("uyt", -180),
    ("uzt", 300),
    ("v", -540),
    ("vet", -240),
    ("vladivostok", 600),
    ("vlast", 660),
    ("vlat", 600),
    ("vost", 360),
    ("vut", 660),
    ("w", -600),
    ("w. australia", 480),
    ("w. central africa", 60),
    ("w. europe", 60),
    ("wadt", 480),
    ("wakt", 720),
    ("warst", -180),
    ("wast", 120),
    ("wat", 60),
    ("west", 60),
    ("west asia", 300),
    ("west pacific", 600),
    ("wet", 0),
    ("wft", 720),
    ("wgst", -120),
    ("wgt", -180),
    ("wib", 420),
    ("wit", 540),
    ("wita", 480),
    ("wt", 0),
    ("x", -660),
    ("y", -720),
    ("yakst", 600),
    ("yakt", 540),
    ("yakutsk", 540),
    ("yapt", 600),
    ("ydt", -480),
    ("yekst", 360),
    ("yekt", 300),
    ("yst", -540),
    ("z", 0),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The offset in seconds.
    fn offset(text: &str) -> Option<i64> {
        zone_offset(text).map(|offset| offset / NANOSECONDS as i64)
    }

    #[test]
    fn names_are_sorted() {
        assert!(ZONES.is_sorted_by(|(a, _), (b, _)| a < b));
    }

    #[test]
    fn reads_names_and_offsets() {
        let zones = [
            ("CET", 3600),
            ("cest", 7200),
            ("CET DST", 7200),
            ("A", 3600),
            ("IST", 19800),
            ("W. Europe Standard Time", 3600),
            ("e.  south   america daylight time", -2 * 3600),
            ("UTC", 0),
            ("+5", 5 * 3600),
            ("-05:30", -5 * 3600 - 1800),
            ("+0530", 5 * 3600 + 1800),
            ("+530", 5 * 3600 + 1800),
            ("UTC+1:30:15", 5415),
            ("GMT-3", -3 * 3600),
            ("+5,5", 5 * 3600 + 1800),
            ("-1.99", -7164),
            ("+25:00", 25 * 3600),
            ("+12345678", 45296),
            ("CET and more", 3600),
        ];
        for (text, seconds) in zones {
            assert_eq!(offset(text), Some(seconds), "{text}");
        }
        assert_eq!(zone_offset("+1.123456789"), Some(4_044_444_440_400));
    }

    #[test]
    fn refuses_what_is_not_a_zone() {
        for text in ["", "EST5EDT", "Zürich", "nosuch", "+x", "é", "+é", " CET", "ut+1", "mid-atlantic"] {
            assert_eq!(offset(text), None, "{text}");
        }
        assert_eq!(offset("+99999999999999999999:30"), None);
    }
}
