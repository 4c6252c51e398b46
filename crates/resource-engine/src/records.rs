//! Which notifications somebody still owes.
//!
//! A *record* is a pair: a resource that changed, or is about to, and a dependent to refresh. The agent keeps records in a
//! journal, so that a crash loses none. A record has *holders*:
//!
//! * the dependent, while the notification is pending;
//! * the running check of the dependent that handles it;
//! * the sender, from the start of a check that may change something until a check succeeds.
//!
//! The journal may forget a record when it has no holder left, and not before: a sender may change again while the
//! dependent still handles the last change.

use resource_graph::ResourceId;
use rustc_hash::FxHashMap;

/// The sender and the dependent.
pub(super) type Record = (ResourceId, ResourceId);

/// All records with holders.
#[derive(Clone, Debug, Default)]
pub(super) struct Records(FxHashMap<Record, Holders>);

#[derive(Clone, Copy, Debug, Default)]
struct Holders {
    count: u32,
    /// Whether the journal may contain the record.
    recorded: bool,
}

impl Records {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a holder.
    pub(super) fn hold(&mut self, record: Record) {
        self.0.entry(record).or_default().count += 1;
    }

    /// Notes that the journal contains a record that has a holder; returns whether this was unknown.
    pub(super) fn mark_recorded(&mut self, record: &Record) -> bool {
        self.0.get_mut(record).is_some_and(|holders| !std::mem::replace(&mut holders.recorded, true))
    }

    /// Removes a holder; returns whether the journal has to forget the record.
    pub(super) fn release(&mut self, record: &Record) -> bool {
        let Some(holders) = self.0.get_mut(record) else { return false };
        holders.count -= 1;
        if holders.count > 0 {
            return false;
        }
        self.0.remove(record).is_some_and(|holders| holders.recorded)
    }

    /// Returns the number of holders of each record.
    #[cfg(test)]
    pub(super) fn counts(&self) -> std::collections::BTreeMap<Record, u32> {
        self.0.iter().map(|(record, holders)| (record.clone(), holders.count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journal_forgets_a_record_with_its_last_holder() {
        let record = (ResourceId::new("noop", "a"), ResourceId::new("noop", "b"));
        let mut records = Records::default();
        records.hold(record.clone());
        records.hold(record.clone());
        assert!(records.mark_recorded(&record) && !records.mark_recorded(&record));
        assert!(!records.release(&record));
        assert!(records.release(&record) && records.is_empty());
        records.hold(record.clone());
        assert!(!records.release(&record), "the journal does not contain it");
    }
}
