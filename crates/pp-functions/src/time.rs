//! Times and durations as text.

pub(crate) mod format_time;
pub(crate) mod format_timespan;
pub(crate) mod zone;
