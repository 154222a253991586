//! Intentionally empty: the package contains only the tests in `tests/`.
