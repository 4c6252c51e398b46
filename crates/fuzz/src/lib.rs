//! Programs with one broken token: the tool that measures how well the front end reports a single mistake.
//!
//! Every token of an accepted program is deleted, doubled, and replaced by a token of each other kind. Of the programs that
//! are then rejected, two shares matter: those with more than one error (one mistake should be one error), and those whose
//! first error is on the line of the broken token.

pub mod breaking;
pub mod program;
pub mod report;
