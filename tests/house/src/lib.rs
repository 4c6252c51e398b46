//! Nothing of its own: the tests of the house as a whole live in `tests/house`.
