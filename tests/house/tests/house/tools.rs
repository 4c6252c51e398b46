//! Both tools end to end.
