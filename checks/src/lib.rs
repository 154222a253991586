//! An empty library; the checks are in `tests/`.
