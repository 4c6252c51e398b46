//! Behaviour case by case.
