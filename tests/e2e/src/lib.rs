//! Empty: a package needs a library or a binary. The tests are in `tests/e2e`.
