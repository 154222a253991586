//! An empty library; the package has only tests.
