//! Front ends are streams of resource graphs; this is where they meet (spec 07 §4.3).
//!
//! A machine runs an mcl program, a Puppet catalog, or both. Each side delivers a new graph whenever something changed
//! there; [`Mixer`] turns both streams into one. The graph travels *with* its event, so there is no flag that could be
//! reset between a check and a use: an event is never lost and never handled twice, whatever the interleaving.

mod live;
mod mixer;
mod puppet;
mod telling;

pub use live::{LiveSource, RunningSource, spawn};
pub use mixer::{Mixed, Mixer, Side, SideEvent};
pub use puppet::PuppetSource;
