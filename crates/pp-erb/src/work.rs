//! The work of a template, and its limits.
//!
//! Arrays can hold the same array many times, and themselves, so that a walk through a few of them may have any number of
//! steps. Each walk therefore pays for what it visits while it goes. One that cannot pay ends with any answer: nobody sees
//! it, because every step after it is the error of the limit.

use std::cell::Cell;

use crate::stop::{Eval, MAX_TEXT, Stop};

/// Limits, so that every template ends.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Evaluated expressions, and elements that methods visit.
    pub steps: u64,
    /// Bytes of the values that the template makes, whether or not they are still in use.
    pub bytes: u64,
}

/// How many characters are read in one step.
pub(crate) const CHARS_PER_STEP: usize = 64;
/// The memory of an entry of a hash: key, value, their hash, and a place in the table.
pub(crate) const ENTRY: usize = 96;
/// The memory of a string without its text.
pub(crate) const NEW_STRING: usize = 96;
/// How many elements are copied or skipped in one step.
pub(crate) const ITEMS_PER_STEP: usize = 16;

/// The work that was done.
#[derive(Debug)]
pub(crate) struct Work {
    budget: Budget,
    steps: Cell<u64>,
    /// The greatest number of steps: that of the budget, or none once something else is exceeded.
    max_steps: Cell<u64>,
    bytes: Cell<u64>,
    /// A limit that is not one of the budget.
    refusal: Cell<Option<&'static str>>,
}

impl Work {
    /// Creates the state before any work.
    pub fn new(budget: Budget) -> Work {
        let max_steps = Cell::new(budget.steps);
        Work { budget, steps: Cell::new(0), max_steps, bytes: Cell::new(0), refusal: Cell::new(None) }
    }

    /// Returns the number of steps that were made.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Returns the bytes of the values that were made.
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Pays steps. Returns false if that is not possible: the walk must end.
    #[inline]
    pub fn step(&self, count: usize) -> bool {
        self.steps.set(self.steps.get().saturating_add(count as u64));
        !self.is_used_up()
    }

    /// Pays for a text that is read.
    pub fn read(&self, text: &str) -> bool {
        text.len() < CHARS_PER_STEP || self.step(text.len() / CHARS_PER_STEP)
    }

    /// Pays bytes of new values, and the steps to make them. Returns false if that is not possible.
    #[inline]
    pub fn charge(&self, bytes: usize) -> bool {
        let all = if bytes > MAX_TEXT { u64::MAX } else { self.bytes.get().saturating_add(bytes as u64) };
        self.bytes.set(all);
        if all > self.budget.bytes {
            self.exceed();
        }
        self.step(bytes / 64)
    }

    /// Records that a limit is exceeded that is not one of the budget.
    pub fn refuse(&self, limit: &'static str) {
        self.refusal.set(Some(limit));
        self.exceed();
    }

    /// Makes every step from now on one too many.
    fn exceed(&self) {
        self.max_steps.set(0);
        self.steps.set(self.steps.get().max(1));
    }

    #[inline]
    fn is_used_up(&self) -> bool {
        self.steps.get() > self.max_steps.get()
    }

    /// Fails if a limit is exceeded.
    ///
    /// # Errors
    /// The error of the limit.
    pub fn check(&self) -> Eval<()> {
        if !self.is_used_up() {
            return Ok(());
        }
        Err(Stop::limit(match self.refusal.get() {
            Some(limit) => limit.to_owned(),
            None if self.steps.get() > self.budget.steps => {
                format!("the template takes more than {} steps", self.budget.steps)
            }
            None => format!("the template makes values of more than {} bytes", self.budget.bytes),
        }))
    }
}
